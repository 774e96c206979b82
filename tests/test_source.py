"""The author's files as text: encodings, line ends, front matter, and YAML whose values stay as they were typed."""

from __future__ import annotations

import codecs

import pytest

from notes import source


@pytest.mark.parametrize(
    ("raw", "text", "messages"),
    [
        ("甲\n乙".encode(), "甲\n乙", []),
        (codecs.BOM_UTF8 + "# 甲\r\n乙\r丙".encode(), "# 甲\n乙\n丙", []),
        ("一行\n注意力".encode("gbk"), "", ["c.md:1: not UTF-8 (looks like GBK); save the file as UTF-8"]),
        (b"a\nb\xff", "", ["c.md:2: not UTF-8; save the file as UTF-8"]),
        ("a\nb\ue000\x02".encode(), "a\nb", ["c.md:2: character U+E000 is reserved; remove it"]),
    ],
    ids=["UTF-8", "with a mark and other line ends", "SN-065 GBK", "neither", "reserved characters"],
)
def test_bytes_become_text_or_a_problem(raw: bytes, text: str, messages: list[str]) -> None:
    read, problems = source.decode(raw, "c.md")
    assert read == text
    assert [str(problem) for problem in problems] == messages


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("---\ntitle: 甲\n---\n# 乙\n", ("title: 甲\n", 3)),
        ("---\n---\n# 乙\n", ("", 2)),
        ("---\ntitle: 甲\n...\n正文", ("title: 甲\n", 3)),
        ("# 乙\n---\n甲\n---\n", ("", 0)),
        ("---\n没有结尾\n", ("", 0)),
    ],
)
def test_front_matter_stands_between_lines_of_hyphens_at_the_top(text: str, expected: tuple[str, int]) -> None:
    assert source.front_matter(text) == expected


def test_values_stay_as_they_were_typed() -> None:
    text = "a: no\nb: 1.10\nc: 12:30\nd: 2024-01-02\ne: ~\nf: [on, 2024]\ng: {N: 1e3}\nh: '更新 #2'\ni:\n"
    values = {entry.key: (entry.value, entry.line) for entry in source.entries(text)}
    assert values == {
        "a": ("no", 1),
        "b": ("1.10", 2),
        "c": ("12:30", 3),
        "d": ("2024-01-02", 4),
        "e": ("~", 5),
        "f": (["on", "2024"], 6),
        "g": ({"N": "1e3"}, 7),
        "h": ("更新 #2", 8),
        "i": ("", 9),
    }


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("a: 1\na: 2\n", 2, "'a' is given twice"),
        ("a: 1\nb: c: d\n", 2, "quote a value"),
        ("a: 1\nb: @x\n", 2, "quote a value"),
        ("- a\n", 1, "expected 'key: value' lines"),
        ("? [a]\n: b\n", 1, "a key is a word"),
        ("a: {N: 节点数, N: 总数}\n", 1, "'N' is given twice"),
        ("a: [b\n", 1, "quote a value"),
    ],
    ids=["twice", "colon", "at sign", "list", "odd key", "twice inside a value", "open to the end"],
)
def test_a_mistake_in_yaml_is_named_with_its_line(text: str, line: int, message: str) -> None:
    with pytest.raises(source.Mistake, match=message) as raised:
        source.entries(text)
    assert raised.value.line == line


def test_a_list_of_records_gives_each_key_with_its_line() -> None:
    rows = source.records("- slug: a\n  name: 甲\n# 注\n- slug: b\n")
    assert [[(entry.key, entry.value, entry.line) for entry in row] for row in rows] == [
        [("slug", "a", 1), ("name", "甲", 2)],
        [("slug", "b", 4)],
    ]
    assert source.records("") == source.records("# 只有注释\n") == []
