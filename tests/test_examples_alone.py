"""No number that a worked example computes is typed beside it, where it would go stale."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

import blocks
from figures import EXAMPLES
from notes.model import Aside, Chapter, Example, Prose, Question

COURSE = blocks.notes()
NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?![\w.]*\d)")
CODE = re.compile(r"^(`{3,}).*?^\1$|`[^`\n]*`", re.DOTALL | re.MULTILINE)


def telling(text: str) -> set[str]:
    """Numbers of four digits or more, whatever divides their thousands, without the zeros at the end."""
    found = (number.replace(",", "").rstrip(".") for number in NUMBER.findall(text.replace("{,}", ",")))
    return {number for number in found if len(re.sub(r"\D", "", number).strip("0")) >= 4}


def computed(question: Question) -> set[str]:
    """What its examples say and their parameters do not."""
    shown: set[str] = set()
    for part in question.parts:
        if isinstance(part, Example):
            given = telling(" ".join(part.parameters.values()))
            shown |= telling(CODE.sub("", EXAMPLES[part.name](part.parameters))) - given
    return shown


def typed(chapter: Chapter) -> Iterator[str]:
    for part in chapter.parts:
        texts = (
            [piece.text for piece in part.parts if isinstance(piece, Prose | Aside)]
            if isinstance(part, Question)
            else []
        )
        yield from (CODE.sub("", text) for text in texts)


@pytest.mark.parametrize("chapter", COURSE.chapters, ids=lambda chapter: chapter.uri)
def test_no_result_of_an_example_stands_outside_it_on_its_page(chapter: Chapter) -> None:
    results = {number for question in chapter.questions for number in computed(question)}
    beside = {number for text in typed(chapter) for number in telling(text)}
    assert results & beside == set()


def test_results_are_found_and_parameters_are_not() -> None:
    example = next(part for part in COURSE.questions["matmul-memory-read-count"].parts if isinstance(part, Example))
    assert "2147483648" in telling(EXAMPLES[example.name](example.parameters))
    assert "1024" not in computed(COURSE.questions["matmul-memory-read-count"])
    assert telling("2,147,483,648、0.4502、1.5和100000") == {"2147483648", "0.4502"}
