"""Where a Markdown text is code, comment or formula; nothing in those is read as grammar."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Span:
    """A stretch `text[start:end]` that is not prose."""

    kind: str
    """`fence`, `code`, `comment`, `math`, `display`, or `stray` for something opened in vain."""
    start: int
    end: int
    tex: str = ""
    fault: str = ""
    """For `stray`: what is wrong and how it is cured."""


OPENING = re.compile(
    r"""
      ^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?P<fence>`{3,}(?=[^`\n]*$)|~{3,})(?P<info>[^\n]*)
    | (?P<comment><!--)
    | (?P<code>`+)
    | (?P<escape>\\[\\`$<])
    | (?P<display>\$\$)
    | (?P<math>\$)
    """,
    re.VERBOSE | re.MULTILINE,
)
PARAGRAPH_END = re.compile(r"\n[ \t>]*\n|\n/{3,}|\Z")
UP_TO_DOLLAR = re.compile(r"(?:\\.|[^\\$])*", re.DOTALL)
SENTENCE_MARK = re.compile("[，。；：、！？]")
TEXT_COMMAND = re.compile(r"\\(?:text\w*|tag\*?|mbox)\s*\{[^{}]*\}")


def scan(text: str) -> Iterator[Span]:
    """Every span of `text`, in order, none overlapping."""
    position = 0
    while opening := OPENING.search(text, position):
        span = READERS[str(opening.lastgroup)](text, opening)
        position = span.end if span else opening.end()
        if span:
            yield span


def _fence(text: str, opening: re.Match[str]) -> Span:
    marks, start = opening["fence"], opening.start("fence")
    closing = re.compile(rf"^[ \t>]*{marks[0]}{{{len(marks)},}}[ \t]*$", re.MULTILINE).search(text, opening.end())
    if not closing:
        return Span("stray", start, len(text), fault=f"code opened with {marks} is never closed")
    if opening["info"].strip() == "math":
        return Span("display", start, closing.end(), text[opening.end() : closing.start()].strip())
    return Span("fence", start, closing.end())


def _comment(text: str, opening: re.Match[str]) -> Span:
    end = text.find("-->", opening.end())
    if end < 0:
        return Span("stray", opening.start(), len(text), fault="comment opened with <!-- is never closed with -->")
    return Span("comment", opening.start(), end + 3)


def _code(text: str, opening: re.Match[str]) -> Span | None:
    end = _paragraph_end(text, opening.end())
    closing = re.compile(rf"(?<!`){opening['code']}(?!`)").search(text, opening.end(), end)
    return Span("code", opening.start(), closing.end()) if closing else None


def _escape(text: str, opening: re.Match[str]) -> None:
    return None


def _display(text: str, opening: re.Match[str]) -> Span:
    start, end = opening.end(), _paragraph_end(text, opening.end())
    closing = text.find("$$", start, end)
    if closing < 0:
        fault = "$$ is not closed before the next blank line; close it, and leave no blank line inside a formula"
        return Span("stray", opening.start(), end, fault=fault)
    return Span("display", opening.start(), closing + 2, text[start:closing].strip())


def _math(text: str, opening: re.Match[str]) -> Span | None:
    """A formula, a price (`$5`), or a dollar that nobody can place."""
    start, end = opening.end(), _paragraph_end(text, opening.end())
    inner = UP_TO_DOLLAR.match(text, start, end)
    tex = inner[0] if inner else ""
    closing = start + len(tex)
    closed = closing < end and text[closing] == "$"
    if closed and tex and tex == tex.strip() and not text[closing + 1 : closing + 2].isdigit() and not _sentence(tex):
        return Span("math", opening.start(), closing + 1, tex)
    if text[start : start + 1].isdigit():
        return None
    if closed and _sentence(tex):
        fault = "a formula holds the end of a sentence; close it before that, or write \\$ for a dollar sign"
    elif closed and tex != tex.strip():
        fault = "a formula has no space just inside its $; for a dollar sign write \\$"
    else:
        fault = "a single $ opens a formula that is never closed; for a dollar sign write \\$"
    return Span("stray", opening.start(), closing + 1 if closed else opening.end(), fault=fault)


def _sentence(tex: str) -> bool:
    return bool(SENTENCE_MARK.search(TEXT_COMMAND.sub("", tex)))


def _paragraph_end(text: str, start: int) -> int:
    end = PARAGRAPH_END.search(text, start)
    assert end is not None  # \Z always matches
    return end.start()


READERS = {"info": _fence, "comment": _comment, "code": _code, "escape": _escape, "display": _display, "math": _math}
