"""What several pages show in the same way."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from xml.etree.ElementTree import Element

from notes.elements import Content, h
from notes.model import Course, Question


def number(course: Course, question: Question) -> Content:
    """6.10, and 实6.8 with the prefix small."""
    prefix = course.chapter_of[question.uri].series.prefix
    return [h("small", prefix) if prefix else None, question.number.removeprefix(prefix)]


def marks(course: Course, question: Question) -> Iterator[Element]:
    """In falling order of weight: must know, examined, priority, kind."""
    if question.priority.rank == 0:
        yield h("span.mk.mk-must", question.priority.name)
    if question.examined:
        yield h("span.mk.mk-exam", examined(course, question), title=question.examined)
    if question.priority.rank > 0:
        yield h("span.mk", question.priority.name)
    yield h("span.mk", question.kind)


def examined(course: Course, question: Question) -> str:
    """Whether it stood in an exam, or is only expected to: one thing said that is no guess is enough."""
    said = re.split("[；;]", question.examined)
    guess = all(any(word in part for word in course.settings.forecast) for part in said)
    return course.words["expected" if guess else "examined"]


def rows(course: Course, questions: Iterable[Question]) -> Element:
    """A list of links to questions, each with its number in the chapter's colour and its strongest marks."""
    return h("ul.qlist", (row(course, question) for question in questions))


def row(course: Course, question: Question) -> Element:
    first = course.settings.kinds[0]
    said = [
        h("i", question.priority.name) if question.priority.rank == 0 else None,
        h("i", examined(course, question)) if question.examined and question.priority.rank else None,
        h("span", question.kind) if question.kind != first else None,
    ]
    return h(
        "li",
        h("a", h("span.n", number(course, question)), h("span.t", question.title), href=f"/{question.link}"),
        h("span.m", said) if any(mark is not None for mark in said) else None,
        data_ch=course.colour(question),
        data_trust=question.trust or None,
    )


def seal(course: Course, trust: str) -> Element | None:
    """The sign of a degree of trust; what it means is its tooltip and its name."""
    if trust not in course.settings.seals:
        return None
    sign, meaning = course.settings.seals[trust]
    return h("span.seal", sign, title=meaning, role="img", aria_label=meaning)


def head(title: str, lede: str) -> Element:
    """The head of a page that is not a chapter."""
    return h("div.page-head.plain", h("h1", title), h("p.lede", lede))


def colour_of_area(course: Course, area: str) -> int:
    return course.settings.areas.get(area, 1)


def questions_word(course: Course, count: int) -> str:
    return course.words["questions"].format(count=count)
