"""`make bench`: our build beside plain MkDocs with the same text, in one run. A script, not a test.

The baseline is what an author without the hooks would keep: the same theme, plugins and extensions, each question a
heading with its anchor, its marks, answer and links in ordinary Markdown, formulas left to `arithmatex`, and the index,
checklist, formula sheet and cheat sheet as Markdown lists. Ratios hold on any machine; seconds only on this one.
"""

from __future__ import annotations

import math
import os
import pstats
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from notes import course, source
from notes.model import Aside, Course, Example, Figure, Formula, Prose, Question, Section
from shipped import PROJECT, configure

ROUNDS = 5
SIZES = (1000, 5000)
PER_PAGE = 20
WORDS = re.findall("..", "梯度节点通信矩阵缓存调度容器镜像模型训练参数算子并行带宽精度样本损失卷积编译分块")

PLAIN = {
    "theme": {
        "name": "material",
        "language": "zh",
        "font": False,
        "features": [
            "navigation.sections",
            "navigation.instant",
            "navigation.footer",
            "toc.integrate",
            "search.highlight",
        ],
        "palette": [
            {"scheme": "default", "toggle": {"icon": "material/brightness-7", "name": "dark"}},
            {"scheme": "slate"},
        ],
    },
    "plugins": ["search"],
    "markdown_extensions": [
        "attr_list",
        "sane_lists",
        "tables",
        {"toc": {"toc_depth": 2}},
        "pymdownx.highlight",
        "pymdownx.superfences",
        {"pymdownx.arithmatex": {"generic": True}},
    ],
    "validation": {"links": {"absolute_links": "relative_to_docs"}},
}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        courses = {"real": PROJECT / "docs"} | {
            f"{size:,}": synthetic(Path(folder) / str(size), size) for size in SIZES
        }
        ours: dict[str, float] = {}
        print(f"{'course':>8} {'plain s':>8} {'ours s':>8} {'ratio':>6} {'plain MB':>9} {'ours MB':>8}")
        for name, docs in courses.items():
            sites = Path(folder) / f"sites-{name}"
            with_hooks = configuration(sites / "ours", docs, hooks=True)
            plain = configuration(sites / "plain", baseline(sites / "text", docs), hooks=False)
            build(with_hooks)  # fills the formula cache
            runs = [(build(plain), build(with_hooks)) for _ in range(ROUNDS)]
            times = [min(run[side][0] for run in runs) for side in (0, 1)]  # the rest is what else the machine did
            memory = [max(run[side][1] for run in runs) for side in (0, 1)]
            ratio = times[1] / times[0]
            ours[name] = times[1]
            print(
                f"{name:>8} {times[0]:8.2f} {times[1]:8.2f} {ratio:6.2f} {memory[0]:9.0f} {memory[1]:8.0f}", flush=True
            )
        small, large = (f"{size:,}" for size in SIZES)
        exponent = math.log(ours[large] / ours[small]) / math.log(SIZES[1] / SIZES[0])
        print(f"time grows with questions to the power of {exponent:.2f} ({small} to {large})")
        print(
            "where the time goes:", ", ".join(f"{part} {share:.0%}" for part, share in shares(courses[small], folder))
        )


def build(config: Path) -> tuple[float, float]:
    """Processor seconds and peak memory (MB) of a build in a process of its own; it runs on one core."""
    process = subprocess.Popen([sys.executable, "-m", "mkdocs", "build", "-q", "-f", str(config)])
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"the build of {config} failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def configuration(folder: Path, docs: Path, hooks: bool) -> Path:
    """The shipped configuration for another docs folder; without hooks it needs what they stand in for."""
    folder.mkdir(parents=True)
    chapters = sorted(path.relative_to(docs).as_posix() for path in docs.rglob("*/*.md"))
    generated = ["checklist.md", "topics.md", "formulas.md", "cheatsheet.md"]
    sections = [{str(position): chapters[position : position + 25]} for position in range(0, len(chapters), 25)]
    write = ["write.md"] if (docs / "write.md").exists() else []
    common: dict[str, Any] = {
        "docs_dir": str(docs),
        "site_dir": str(folder / "site"),
        "site_url": "https://example.org/notes/",
        "nav": ["index.md", *sections, *generated, *write],
    }
    if hooks:
        return configure(folder, **common)
    file = folder / "mkdocs.yml"
    file.write_text(yaml.safe_dump({"site_name": "plain", **common, **PLAIN}, allow_unicode=True), encoding="utf-8")
    return file


