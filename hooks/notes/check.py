"""Rules over the whole course -> problems."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from notes.model import Chapter, Course, Example, Figure, Place, Problem, Question, Tex, did_you_mean

TAG = re.compile(r"\\tag\*?\s*\{([^{}]*)\}")


def course(course: Course) -> Iterator[Problem]:
    """Everything that no single file can tell; nothing, where course.yml could not be read and so names no chapters."""
    if not course.settings.series:
        return
    yield from _chapters(course)
    yield from _ids(course)
    yield from _published(course)
    yield from _references(course)
    yield from _sources(course)
    yield from _topics(course)
    yield from _tasks(course)


def files(paths: Iterable[str], folder: str, generated: Iterable[str]) -> Iterator[Problem]:
    """Pages that would be written to one address, on this system or another; `generated` are written by the build."""
    taken: dict[str, str] = {}
    reserved = {_address(path) for path in generated}
    for path in sorted(paths):
        address = _address(path)
        if address in taken:
            message = f"would be the same page as {folder}/{taken[address]}; rename one of them"
            yield Problem(Place(f"{folder}/{path}", 1), message)
        elif address in reserved:
            yield Problem(Place(f"{folder}/{path}", 1), "a generated page has this name; rename the file")
        taken.setdefault(address, path)


def _address(path: str) -> str:
    """What all files of one address have in common, where capitals count and where they do not."""
    return re.sub(r"(?:(?:^|/)(?:index|readme))?\.md$", "", path.lower())


def tags(formulas: Iterable[Tex]) -> Iterator[Problem]:
    """An equation number that stands twice in the course."""
    first: dict[str, Place] = {}
    for formula in formulas:
        for tag in TAG.findall(formula.tex):
            place = first.setdefault(tag, formula.place)
            if place != formula.place:
                yield Problem(formula.place, f"the equation number ({tag}) is taken at {place}; choose another")


def _everyone(course: Course) -> Iterator[Question]:
    """Every question, those with an id that is taken too."""
    for chapter in course.chapters:
        yield from chapter.questions


def _chapters(course: Course) -> Iterator[Problem]:
    first: dict[str, Chapter] = {}
    for chapter in course.chapters:
        other = first.setdefault(chapter.label, chapter)
        if chapter.label and other is not chapter:
            message = f"the number {chapter.label} is taken by {other.place.path}; begin the file's name with another"
            yield Problem(chapter.place, message)


def _ids(course: Course) -> Iterator[Problem]:
    first: dict[str, Question] = {}
    for question in _everyone(course):
        other = first.setdefault(question.id, question)
        if other is not question:
            yield Problem(question.place, f"the id '{question.id}' is taken at {other.place}; choose another")
    former: dict[str, Question] = {}
    for question in _everyone(course):
        for old in question.formerly:
            if old in first:
                yield Problem(question.place, f"'{old}' in 'formerly' is the id of a question at {first[old].place}")
            elif former.setdefault(old, question) is not question:
                yield Problem(
                    question.place, f"'{old}' stands in 'formerly' at {former[old].place} too; keep one of them"
                )


def _published(course: Course) -> Iterator[Problem]:
    kept = {name for question in _everyone(course) for name in (question.id, *question.formerly)}
    for name, place in course.published.items():
        if name not in kept:
            message = f"the published id '{name}' is gone; add 'formerly: [{name}]' to the question that replaces it"
            yield Problem(place, message)
    new = [question for question in _everyone(course) if question.id not in course.published]
    if new and course.published:
        listed = ", ".join(question.id for question in new)
        yield Problem(new[0].place, f"new ids, recorded by 'make ids' before they are published: {listed}", notice=True)


def _references(course: Course) -> Iterator[Problem]:
    for question in _everyone(course):
        for slug in question.topics:
            if slug not in course.topic_of:
                hint = did_you_mean(slug, course.topic_of)
                yield Problem(question.place, f"unknown topic '{slug}'{hint}; topics stand in topics.yml")
        for other in question.related:
            if other not in course.questions:
                yield Problem(
                    question.place, f"unknown related question '{other}'{did_you_mean(other, course.questions)}"
                )
            elif other == question.id:
                yield Problem(question.place, "the question is related to itself; remove it from 'related'")


def _sources(course: Course) -> Iterator[Problem]:
    first: dict[str, Question] = {}
    for question in _everyone(course):
        other = first.setdefault(question.source, question)
        if question.source and other is not question:
            yield Problem(question.place, f"the source '{question.source}' is taken at {other.place}")


def _topics(course: Course) -> Iterator[Problem]:
    for slug, count in Counter(topic.slug for topic in course.topics).items():
        if count > 1:
            yield Problem(course.topic_of[slug].place, f"the topic '{slug}' stands {count} times")
    for topic in course.topics:
        if not course.questions_on[topic.slug]:
            yield Problem(topic.place, f"no question has the topic '{topic.slug}'; use it or remove it")
        if topic.area not in course.settings.areas:
            hint = did_you_mean(topic.area, course.settings.areas)
            yield Problem(topic.place, f"unknown area '{topic.area}'{hint}; areas stand in course.yml")


def _tasks(course: Course) -> Iterator[Problem]:
    for slug, count in Counter(task.slug for task in course.tasks).items():
        if count > 1:
            place = next(task.place for task in course.tasks if task.slug == slug)
            yield Problem(place, f"the item '{slug}' stands {count} times")
    for task in course.tasks:
        for name in task.questions:
            if name not in course.questions:
                yield Problem(task.place, f"unknown question '{name}'{did_you_mean(name, course.questions)}")
        for name, count in Counter(task.questions).items():
            if count > 1:
                yield Problem(task.place, f"the item '{task.slug}' has the question '{name}' {count} times")


def drawn(course: Course, examples: Iterable[str], figures: Iterable[str]) -> Iterator[Problem]:
    """Examples and figures that nobody can draw."""
    for question in _everyone(course):
        for part in question.parts:
            if isinstance(part, Example) and part.name not in examples:
                yield Problem(part.place, f"unknown example '{part.name}'{did_you_mean(part.name, examples)}")
            if isinstance(part, Figure) and part.name not in figures:
                yield Problem(part.place, f"unknown figure '{part.name}'{did_you_mean(part.name, figures)}")
