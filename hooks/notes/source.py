"""The author's files as text: encoding, front matter, YAML with line numbers."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import yaml

from notes.model import Place, Problem

FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?\n)??(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
RESERVED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ue000-\uf8ff\ufffe\uffff]")
"""What XML or YAML cannot hold or takes for a line end, and the characters of which marks in the text are made."""
COMMENT = re.compile(r"[ \t]+#")

Value: TypeAlias = "str | list[Value] | dict[str, Value]"
"""A YAML value; every scalar stays the text that the author typed, so `no`, 1.10 and 2024-01-02 stay themselves."""


@dataclass(frozen=True)
class Entry:
    """A key of a YAML mapping, its value, and the line of the key, counted from 1."""

    key: str
    value: Value
    line: int


class Mistake(ValueError):
    """What is wrong with a YAML text, at which of its lines."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


def texts(docs: Path, folder: str) -> tuple[dict[str, str], list[Problem]]:
    """Every file of the author's that holds text, by its path under docs; messages call that folder `folder`."""
    found: dict[str, str] = {}
    problems: list[Problem] = []
    for path in sorted(docs.rglob("*")):
        if path.suffix in (".md", ".yml", ".txt") and path.is_file():
            uri = path.relative_to(docs).as_posix()
            found[uri], unreadable = decode(path.read_bytes(), f"{folder}/{uri}")
            problems += unreadable
    return found, problems


def decode(raw: bytes, path: str) -> tuple[str, list[Problem]]:
    """Text with `\\n` line ends; what cannot be read is reported."""
    try:
        text = raw.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        return "", [Problem(Place(path, line), f"not UTF-8{_guess(raw)}; save the file as UTF-8")]
    problems = [
        Problem(Place(path, number), f"character U+{ord(odd[0]):04X} is reserved; remove it")
        for number, line in enumerate(text.split("\n"), 1)
        if (odd := RESERVED.search(line))
    ]
    return RESERVED.sub("", text), problems


def _guess(raw: bytes) -> str:
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return " (looks like UTF-16)"
    try:
        raw.decode("gb18030")
    except UnicodeDecodeError:
        return ""
    return " (looks like GBK)"


def front_matter(text: str) -> tuple[str, int]:
    """The YAML between the leading `---` lines, and the number of lines that both take."""
    found = FRONT_MATTER.match(text)
    return (found[1] or "", found[0].count("\n")) if found else ("", 0)


def entries(text: str) -> list[Entry]:
    """A YAML mapping, key by key. Raises `Mistake`."""
    root = _compose(text)
    if root is None:
        return []
    if not isinstance(root, yaml.MappingNode):
        raise Mistake(root.start_mark.line + 1, "expected 'key: value' lines")
    return list(_pairs(root))


def records(text: str) -> list[list[Entry]]:
    """A YAML list of mappings. Raises `Mistake`."""
    root = _compose(text)
    if root is None:
        return []
    if not isinstance(root, yaml.SequenceNode):
        raise Mistake(root.start_mark.line + 1, "expected a list of '- key: value'")
    rows = []
    for node in root.value:
        if not isinstance(node, yaml.MappingNode):
            raise Mistake(node.start_mark.line + 1, "expected '- key: value'")
        rows.append(list(_pairs(node)))
    return rows


def _compose(text: str) -> yaml.Node | None:
    lines = text.rstrip("\n").split("\n")
    try:
        root = yaml.compose(text, getattr(yaml, "CBaseLoader", yaml.BaseLoader))
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        cure = "quote a value that holds ': ', '#', '[', '{' or a leading '@'"
        raise Mistake(min(line, len(lines)), f"{error.problem}; {cure}") from error
    if root is not None:
        _check(root, lines, set())
    return root


def _check(node: yaml.Node, lines: list[str], seen: set[int]) -> None:
    """Stops at what would lose or repeat text without a word."""
    line = node.start_mark.line + 1
    if id(node) in seen:
        raise Mistake(line, "'&' and '*' repeat a value; quote it")
    seen.add(id(node))
    if isinstance(node, yaml.ScalarNode):
        if not node.style and COMMENT.match(lines[node.end_mark.line], node.end_mark.column):
            raise Mistake(line, "' #' begins a comment; quote the value, or give the comment a line of its own")
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            _check(item, lines, seen)
    elif isinstance(node, yaml.MappingNode):
        for pair in node.value:
            for part in pair:
                _check(part, lines, seen)


def _pairs(node: yaml.MappingNode) -> Iterator[Entry]:
    seen: set[str] = set()
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise Mistake(key.start_mark.line + 1, "a key is a word")
        if key.value in seen:
            raise Mistake(key.start_mark.line + 1, f"'{key.value}' is given twice")
        seen.add(key.value)
        yield Entry(key.value, _value(value), key.start_mark.line + 1)


def _value(node: yaml.Node) -> Value:
    if isinstance(node, yaml.SequenceNode):
        return [_value(item) for item in node.value]
    if isinstance(node, yaml.MappingNode):
        return {entry.key: entry.value for entry in _pairs(node)}
    return str(node.value)
