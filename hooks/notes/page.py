"""Any Markdown page while it is read: its front matter, code, formulas and HTML, and what is wrong with them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from notes.blocks import Block, Text, split
from notes.model import Place, Problem, Prose, Tex, did_you_mean
from notes.source import Mistake, entries, front_matter
from notes.spans import Span, scan

FRONT_MATTER_FIELDS = ("title", "description", "hide", "search")
RAW_HTML = re.compile(
    r"</?(?:script|style|iframe|object|embed|img|svg|div|span|p|a|b|i|u|em|strong|table|tr|td|th|ul|ol|li|details|summary"
    r"|font|center|sub|sup|kbd|mark|form|input|button|link|meta|hr|h[1-6])(?:\s+[a-z][\w:-]*(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s<>\"']+))?)*\s*/?>",
    re.IGNORECASE,
)
REMOTE_IMAGE = re.compile(r"!\[[^\]]*\]\(\s*<?(?:https?:)?//")
BROKEN_LINK = re.compile(r"\]\(\s*<?https?://(?:\[(?![0-9a-fA-F:.]+\])|[^\s)\[]*\])")
SCRIPT_LINK = re.compile(r"\]\(\s*<?(?:javascript|data|vbscript):", re.IGNORECASE)
FOOTNOTE = re.compile(r"^\[\^[^\]\n]+\]:", re.MULTILINE)
LATE_FRONT_MATTER = re.compile(r"\s*(?=---[ \t]*\n[ \t]*[\w-]+:)")
HEADING = re.compile(r"^(?P<level>#{1,6})\s+(?P<title>.*?)(?:\s+#+)?\s*$")
HAN = re.compile("[\u3400-\u9fff]")
FULL_WIDTH = re.compile("[（）［］｛｝＝＋－＜＞／，０-９Ａ-Ｚａ-ｚ]")
TEXT_COMMAND = re.compile(r"\\(?:text\w*|tag\*?|mbox)\s*\{[^{}]*\}")
COMMENT_SIGN = re.compile(r"(?<!\\)(?:\\\\)*%")
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


def read(path: str, text: str) -> tuple[Page, list[Text | Block], int]:
    """The page, its text cut into blocks, and the number of lines that its front matter takes."""
    page = Page(path, text)
    taken = _read_front_matter(page)
    spans = list(scan(text))
    parts = split(text.split("\n"), _opaque(page, spans), page.report)
    _inspect(page, spans, parts)
    return page, parts, taken


def _read_front_matter(page: Page) -> int:
    """Checks it; returns the number of lines that it takes."""
    yaml_text, lines = front_matter(page.text)
    if not lines and (late := LATE_FRONT_MATTER.match(page.text)):
        message = "front matter begins in the first line with '---' and ends with '---'; here it would be shown as text"
        page.report(late[0].count("\n") + 1, message)
    try:
        for entry in entries(yaml_text):
            if entry.key not in FRONT_MATTER_FIELDS:
                known = did_you_mean(entry.key, FRONT_MATTER_FIELDS) or "; known are " + ", ".join(FRONT_MATTER_FIELDS)
                page.report(entry.line + 1, f"unknown front matter field '{entry.key}'{known}")
            elif entry.key in ("title", "description") and not isinstance(entry.value, str):
                page.report(entry.line + 1, f"'{entry.key}' is quoted text")
    except Mistake as mistake:
        page.report(mistake.line + 1, f"front matter: {mistake}")
    return lines


def _opaque(page: Page, spans: list[Span]) -> set[int]:
    """Numbers of the lines that lie in front matter or, but for their first, in a span."""
    lines: set[int] = set(range(1, front_matter(page.text)[1] + 1))
    for span in spans:
        if span.kind in ("fence", "comment", "display"):
            first, last = _line(page.text, span.start), _line(page.text, span.end)
            lines.update(range(first + (span.kind != "fence"), last + 1))
    return lines


def _line(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def _inspect(page: Page, spans: list[Span], parts: list[Text | Block]) -> None:
    """Collects the formulas of prose and titles; reports what would be lost, misread or dangerous."""
    _inspect_prose(page, spans)
    owner = dict(_owners(parts))
    han = []
    for span in spans:
        line = _line(page.text, span.start)
        if line not in owner:
            continue
        if span.kind == "stray":
            page.report(line, span.fault, _column(page.text, span.start))
        elif span.kind in ("fence", "comment"):
            _inspect_end(page, line, span)
        elif span.kind in ("math", "display") and collect(page, _tex(page, span, owner[line])):
            han.append(line)
    _notice_headings(page, parts)
    if han:
        page.report(han[0], f"Chinese inside {len(han)} formulas (lines {', '.join(map(str, han))})", notice=True)


def _tex(page: Page, span: Span, inside: str) -> Tex:
    place, begins = (Place(page.path, _line(page.text, at), _column(page.text, at)) for at in (span.start, span.inside))
    return Tex(span.tex, span.kind == "display", place, inside, begins)


def _notice_headings(page: Page, parts: list[Text | Block]) -> None:
    """Headings of one name: a link leads to the first."""
    seen: set[str] = set()
    for text in (part for part in parts if isinstance(part, Text)):
        opaque = code_lines(text)
        for number, line in enumerate(text.lines, text.line):
            heading = None if number in opaque else HEADING.match(line)
            if heading and heading["title"] in seen:
                message = f"the heading '{heading['title']}' stands twice on this page; a link leads to the first"
                page.report(number, message, notice=True)
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


def _inspect_prose(page: Page, spans: list[Span]) -> None:
    prose, position = "", 0
    for span in spans:
        prose += page.text[position : span.start] + re.sub(r"[^\n]", "·", page.text[span.start : span.end])
        position = span.end
    prose += page.text[position:]
    for pattern, message in (
        (RAW_HTML, "raw HTML '{}' is not read in notes; put it in backticks to show it"),
        (REMOTE_IMAGE, "'{}…' loads an image from another host; put the file under docs"),
        (SCRIPT_LINK, "'{}…' is no address for a link"),
        (BROKEN_LINK, "'{}…' is no address: brackets in it hold an IPv6 number"),
        (FOOTNOTE, "'{}' footnotes are not read in notes; put the remark where it belongs, in brackets"),
    ):
        for found in pattern.finditer(prose):
            shown = page.text[found.start() : found.end()]
            page.report(_line(prose, found.start()), message.format(shown))


def _inspect_end(page: Page, line: int, span: Span) -> None:
    """Code or a comment that was left open swallows everything up to the end of the next one."""
    inner = page.text[span.start : span.end]
    marks = inner[: len(inner) - len(inner.lstrip(inner[0]))] if span.kind == "fence" else "<!--"
    pattern = NEW_CODE.format(marks, marks[0]) if span.kind == "fence" else marks
    if second := re.compile(pattern, re.MULTILINE).search(inner, len(marks)):
        there = line + inner.count("\n", 0, second.end())
        page.report(line, f"{marks} is still open where another begins at line {there}; close the first")


def collect(page: Page, tex: Tex) -> bool:
    """Takes a formula and says whether it holds Chinese."""
    page.formulas.append(tex)
    line, column = tex.place.line, tex.place.column
    if COMMENT_SIGN.search(tex.tex):
        page.report(line, f"% hides the rest of the formula {tex.tex!r}; write \\%", column)
    if odd := FULL_WIDTH.search(TEXT_COMMAND.sub("", tex.tex)):
        page.report(line, f"full-width '{odd[0]}' in the formula {tex.tex!r}; type it half-width", column)
    return bool(HAN.search(tex.tex))


def phrase(page: Page, line: int, text: str, inside: str = "") -> None:
    """Formulas in a line of Markdown that a YAML value holds."""
    for span in scan(text):
        if span.kind == "stray":
            page.report(line, span.fault)
        elif span.kind in ("math", "display"):
            collect(page, Tex(span.tex, span.kind == "display", Place(page.path, line), inside))


def _column(text: str, offset: int) -> int:
    return offset - text.rfind("\n", 0, offset)


def code_lines(text: Text) -> set[int]:
    """Numbers of the lines of a text that lie in code, comments or formulas."""
    whole = "\n".join(text.lines)
    return {
        text.line + offset
        for span in scan(whole)
        for offset in range(whole.count("\n", 0, span.start), whole.count("\n", 0, span.end) + 1)
        if span.kind in ("fence", "comment", "display")
    }


def nonempty(path: str, line: int, lines: list[str]) -> Iterator[Prose]:
    """Lines as prose, without blank ones around them; nothing where there is nothing else."""
    blank = next((index for index, content in enumerate(lines) if content.strip()), len(lines))
    if text := "\n".join(lines[blank:]).rstrip():
        yield Prose(text, Place(path, line + blank))
