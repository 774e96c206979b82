"""A tiny course in a temporary folder, built for real with the shipped `mkdocs.yml`."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, TreeBuilder

import pytest

from shipped import PROJECT, configure

pytest_plugins = ["browsing"]
GENERATED = ("checklist.md", "topics.md", "formulas.md", "cheatsheet.md")
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
LOG = re.compile(r"^(INFO|WARNING|ERROR) +-  ?(.*)$", re.MULTILINE)


def question(title: str, answer: str, id: str, fields: str = "") -> str:
    """A question that the tiny course accepts; `fields` are further lines of options."""
    options = f"    id: {id}\n    kind: 简答\n    priority: 必背\n    topics: [topic]\n{fields}"
    return f"//// question | {title}\n{options}\n{answer}\n////\n"


def chapters(cases: Mapping[str, str]) -> dict[str, str | bytes]:
    """A chapter for each case, which holds its Markdown as prose and as an answer."""
    return {
        f"chapters/{number}-{name}.md": f"# {name}\n\n## 正文\n\n{text}\n\n{question(name, text, name)}"
        for number, (name, text) in enumerate(cases.items(), 2)
    }


SMALL: Mapping[str, str] = {
    "index.md": "# 小课程\n",
    "course.yml": (PROJECT / "docs/course.yml").read_text("utf-8"),
    "topics.yml": "- {slug: topic, name: 考点, english: Topic, aliases: [], area: 框架训练流程}\n",
    "priorities.yml": "[]\n",
    "chapters/01-first.md": "# 第一章\n\n" + question("第一题", "有答案。", "first"),
}


@dataclass(frozen=True)
class Build:
    """What `mkdocs build` did."""

    code: int
    output: str
    folder: Path
    """The course: `docs`, `mkdocs.yml` and, when the build went well, `site`."""

    @property
    def site(self) -> Path:
        return self.folder / "site"

    def logged(self, level: str) -> list[str]:
        """Messages of one level, in order."""
        return [message for found, message in LOG.findall(self.output) if found == level]

    def text(self, path: str) -> str:
        return (self.site / path).read_text("utf-8")

    def page(self, uri: str) -> Element:
        """The page of a Markdown file."""
        url = re.sub(r"(?:(?<=/)|^)(?:index|README)$", "", uri.removesuffix(".md"))
        return tree(self.text(f"{url}/index.html" if url else "index.html"))

    def files(self) -> dict[str, bytes]:
        """Every file of the site."""
        paths = (path for path in sorted(self.site.rglob("*")) if path.is_file())
        return {path.relative_to(self.site).as_posix(): path.read_bytes() for path in paths}

    def problems(self, uri: str) -> list[str]:
        """What was said of one of the author's files, each beginning with its line."""
        start = f"docs/{uri}:"
        return [message.removeprefix(start) for message in self.logged("ERROR") if message.startswith(start)]

    def index(self) -> list[dict[str, str]]:
        """Rows of the search index: location, title and text, the last two as markup."""
        rows: list[dict[str, str]] = json.loads(self.text("search/search_index.json"))["docs"]
        return rows

    def questions(self) -> list[dict[str, str]]:
        """Rows of `questions.json`."""
        rows: list[dict[str, str]] = json.loads(self.text("questions.json"))
        return rows

    def case(self, case: str) -> Element:
        """The page of a case of `chapters`."""
        return self.page(f"chapters/{next((self.folder / 'docs/chapters').glob(f'*-{case}.md')).name}")

    def places(self, case: str) -> dict[str, Element]:
        """Where the Markdown of a case of `chapters` is shown."""
        page, sheet = self.case(case), self.page("cheatsheet.md")
        prose = Element("div")
        prose.extend(
            part for part in find(page, "self-test")[0] if part.get("class", "").partition(" ")[0] not in FRAME
        )
        prose.remove(find(prose, "h2")[0])
        entry = next(
            entry for entry in find(sheet, ".c") if any(a.get("href", "").endswith(f"#{case}") for a in entry.iter("a"))
        )
        return {"prose": prose, "answer": find(page, f"#{case}")[0], "cheat sheet": find(entry, ".c-a")[0]}