# -- the same text in ordinary Markdown


def baseline(folder: Path, docs: Path) -> Path:
    files, _ = source.texts(docs, "docs")
    notes = course.read(files, "docs").course
    pages = {chapter.uri: "\n\n".join(_chapter(notes, chapter.parts)) for chapter in notes.chapters}
    pages |= {uri: text for uri, text in files.items() if uri.endswith(".md") and uri not in pages}
    pages["topics.md"] = "\n\n".join(_topics(notes))
    pages["checklist.md"] = "\n\n".join(_checklist(notes))
    pages["formulas.md"] = "\n\n".join(_formulas(notes))
    pages["cheatsheet.md"] = "\n\n".join(_sheet(notes))
    for uri, text in pages.items():
        target = folder / uri
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    return folder


def _chapter(notes: Course, parts: tuple[Prose | Section | Question, ...]) -> Iterator[str]:
    yield f"# {notes.chapter_of[parts[-1].uri].title}" if isinstance(parts[-1], Question) else "#"
    for part in parts:
        if isinstance(part, Section):
            yield f"## {part.title}"
        elif isinstance(part, Prose):
            yield part.text
        else:
            yield f"### [{part.number}](#{part.id}) {part.title} {{ #{part.id} }}"
            yield f"{part.priority.name} {part.examined} {part.kind}"
            yield from _answer(part)
            topics = " ".join(f"[{notes.topic_of[slug].name}](/topics.md#{slug})" for slug in part.topics)
            yield topics + " " + " ".join(_link(notes.questions[name]) for name in part.related)


def _answer(question: Question) -> Iterator[str]:
    for part in question.parts:
        if isinstance(part, Prose | Aside):
            yield part.text
        elif isinstance(part, Formula):
            yield f"$$\n{part.tex.tex}\n$$"
            yield "\n".join(f"- ${symbol.tex}$ {meaning}" for symbol, meaning in part.symbols)
        elif isinstance(part, Example | Figure):
            yield part.name


def _link(question: Question, title: str = "") -> str:
    return f"[{question.number}{title}](/{question.link})"


def _rows(questions: Iterator[Question]) -> str:
    return "\n".join(f"- {_link(question, ' ' + question.title)} {question.kind}" for question in questions)


def _topics(notes: Course) -> Iterator[str]:
    yield "# 考点索引"
    for topic in notes.topics:
        yield f"### {topic.name} *{topic.english}* {{ #{topic.slug} }}"
        yield _rows(iter(notes.questions_on[topic.slug]))


def _checklist(notes: Course) -> Iterator[str]:
    yield "# 复习清单"
    for task in notes.tasks:
        yield f"### {task.text}"
        yield _rows(notes.questions[name] for name in task.questions)


def _formulas(notes: Course) -> Iterator[str]:
    yield "# 公式表"
    for question, formula in notes.formulas():
        yield f"### {formula.name} {_link(question)}"
        yield f"$$\n{formula.tex.tex}\n$$"


def _sheet(notes: Course) -> Iterator[str]:
    yield "# 速查表"
    for question in notes.questions.values():
        if question.priority.rank < 2:
            yield f"### {_link(question)} {question.title}"
            yield from _answer(question)


# -- a course of any size


