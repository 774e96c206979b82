"""A question block -> Question, and the blocks inside it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from notes.blocks import Block, Text
from notes.model import Aside, Example, Figure, Formula, Part, Place, Prose, Question, Settings, Tex, did_you_mean
from notes.page import Page, collect, nonempty, phrase
from notes.source import Entry, Mistake, Value, entries

VOICES = ("exam", "strict", "fix", "short")
INNER_BLOCKS = ("formula", "example", "figure", *VOICES)
HTML_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


def _text(value: Value) -> str:
    if not isinstance(value, str):
        raise ValueError("is one text, not a list")
    return value.strip()


def _words(value: Value) -> tuple[str, ...]:
    items = [value] if isinstance(value, str) else value
    if isinstance(items, dict) or not all(isinstance(item, str) for item in items):
        raise ValueError("is a list: [a, b]")
    words = tuple(str(item).strip() for item in items if str(item).strip())
    if doubled := [word for position, word in enumerate(words) if word in words[:position]]:
        raise ValueError(f"has '{doubled[0]}' twice")
    return words


def _slug(value: Value) -> str:
    slug = _text(value)
    if not re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", slug):
        raise ValueError(f"is small letters, digits and single hyphens, not '{slug}'")
    return slug


def _slugs(value: Value) -> tuple[str, ...]:
    return tuple(_slug(word) for word in _words(value))


FIELDS: Mapping[str, Callable[[Value], Any]] = {
    "id": _slug,
    "source": _text,
    "kind": _text,
    "priority": _text,
    "topics": _slugs,
    "examined": _text,
    "related": _slugs,
    "formerly": _slugs,
    "trust": _text,
    "cites": _words,
    "also": _words,
}
REQUIRED = ("id", "kind", "priority", "topics")
SHOWN = ("examined", "cites")
"""Fields in which a formula may stand."""


def question(page: Page, block: Block, settings: Settings, *, uri: str, number: str, section: str) -> Question:
    given = _options(page, block)
    fields = dict(_fields(page, given or [], FIELDS))
    lines = {entry.key: entry.line for entry in given or []}
    for name in REQUIRED:
        if given is not None and not fields.get(name, name in lines):
            page.report(block.line, f"the question has no '{name}'; add the line '    {name}: …' below this one")
    for name, known in (("kind", settings.kinds), ("priority", settings.priorities), ("trust", settings.seals)):
        if name in fields:
            _expect(page, lines[name], name, fields[name], known)
    for name in SHOWN:
        for text in _words(fields.get(name, "")):
            phrase(page, lines[name], text, block.argument)
    if not block.argument:
        page.report(block.line, "the question has no title; write '//// question | title'")
    parts = tuple(_parts(page, block))
    if not any(_says(part) for part in parts):
        page.report(block.line, f"the answer of '{block.argument}' is empty")
    priorities = settings.priorities
    fields["priority"] = priorities.get(fields.get("priority", ""), next(iter(priorities.values())))
    required = {"id": f"{uri}-{block.line}", "kind": "", "topics": ()}
    return Question(
        **{**required, **fields},
        title=block.argument,
        number=number,
        uri=uri,
        section=section,
        parts=parts,
        place=Place(page.path, block.line),
    )


def _says(part: Part) -> bool:
    """Whether a part gives an answer: a voice beside it does not, nor does a comment."""
    if isinstance(part, Prose):
        return bool(HTML_COMMENT.sub("", part.text).strip())
    return not isinstance(part, Aside)


def _expect(page: Page, line: int, name: str, value: str, known: Iterable[str]) -> None:
    listed = ", ".join(known)
    if value and listed and value not in known:  # nothing is known where course.yml could not be read
        page.report(line, f"unknown {name} '{value}'{did_you_mean(value, known)}; course.yml has {listed}")


def _fields(page: Page, given: list[Entry], table: Mapping[str, Callable[[Value], Any]]) -> Iterator[tuple[str, Any]]:
    for entry in given:
        if entry.key not in table:
            hint = did_you_mean(entry.key, table) or "; known are " + ", ".join(table)
            page.report(entry.line, f"unknown field '{entry.key}'{hint}")
            continue
        try:
            yield entry.key, table[entry.key](entry.value)
        except ValueError as error:
            page.report(entry.line, f"'{entry.key}' {error}")


def _options(page: Page, block: Block) -> list[Entry] | None:
    """The fields as they are given; None where they cannot be page."""
    try:
        found = entries("\n".join(block.options))
    except Mistake as mistake:
        page.report(block.line + min(mistake.line, len(block.options)), str(mistake))
        return None
    return [Entry(entry.key, entry.value, block.line + entry.line) for entry in found]


def _parts(page: Page, block: Block) -> Iterator[Part]:
    for part in block.parts:
        if isinstance(part, Text):
            yield from nonempty(page.path, part.line, part.lines)
        elif part.name == "formula":
            yield _formula(page, part, block.argument)
        elif part.name in ("example", "figure"):
            yield _drawing(page, part)
        elif part.name in VOICES:
            yield _aside(page, part)
        else:
            hint = did_you_mean(part.name, INNER_BLOCKS)
            page.report(part.line, f"unknown block '{part.name}'{hint}; a question holds {', '.join(INNER_BLOCKS)}")


def _content(page: Page, block: Block) -> Text:
    """What an inner block holds: text and no other block."""
    for part in block.parts:
        if isinstance(part, Block):
            page.report(part.line, f"'{part.name}' cannot stand inside '{block.name}'")
    texts = [part for part in block.parts if isinstance(part, Text)]
    return Text(texts[0].line if texts else block.line, [line for text in texts for line in text.lines])


def _drawing(page: Page, block: Block) -> Example | Figure:
    made = Example if block.name == "example" else Figure
    parameters = {entry.key: _parameter(page, entry) for entry in _options(page, block) or []}
    content = _content(page, block)
    if any(line.strip() for line in content.lines):
        message = f"'{block.name}' holds only parameters: '    name: value' directly below its first line"
        page.report(content.line, message)
    return made(block.argument, parameters, Place(page.path, block.line))


def _parameter(page: Page, entry: Entry) -> str:
    try:
        return ", ".join(_words(entry.value))
    except ValueError as error:
        page.report(entry.line, f"'{entry.key}' {error}")
        return ""


def _formula(page: Page, block: Block, question: str) -> Formula:
    content = _content(page, block)
    body = "\n".join(content.lines)
    before = body[: len(body) - len(body.lstrip())]
    place = Place(page.path, content.line + before.count("\n"), len(before) - before.rfind("\n"))
    tex = Tex(body.strip(), True, place, question)
    if not block.argument:
        page.report(block.line, "the formula has no name; write '/// formula | name'")
    if not tex.tex:
        page.report(block.line, f"the formula '{block.argument}' is empty")
    elif "<!--" in tex.tex:
        page.report(place.line, "a comment cannot stand in a formula; put it below the block")
    else:
        collect(page, tex)
    return Formula(block.argument, tex, tuple(_symbols_of(page, block, question)), Place(page.path, block.line))


def _symbols_of(page: Page, block: Block, question: str) -> Iterator[tuple[Tex, str]]:
    given = _options(page, block) or []
    line = next((entry.line for entry in given if entry.key == "symbols"), 0)
    for symbol, meaning in dict(_fields(page, given, {"symbols": _symbols})).get("symbols", {}).items():
        tex = Tex(symbol, False, Place(page.path, line), question)
        collect(page, tex)
        phrase(page, line, meaning, question)
        yield tex, meaning


def _symbols(value: Value) -> dict[str, str]:
    if not isinstance(value, dict):
        raise ValueError("pairs symbols and meanings: {N: nodes}")
    return {symbol: _text(meaning) for symbol, meaning in value.items()}


def _aside(page: Page, block: Block) -> Aside:
    text = "\n".join(_content(page, block).lines).strip("\n")
    if block.argument:
        page.report(block.line, f"'{block.name}' takes no title; write '{block.argument}' below its first line")
    if block.options or not HTML_COMMENT.sub("", text).strip():
        page.report(block.line, f"'{block.name}' has no text; leave one line free below its first line")
    return Aside(block.name, text, Place(page.path, block.line))
