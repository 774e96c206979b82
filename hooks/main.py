"""The MkDocs events of a build, in their order. The only file that knows MkDocs."""

from __future__ import annotations

import html
import json
import logging
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal
from xml.etree.ElementTree import Element

from jinja2 import Environment
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from figures import EXAMPLES, FIGURES
from notes import check, course, dialect, export, pages, parse, source
from notes.answers import Answer
from notes.frames import close, frame
from notes.katex import Engine, Typeset, Unavailable
from notes.model import Course, Example, Figure, Formula, Place, Problem, Tex
from notes.render import Frame, NotesExtension

log = logging.getLogger("mkdocs.notes")

FORMULA = re.compile(r'<tex-math(?: gap="(?P<gap>\w+)")? key="(?P<key>\w+)">.*?</tex-math>', re.DOTALL)
FRONT: Mapping[str, Callable[[Any], Any]] = {
    "title": html.escape,
    "description": html.escape,
    "hide": list,
    "search": lambda value: {"exclude": value["exclude"] == "true"},
}
"""Front matter as the theme's templates need it: they print titles as markup, and YAML would read `no` as false."""
STYLES = "assets/css/study.css"
LONG = 40  # characters of TeX: a longer formula may break across lines


def outputs(course: Course, answers: Mapping[str, Answer]) -> Iterator[tuple[str, str, Frame]]:
    """Every generated page: its file, the interface word that names it, and what stands on it.

    Pages are made after the chapters, so that the answers are rendered by then.
    """
    yield "checklist.md", "checklist", lambda: pages.checklist(course)
    yield "topics.md", "topics", lambda: pages.topics(course)
    yield "formulas.md", "formulas", lambda: pages.formulas(course)
    yield "cheatsheet.md", "cheatsheet", lambda: pages.cheatsheet(course, answers)


