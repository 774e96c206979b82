"""Markdown text -> Chapter and problems: the only reader of the question grammar."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from notes.blocks import Block, Text, split, texts
from notes.model import (
    Aside,
    Chapter,
    Example,
    Figure,
    Formula,
    Part,
    Place,
    Problem,
    Prose,
    Question,
    Section,
    Series,
    Settings,
    Tex,
    did_you_mean,
)
from notes.source import Entry, Mistake, Value, entries, front_matter
from notes.spans import Span, scan

FRONT_MATTER_FIELDS = ("title", "description", "hide", "search")
VOICES = ("exam", "strict", "fix", "short")
INNER_BLOCKS = ("formula", "example", "figure", *VOICES)
RAW_HTML = re.compile(
    r"</?(?:script|style|iframe|object|embed|img|svg|div|span|p|a|b|i|u|em|strong|table|tr|td|th|ul|ol|li|details|summary"
    r"|font|center|sub|sup|kbd|mark|form|input|button|link|meta|hr|h[1-6])(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
REMOTE_IMAGE = re.compile(r"!\[[^\]]*\]\(\s*<?(?:https?:)?//")
SCRIPT_LINK = re.compile(r"\]\(\s*<?(?:javascript|data|vbscript):", re.IGNORECASE)
HEADING = re.compile(r"^(?P<level>#{1,6})\s+(?P<title>.*?)(?:\s+#+)?\s*$")
UNDERLINE = re.compile(r"^(=+|-+)\s*$")
HAN = re.compile("[\u3400-\u9fff]")
FULL_WIDTH = re.compile("[（）［］｛｝＝＋－＜＞／，０-９Ａ-Ｚａ-ｚ]")
TEXT_COMMAND = re.compile(r"\\(?:text\w*|tag\*?|mbox)\s*\{[^{}]*\}")
COMMENT_SIGN = re.compile(r"(?<!\\)(?:\\\\)*%")


@dataclass
class Page:
    """One Markdown file while it is read: its text and what is found on the way."""

    path: str
    text: str
    problems: list[Problem] = field(default_factory=list)
    formulas: list[Tex] = field(default_factory=list)

    def report(self, line: int, message: str, column: int = 0, notice: bool = False) -> None:
        self.problems.append(Problem(Place(self.path, line, column), message, notice))


def page(path: str, text: str) -> Page:
    """Any page of the site: front matter, code, formulas and HTML are checked, its formulas collected."""
    read = Page(path, text)
    _read_front_matter(read)
    spans = list(scan(text))
    parts = split(text.split("\n"), _opaque(read, spans), read.report)
    _inspect(read, spans, parts)
    for part in parts:
        if isinstance(part, Block):
            read.report(part.line, f"'{part.name}' blocks stand only in the files of a series in course.yml")
    return read


def chapter(
    path: str, text: str, uri: str, series: Series, number: int, settings: Settings, first: int = 1
) -> tuple[Chapter, Page]:
    """A file of questions. `first` is the number of its first question where numbers run through the series."""
    read = Page(path, text)
    taken = _read_front_matter(read)
    spans = list(scan(text))
    parts = split(text.split("\n"), _opaque(read, spans), read.report)
    _inspect(read, spans, parts)
    title, lede, parts = _head(read, parts, taken)
    prefix = series.prefix if series.running else f"{series.prefix}{number}."
    made: list[Prose | Section | Question] = []
    section, ordinal = "", first
    for part in parts:
        if isinstance(part, Text):
            for piece in _prose(path, part):
                section = piece.title if isinstance(piece, Section) else section
                made.append(piece)
        elif part.name != "question":
            read.report(part.line, f"unknown block '{part.name}'{did_you_mean(part.name, ['question'])}")
        else:
            made.append(_question(read, part, settings, uri, f"{prefix}{ordinal}", section))
            ordinal += 1
    return Chapter(uri, title, lede, number, series, tuple(made), Place(path, 1)), read


# -- the page around the questions


def _read_front_matter(read: Page) -> int:
    """Checks it; returns the number of lines that it takes."""
    yaml_text, lines = front_matter(read.text)
    try:
        for entry in entries(yaml_text):
            if entry.key not in FRONT_MATTER_FIELDS:
                known = did_you_mean(entry.key, FRONT_MATTER_FIELDS)
                read.report(entry.line + 1, f"unknown front matter field '{entry.key}'{known}")
            elif entry.key in ("title", "description") and not isinstance(entry.value, str):
                read.report(entry.line + 1, f"'{entry.key}' is quoted text")
    except Mistake as mistake:
        read.report(mistake.line + 1, f"front matter: {mistake}")
    return lines


def _opaque(read: Page, spans: list[Span]) -> set[int]:
    """Numbers of the lines that lie in front matter or, but for their first, in a span."""
    lines: set[int] = set(range(1, front_matter(read.text)[1] + 1))
    for span in spans:
        if span.kind in ("fence", "comment", "display"):
            first, last = _line(read.text, span.start), _line(read.text, span.end)
            lines.update(range(first + (span.kind != "fence"), last + 1))
    return lines


def _line(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def _inspect(read: Page, spans: list[Span], parts: list[Text | Block]) -> None:
    """Collects the formulas of prose and titles; reports what would be lost, misread or dangerous."""
    owner = dict(_owners(parts))
    position, han = 0, []
    for span in (*spans, Span("end", len(read.text), len(read.text))):
        _inspect_prose(read, position, span.start)
        position = span.end
        line = _line(read.text, span.start)
        if line not in owner:
            continue
        if span.kind == "stray":
            read.report(line, span.fault, _column(read.text, span.start))
        elif span.kind in ("math", "display"):
            place = Place(read.path, line, _column(read.text, span.start))
            if _collect(read, Tex(span.tex, span.kind == "display", place, owner[line])):
                han.append(line)
    if han:
        read.report(han[0], f"Chinese inside {len(han)} formulas (lines {', '.join(map(str, han))})", notice=True)


def _owners(parts: list[Text | Block], title: str = "") -> Iterator[tuple[int, str]]:
    """Numbers of the lines that are Markdown, with the title of the question around them."""
    for part in parts:
        if isinstance(part, Text):
            yield from ((part.line + index, title) for index in range(len(part.lines)))
        else:
            yield part.line, part.argument
            if part.name not in ("formula", "example", "figure"):
                yield from _owners(part.parts, title or part.argument)


def _inspect_prose(read: Page, start: int, end: int) -> None:
    prose = read.text[start:end]
    for pattern, message in (
        (RAW_HTML, "raw HTML '{}' is not read in notes; put it in backticks to show it"),
        (REMOTE_IMAGE, "'{}…' loads an image from another host; put the file under docs"),
        (SCRIPT_LINK, "'{}…' is no address for a link"),
    ):
        for found in pattern.finditer(prose):
            read.report(_line(read.text, start + found.start()), message.format(found[0]))


def _collect(read: Page, tex: Tex) -> bool:
    """Takes a formula and says whether it holds Chinese."""
    read.formulas.append(tex)
    line, column = tex.place.line, tex.place.column
    if COMMENT_SIGN.search(tex.tex):
        read.report(line, f"% hides the rest of the formula {tex.tex!r}; write \\%", column)
    if odd := FULL_WIDTH.search(TEXT_COMMAND.sub("", tex.tex)):
        read.report(line, f"full-width '{odd[0]}' in the formula {tex.tex!r}; type it half-width", column)
    return bool(HAN.search(tex.tex))


def _column(text: str, offset: int) -> int:
    return offset - text.rfind("\n", 0, offset)


def _head(read: Page, parts: list[Text | Block], taken: int) -> tuple[str, str, list[Text | Block]]:
    """Title and lede of a chapter, and its parts without them."""
    first = parts[0] if parts and isinstance(parts[0], Text) else Text(1)
    lines = first.lines[max(0, taken + 1 - first.line) :]
    start = first.line + len(first.lines) - len(lines)
    while lines and not lines[0].strip():
        lines, start = lines[1:], start + 1
    title, lines, start = _first_heading(lines, start)
    if not title:
        read.report(start, "a chapter begins with its title: '# title'")
    lede: list[str] = []
    while lines and not HEADING.match(lines[0]) and (lines[0].strip() or not lede):
        lede, lines, start = lede + [lines[0]] * bool(lines[0].strip()), lines[1:], start + 1
    return title, "\n".join(lede), [Text(start, lines), *parts[1 if parts and parts[0] is first else 0 :]]


def _first_heading(lines: list[str], start: int) -> tuple[str, list[str], int]:
    if lines and (heading := HEADING.match(lines[0])) and heading["level"] == "#":
        return heading["title"], lines[1:], start + 1
    if len(lines) > 1 and lines[0].strip() and UNDERLINE.match(lines[1]) and lines[1][0] == "=":
        return lines[0].strip(), lines[2:], start + 2
    return "", lines, start


def _prose(path: str, text: Text) -> Iterator[Prose | Section]:
    """Text between questions, cut at its second-level headings."""
    opaque = _code_lines(text)
    start, lines = text.line, list[str]()
    for number, line in enumerate(text.lines, text.line):
        heading = None if number in opaque else HEADING.match(line)
        if heading and heading["level"] == "##":
            yield from _nonempty(path, start, lines)
            yield Section(heading["title"], Place(path, number))
            start, lines = number + 1, []
        else:
            lines.append(line)
    yield from _nonempty(path, start, lines)


def _code_lines(text: Text) -> set[int]:
    whole = "\n".join(text.lines)
    return {
        text.line + offset
        for span in scan(whole)
        for offset in range(whole.count("\n", 0, span.start), whole.count("\n", 0, span.end) + 1)
        if span.kind in ("fence", "comment", "display")
    }


def _nonempty(path: str, line: int, lines: list[str]) -> Iterator[Prose]:
    if any(content.strip() for content in lines):
        yield Prose("\n".join(lines).strip("\n"), Place(path, line))


# -- a question


def _text(value: Value) -> str:
    if not isinstance(value, str):
        raise ValueError("is one text, not a list")
    return value.strip()


def _words(value: Value) -> tuple[str, ...]:
    items = [value] if isinstance(value, str) else value
    if isinstance(items, dict) or not all(isinstance(item, str) for item in items):
        raise ValueError("is a list: [a, b]")
    return tuple(str(item).strip() for item in items if str(item).strip())


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


def _question(read: Page, block: Block, settings: Settings, uri: str, number: str, section: str) -> Question:
    fields = dict(_fields(read, block, FIELDS))
    for name in REQUIRED:
        if not fields.get(name):
            read.report(block.line, f"the question has no '{name}'; add the line '    {name}: …' below this one")
    _expect(read, block, fields, "kind", settings.kinds)
    _expect(read, block, fields, "priority", settings.priorities)
    _expect(read, block, fields, "trust", settings.seals)
    if not block.argument:
        read.report(block.line, "the question has no title; write '//// question | title'")
    parts = tuple(_parts(read, block))
    if not any(not isinstance(part, Aside) for part in parts):
        read.report(block.line, f"the answer of '{block.argument}' is empty")
    known = settings.priorities
    fields["priority"] = known.get(fields.get("priority", ""), next(iter(known.values())))
    required = {"id": f"line-{block.line}", "kind": "", "topics": ()}
    return Question(
        **{**required, **fields},
        title=block.argument,
        number=number,
        uri=uri,
        section=section,
        parts=parts,
        place=Place(read.path, block.line),
    )


def _expect(read: Page, block: Block, fields: dict[str, Any], name: str, known: Iterable[str]) -> None:
    value = fields.get(name)
    if value and value not in known:
        line = block.line + 1 + next(i for i, text in enumerate(block.options) if text.strip().startswith(name))
        listed = ", ".join(known)
        read.report(line, f"unknown {name} '{value}'{did_you_mean(value, known)}; course.yml has {listed}")


def _fields(read: Page, block: Block, table: Mapping[str, Callable[[Value], Any]]) -> Iterator[tuple[str, Any]]:
    for entry in _options(read, block):
        if entry.key not in table:
            hint = did_you_mean(entry.key, table) or "; known are " + ", ".join(table)
            read.report(entry.line, f"unknown field '{entry.key}'{hint}")
            continue
        try:
            yield entry.key, table[entry.key](entry.value)
        except ValueError as error:
            read.report(entry.line, f"'{entry.key}' {error}")


def _options(read: Page, block: Block) -> list[Entry]:
    try:
        found = entries("\n".join(block.options))
    except Mistake as mistake:
        read.report(block.line + mistake.line, str(mistake))
        return []
    return [Entry(entry.key, entry.value, block.line + entry.line) for entry in found]


def _parts(read: Page, block: Block) -> Iterator[Part]:
    for part in block.parts:
        if isinstance(part, Text):
            yield from _nonempty(read.path, part.line, part.lines)
        elif part.name == "formula":
            yield _formula(read, part, block.argument)
        elif part.name in ("example", "figure"):
            made = Example if part.name == "example" else Figure
            parameters = {entry.key: _parameter(read, entry) for entry in _options(read, part)}
            yield made(part.argument, parameters, Place(read.path, part.line))
        elif part.name in VOICES:
            yield _aside(read, part)
        else:
            hint = did_you_mean(part.name, INNER_BLOCKS)
            read.report(part.line, f"unknown block '{part.name}'{hint}; a question holds {', '.join(INNER_BLOCKS)}")


def _parameter(read: Page, entry: Entry) -> str:
    try:
        return ", ".join(_words(entry.value))
    except ValueError as error:
        read.report(entry.line, f"'{entry.key}' {error}")
        return ""


def _formula(read: Page, block: Block, question: str) -> Formula:
    lines = [line for text in texts(block.parts) for line in text.lines]
    first = next((text.line for text in texts(block.parts)), block.line)
    tex = Tex("\n".join(lines).strip(), True, Place(read.path, first, 1), question)
    symbols = dict(_fields(read, block, {"symbols": _symbols})).get("symbols", {})
    if not block.argument:
        read.report(block.line, "the formula has no name; write '/// formula | name'")
    if tex.tex:
        _collect(read, tex)
    else:
        read.report(block.line, f"the formula '{block.argument}' is empty")
    named = tuple((Tex(symbol, False, Place(read.path, block.line), question), text) for symbol, text in symbols.items())
    for symbol, _ in named:
        _collect(read, symbol)
    return Formula(block.argument, tex, named, Place(read.path, block.line))


def _symbols(value: Value) -> dict[str, str]:
    if not isinstance(value, dict):
        raise ValueError("pairs symbols and meanings: {N: nodes}")
    return {symbol: _text(meaning) for symbol, meaning in value.items()}


def _aside(read: Page, block: Block) -> Aside:
    for part in block.parts:
        if isinstance(part, Block):
            read.report(part.line, f"'{part.name}' cannot stand inside '{block.name}'")
    text = "\n".join(line for text in block.parts if isinstance(text, Text) for line in text.lines).strip("\n")
    if block.options or not text.strip():
        read.report(block.line, f"'{block.name}' has no text; leave one line free below its first line")
    return Aside(block.name, text, Place(read.path, block.line))

