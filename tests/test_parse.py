"""The question grammar: every field and block is read, every mistake is reported with its line and its cure."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notes import parse
from notes import question as questions
from notes.model import Aside, Chapter, Formula, Part, Priority, Prose, Question, Section, Series, Settings
from notes.page import Page

CASES = Path(__file__).with_name("cases")
LABS = Series("labs", "实验", prefix="实")
CHAPTERS = Series("chapters", "章节")
EXAM = Series("exam", "综合题", prefix="综", running=True)
SETTINGS = Settings(
    series=(CHAPTERS, LABS, EXAM),
    kinds=("简答", "判断"),
    priorities={"必背": Priority("必背", 0), "重要": Priority("重要", 1)},
    areas={},
    forecast=(),
    seals={"verified": ("核", "已核实")},
    words={},
)
FIELDS = ("id", "source", "kind", "priority", "topics", "examined", "related", "formerly", "trust", "cites", "also")
LINES = [
    *("", "答。", "# 章", "## 节", "---", "==", "- 项", "  - 子项", "| a | b |", "```", "````text", "~~~"),
    *("$$", "$x$", "$", "%", "\\$", "`", "<!--", "-->", "<b>", "??? note", "!!! x", "title: x", "\u2028"),
    *("////", "///", "/////", "  ///", "/" * 99, "／／／", "//// question | 问？", "//// question"),
    *("/// exam", "/// formula | 名", "    symbols: {N: $x$}", "/// example | e", "/// figure"),
    *("    id: a", "    id: b", "  id: c", "\tid: d", "    kind: 简答", "    'trust': x"),
    *("    topics: [", "    examined: a: b", "    - x", "    # c"),
]
BLOCKS = ("formula", "example", "figure", "exam", "strict", "fix", "short")


def cases(name: str) -> list[pytest.ParameterSet]:
    """The cases of a file: a title, then input and expected text, each ended by a line `.`."""
    found = list[pytest.ParameterSet]()
    title, parts = "", list[list[str]]()
    for line in (CASES / name).read_text("utf-8").split("\n")[1:]:
        if line == ".":
            parts.append([])
        elif parts:
            parts[-1].append(line)
        else:
            title = line or title
        if len(parts) == 3:
            found.append(pytest.param("\n".join(parts[0]), parts[1], id=title))
            parts = []
    return found


def read(text: str, series: Series = CHAPTERS, number: int = 6, first: int = 1) -> tuple[Chapter, Page]:
    return parse.chapter("c.md", text, uri="c.md", series=series, number=number, settings=SETTINGS, first=first)


@pytest.mark.parametrize(("text", "expected"), cases("mistakes.md"))
def test_every_mistake_is_reported_with_its_line_and_its_cure(text: str, expected: list[str]) -> None:
    found = [str(problem).removeprefix("c.md:") for problem in read(text)[1].problems]
    assert sorted(found) == sorted(expected)


@pytest.mark.parametrize(("text", "expected"), cases("questions.md"))
def test_a_chapter_is_read_into_the_model(text: str, expected: list[str]) -> None:
    chapter, page = read(text)
    assert [str(problem) for problem in page.problems] == []
    assert list(outline(chapter, page)) == expected


def outline(chapter: Chapter, page: Page) -> Iterator[str]:
    """Everything that was read, a line each; `⏎` stands for a line end."""
    yield one_line(f"{chapter.title} | {chapter.lede}")
    for part in chapter.parts:
        if isinstance(part, Question):
            yield from _question(part)
        else:
            yield _text(part)
    if page.formulas:
        places = (str(tex.place).removeprefix("c.md:") for tex in page.formulas)
        pairs = zip(places, page.formulas, strict=True)
        yield one_line("formulas: " + ", ".join(f"{place} {tex.tex}" for place, tex in pairs))


def _question(question: Question) -> Iterator[str]:
    yield f"{question.place.line} question {question.number} {question.title}"
    for name in (*FIELDS, "section"):
        value = getattr(question, name)
        if isinstance(value, Priority):
            value = f"{value.rank} {value.name}"
        if value:
            yield f"  {name}: {value}"
    for part in question.parts:
        yield f"  {_text(part)}"
        if isinstance(part, Formula):
            yield from (f"    {symbol.tex} {meaning}" for symbol, meaning in part.symbols)


def _text(part: Part | Section) -> str:
    if isinstance(part, Prose):
        said = f"prose {part.text}"
    elif isinstance(part, Section):
        said = f"section {part.title}"
    elif isinstance(part, Aside):
        said = f"{part.voice} {part.text}"
    elif isinstance(part, Formula):
        said = f"formula {part.name}: {part.tex.tex}"
    else:
        said = f"{type(part).__name__.lower()} {part.name} {part.parameters}"
    return one_line(f"{part.place.line} {said}")


def one_line(text: str) -> str:
    return text.replace("\n", "⏎").rstrip()


def test_the_cases_use_every_field_and_every_block() -> None:
    first = (CASES / "questions.md").read_text("utf-8")
    assert (*questions.FIELDS,) == FIELDS
    assert questions.INNER_BLOCKS == BLOCKS
    assert all(re.search(rf"^    {field}: ", first, re.MULTILINE) for field in FIELDS)
    assert all(re.search(rf"^/// {block}\b", first, re.MULTILINE) for block in BLOCKS)
    assert set(FIELDS) <= {field.name for field in dataclasses.fields(Question)}


@pytest.mark.parametrize(
    ("series", "number", "first", "shown"),
    [(CHAPTERS, 6, 1, ["6.1", "6.2"]), (LABS, 6, 1, ["实6.1", "实6.2"]), (EXAM, 1, 9, ["综9", "综10"])],
    ids=["chapters", "labs", "exam"],
)
def test_numbers_are_counted_by_chapter_or_through_the_series(
    series: Series, number: int, first: int, shown: list[str]
) -> None:
    questions = "".join(
        f"\n\n//// question | 问？\n    {{id: q{name}, kind: 简答, priority: 必背, topics: [t]}}\n\n答。\n////"
        for name in "ab"
    )
    chapter, _ = read("# 章" + questions, series, number, first)
    assert [question.number for question in chapter.questions] == shown


def test_a_question_that_cannot_be_read_leaves_the_others_as_they_are() -> None:
    text = """# 章