def synthetic(folder: Path, size: int) -> Path:
    """Twenty questions a chapter, half of them with a formula, a tenth with code; the same at every run."""
    chance = random.Random(size)
    (folder / "chapters").mkdir(parents=True)
    for name in ("course.yml", "index.md"):
        (folder / name).write_bytes((PROJECT / "docs" / name).read_bytes())
    topics = [f"topic-{number}" for number in range(40)]
    areas = list(yaml.safe_load((PROJECT / "docs" / "course.yml").read_text("utf-8"))["areas"])
    rows = [
        {"slug": slug, "name": slug, "english": slug, "aliases": [slug], "area": areas[number % len(areas)]}
        for number, slug in enumerate(topics)
    ]
    (folder / "topics.yml").write_text(yaml.safe_dump(rows, allow_unicode=True), "utf-8")
    tasks = [
        {"slug": f"task-{number}", "text": _words(chance, 4), "editorial": False, "questions": [f"q-{number}"]}
        for number in range(12)
    ]
    (folder / "priorities.yml").write_text(yaml.safe_dump(tasks, allow_unicode=True), "utf-8")
    for first in range(0, size, PER_PAGE):
        text = [f"# {_words(chance, 4)}", _words(chance, 8) + "。"]
        for number in range(first, min(first + PER_PAGE, size)):
            text += [f"## {_words(chance, 3)}"] * (number % 5 == 0)
            text.append("\n".join(_question(chance, number, size, topics)))
        file = folder / "chapters" / f"{first // PER_PAGE + 1:03}-chapter.md"
        file.write_text("\n\n".join(text) + "\n", "utf-8")
    return folder


def _question(chance: random.Random, number: int, size: int, topics: list[str]) -> Iterator[str]:
    yield f"//// question | {_words(chance, 5)}是什么？"
    yield f"    id: q-{number}"
    yield f"    source: s-{number}"
    yield "    kind: 简答"
    yield f"    priority: {chance.choices(['必背', '重要', '了解'], [16, 28, 56])[0]}"
    yield f"    topics: [{topics[number % 40]}, {topics[(number * 7 + 1) % 40]}]"
    yield f"    related: [q-{(number + 1) % size}, q-{(number + 31) % size}]"
    yield ""
    yield _words(chance, 20) + "。"
    yield ""
    for point in range(1, 4):
        yield f"{point}. **{_words(chance, 2)}**：{_words(chance, 10)}。"
    if number % 2:
        yield from ("", f"其中$x_{{{number}}} = \\frac{{a}}{{b + {number}}}$是{_words(chance, 3)}。")
    if number % 10 == 0:
        yield from ("", "```python", f"def step_{number}(x):", "    return x - 0.1 * gradient(x)", "```")
    yield "////"


def _words(chance: random.Random, count: int) -> str:
    return "".join(chance.choices(WORDS, k=count))


# -- what dominates


def shares(docs: Path, folder: str) -> list[tuple[str, float]]:
    """Shares of the time of a build that each package spends in its own functions."""
    config = configuration(Path(folder) / "profile", docs, hooks=True)
    profile = Path(folder) / "profile.out"
    command = [sys.executable, "-m", "cProfile", "-o", str(profile), "-m", "mkdocs", "build", "-q", "-f", str(config)]
    subprocess.run(command, check=True)
    groups: dict[str, float] = {}
    for (file, _, _), (_, _, own, _, _) in pstats.Stats(str(profile)).stats.items():  # type: ignore[attr-defined]
        groups[_group(file)] = groups.get(_group(file), 0) + own
    total = sum(groups.values())
    return sorted(((name, own / total) for name, own in groups.items()), key=lambda pair: -pair[1])[:8]


def _group(file: str) -> str:
    known = ("hooks", "markdown", "pymdownx", "pygments", "jinja2", "material", "mkdocs", "xml", "yaml", "json", "html")
    parts = Path(file).parts
    return next((name for name in known if name in parts), "the rest of Python")


if __name__ == "__main__":
    main()
