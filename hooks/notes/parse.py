"""Markdown text -> Chapter and problems: the only reader of the question grammar."""

from __future__ import annotations

import re
from collections.abc import Iterator

from notes.blocks import Block, Text
from notes.model import Chapter, Place, Prose, Question, Section, Series, Settings, did_you_mean
from notes.page import HEADING, Page, code_lines, nonempty, read
from notes.question import question

NO_PARAGRAPH = re.compile(r"\s*(?:[-*+] |\d{1,9}[.)] |[|>]|`{3}|~{3}|\$\$)")
UNDERLINE = re.compile(r"^(=+|-+)\s*$")


def page(path: str, text: str) -> Page:
    """A page without questions: front matter, code, formulas and HTML are checked, its formulas collected."""
    page, parts, _ = read(path, text)
    for part in parts:
        if isinstance(part, Block):
            page.report(part.line, f"'{part.name}' blocks stand only in the files of a series in course.yml")
    return page


def chapter(
    path: str, text: str, *, uri: str, series: Series, number: int, settings: Settings, first: int = 1
) -> tuple[Chapter, Page]:
    """A file of questions. `first` is the number of its first question where numbers run through the series."""
    page, parts, taken = read(path, text)
    title, lede, parts = _head(page, parts, taken)
    prefix = series.prefix if series.running else f"{series.prefix}{number}."
    made: list[Prose | Section | Question] = []
    section, ordinal = "", first
    for part in parts:
        if isinstance(part, Text):
            for piece in _prose(path, part):
                section = piece.title if isinstance(piece, Section) else section
                made.append(piece)
        elif part.name != "question":
            page.report(part.line, f"unknown block '{part.name}'{did_you_mean(part.name, ['question'])}")
        else:
            made.append(question(page, part, settings, uri=uri, number=f"{prefix}{ordinal}", section=section))
            ordinal += 1
    return Chapter(uri, title, lede, number, series, tuple(made), Place(path, 1)), page


def _head(page: Page, parts: list[Text | Block], taken: int) -> tuple[str, str, list[Text | Block]]:
    """Title and lede of a chapter, and its parts without them."""
    first = parts[0] if parts and isinstance(parts[0], Text) else Text(1)
    lines = first.lines[max(0, taken + 1 - first.line) :]
    start = first.line + len(first.lines) - len(lines)
    while lines and not lines[0].strip():
        lines, start = lines[1:], start + 1
    title, lines, start = _first_heading(lines, start)
    if not title:
        page.report(start if lines else taken + 1, "a chapter begins with its title: '# title'")
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
    opaque = code_lines(text)
    start, lines = text.line, list[str]()
    for number, line in enumerate(text.lines, text.line):
        heading = None if number in opaque else HEADING.match(line)
        if heading and heading["level"] == "##":
            yield from nonempty(path, start, lines)
            yield Section(heading["title"], Place(path, number))
            start, lines = number + 1, []
        else:
            lines.append(line)
    yield from nonempty(path, start, lines)
