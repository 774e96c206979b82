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
    inside: int = 0
    """Where the TeX begins."""
    fault: str = ""
    """For `stray`: what is wrong and how it is cured."""


TARGET = r"""
    \]\((?:<[^<>\n]*>|(?:\\.|[^\s()\\]|\([^\s()]*\))*) | ^[ ]{0,3}\[[^\]\n]+\]:[ \t]*\S+ | <https?://[^\s<>]+>
"""
"""Of a link: `](…`, `[name]: …` or `<https://…>`."""
OPENING = re.compile(
    r"""
      ^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?P<fence>`{3,}(?=[^`\n]*$)|~{3,})(?P<info>[^\n]*)
    | (?P<comment><!--)
    | (?P<code>`+)
    | (?P<escape>\\[\\`$<])
    | (?P<display>\$\$)
    | (?P<math>\$)
    | (?P<target>"""
    + TARGET
    + ")",
    re.VERBOSE | re.MULTILINE,
)
PARAGRAPH_END = re.compile(r"\n[ \t]*\n|\n/{3,}|\Z")
QUOTED_END = re.compile(r"\n[ \t>]*\n|\n/{3,}|\Z")
LINE_OF_ITS_OWN = re.compile(r"\n[ \t>]*(?:[-*+][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|\||`{3}|~{3})")
"""An item, a heading, a row of a table or code ends the paragraph above it, and what is open in it."""
QUOTATION = re.compile(r"\n[ \t]*>")
QUOTED = re.compile(r"[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*>")
QUOTE_MARKS = re.compile(r"\n(?:[ \t]*>)+")
UP_TO_DOLLAR = re.compile("(?:\\\\.|[^\\\\$`\ue000])*", re.DOTALL)
"""A formula holds neither code nor another one that has been read before."""
PRICE = re.compile("\\d[\\d.,]*[ \t]*[\u3400-\u9fff]")
"""5元, 3.5亿: counted things and no formula, whatever closes later."""
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
        return _formula("display", text, (start, opening.end()), (closing.start(), closing.end()))
    return Span("fence", start, closing.end())


def _comment(text: str, opening: re.Match[str]) -> Span:
    end = text.find("-->", opening.end())
    if end < 0:
        return Span("stray", opening.start(), len(text), fault="comment opened with <!-- is never closed with -->")
    return Span("comment", opening.start(), end + 3)


def _code(text: str, opening: re.Match[str]) -> Span | None:
    end = _line_end(text, opening.end())
    closing = re.compile(rf"(?<!`){opening['code']}(?!`)").search(text, opening.end(), end)
    return Span("code", opening.start(), closing.end()) if closing else None


def _skip(text: str, opening: re.Match[str]) -> None:
    """Prose in which nothing opens: an escaped mark, the target of a link."""


def _display(text: str, opening: re.Match[str]) -> Span:
    start, end = opening.end(), _paragraph_end(text, opening.end())
    closing = text.find("$$", start)
    if 0 <= closing < end:
        return _formula("display", text, (opening.start(), start), (closing, closing + 2))
    fault = "$$ is not closed before the next blank line; close it, and leave no blank line inside a formula"
    closes = closing >= 0 and not text[closing + 2 : _paragraph_end(text, closing + 2)].strip()
    return Span("stray", opening.start(), closing + 2 if closes else start, fault=fault)


def _math(text: str, opening: re.Match[str]) -> Span | None:
    """A formula, a price (`$5`), or a dollar that nobody can place."""
    start, end = opening.end(), _line_end(text, opening.end())
    inner = UP_TO_DOLLAR.match(text, start, end)
    tex = inner[0] if inner else ""
    closing = start + len(tex)
    closed = closing < end and text[closing] == "$"
    tight = tex != "" and tex == tex.strip() and not text[closing + 1 : closing + 2].isdigit()
    if closed and tight and not _sentence(tex) and not PRICE.match(tex):
        return _formula("math", text, (opening.start(), start), (closing, closing + 1))
    if text[start : start + 1].isdigit():
        return None
    if closed and _sentence(tex):
        fault = "a formula holds the end of a sentence; close it before that, or write \\$ for a dollar sign"
    elif closed and tex != tex.strip():
        fault = "a formula has no space just inside its $; for a dollar sign write \\$"
        start = closing + 1
    elif closed and tex:
        fault = "a formula closes right before a digit; put a space between, or write \\$ for a dollar sign"
    else:
        fault = "a single $ opens a formula that is never closed; for a dollar sign write \\$"
    return Span("stray", opening.start(), start, fault=fault)


def _formula(kind: str, text: str, opening: tuple[int, int], closing: tuple[int, int]) -> Span:
    """What stands between two delimiters; the marks of a quotation around them are no part of it."""
    tex = text[opening[1] : closing[0]]
    if _is_quoted(text, opening[0]):
        tex = QUOTE_MARKS.sub("\n", tex)
    tex = tex.strip()
    return Span(kind, opening[0], closing[1], tex, text.find(tex[:1], opening[1]))


def _sentence(tex: str) -> bool:
    return bool(SENTENCE_MARK.search(TEXT_COMMAND.sub("", tex)))


def _is_quoted(text: str, offset: int) -> bool:
    return bool(QUOTED.match(text, text.rfind("\n", 0, offset) + 1, offset))


def _paragraph_end(text: str, start: int) -> int:
    end = (QUOTED_END if _is_quoted(text, start) else PARAGRAPH_END).search(text, start)
    assert end is not None  # \Z always matches
    return end.start()


def _line_end(text: str, start: int) -> int:
    """Where code or a formula in a line must have ended."""
    end = _paragraph_end(text, start)
    blocks = (LINE_OF_ITS_OWN,) if _is_quoted(text, start) else (LINE_OF_ITS_OWN, QUOTATION)
    return min([end, *(found.start() for block in blocks if (found := block.search(text, start, end)))])


READERS = {
    "info": _fence,
    "comment": _comment,
    "code": _code,
    "escape": _skip,
    "target": _skip,
    "display": _display,
    "math": _math,
}
