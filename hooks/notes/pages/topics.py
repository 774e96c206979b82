"""Topic index: every topic by area with its questions; read from top to bottom, a map of the course."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from notes.elements import h, icon
from notes.model import Course, Topic
from notes.pages.common import colour_of_area, head, rows

FUNNEL = "M4 6h16v2H4zm3 5h10v2H7zm3 5h4v2h-4z"


def topics(course: Course) -> Iterator[Element]:
    words = course.words
    yield head(words["topics"], words["topics-lede"])
    count = _count(course, len(course.topics))
    output = h("output", count, data_text=words["topic-count"], data_none=words["no-topics"])
    areas = [_area(course, area) for area in course.settings.areas]
    yield h(
        "topic-filter",
        h(
            "p.filter.js-only",
            icon(FUNNEL),
            h("input", type="search", placeholder=words["filter"], aria_label=words["filter"], autocomplete="off"),
            output,
        ),
        _seals(course),
        h("div.index", areas),
    )


def _seals(course: Course) -> Element | None:
    """What each seal says, once for the whole site, and how many questions bear it; choosing one narrows the index."""
    count = Counter(question.trust for question in course.questions.values())
    if not any(count[trust] for trust in course.settings.seals):
        return None
    words = course.words
    every = h("label.js-only", _radio("", checked="checked"), words["all"], h("span.num", str(len(course.questions))))
    labels = (
        h("label", _radio(trust), h("span.seal", sign, aria_hidden="true"), meaning, h("span.num", str(count[trust])))
        for trust, (sign, meaning) in course.settings.seals.items()
    )
    return h("fieldset.seals", h("legend", words["trust"]), every, labels)


def _radio(value: str, **attributes: str) -> Element:
    return h("input.js-only", type="radio", name_="trust", value=value, **attributes)


def _area(course: Course, area: str) -> Element:
    here = [topic for topic in course.topics if topic.area == area]
    return h(
        "section.area",
        h("div.area-h", h("h2", area), h("p.num", _count(course, len(here)), data_count="")),
        h("div.cols", (_topic(course, topic) for topic in here)),
        data_ch=colour_of_area(course, area),
    )


def _topic(course: Course, topic: Topic) -> Element:
    english = h("span.en", topic.english, lang="en") if topic.english != topic.name else None
    return h(
        "section.topic",
        h("h3", topic.name, " ", english, id=topic.slug),
        rows(course, course.questions_on[topic.slug]),
        data_key=" ".join(topic.aliases).lower(),
    )


def _count(course: Course, count: int) -> str:
    return course.words["topic-count"].format(count=count)
