"""Markdown text -> Chapter and problems: the only reader of the question grammar."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from notes.blocks import Block, Text, split
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
LATE_FRONT_MATTER = re.compile(r"\s*(?=---[ \t]*\n[ \t]*[\w-]+:)")
NO_PARAGRAPH = re.compile(r"\s*(?:[-*+] |\d{1,9}[.)] |[|>]|`{3}|~{3}|\$\$)")
HEADING = re.compile(r"^(?P<level>#{1,6})\s+(?P<title>.*?)(?:\s+#+)?\s*$")
UNDERLINE = re.compile(r"^(=+|-+)\s*$")
HAN = re.compile("[\u3400-\u9fff]")
FULL_WIDTH = re.compile("[（）［］｛｝＝＋－＜＞／，０-９Ａ-Ｚａ-ｚ]")
TEXT_COMMAND = re.compile(r"\\(?:text\w*|tag\*?|mbox)\s*\{[^{}]*\}")
COMMENT_SIGN = re.compile(r"(?<!\\)(?:\\\\)*%")
HTML_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
NEW_CODE = r"^[ \t>]*(?:(?:[-*+]|\d{{1,9}}[.)])[ \t]+)*{}{}*[ \t]*\w"


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
    path: str, text: str, *, uri: str, series: Series, number: int, settings: Settings, first: int = 1
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
            made.append(_question(read, part, settings, uri=uri, number=f"{prefix}{ordinal}", section=section))
            ordinal += 1
    return Chapter(uri, title, lede, number, series, tuple(made), Place(path, 1)), read


# -- the page around the questions


def _read_front_matter(read: Page) -> int:
    """Checks it; returns the number of lines that it takes."""
    yaml_text, lines = front_matter(read.text)
    if not lines and (late := LATE_FRONT_MATTER.match(read.text)):
        message = "front matter begins in the first line with '---' and ends with '---'; here it would be shown as text"
        read.report(late[0].count("\n") + 1, message)
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
    _inspect_prose(read, spans)
    owner = dict(_owners(parts))
    han = []
    for span in spans:
        line = _line(read.text, span.start)
        if line not in owner:
            continue
        if span.kind == "stray":
            read.report(line, span.fault, _column(read.text, span.start))
        elif span.kind in ("fence", "comment"):
            _inspect_end(read, line, span)
        elif span.kind in ("math", "display") and _collect(read, _tex(read, span, owner[line])):
            han.append(line)
    _notice_headings(read, parts)
    if han:
        read.report(han[0], f"Chinese inside {len(han)} formulas (lines {', '.join(map(str, han))})", notice=True)


def _tex(read: Page, span: Span, inside: str) -> Tex:
    place = Place(read.path, _line(read.text, span.start), _column(read.text, span.start))
    start = read.text.find(span.tex, span.start, span.end)
    begins = Place(read.path, _line(read.text, start), _column(read.text, start))
    if start < 0:  # in a quotation, where every line of it begins with >
        begins = Place(read.path, place.line + 1, 1)
    return Tex(span.tex, span.kind == "display", place, inside, begins)


def _notice_headings(read: Page, parts: list[Text | Block]) -> None:
    """Headings of one name: a link leads to the first."""
    seen: set[str] = set()
    for text in (part for part in parts if isinstance(part, Text)):
        opaque = _code_lines(text)
        for number, line in enumerate(text.lines, text.line):
            heading = None if number in opaque else HEADING.match(line)
            if heading and heading["title"] in seen:
                message = f"the heading '{heading['title']}' stands twice on this page; a link leads to the first"
                read.report(number, message, notice=True)
            if heading:
                seen.add(heading["title"])


def _owners(parts: list[Text | Block], title: str = "") -> Iterator[tuple[int, str]]:
    """Numbers of the lines that are Markdown, with the title of the question around them."""
    for part in parts:
        if isinstance(part, Text):
            yield from ((part.line + index, title) for index in range(len(part.lines)))
        else:
            yield part.line, part.argument
            if part.name not in ("formula", "example", "figure"):
                yield from _owners(part.parts, title or part.argument)


def _inspect_prose(read: Page, spans: list[Span]) -> None:
    prose, position = "", 0
    for span in spans:
        prose += read.text[position : span.start] + re.sub(r"[^\n]", "·", read.text[span.start : span.end])
        position = span.end
    prose += read.text[position:]
    for pattern, message in (
        (RAW_HTML, "raw HTML '{}' is not read in notes; put it in backticks to show it"),
        (REMOTE_IMAGE, "'{}…' loads an image from another host; put the file under docs"),
        (SCRIPT_LINK, "'{}…' is no address for a link"),
    ):
        for found in pattern.finditer(prose):
            shown = read.text[found.start() : found.end()]
            read.report(_line(prose, found.start()), message.format(shown))


def _inspect_end(read: Page, line: int, span: Span) -> None:
    """Code or a comment that was left open swallows everything up to the end of the next one."""
    inner = read.text[span.start : span.end]
    marks = inner[: len(inner) - len(inner.lstrip(inner[0]))] if span.kind == "fence" else "<!--"
    pattern = NEW_CODE.format(marks, marks[0]) if span.kind == "fence" else marks
    if second := re.compile(pattern, re.MULTILINE).search(inner, len(marks)):
        there = line + inner.count("\n", 0, second.end())
        read.report(line, f"{marks} is still open where another begins at line {there}; close the first")


def _collect(read: Page, tex: Tex) -> bool:
    """Takes a formula and says whether it holds Chinese."""
    read.formulas.append(tex)
    line, column = tex.place.line, tex.place.column
    if COMMENT_SIGN.search(tex.tex):
        read.report(line, f"% hides the rest of the formula {tex.tex!r}; write \\%", column)
    if odd := FULL_WIDTH.search(TEXT_COMMAND.sub("", tex.tex)):
        read.report(line, f"full-width '{odd[0]}' in the formula {tex.tex!r}; type it half-width", column)
    return bool(HAN.search(tex.tex))


def phrase(read: Page, line: int, text: str, inside: str = "") -> None:
    """Formulas in a line of Markdown that a YAML value holds."""
    for span in scan(text):
        if span.kind == "stray":
            read.report(line, span.fault)
        elif span.kind in ("math", "display"):
            _collect(read, Tex(span.tex, span.kind == "display", Place(read.path, line), inside))


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
        read.report(start if lines else taken + 1, "a chapter begins with its title: '# title'")
    lede: list[str] = []
    while lines and not HEADING.match(lines[0]) and (lines[0].strip() or not lede):
        if not lede and NO_PARAGRAPH.match(lines[0]):
            break
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
    blank = next((index for index, content in enumerate(lines) if content.strip()), len(lines))
    if text := "\n".join(lines[blank:]).rstrip():
        yield Prose(text, Place(path, line + blank))


# -- a question


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


def _question(read: Page, block: Block, settings: Settings, *, uri: str, number: str, section: str) -> Question:
    given = _options(read, block)
    fields = dict(_fields(read, given or [], FIELDS))
    lines = {entry.key: entry.line for entry in given or []}
    for name in REQUIRED:
        if given is not None and not fields.get(name, name in lines):
            read.report(block.line, f"the question has no '{name}'; add the line '    {name}: …' below this one")
    for name, known in (("kind", settings.kinds), ("priority", settings.priorities), ("trust", settings.seals)):
        if name in fields:
            _expect(read, lines[name], name, fields[name], known)
    for name in SHOWN:
        for text in _words(fields.get(name, "")):
            phrase(read, lines[name], text, block.argument)
    if not block.argument:
        read.report(block.line, "the question has no title; write '//// question | title'")
    parts = tuple(_parts(read, block))
    if not any(_says(part) for part in parts):
        read.report(block.line, f"the answer of '{block.argument}' is empty")
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
        place=Place(read.path, block.line),
    )


def _says(part: Part) -> bool:
    """Whether a part gives an answer: a voice beside it does not, nor does a comment."""
    if isinstance(part, Prose):
        return bool(HTML_COMMENT.sub("", part.text).strip())
    return not isinstance(part, Aside)


def _expect(read: Page, line: int, name: str, value: str, known: Iterable[str]) -> None:
    listed = ", ".join(known)
    if value and listed and value not in known:  # nothing is known where course.yml could not be read
        read.report(line, f"unknown {name} '{value}'{did_you_mean(value, known)}; course.yml has {listed}")


def _fields(read: Page, given: list[Entry], table: Mapping[str, Callable[[Value], Any]]) -> Iterator[tuple[str, Any]]:
    for entry in given:
        if entry.key not in table:
            hint = did_you_mean(entry.key, table) or "; known are " + ", ".join(table)
            read.report(entry.line, f"unknown field '{entry.key}'{hint}")
            continue
        try:
            yield entry.key, table[entry.key](entry.value)
        except ValueError as error:
            read.report(entry.line, f"'{entry.key}' {error}")


def _options(read: Page, block: Block) -> list[Entry] | None:
    """The fields as they are given; None where they cannot be read."""
    try:
        found = entries("\n".join(block.options))
    except Mistake as mistake:
        read.report(block.line + min(mistake.line, len(block.options)), str(mistake))
        return None
    return [Entry(entry.key, entry.value, block.line + entry.line) for entry in found]


def _parts(read: Page, block: Block) -> Iterator[Part]:
    for part in block.parts:
        if isinstance(part, Text):
            yield from _nonempty(read.path, part.line, part.lines)
        elif part.name == "formula":
            yield _formula(read, part, block.argument)
        elif part.name in ("example", "figure"):
            yield _drawing(read, part)
        elif part.name in VOICES:
            yield _aside(read, part)
        else:
            hint = did_you_mean(part.name, INNER_BLOCKS)
            read.report(part.line, f"unknown block '{part.name}'{hint}; a question holds {', '.join(INNER_BLOCKS)}")


def _content(read: Page, block: Block) -> Text:
    """What an inner block holds: text and no other block."""
    for part in block.parts:
        if isinstance(part, Block):
            read.report(part.line, f"'{part.name}' cannot stand inside '{block.name}'")
    texts = [part for part in block.parts if isinstance(part, Text)]
    return Text(texts[0].line if texts else block.line, [line for text in texts for line in text.lines])


def _drawing(read: Page, block: Block) -> Example | Figure:
    made = Example if block.name == "example" else Figure
    parameters = {entry.key: _parameter(read, entry) for entry in _options(read, block) or []}
    content = _content(read, block)
    if any(line.strip() for line in content.lines):
        message = f"'{block.name}' holds only parameters: '    name: value' directly below its first line"
        read.report(content.line, message)
    return made(block.argument, parameters, Place(read.path, block.line))


def _parameter(read: Page, entry: Entry) -> str:
    try:
        return ", ".join(_words(entry.value))
    except ValueError as error:
        read.report(entry.line, f"'{entry.key}' {error}")
        return ""


def _formula(read: Page, block: Block, question: str) -> Formula:
    content = _content(read, block)
    body = "\n".join(content.lines)
    before = body[: len(body) - len(body.lstrip())]
    place = Place(read.path, content.line + before.count("\n"), len(before) - before.rfind("\n"))
    tex = Tex(body.strip(), True, place, question)
    if not block.argument:
        read.report(block.line, "the formula has no name; write '/// formula | name'")
    if not tex.tex:
        read.report(block.line, f"the formula '{block.argument}' is empty")
    elif "<!--" in tex.tex:
        read.report(place.line, "a comment cannot stand in a formula; put it below the block")
    else:
        _collect(read, tex)
    return Formula(block.argument, tex, tuple(_symbols_of(read, block, question)), Place(read.path, block.line))


def _symbols_of(read: Page, block: Block, question: str) -> Iterator[tuple[Tex, str]]:
    given = _options(read, block) or []
    line = next((entry.line for entry in given if entry.key == "symbols"), 0)
    for symbol, meaning in dict(_fields(read, given, {"symbols": _symbols})).get("symbols", {}).items():
        tex = Tex(symbol, False, Place(read.path, line), question)
        _collect(read, tex)
        phrase(read, line, meaning, question)
        yield tex, meaning


def _symbols(value: Value) -> dict[str, str]:
    if not isinstance(value, dict):
        raise ValueError("pairs symbols and meanings: {N: nodes}")
    return {symbol: _text(meaning) for symbol, meaning in value.items()}


def _aside(read: Page, block: Block) -> Aside:
    text = "\n".join(_content(read, block).lines).strip("\n")
    if block.argument:
        read.report(block.line, f"'{block.name}' takes no title; write '{block.argument}' below its first line")
    if block.options or not HTML_COMMENT.sub("", text).strip():
        read.report(block.line, f"'{block.name}' has no text; leave one line free below its first line")
    return Aside(block.name, text, Place(read.path, block.line))