def exports(course: Course, answers: Mapping[str, Answer], urls: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Every other generated file: its path in the site and its text."""
    yield "questions.json", export.questions(course, answers, urls)


# -- events


def on_startup(*, command: Literal["build", "gh-deploy", "serve"], dirty: bool) -> None:
    draft.wanted = command != "serve"


def on_config(config: MkDocsConfig) -> None:
    draft.begin(config)


def on_files(files: Files, *, config: MkDocsConfig) -> None:
    """Reads all notes, stops with every problem that they have, and hands over the pages to render."""
    root = Path(config.config_file_path).parent
    folder = _inside(Path(config.docs_dir), root)
    texts, unreadable = source.texts(Path(config.docs_dir), folder)
    notes = course.read(texts, folder)
    drawings = _draw(notes.course)
    engine = Engine(root / "node_modules" / "katex", root / ".cache")
    formulas, rejected = _typeset(engine, (*notes.formulas, *drawings.formulas))
    extension = NotesExtension(notes.course, formulas)
    generated = list(outputs(notes.course, extension.answers))
    _stop_at([
        *unreadable,
        *notes.problems,
        *check.course(notes.course),
        *check.files(texts, folder, [uri for uri, _, _ in generated]),
        *check.tags(notes.formulas),
        *drawings.problems,
        *rejected,
    ])  # fmt: skip
    extension.frames = _frames(notes.course, drawings) | {word: make for _, word, make in generated}
    config.markdown_extensions.append(extension)  # type: ignore[arg-type]
    _set_pages(files, config, _author_pages(notes.course, texts, drawings))
    _set_pages(files, config, _generated_pages(notes.course, generated))
    _join_styles(files, config)
    for name, content in engine.assets(formulas.values()):
        files.append(File.generated(config, f"assets/katex/{name}", content=content))


def on_page_content(content: str, *, page: Page, config: MkDocsConfig, files: Files) -> None:
    """The template preloads the fonts of the page's formulas, and asks for nothing where there are none."""
    formulas = _notes(config).formulas
    used = {key for _, key in FORMULA.findall(content)}
    page.meta["formula_fonts"] = sorted({font for key in used for font in formulas[key].fonts})


def on_env(env: Environment, *, config: MkDocsConfig, files: Files) -> None:
    """Every page is rendered and none is written."""
    notes = _notes(config)
    env.globals["course"] = notes.course
    _speak(config, notes.course.words)
    for chapter in notes.course.chapters:
        page = files.src_uris[chapter.uri].page
        assert page is not None
        page.title = ("" if chapter.series.running else f"{chapter.number}\u2003") + page.toc.items[0].title
    urls = {chapter.uri: files.src_uris[chapter.uri].url for chapter in notes.course.chapters}
    for path, text in exports(notes.course, notes.answers, urls):
        files.append(File.generated(config, path, content=text))


def on_post_page(output: str, *, page: Page, config: MkDocsConfig) -> str:
    """Search has seen the page with each formula as text; readers get it typeset."""
    formulas = _notes(config).formulas

    def typeset(found: re.Match[str]) -> str:
        formula = formulas[found["key"]]
        classes = ["tex", *(f"tex-{side}" for side in found["gap"] or "")]
        if len(formula.tex) > LONG:
            classes.append("tex-long")
        return f'<span class="{" ".join(classes)}">{formula.html}</span>'

    return FORMULA.sub(typeset, output)


def on_post_build(*, config: MkDocsConfig) -> None:
    notes = _notes(config)
    questions, topics = len(notes.course.questions), len(notes.course.topics)
    log.info(f"{questions} questions, {topics} topics, {len(notes.formulas)} formulas")
    draft.whole = True


def on_build_error(*, error: Exception) -> None:
    draft.discard()


def on_shutdown() -> None:
    draft.publish()


# -- the site of before stays until the new one is whole


@dataclass
class Draft:
    """The folder in which a site is built; it takes the old one's place when nothing has failed.

    MkDocs empties its target first, and decides last whether a warning fails the build; the event that follows
    brings no configuration, so this is kept here.
    """

    wanted: bool = True
    whole: bool = False
    """Every page is written. An interrupt ends a build without an error, and must not publish half of it."""
    config: MkDocsConfig | None = None
    site: Path = Path()

    @property
    def folder(self) -> Path:
        return self.site.with_name(self.site.name + ".new")

    def begin(self, config: MkDocsConfig) -> None:
        if self.wanted:
            self.config, self.site, self.whole = config, Path(config.site_dir), False
            config.site_dir = str(self.folder)

    def discard(self) -> None:
        self.whole = False

    def publish(self) -> None:
        if self.config and self.whole:
            shutil.rmtree(self.site, ignore_errors=True)
            self.folder.rename(self.site)
            self.config.site_dir = str(self.site)
            log.info(f"The site is in {self.site}")
        elif self.config:
            shutil.rmtree(self.folder, ignore_errors=True)
        self.config = None


draft = Draft()


# -- steps of on_files


def _inside(path: Path, root: Path) -> str:
    """The path as messages name it."""
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()


def _stop_at(problems: list[Problem]) -> None:
    for problem in sorted(set(problems)):
        log.log(logging.INFO if problem.notice else logging.ERROR, str(problem))
    places = [problem.place.path for problem in set(problems) if not problem.notice]
    if places:
        raise PluginError(f"Mistakes: {len(places)}, in files: {len(set(places))}. The site was not built")


@dataclass(frozen=True)
class Drawings:
    """What `figures` made of the blocks of the notes, by the place of each block."""

    examples: Mapping[Place, str]
    figures: Mapping[Place, Element]
    formulas: tuple[Tex, ...]
    problems: tuple[Problem, ...]


def _draw(course: Course) -> Drawings:
    examples: dict[Place, str] = {}
    figures: dict[Place, Element] = {}
    formulas: list[Tex] = []
    problems = list(check.drawn(course, EXAMPLES, FIGURES))
    parts = (part for question in course.questions.values() for part in question.parts)
    for block in parts:
        if not isinstance(block, Example | Figure):
            continue
        try:
            if isinstance(block, Example) and block.name in EXAMPLES:
                examples[block.place] = EXAMPLES[block.name](block.parameters)
                found = parse.page(block.place.path, examples[block.place]).formulas
                formulas += [replace(formula, place=block.place) for formula in found]
            elif isinstance(block, Figure) and block.name in FIGURES:
                figures[block.place] = FIGURES[block.name](block.parameters)
        except ValueError as error:
            problems.append(Problem(block.place, f"{block.name}: {error}"))
    return Drawings(examples, figures, tuple(formulas), tuple(problems))


def _typeset(engine: Engine, formulas: tuple[Tex, ...]) -> tuple[Mapping[str, Typeset], list[Problem]]:
    try:
        return engine.typeset(formulas)
    except Unavailable as error:
        raise PluginError(str(error)) from error


def _author_pages(course: Course, texts: Mapping[str, str], drawings: Drawings) -> Iterator[tuple[str, str]]:
    """Each of the author's pages: its file, and its Markdown as it is rendered."""
    for uri, text in texts.items():
        if not uri.endswith(".md"):
            continue
        front, lines = source.front_matter(text)
        meta = {entry.key: FRONT.get(entry.key, str)(entry.value) for entry in source.entries(front)}
        if chapter := course.chapter_of.get(uri):
            body = "\n\n".join(pages.markdown(chapter, drawings.examples))
        else:
            body = "\n".join(text.split("\n")[lines:])
        if uri == "index.md":
            body += f"\n\n{frame('home')}\n\n{close()}\n"
        yield uri, f"---\n{json.dumps(meta)}\n---\n\n" + dialect.prepare(body)


def _generated_pages(course: Course, generated: list[tuple[str, str, Frame]]) -> Iterator[tuple[str, str]]:
    """Search would find each question twice, so it passes these over."""
    for uri, word, _ in generated:
        meta = {"title": html.escape(course.words[word]), "search": {"exclude": True}}
        yield uri, f"---\n{json.dumps(meta)}\n---\n{frame(word)}\n\n{close()}\n"


def _set_pages(files: Files, config: MkDocsConfig, written: Iterator[tuple[str, str]]) -> None:
    for uri, text in written:
        if file := files.get_file_from_path(uri):
            file.content_string = text
        else:
            files.append(File.generated(config, uri, content=text))


def _speak(config: MkDocsConfig, words: Mapping[str, str]) -> None:
    """What the theme says on every page, in the course's words."""
    config.site_description = config.site_description or words["description"]
    config.copyright = config.copyright or words["colophon"]
    for scheme, name in zip(config.theme["palette"], ("to-dark", "to-light"), strict=True):
        scheme["toggle"]["name"] = words[name]


def _frames(course: Course, drawings: Drawings) -> dict[str, Frame]:
    """What stands at each mark that `pages.markdown` wrote, and on the home page."""

    def formula(question: str, position: str) -> Element:
        part = course.questions[question].parts[int(position)]
        assert isinstance(part, Formula)
        return pages.formula(course, part)

    def figure(question: str, position: str) -> Element:
        return pages.drawing(drawings.figures[course.questions[question].parts[int(position)].place])

    return {
        "chapter": lambda uri: pages.chapter(course, course.chapter_of[uri]),
        "question": lambda name: pages.question(course, course.questions[name]),
        "aside": lambda voice: pages.aside(course, voice),
        "formula": formula,
        "figure": figure,
        "home": lambda: pages.home(course),
    }


def _join_styles(files: Files, config: MkDocsConfig) -> None:
    """One style sheet of those in `extra_css`, in their order: one request, and a fifth less to send."""
    sheets = [sheet for path in config.extra_css if (sheet := files.get_file_from_path(path))]
    for sheet in sheets:
        files.remove(sheet)
    files.append(File.generated(config, STYLES, content="\n".join(sheet.content_string for sheet in sheets)))
    config.extra_css = [STYLES]


def _notes(config: MkDocsConfig) -> NotesExtension:
    """The build's own state hangs on its configuration, so that two builds of one process cannot mix."""
    return next(extension for extension in config.markdown_extensions if isinstance(extension, NotesExtension))
