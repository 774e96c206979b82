"""The author's notes are whole: every question of the raw notes once, and nothing that copying left in the text."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from notes import course
from notes.model import Aside, Course, Prose, Question

PROJECT = Path(__file__).parents[1]
DOCS = PROJECT / "docs"
RAW = {"ch": (10, 8, 10, 14, 12, 15, 18, 10), "lab": (6, 6, 6, 8, 7, 10, 6)}
SOURCES = [
    f"{kind}{n}-q{m}" for kind, counts in RAW.items() for n, count in enumerate(counts, 1) for m in range(1, count + 1)
]
SOURCES += [f"{kind}-{n}" for kind in ("comp", "big") for n in range(1, 6)]
NOT_PROSE = re.compile(r"^(```+|~~~+).*?^\1|<!--.*?-->|`+[^`\n]*`+|\$\$.*?\$\$|\$[^$\n]+\$", re.DOTALL | re.MULTILINE)
TEX = re.compile(r"\\[A-Za-z]+|[A-Za-z]_[A-Za-z{]|\^\{?\w|\$")
TEX_IN_TEXT = re.compile(
    r"\\(?:frac|text|math\w*|operatorname|sum|prod|cdot|times|theta|epsilon|nabla|alpha|eta|top|sqrt|left|right|begin)"
    r"|[A-Za-z]_\{|\$[^\s$]+\$|\ue000|&lt;|&amp;"
)


@pytest.fixture(scope="module")
def notes() -> Course:
    paths = [path for path in DOCS.rglob("*") if path.suffix in (".md", ".yml", ".txt")]
    files = {path.relative_to(DOCS).as_posix(): path.read_text("utf-8") for path in paths}
    return course.read(files, "docs").course


def test_every_question_of_the_raw_notes_is_there_once(notes: Course) -> None:
    assert len(SOURCES) == 97 + 49 + 5 + 5
    assert Counter(question.source for question in notes.questions.values()) == Counter(SOURCES)


@pytest.mark.parametrize(
    ("folder", "kind", "counts"), [("chapters", "ch", RAW["ch"]), ("labs", "lab", RAW["lab"])], ids=["chapters", "labs"]
)
def test_each_chapter_holds_its_own_questions_in_the_order_of_the_raw_notes(
    notes: Course, folder: str, kind: str, counts: tuple[int, ...]
) -> None:
    found = {chapter.number: chapter for chapter in notes.chapters if chapter.series.folder == folder}
    assert sorted(found) == [*range(1, len(counts) + 1)]
    for number, count in enumerate(counts, 1):
        sources = [question.source for question in found[number].questions]
        assert sources == [f"{kind}{number}-q{position}" for position in range(1, count + 1)]
        shown = [question.number.lstrip("实") for question in found[number].questions]
        assert shown == [f"{number}.{position}" for position in range(1, count + 1)]


def test_the_ten_longer_questions_run_from_one_to_ten(notes: Course) -> None:
    longer = [question for question in notes.questions.values() if question.uri.startswith("exam/")]
    assert [question.number for question in longer] == [f"综{number}" for number in range(1, 11)]
    assert {question.source for question in longer} == set(SOURCES[-10:])


def test_every_topic_is_used_and_every_question_has_one(notes: Course) -> None:
    assert len(notes.topics) == 40
    used = {slug for question in notes.questions.values() for slug in question.topics}
    assert used == {topic.slug for topic in notes.topics}
    assert all(question.topics for question in notes.questions.values())


def test_the_checklist_has_ten_items_of_the_author_and_two_of_the_editor(notes: Course) -> None:
    assert [task.editorial for task in notes.tasks] == [False] * 10 + [True] * 2
    assert all(task.questions for task in notes.tasks)


def test_every_id_is_recorded_and_every_recorded_id_is_kept(notes: Course) -> None:
    recorded = (DOCS / "ids.txt").read_text("utf-8").split()
    assert len(recorded) == len(set(recorded))
    now = {question.id for question in notes.questions.values()}
    kept = {old for question in notes.questions.values() for old in question.formerly}
    assert now | kept == set(recorded)


def _paragraphs(question: Question) -> list[str]:
    texts = [part.text for part in question.parts if isinstance(part, Prose | Aside)]
    texts += [f"{part.name} {part.tex.tex}" for part in question.formulas]
    blocks = [block for text in texts for block in re.split(r"\n\s*\n", text)]
    return [re.sub(r"\s+", " ", re.sub(r"^(?:[-*]|\d+\.)\s+", "", block.strip())) for block in blocks]


def test_no_paragraph_stands_twice_in_an_answer(notes: Course) -> None:
    doubled = {
        question.source: [
            block for block, count in Counter(_paragraphs(question)).items() if count > 1 and len(block) > 4
        ]
        for question in notes.questions.values()
    }
    assert {source: blocks for source, blocks in doubled.items() if blocks} == {}


def test_nothing_of_the_raw_notes_own_marks_is_left(notes: Course) -> None:
    left = re.compile(r"•|^\s*[AQ][：:]|^\s*答[：:]|LEDE", re.MULTILINE)
    found = {chapter.uri: left.findall((DOCS / chapter.uri).read_text("utf-8")) for chapter in notes.chapters}
    assert {name: marks for name, marks in found.items() if marks} == {}


def test_no_tex_stands_outside_a_formula(notes: Course) -> None:
    found = {}
    for question in notes.questions.values():
        texts = [question.title, *(part.text for part in question.parts if isinstance(part, Prose | Aside))]
        prose = "\n".join(NOT_PROSE.sub(" ", text) for text in texts)
        if marks := TEX.findall(prose):
            found[question.source] = marks
    assert found == {}


def test_no_tex_is_seen_in_the_text_that_is_built(rows: list[dict[str, Any]], notes: Course) -> None:
    assert [row["source"] for row in rows] == [question.source for question in notes.questions.values()]
    found = {row["source"]: TEX_IN_TEXT.findall(f"{row['title']}\n{row['answer']}") for row in rows}
    assert {source: marks for source, marks in found.items() if marks} == {}


def test_every_answer_says_something(rows: list[dict[str, Any]]) -> None:
    assert {row["source"]: row["answer"] for row in rows if len(row["answer"]) < 4} == {}
