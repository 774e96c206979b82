"""The examples and figures that the notes use, with their parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from notes import course
from notes.model import Course, Example, Figure

DOCS = Path(__file__).parents[1] / "docs"


def notes() -> Course:
    paths = [path for path in DOCS.rglob("*") if path.suffix in (".md", ".yml", ".txt")]
    return course.read({path.relative_to(DOCS).as_posix(): path.read_text("utf-8") for path in paths}, "docs").course


def used(kind: type[Example] | type[Figure]) -> Iterator[tuple[str, Mapping[str, str]]]:
    for question in notes().questions.values():
        for part in question.parts:
            if isinstance(part, kind):
                yield part.name, part.parameters