//// question | 坏？
    id: [
答。
////

//// question | 好？
    {id: b, kind: 简答, priority: 必背, topics: [t]}

答。
////
"""
    chapter, page = read(text)
    assert [question.id for question in chapter.questions if question.title == "好？"] == ["b"]
    assert [problem.place.line for problem in page.problems] == [4]


@pytest.mark.parametrize("voice", ["exam", "strict", "fix", "short"])
def test_a_formula_in_a_voice_belongs_to_its_question(voice: str) -> None:
    fields = "    {id: a, kind: 简答, priority: 必背, topics: [t]}"
    _, page = read(f"# 章\n\n//// question | 问？\n{fields}\n\n答。\n\n/// {voice}\n$x$\n///\n////")
    assert [(tex.tex, tex.inside, str(tex.place)) for tex in page.formulas] == [("x", "问？", "c.md:9:1")]


@given(st.lists(st.sampled_from(LINES), max_size=30))
def test_no_text_stops_the_reader_and_every_problem_lies_in_the_file(lines: list[str]) -> None:
    for page in (read("\n".join(lines))[1], parse.page("c.md", "\n".join(lines))):
        assert all(1 <= problem.place.line <= max(1, len(lines)) for problem in page.problems)


def test_a_page_outside_the_series_holds_no_block() -> None:
    page = parse.page("write.md", "# 写\n\n```\n//// question | 例\n////\n```\n\n//// question | 真\n////\n\n$x$\n")
    expected = ["write.md:8: 'question' blocks stand only in the files of a series in course.yml"]
    assert [str(problem) for problem in page.problems] == expected
    assert [tex.tex for tex in page.formulas] == ["x"]
