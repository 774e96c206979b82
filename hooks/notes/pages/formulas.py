"""Formula sheet: every named formula by chapter, with its symbols and the questions that use it."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from notes.elements import h
from notes.model import Chapter, Course, Formula, Question
from notes.pages.common import head, number


def formulas(course: Course) -> Iterator[Element]:
    words = course.words
    yield head(words["formulas"], words["formulas-lede"])
    used = _users(course)
    listed: set[str] = set()
    for chapter in course.chapters:
        here = [(question, formula) for question in chapter.questions for formula in question.formulas]
        new = [(question, formula) for question, formula in here if formula.tex.key not in listed]
        if new:
            listed.update(formula.tex.key for _, formula in new)
            yield _chapter(course, chapter, [formula for _, formula in new], used)


def _users(course: Course) -> dict[str, list[Question]]:
    """The questions that show a formula, by its key: equal formulas are listed once."""
    used: dict[str, list[Question]] = {}
    for question, formula in course.formulas():
        used.setdefault(formula.tex.key, []).append(question)
    return used


def _chapter(course: Course, chapter: Chapter, here: list[Formula], used: dict[str, list[Question]]) -> Element:
    unique = {formula.tex.key: formula for formula in reversed(here)}
    ordered = [formula for formula in here if unique[formula.tex.key] is formula]
    return h(
        "section.sheet",
        h("h2", chapter.title),
        (_formula(course, formula, used[formula.tex.key]) for formula in ordered),
        data_ch=chapter.colour,
    )


def _formula(course: Course, formula: Formula, questions: list[Question]) -> Element:
    users = {question.id: question for question in questions}.values()
    links = (h("a", number(course, question), href=f"/{question.link}") for question in users)
    symbols = (h("li", f"${symbol.tex}$", " ", meaning) for symbol, meaning in formula.symbols)
    label = f"TeX {_plain(formula.name)}"
    copy = h("button.textbtn.js-only", "TeX", type="button", data_copy="tex", aria_label=label)
    return h(
        "section.f",
        h("div.f-h", h("h3.f-t", formula.name), h("span.f-q", links), copy),
        h("p.formula-t", f"$${formula.tex.tex}$$"),
        h("ul.symbols", symbols, aria_label=course.words["symbols"]) if formula.symbols else None,
    )


def _plain(name: str) -> str:
    return "" if "$" in name else name.replace("`", "")
