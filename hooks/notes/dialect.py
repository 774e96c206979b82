"""Markdown as authors write it for GitHub -> the Markdown that Python-Markdown reads.

Formulas become tokens, which no other syntax can touch; `<` stays the character that was typed; comments go; lists,
quotations and code need no blank line above and nest by any indent that GitHub accepts. Code, formulas and the
targets of links keep every byte, and running it twice changes nothing.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from notes.model import Place, Tex
from notes.spans import TARGET, scan

OPEN, CLOSE = "\ue000", "\ue001"
TOKEN = re.compile(f"{OPEN}([0-9a-f]{{12}}){CLOSE}")
MARK = re.compile(
    TARGET + r"| \\[\\$<\n] | <(?!br\ */?>|[\w.+-]+@[\w.-]+>) | (?<=[0-9A-Za-z)])(?<!\*)\*(?=[0-9A-Za-z(])",
    re.VERBOSE | re.MULTILINE,
)
SPELLED = {"\\$": "&#36;", "\\<": "&lt;", "<": "&lt;", "*": "\\*", "\\\n": "  \n"}
INDENT = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*")
ITEM = re.compile(r"(?P<marker>[-*+]|(?P<number>\d{1,9})[.)])(?P<gap> +)(?=\S|$)")
RULE = re.compile(r"([-*_])(?: *\1){2,} *$")
HEADING = re.compile(r"#{1,6}(?:\s|$)")
QUOTE = re.compile(r"([ \t]*)> ?")
FENCE = re.compile(r"(`{3,}(?=[^`]*$)|~{3,})")
TABLE_RULE = re.compile(r"\|?[ :]*-{2,}[-: |]*$")
NOWHERE = Place("", 0)


def prepare(text: str) -> str:
    """A whole page."""
    return "\n".join(_blocks(deque(_tokens(text).split("\n"))))


def inline(text: str) -> str:
    """A line of a title or a table cell."""
    return _tokens(text).strip().replace("\n", " ")


def token(key: str) -> str:
    """Stands for the formula with that key until it is typeset."""
    return f"{OPEN}{key}{CLOSE}"


def _tokens(text: str) -> str:
    pieces, position = [], 0
    for span in scan(text):
        pieces.append(_prose(text[position : span.start]))
        position = span.end
        if span.kind == "math":
            pieces.append(token(Tex(span.tex, False, NOWHERE).key))
        elif span.kind == "display":
            pieces.append(_display(text, span.start, span.end, Tex(span.tex, True, NOWHERE).key))
        elif span.kind == "comment":
            position += text.startswith("\n", span.end) and (not span.start or text[span.start - 1] == "\n")
        else:
            pieces.append(text[span.start : span.end])
    pieces.append(_prose(text[position:]))
    return "".join(pieces)


def _prose(text: str) -> str:
    """`<` and `\\$` stay characters, a backslash breaks a line, and 3*3 is a product: two of them are no emphasis."""
    return MARK.sub(lambda mark: SPELLED.get(mark[0], mark[0]), text)


def _display(text: str, start: int, end: int, key: str) -> str:
    """A paragraph of its own, at the depth of the text around it; in a table or a heading it stays where it is."""
    before = text[text.rfind("\n", 0, start) + 1 : start]
    after = text[end:].partition("\n")[0]
    if before.lstrip().startswith(("|", "#")):
        return token(key)
    lead = INDENT.match(before)
    marks = lead[0] if lead else ""
    indent = re.sub(r"[^\s>]", " ", marks)
    first_in_item = marks.strip(" \t>") and before == marks
    above = "" if first_in_item else "\n" * (1 + bool(before.strip(" \t>"))) + indent
    return above + token(key) + ("\n\n" + indent if after.strip() else "\n")


@dataclass
class Nesting:
    """Where a line stands in the lists around it, and below what."""

    columns: list[int] = field(default_factory=list)
    """Of each item around the line, where its text begins."""
    markers: list[str] = field(default_factory=list)
    """Of the list that was last at each depth, `-` or `1`."""
    first: int | None = None
    """Depth of the item with which the lines since the last blank one began; None where that was no item."""
    above: str = "blank"
    """The line above: `blank`, an `item`, `text`, the `row` of a table, or the end of another `block`."""

    def depth(self, indent: int) -> int:
        """Of a line that is no continuation of the paragraph above it."""
        return sum(column <= indent for column in self.columns)

    def part(self) -> Iterator[str]:
        """A blank line, where there is none."""
        if self.above != "blank":
            self.above = "blank"
            yield ""

    def text(self, line: str) -> str:
        """The line, four spaces a level."""
        kept = 0
        while self.columns and line[kept : kept + 1] in (" ", "\t") and _width(line[: kept + 1]) <= self.columns[-1]:
            kept += 1
        return "    " * len(self.columns) + line[kept:]


def _blocks(lines: deque[str]) -> Iterator[str]:
    """Lists nest by four spaces a level; a blank line stands around everything that begins a block on GitHub."""
    at = Nesting()
    while lines:
        line = lines.popleft()
        text = line.lstrip(" \t")
        indent = _width(line[: len(line) - len(text)])
        if not text:
            at.above = "blank"
            yield ""
        elif item := _item(text, at, at.depth(indent)):
            yield from _begin_item(item, text[item.end() :], at, lines, indent)
        else:
            yield from _begin_other(line, text, at, lines, indent)


def _width(blank: str) -> int:
    return len(blank.expandtabs(4))


def _item(text: str, at: Nesting, depth: int) -> re.Match[str] | None:
    """The item that begins here. In the midst of a paragraph, a number that is not 1 is part of a sentence."""
    item = None if RULE.match(text) else ITEM.match(text)
    if not item or at.above != "text" or at.columns or depth < len(at.markers):
        return item
    return item if text[item.end() :] and item["number"] in (None, "1") else None


def _begin_item(item: re.Match[str], body: str, at: Nesting, lines: deque[str], indent: int) -> Iterator[str]:
    """The text of every item begins four columns further in; code, a quotation or an item in it gets its own line."""
    depth, kind = at.depth(indent), "1" if item["number"] else "-"
    holds_block = bool(FENCE.match(body) or ITEM.match(body)) or body.startswith(">")
    other_list = depth < len(at.markers) and at.markers[depth] != kind
    if at.first is None or depth < at.first or other_list or holds_block:
        yield from at.part()
    if at.above == "blank":
        at.first = depth
    at.markers[depth:] = [kind]
    at.columns[depth:] = [indent + len(item["marker"]) + (len(item["gap"]) if len(item["gap"]) < 5 else 1)]
    at.above = "item"
    marker = f"{item['number']}." if item["number"] else item["marker"]
    yield "    " * depth + f"{marker:<3} " + ("" if holds_block else _unmarked(body))
    if holds_block:
        lines.appendleft(" " * at.columns[-1] + body)
        yield from at.part()


def _begin_other(line: str, text: str, at: Nesting, lines: deque[str], indent: int) -> Iterator[str]:
    depth = at.depth(indent)
    code, table = FENCE.match(text), at.above != "row" and _is_head(text, lines)
    if code or table or HEADING.match(text) or text[0] == ">" or _is_rule(text, at, depth):
        yield from at.part()
    if at.above == "blank":
        del at.columns[depth:], at.markers[depth:]
        at.first = None
    if code:
        yield from (at.text(row) if row.strip() else "" for row in _code(line, lines))
    elif text[0] == ">":
        inner = _blocks(deque(_quoted(text, lines, at)))
        yield from (at.text(f"> {row}" if row else ">") for row in inner)
    else:
        row = table or (at.above == "row" and "|" in text)
        at.above = "row" if row else "block" if HEADING.match(text) or _is_rule(text, at, depth) else "text"
        yield at.text(line[: len(line) - len(text)] + _unmarked(text))
        return
    at.above = "block"
    if lines and lines[0].strip():
        yield from at.part()


def _is_head(text: str, lines: deque[str]) -> bool:
    return "|" in text and bool(lines) and "|" in lines[0] and bool(TABLE_RULE.match(lines[0].strip()))


def _is_rule(text: str, at: Nesting, depth: int) -> bool:
    """`---` right below a paragraph makes that a heading."""
    below = at.above in ("text", "item") and depth == len(at.columns)
    return bool(RULE.match(text)) and not (below and text.strip().strip("-") == "")


def _unmarked(text: str) -> str:
    """#标签 and #include are no headings."""
    return "\\" + text if text.startswith("#") and not HEADING.match(text) else text


def _quoted(text: str, lines: deque[str], at: Nesting) -> Iterator[str]:
    """The lines of a quotation, without their marks; its last paragraph goes on in lines that have none."""
    inner = QUOTE.sub("", text, count=1)
    yield inner
    while lines:
        mark = QUOTE.match(lines[0])
        if mark and at.depth(_width(mark[1])) == len(at.columns):
            inner = lines.popleft()[mark.end() :]
        elif _is_text(lines[0].strip()) and (_is_text(inner.strip()) or ITEM.match(inner.strip())):
            inner = lines.popleft().strip()
        else:
            return
        yield inner


def _is_text(line: str) -> bool:
    return line[:1] not in ("", ">", "|", "#") and not (ITEM.match(line) or FENCE.match(line) or RULE.match(line))


def _code(line: str, lines: deque[str]) -> Iterator[str]:
    opening = FENCE.match(line.strip())
    assert opening is not None
    yield line
    while lines:
        end = lines[0].strip()
        yield lines.popleft()
        if len(end) >= len(opening[1]) and end.strip(opening[1][0]) == "":
            return
