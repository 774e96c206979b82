"""The whole course from its files: course.yml, topics.yml, priorities.yml, ids.txt and the chapters."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from notes.model import Chapter, Course, Place, Priority, Problem, Series, Settings, Task, Tex, Topic, did_you_mean
from notes.page import Page, phrase
from notes.parse import chapter, page
from notes.source import Entry, Mistake, Value, entries, records
from notes.words import WORDS

BRACES = re.compile(r"\{\w*\}|[{}]")
FILLED_IN = ("{count}", "{total}", "{done}", "{seen}")


@dataclass(frozen=True)
class Notes:
    """What reading the author's files gave."""

    course: Course
    formulas: tuple[Tex, ...]
    problems: tuple[Problem, ...]


def read(files: Mapping[str, str], folder: str) -> Notes:
    """`files` maps each path inside the docs folder, which is called `folder`, to its text."""
    reader = Reader(files, folder)
    settings = Settings(**reader.mapping("course.yml", SETTINGS))
    read_chapters = list(_chapters(reader, settings))
    chapters = tuple(made for made, _ in read_chapters)
    of_series = {made.uri for made in chapters}
    others = [uri for uri in sorted(files) if uri.endswith(".md") and uri not in of_series and settings.series]
    course = Course(settings, chapters, _topics(reader), _tasks(reader), _published(reader))
    pages = [
        *(found for _, found in read_chapters),
        *(page(reader.path(uri), files[uri]) for uri in others),
        *reader.pages,
    ]
    return Notes(
        course,
        tuple(formula for found in pages for formula in found.formulas),
        (*reader.problems, *(problem for found in pages for problem in found.problems)),
    )


def _chapters(reader: Reader, settings: Settings) -> Iterator[tuple[Chapter, Page]]:
    for series in settings.series:
        first = 1
        here = [uri for uri in reader.files if uri.startswith(f"{series.folder}/") and uri.endswith(".md")]
        for position, uri in enumerate(sorted(here, key=_number), 1):
            number = position if series.running else _number(uri)[0] or position
            made, found = chapter(
                reader.path(uri),
                reader.files[uri],
                uri=uri,
                series=series,
                number=number,
                settings=settings,
                first=first,
            )
            first += len(made.questions) if series.running else 0
            yield made, found


def _number(uri: str) -> tuple[int, str]:
    """The number with which a chapter's file name begins: chapters/06-distributed.md is 6."""
    digits = re.match(r"\d+", posixpath.basename(uri))
    return (int(digits[0]) if digits else 0, uri)


# -- conversion at the border: each raises ValueError with the end of a sentence

Table = Mapping[str, Callable[[Value], Any]]


def _text(value: Value) -> str:
    if not isinstance(value, str):
        raise ValueError("is one text")
    return value


def _list(value: Value) -> tuple[str, ...]:
    items = [value] if isinstance(value, str) else value
    if isinstance(items, dict) or not all(isinstance(item, str) for item in items):
        raise ValueError("is a list: [a, b]")
    return tuple(str(item) for item in items)


def _pairs(value: Value) -> Mapping[str, str]:
    if not isinstance(value, dict):
        raise ValueError("is a list of 'name: text' lines")
    return {name: _text(text) for name, text in value.items()}


def _flag(value: Value) -> bool:
    if value not in ("true", "false"):
        raise ValueError("is true or false")
    return value == "true"


def _colour(value: Value) -> int:
    if not (isinstance(value, str) and value.isdecimal() and 1 <= int(value) <= 10):
        raise ValueError("takes colours by their numbers, 1 to 10")
    return int(value)


def _series(value: Value) -> tuple[Series, ...]:
    if not isinstance(value, list) or not value:
        raise ValueError("is a list of '- folder: …' with name, prefix, running and colours")
    return tuple(_one_series(row) for row in value)


def _one_series(row: Value) -> Series:
    if not isinstance(row, dict) or not {"folder", "name"} <= set(row) <= set(SERIES):
        raise ValueError(f"takes {', '.join(SERIES)} for each folder, the first two always")
    return Series(**{name: SERIES[name](value) for name, value in row.items()})


def _priorities(value: Value) -> Mapping[str, Priority]:
    names = _list(value)
    if not names:
        raise ValueError("is a list, the most important first")
    return {name: Priority(name, rank) for rank, name in enumerate(names)}


def _seals(value: Value) -> Mapping[str, tuple[str, str]]:
    return {trust: (text[:1], text[1:].strip()) for trust, text in _pairs(value).items()}


