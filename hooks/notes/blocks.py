"""The block grammar `/// name | argument`: lines -> a tree of blocks; it does not know what any block means."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

OPENING = re.compile(r"^(?P<fence>/{3,9}) *(?P<name>[A-Za-z][\w-]*) *(?:\| *(?P<argument>.*?))? *$")
CLOSING = re.compile(r"^(?P<fence>/{3,9}) *$")
BROKEN = re.compile(r"^(?:///|／／|// *[A-Za-z][\w-]* *[|｜])")  # meant as an opening or a closing, and is neither
INDENTED = re.compile(r"^\s+/{3,} *(?:[A-Za-z][\w-]* *(?:\||$)|$)")
ADMONITION = re.compile(r"^\s*(\?\?\?\+?|!!!) +\S")
OPTION = re.compile(r"^ {4,}\S")
MISPLACED = re.compile(r"^(?: {1,3}|\t+)[a-z]{2,}:(?: |$)")


@dataclass
class Text:
    """Lines of Markdown between blocks."""

    line: int
    lines: list[str] = field(default_factory=list)


@dataclass
class Block:
    """`/// name | argument`, its indented option lines, and what stands in it."""

    line: int
    fence: str
    name: str
    argument: str
    options: list[str] = field(default_factory=list)
    parts: list[Text | Block] = field(default_factory=list)


Report = Callable[[int, str], None]
"""Takes a line number and a message."""


def split(lines: list[str], opaque: set[int], report: Report) -> list[Text | Block]:
    """The top level of a file. `opaque` holds the numbers of lines that lie in code, comments or formulas."""
    top = Block(0, "/" * 99, "", "")
    open_blocks = [top]
    options = False
    for number, line in enumerate(lines, 1):
        if number in opaque:
            _add(open_blocks[-1], number, line)
        elif options and OPTION.match(line):
            open_blocks[-1].options.append(line)
            continue
        elif options and MISPLACED.match(line):
            report(number, "a field is indented by four spaces")
            open_blocks[-1].options.append(f"    {line.strip()}")
            continue
        elif opening := OPENING.match(line):
            _open(open_blocks, number, opening, report)
            options = True
            continue
        elif closing := CLOSING.match(line):
            _close(open_blocks, number, closing["fence"], report)
        else:
            _complain(number, line, report)
            _add(open_blocks[-1], number, line)
        options = False
    for block in open_blocks[1:]:
        report(block.line, _unclosed(block))
    return top.parts


def _add(block: Block, number: int, line: str) -> None:
    if not block.parts or not isinstance(block.parts[-1], Text):
        block.parts.append(Text(number))
    text = block.parts[-1]
    assert isinstance(text, Text)
    text.lines.append(line)


def _open(open_blocks: list[Block], number: int, opening: re.Match[str], report: Report) -> None:
    """A block may stand only in one with more slashes; otherwise that one was left open."""
    block = Block(number, opening["fence"], opening["name"], opening["argument"] or "")
    while len(open_blocks[-1].fence) <= len(block.fence):
        report(open_blocks[-1].line, _unclosed(open_blocks.pop()))
    open_blocks[-1].parts.append(block)
    open_blocks.append(block)


def _close(open_blocks: list[Block], number: int, fence: str, report: Report) -> None:
    if fence not in (block.fence for block in open_blocks):
        report(number, f"{fence} closes nothing: no block was opened with {len(fence)} slashes")
        return
    while open_blocks[-1].fence != fence:
        report(open_blocks[-1].line, _unclosed(open_blocks.pop()))
    open_blocks.pop()


def _complain(number: int, line: str, report: Report) -> None:
    if INDENTED.match(line):
        report(number, "a block starts at the beginning of its line; remove the indent before ///")
    if BROKEN.match(line):
        report(
            number,
            "this neither opens nor closes a block; write '/// name | title' with half-width signs, or only slashes",
        )
    if found := ADMONITION.match(line):
        report(number, f"'{found[1]}' blocks are not read here; write '//// question | title', closed by '////'")


def _unclosed(block: Block) -> str:
    hint = "" if len(block.fence) > 3 else "; a block with others inside needs more slashes than they have"
    return f"'{block.name}' is opened here and never closed with a line {block.fence}{hint}"