Builder = Callable[..., Build]
"""`build(files, *flags, folder=None, **environment)`: a folder of a build before is built again with other files."""


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Builder:
    """Writes the files over a tiny course and runs `mkdocs build` on it."""
    cache = tmp_path_factory.mktemp("cache")

    def run(
        files: Mapping[str, str | bytes], *flags: str, folder: Path | None = None, environment: Mapping[str, str] = {}
    ) -> Build:
        course = folder or tmp_path_factory.mktemp("course")
        _write(course, files, cache)
        command = [sys.executable, "-m", "mkdocs", "build", "--config-file", str(course / "mkdocs.yml"), *flags]
        done = subprocess.run(
            command,
            cwd=course,
            env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONUTF8": "1", **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        return Build(done.returncode, done.stdout.decode("utf-8", "backslashreplace"), course)

    return run


@pytest.fixture(scope="session")
def rows(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """questions.json of the real site."""
    site = tmp_path_factory.mktemp("real") / "site"
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", str(PROJECT / "mkdocs.yml"), "-d", str(site)],
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONUTF8": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    assert done.returncode == 0, done.stdout.decode("utf-8", "backslashreplace")
    found: list[dict[str, Any]] = json.loads((site / "questions.json").read_text("utf-8"))
    return found


def _write(course: Path, files: Mapping[str, str | bytes], cache: Path) -> None:
    docs = course / "docs"
    shutil.rmtree(docs, ignore_errors=True)
    every = {**SMALL, **files}
    for uri, text in every.items():
        (docs / uri).parent.mkdir(parents=True, exist_ok=True)
        (docs / uri).write_bytes(text if isinstance(text, bytes) else text.encode())
    pages = [uri for uri in every if uri.endswith(".md") and uri != "index.md"]
    nav = [{"首页": "index.md"}, {"章节": pages}, {"备考": list(GENERATED)}]
    configure(course, cache=cache, site_name="小课程", nav=nav)


def tree(html: str) -> Element:
    """The elements of a page, as a browser that knows HTML's void elements sees them."""
    return _Reader().read(html)


def read(element: Element) -> str:
    """Text of an element as readers get it: white space as one space, each formula as ⟦its TeX⟧."""
    return " ".join("".join(_said(element)).split())


def _said(element: Element) -> Iterator[str]:
    if "tex" in element.get("class", "").split():
        yield "".join(f"⟦{note.text}⟧" for note in element.iter("annotation"))
        return
    yield element.text or ""
    for child in element:
        yield from _said(child)
        yield child.tail or ""


FRAME = ("page-head", "page-bar", "q")
BLOCKS = {"p", "ul", "ol", "li", "table", "tr", "th", "td", "pre", "blockquote", "hr", "h2", "h3"}
OUTLINED = BLOCKS | {"code", "strong", "em", "sup", "sub", "del", "img"}


def outline(element: Element) -> str:
    """The blocks and stresses inside an element, as tags without attributes around what `read` gives."""
    marked = re.sub(r"\s+", " ", "".join(_outlined(element)))
    edge = "|".join(BLOCKS)
    return re.sub(rf" ?(</?(?:{edge})>) ?", r"\1", marked).strip()


def _outlined(element: Element) -> Iterator[str]:
    if "tex" in element.get("class", "").split():
        yield read(element)
        return
    yield element.text or ""
    for child in element:
        shown = child.tag in OUTLINED and not (child.tag == "code" and element.tag == "pre")
        yield f"<{child.tag}>" if shown else ""
        yield from _outlined(child)
        yield f"</{child.tag}>" if shown else ""
        yield child.tail or ""


def find(root: Element, name: str) -> list[Element]:
    """`tag`, `.class`, `tag.class` or `#id`, in order."""
    tag, _, wanted = name.replace("#", ".#").partition(".")
    return [
        element
        for element in root.iter()
        if tag in ("", element.tag)
        and (not wanted or wanted in (*element.get("class", "").split(), "#" + element.get("id", "")))
    ]


class _Reader(HTMLParser):
    def read(self, html: str) -> Element:
        self.builder = TreeBuilder()
        self.open = ["root"]
        self.builder.start("root", {})
        self.feed(html)
        self.close()
        while self.open:
            self.builder.end(self.open.pop())
        return self.builder.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.builder.start(tag, {name: value or "" for name, value in attrs})
        if tag in VOID:
            self.builder.end(tag)
        else:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while tag in self.open[1:]:
            last = self.open.pop()
            self.builder.end(last)
            if last == tag:
                return

    def handle_data(self, data: str) -> None:
        self.builder.data(data)
