"""Priority checklist: the author's items in order, then the editor's, each with the questions that it covers."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from notes.elements import Content, h
from notes.model import Course, Task
from notes.pages.common import head, questions_word, rows


def checklist(course: Course) -> Iterator[Element]:
    words = course.words
    yield head(words["checklist"], words["checklist-lede"])
    yield h(
        "check-list",
        h(
            "div.page-bar",
            h("p.facts.js-only", done(course)),
            h("span.meter.js-only", h("i"), aria_hidden="true"),
            h("button.textbtn.js-only", words["print"], type="button", data_print=""),
        ),
        h("p.unsaved", words["unsaved"], hidden="hidden", role="status"),
        h("ul.tasks.full", (_item(course, task) for task in course.tasks)),
        data_total=len(course.tasks),
    )


def done(course: Course) -> Content:
    before, after = course.words["done"].split("{done}")
    total = len(course.tasks)
    return [before.format(total=total), h("b", "0", data_done=""), after.format(total=total)]


def tick(course: Course, task: Task) -> Element:
    """The checkbox of an item with its text."""
    by = h("span.by-ed", course.words["editorial"]) if task.editorial else None
    return h(
        "label.tick",
        h("input", type="checkbox", autocomplete="off"),
        h("span.box", aria_hidden="true"),
        h("span.task-t", task.text, by),
    )


def _item(course: Course, task: Task) -> Element:
    questions = [course.questions[name] for name in task.questions]
    return h(
        "li.task",
        tick(course, task),
        h("details", h("summary", questions_word(course, len(questions))), rows(course, questions)),
        data_task=task.slug,
    )