def _words(value: Value) -> Mapping[str, str]:
    words = _pairs(value)
    if missing := [word for word in WORDS if word not in words]:
        raise ValueError(f"lacks {', '.join(missing)}")
    if unknown := [word for word in words if word not in WORDS]:
        raise ValueError(f"has '{unknown[0]}', which no page shows{did_you_mean(unknown[0], WORDS)}")
    for word, text in words.items():
        if strange := [place for place in BRACES.findall(text) if place not in FILLED_IN]:
            raise ValueError(f"has {strange[0]} in '{word}'; filled in are {', '.join(FILLED_IN)}")
    for word, needed in (("done", "{done}"), ("selftest-seen", "{seen}")):
        if words[word].count(needed) != 1:
            raise ValueError(f"needs {needed} once in '{word}'")
    return words


SERIES: Table = {
    "folder": _text,
    "name": _text,
    "prefix": _text,
    "running": _flag,
    "colours": lambda value: tuple(_colour(colour) for colour in _list(value)),
}
SETTINGS: Table = {
    "series": _series,
    "kinds": _list,
    "priorities": _priorities,
    "areas": lambda value: {area: _colour(colour) for area, colour in _pairs(value).items()},
    "forecast": _list,
    "seals": _seals,
    "words": _words,
}
WITHOUT: Mapping[str, Any] = {
    "series": (),
    "kinds": (),
    "priorities": {"": Priority("", 0)},
    "areas": {},
    "forecast": (),
    "seals": {},
    "words": {word: word for word in WORDS},
}
"""Stands in for a setting that could not be read, so that the other files can still be checked."""
TOPIC: Table = {"slug": _text, "name": _text, "english": _text, "aliases": _list, "area": _text}
TASK: Table = {"slug": _text, "text": _text, "editorial": _flag, "questions": _list}
SHOWN = ("name", "english", "text")
"""Of topics and tasks, what may hold a formula."""


class Reader:
    """Reads YAML files by tables and keeps the problems that it meets."""

    def __init__(self, files: Mapping[str, str], folder: str) -> None:
        self.files = files
        self.folder = folder
        self.problems: list[Problem] = []
        self.pages: list[Page] = []
        """What the YAML files give as pages do: formulas."""

    def path(self, uri: str) -> str:
        return posixpath.join(self.folder, uri)

    def report(self, uri: str, line: int, message: str) -> None:
        self.problems.append(Problem(Place(self.path(uri), line), message))

    def mapping(self, uri: str, table: Table) -> Mapping[str, Any]:
        """The mapping in a file, converted; every key of the table is required."""
        if uri not in self.files:
            self.report(uri, 1, f"missing; it holds {', '.join(table)}")
            return WITHOUT
        try:
            found = entries(self.files[uri])
        except Mistake as mistake:
            self.report(uri, mistake.line, str(mistake))
            return WITHOUT
        return {**WITHOUT, **self._convert(uri, found, table, 1)}

    def rows(self, uri: str, table: Table) -> Iterator[Mapping[str, Any]]:
        """The records of a list in a file, converted, each with its `place`; every key is required."""
        try:
            found = records(self.files.get(uri, ""))
        except Mistake as mistake:
            self.report(uri, mistake.line, str(mistake))
            return
        for row in found:
            line = row[0].line if row else 1
            values = self._convert(uri, row, table, line)
            if set(values) == set(table):
                yield {**values, "place": Place(self.path(uri), line)}

    def _convert(self, uri: str, row: list[Entry], table: Table, line: int) -> dict[str, Any]:
        values: dict[str, Any] = {}
        shown = Page(self.path(uri), "")
        self.pages.append(shown)
        for entry in row:
            if entry.key in SHOWN and isinstance(entry.value, str):
                phrase(shown, entry.line, entry.value)
            try:
                if entry.key in table:
                    values[entry.key] = table[entry.key](entry.value)
                else:
                    self.report(uri, entry.line, f"unknown field '{entry.key}'{did_you_mean(entry.key, table)}")
            except ValueError as error:
                self.report(uri, entry.line, f"'{entry.key}' {error}")
        if missing := [name for name in table if name not in {entry.key for entry in row}]:
            self.report(uri, line, f"{', '.join(missing)} missing here")
        return values


def _topics(reader: Reader) -> tuple[Topic, ...]:
    return tuple(Topic(**row) for row in reader.rows("topics.yml", TOPIC))


def _tasks(reader: Reader) -> tuple[Task, ...]:
    return tuple(Task(**row) for row in reader.rows("priorities.yml", TASK))


def _published(reader: Reader) -> Mapping[str, Place]:
    lines = reader.files.get("ids.txt", "").split("\n")
    path = reader.path("ids.txt")
    return {line.strip(): Place(path, number) for number, line in enumerate(lines, 1) if line.strip()}
