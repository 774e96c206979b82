"""Home, below the author's own sentence: search, the sheet, the checklist, chapters."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from notes.elements import Content, h, icon
from notes.model import Chapter, Course, Series
from notes.pages.checklist import done, tick
from notes.pages.common import questions_word

GLASS = (
    "M10.5 4a6.5 6.5 0 1 0 4 11.6l4.7 4.7 1.1-1.1-4.7-4.7A6.5 6.5 0 0 0 10.5 4z"
    "m0 1.6a4.9 4.9 0 1 1 0 9.8 4.9 4.9 0 0 1 0-9.8z"
)
SHEET = "M5 3h14v18H5zm1.6 1.6v14.8h10.8V4.6zM9 7.5h6v1.5H9zm0 3.5h6v1.5H9zm0 3.5h4v1.5H9z"


def home(course: Course) -> Iterator[Element]:
    yield h("div.home-tools", search(course), _sheet(course))
    columns = (_column(course, group, more=not position) for position, group in enumerate(_groups(course)))
    yield h("div.home", _tasks(course), columns)


def search(course: Course) -> Element:
    """Looks like a field; opens the theme's own."""
    words, count = course.words, len(course.questions)
    long, short = words["search"].format(count=count), words["search-short"].format(count=count)
    return h(
        "label.home-search.js-only",
        icon(GLASS),
        h("span", h("span.long", long), h("span.short", short)),
        h("kbd", "/", aria_hidden="true"),
        for_="__search",
    )


def _sheet(course: Course) -> Element:
    count = sum(question.priority.rank < 2 for question in course.questions.values())
    name = h("b", course.words["cheatsheet"])
    return h("a.dl", icon(SHEET), h("span", name, h("span.num", questions_word(course, count))), href="/cheatsheet.md")


def _tasks(course: Course) -> Content:
    if not course.tasks:
        return None
    rows = (
        h("li.task", tick(course, task), h("span.num", str(len(task.questions))), data_task=task.slug)
        for task in course.tasks
    )
    return h(
        "check-list.col",
        h("div.col-h", h("h2", h("a", course.words["checklist"], href="/checklist.md")), h("p.num", done(course))),
        h("ul.tasks", rows),
        data_total=len(course.tasks),
    )


def _groups(course: Course) -> list[list[Series]]:
    """One column a series; those whose numbers run on stand under the last."""
    groups: list[list[Series]] = []
    for series in course.settings.series:
        if series.running and groups:
            groups[-1].append(series)
        else:
            groups.append([series])
    return groups


def _column(course: Course, group: list[Series], more: bool) -> Element:
    first, others = group[0], group[1:]
    chapters = [chapter for chapter in course.chapters if chapter.series is first]
    total = sum(len(chapter.questions) for chapter in chapters)
    return h(
        "known-count.col",
        h(
            "div.col-h",
            h("h2", first.name),
            h("p.num", h("span.js-only", h("b", "0", data_sum=""), "/"), str(total)),
        ),
        h("ul.rows", (_chapter(chapter) for chapter in chapters)),
        h("ul.more", (_link(course, series) for series in others), _more(course) if more else None),
    )


def _chapter(chapter: Chapter) -> Element:
    ids = " ".join(question.id for question in chapter.questions)
    return h(
        "li",
        h("a", h("span.n", str(chapter.number)), h("span.t", chapter.title), href=f"/{chapter.uri}"),
        h("span.num", h("span.js-only", data_of=ids), str(len(chapter.questions))),
        data_ch=chapter.colour,
    )


def _link(course: Course, series: Series) -> Content:
    chapters = [chapter for chapter in course.chapters if chapter.series is series]
    return (_entry(chapter.title, chapter.uri, questions_word(course, len(chapter.questions))) for chapter in chapters)


def _more(course: Course) -> Content:
    words = course.words
    formulas = len({formula.tex.key for _, formula in course.formulas()})
    return [
        _entry(words["topics"], "topics.md", words["topic-count"].format(count=len(course.topics))),
        _entry(words["formulas"], "formulas.md", words["formula-count"].format(count=formulas)),
    ]


def _entry(title: str, uri: str, count: str) -> Element:
    return h("li", h("a", title, href=f"/{uri}"), h("span.num", count))
