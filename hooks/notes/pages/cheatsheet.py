"""Cheat sheet: the questions that matter most in their short form, to print."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from xml.etree.ElementTree import Element

from notes.answers import Answer
from notes.elements import h
from notes.model import Chapter, Course, Question
from notes.pages.common import head, number


def cheatsheet(course: Course, answers: Mapping[str, Answer]) -> Iterator[Element]:
    words = course.words
    chosen = {question.id for question in course.questions.values() if question.priority.rank < 2}
    yield head(words["cheatsheet"], words["cheatsheet-lede"].format(count=len(chosen), total=len(course.questions)))
    yield h(
        "div.page-bar.js-only",
        h("p.facts", words["sheet-contents"].format(count=len(chosen))),
        h("button.textbtn", words["print"], type="button", data_print=""),
    )
    yield h("div.sheets", (_chapter(course, chapter, chosen, answers) for chapter in course.chapters))


def _chapter(course: Course, chapter: Chapter, chosen: set[str], answers: Mapping[str, Answer]) -> Element | None:
    questions = [question for question in chapter.questions if question.id in chosen]
    if not questions:
        return None
    return h(
        "section.sheet",
        h("h2", chapter.title),
        h("div.sheet-cols", (_entry(course, question, answers[question.id]) for question in questions)),
        data_ch=chapter.colour,
    )


def _entry(course: Course, question: Question, answer: Answer) -> Element:
    return h(
        "section.c",
        h("h3.c-t", h("a.n", number(course, question), href=f"/{question.link}"), " ", question.title),
        h("div.c-a", list(answer.brief())),
    )
