"""Markdown as authors write it for GitHub -> the Markdown that Python-Markdown reads.

Formulas become tokens, which no other syntax can touch; `<` stays the character that was typed; comments go;
lists need no blank line above and nest by any indent that GitHub accepts. Code, formulas and the targets of links
keep every byte, and running it twice changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from notes.model import Place, Tex
from notes.spans import scan

OPEN, CLOSE = "\ue000", "\ue001"
TOKEN = re.compile(f"{OPEN}([0-9a-f]{{12}}){CLOSE}")
TAG = re.compile(r"(?<!\]\()<(?!br */?>|https?://[^\s<>]+>|[\w.+-]+@[\w.-]+>)")
INDENT = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*")
ITEM = re.compile(r"(?P<marker>[-*+]|(?P<number>\d{1,9})[.)])(?P<gap> +)(?=\S)")
RULE = re.compile(r"([-*_])(?: *\1){2,} *$")
FENCE = re.compile(r"(`{3,}(?=[^`]*$)|~{3,})")
TABLE_RULE = re.compile(r"\|?[ :]*-{2,}[-: |]*$")
NOWHERE = Place("", 0)


def prepare(text: str) -> str:
    """A whole page."""
    return "\n".join(_lists(_tables(_tokens(text).split("\n"))))


def inline(text: str) -> str:
    """A line of a title or a table cell."""
    return _tokens(text).strip().replace("\n", " ")


def token(key: str) -> str:
    """Stands for the formula with that key until it is typeset."""
    return f"{OPEN}{key}{CLOSE}"


def _tokens(text: str) -> str:
    pieces, position = [], 0
    for span in scan(text):
        pieces.append(TAG.sub("&lt;", text[position : span.start]))
        position = span.end
        if span.kind == "math":
            pieces.append(token(Tex(span.tex, False, NOWHERE).key))
        elif span.kind == "display":
            pieces.append(_display(text, span.start, span.end, Tex(span.tex, True, NOWHERE).key))
        elif span.kind == "comment":
            position += text.startswith("\n", span.end) and (not span.start or text[span.start - 1] == "\n")
        else:
            pieces.append(text[span.start : span.end])
    pieces.append(TAG.sub("&lt;", text[position:]))
    return "".join(pieces)


def _display(text: str, start: int, end: int, key: str) -> str:
    """A paragraph of its own, at the depth of the text around it; in a table it stays in its cell."""
    before = text[text.rfind("\n", 0, start) + 1 : start]
    after = text[end:].partition("\n")[0]
    if before.lstrip().startswith("|"):
        return token(key)
    lead = INDENT.match(before)
    indent = re.sub(r"[^\s>]", " ", lead[0]) if lead else ""
    return ("\n\n" if before.strip() else "\n") + indent + token(key) + ("\n\n" + indent if after.strip() else "\n")


def _tables(lines: list[str]) -> Iterator[str]:
    """A table needs a blank line above its head."""
    fence = ""
    for position, line in enumerate(lines):
        fence = _fence_after(line, fence)
        following = lines[position + 1] if position + 1 < len(lines) else ""
        above = lines[position - 1] if position else ""
        head = not fence and "|" in line and "|" in following and TABLE_RULE.match(following.strip())
        if head and above.strip() and "|" not in above:
            yield ""
        yield line


def _fence_after(line: str, fence: str) -> str:
    """The fence that is open after this line, given the one before it."""
    marks = FENCE.match(line.strip())
    if not fence:
        return marks[1] if marks else ""
    closes = marks and marks[1][0] == fence[0] and len(marks[1]) >= len(fence) and marks[1] == line.strip()
    return "" if closes else fence


def _lists(lines: Iterator[str]) -> Iterator[str]:
    """Nested four spaces a level, a blank line above each list that has none."""
    open_items: list[int] = []  # of each item around the line, the column where its text begins
    markers: list[str] = []
    fence, blank = "", True
    for line in lines:
        stripped = line.lstrip(" ")
        indent = len(line) - len(stripped)
        if fence:
            fence = _fence_after(line, fence)
            yield _indent(line, open_items) if stripped else ""
            continue
        if not stripped:
            yield line
            blank = True
            continue
        item = None if RULE.match(stripped) else ITEM.match(stripped)
        if item or blank:
            while open_items and indent < open_items[-1]:
                open_items.pop()
        depth = len(open_items)
        if item:
            yield from [""] * (not blank and _starts_list(item, depth, markers))
            markers[depth:] = [item["marker"][-1]]
            open_items.append(indent + len(item["marker"]) + (len(item["gap"]) if len(item["gap"]) < 5 else 1))
            yield f"{'    ' * depth}{item['marker']} {stripped[item.end():]}"
        else:
            if blank:
                del markers[depth:]
            yield _indent(line, open_items)
        fence = _fence_after(stripped[item.end() :] if item else stripped, "")
        blank = False


def _starts_list(item: re.Match[str], depth: int, markers: list[str]) -> bool:
    """A marker of another kind begins a list of its own; a number that is not 1 does not interrupt a paragraph."""
    if depth < len(markers):
        return markers[depth] != item["marker"][-1]
    return depth == 0 and item["number"] in (None, "1")


def _indent(line: str, open_items: list[int]) -> str:
    if not open_items:
        return line
    kept = min(len(line) - len(line.lstrip(" ")), open_items[-1])
    return "    " * len(open_items) + line[kept:]
