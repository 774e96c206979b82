"""A chapter: its Markdown with marks where frames stand, and the frames."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from xml.etree.ElementTree import Element

from notes.elements import Content, h
from notes.frames import close, frame
from notes.model import Aside, Chapter, Course, Example, Figure, Formula, Part, Place, Prose, Question, Section
from notes.pages.common import examined, marks, number, questions_word, seal


def markdown(chapter: Chapter, drawn: Mapping[Place, str]) -> Iterator[str]:
    """The page as Python-Markdown reads it. `drawn` holds the Markdown of each worked example by its place."""
    yield frame("chapter", chapter.uri)
    for part in chapter.parts:
        if isinstance(part, Section):
            yield f"## {part.title}"
        elif isinstance(part, Prose):
            yield part.text
        else:
            yield frame("question", part.id)
            for position, piece in enumerate(part.parts):
                yield from _part(part, position, piece, drawn)
            yield close()
    yield close()


def _part(question: Question, position: int, part: Part, drawn: Mapping[Place, str]) -> Iterator[str]:
    if isinstance(part, Prose):
        yield part.text
    elif isinstance(part, Aside):
        yield frame("aside", part.voice)
        yield part.text
        yield close()
    elif isinstance(part, Formula):
        yield frame("formula", question.id, str(position))
        yield close()
    elif isinstance(part, Example):
        yield frame("aside", "example")
        yield drawn[part.place]
        yield close()
    elif isinstance(part, Figure):
        yield frame("figure", question.id, str(position))
        yield close()


def chapter(course: Course, chapter: Chapter) -> Element:
    """Frame of the whole page, with its head and the bar that holds the switch."""
    return h(
        "self-test.chapter",
        h(
            "div.page-head",
            h("p.ch-no", chapter.label) if chapter.label else None,
            h("h1", chapter.title),
            h("p.lede", chapter.lede) if chapter.lede else None,
        ),
        h("div.page-bar", h("p.facts.f-read", _facts(course, chapter)), _seen(course, chapter), _switch(course)),
        data_ch=chapter.colour,
    )


def _facts(course: Course, chapter: Chapter) -> Content:
    words, questions = course.words, chapter.questions
    must = sum(question.priority.rank == 0 for question in questions)
    said = Counter(examined(course, question) for question in questions if question.examined)
    known = h("span.js-only", words["comma"], f"{words['known']} ", h("b", "0", data_known=""))
    facts = [questions_word(course, len(questions))]
    facts += [f"{next(iter(course.settings.priorities))} {must}"] * bool(must)
    facts += [f"{mark} {said[mark]}" for mark in (words["examined"], words["expected"]) if said[mark]]
    return [words["comma"].join(facts), known]


def _seen(course: Course, chapter: Chapter) -> Element:
    before, after = course.words["selftest-seen"].split("{seen}")
    total = len(chapter.questions)
    return h("p.facts.f-test", before.format(total=total), h("b", "0", data_seen=""), after.format(total=total))


def _switch(course: Course) -> Element:
    words = course.words
    box = h("span.switch-box", aria_hidden="true")
    return h(
        "button.switch.js-only", box, words["selftest"], h("kbd", "t", aria_hidden="true"),
        type="button", role="switch", aria_checked="false", data_switch="",
    )  # fmt: skip


def question(course: Course, question: Question) -> tuple[Element, Element]:
    """Frame of a question and, in it, the element that takes the answer."""
    title = f"{question.id}-t"
    level = None if question.section else 2  # a question that stands under no section
    heading = h("h3.q-t", question.title, id=title, aria_level=level)
    answer = h("div.q-a", id=question.id)
    old = [h("span", id=name) for name in question.formerly]
    section = h(
        "section.q",
        h("a.q-no", number(course, question), href=f"#{question.id}", title=course.words["number-title"]),
        h("p.q-marks", marks(course, question), data_search_exclude="true"),
        h("details.q-d", h("summary", heading), old, answer, open="open"),
        h(
            "div.q-foot",
            (said(course, question) for said in (_topics, _related, _examined, _trust)),
            data_search_exclude="true",
        ),
        h("button.q-copy.js-only", course.words["copy"], type="button", data_copy=f"#{question.id}"),
        data_q=question.id,
        data_formerly=" ".join(question.formerly) or None,
        aria_labelledby=title,
    )
    return section, answer


def _topics(course: Course, question: Question) -> Element:
    topics = [course.topic_of[slug] for slug in question.topics]
    links = (h("a", topic.name, href=f"/topics.md#{topic.slug}") for topic in topics)
    return h("p.q-topics", h("span.lb", course.words["topics-label"]), links)


def _related(course: Course, question: Question) -> Content:
    others = [course.questions[name] for name in question.related]
    links = (h("a", number(course, other), href=f"/{other.link}", title=_title(other)) for other in others)
    return h("p.q-rel", h("span.lb", course.words["related-label"]), links) if others else None


def _title(question: Question) -> str | None:
    """For a tooltip, where no formula can be set."""
    return question.title.replace("`", "") if "$" not in question.title else None


def _examined(course: Course, question: Question) -> Content:
    return h("p.q-said", question.examined) if question.examined else None


def _trust(course: Course, question: Question) -> Content:
    if not question.trust and not question.cites:
        return None
    return h("p.q-src", seal(course, question.trust), course.words["stop"].join(question.cites))


def aside(course: Course, voice: str) -> Element:
    """A voice beside the answer; what it is stands before its text."""
    label = course.words.get(voice, voice)
    return h(f"div.aside.aside-{voice}", h("p.aside-l", label))


def formula(course: Course, formula: Formula) -> Element:
    """A named formula: centred, its symbols below it in the second voice."""
    symbols = (h("li", f"${symbol.tex}$", " ", meaning) for symbol, meaning in formula.symbols)
    return h(
        "div.formula",
        h("p.formula-t", f"$${formula.tex.tex}$$"),
        h("ul.symbols", symbols, aria_label=course.words["symbols"]) if formula.symbols else None,
        role="group",
        aria_label=formula.name if "$" not in formula.name else None,
    )


def drawing(svg: Element) -> Element:
    """A figure that scrolls in its own box on a narrow screen."""
    return h("figure.drawing", svg)
