"""Every worked example and every figure that the notes use: whole, legible, and unforgiving with parameters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from itertools import combinations, pairwise
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest

import blocks
from figures import EXAMPLES, FIGURES, svg
from figures.parameters import matrix, number, numbers, one_of, rows, said, whole, wholes
from notes.model import Example, Figure

USED_EXAMPLES = list(blocks.used(Example))
USED_FIGURES = list(blocks.used(Figure))
Box = tuple[float, float, float, float]


def test_every_example_and_figure_is_used_in_the_notes() -> None:
    assert {name for name, _ in USED_EXAMPLES} == set(EXAMPLES)
    assert {name for name, _ in USED_FIGURES} == set(FIGURES)
    assert len(EXAMPLES) >= 28
    assert len(FIGURES) >= 15


@pytest.mark.parametrize(("name", "parameters"), USED_EXAMPLES)
def test_an_example_shows_its_steps_in_chinese_markdown(name: str, parameters: Mapping[str, str]) -> None:
    text = EXAMPLES[name](parameters)
    assert text == EXAMPLES[name](dict(sorted(parameters.items(), reverse=True)))
    assert re.search("[\u4e00-\u9fff]", text)
    assert not re.search(r"^(?:[-*#]|\d+\.) ", text, re.MULTILINE)  # no points, no sections
    tables = [line for line in text.split("\n") if line.startswith("|")]
    widths = {line.replace(r"\|", "").count("|") for line in tables}
    assert not tables or len(widths) <= 2
    heads = [row for row, rule in pairwise(tables) if set(rule) <= set("|- ")]
    assert all(cell.strip() for head in heads for cell in head.strip("|").split("|"))  # read out before each cell


def words(element: Element) -> tuple[str, float]:
    """A text and its size in pixels, as figures.css sets it."""
    kinds = (element.get("class") or "").split()
    return element.text or "", 14 if {"fig-note", "fig-code"} & set(kinds) else 15


def extent(element: Element) -> Box:
    """Left, top, right and bottom of a text; Han and full-width signs are as wide as they are high."""
    text, size = words(element)
    width = sum(size if unicodedata.east_asian_width(sign) in "WF" else 0.56 * size for sign in text)
    x, y, kinds = float(element.get("x", 0)), float(element.get("y", 0)), (element.get("class") or "").split()
    left = x if "fig-start" in kinds else x - width if "fig-end" in kinds else x - width / 2
    return left, y - 0.8 * size, left + width, y + 0.15 * size


def overlap(one: Box, other: Box) -> bool:
    return min(one[2], other[2]) - max(one[0], other[0]) > 1 and min(one[3], other[3]) - max(one[1], other[1]) > 1


@pytest.mark.parametrize(("name", "parameters"), USED_FIGURES)
def test_nothing_leaves_a_figure_and_no_word_covers_another(name: str, parameters: Mapping[str, str]) -> None:
    drawing = FIGURES[name](parameters)
    width, height = (float(side) for side in (drawing.get("viewBox") or "").split()[2:])
    assert width <= svg.WIDEST
    texts = [text for text in drawing.iter("text") if text.text]
    outside = [text.text for text in texts if not _within(extent(text), width, height)]
    assert outside == []
    covered = [(a.text, b.text) for a, b in combinations(texts, 2) if overlap(extent(a), extent(b))]
    assert covered == []
    for shape in drawing.iter("rect"):
        x, y, w, h = (float(shape.get(key, 0)) for key in ("x", "y", "width", "height"))
        assert _within((x, y, x + w, y + h), width, height)
    for path in drawing.iter("path"):
        points = [float(word) for word in re.findall(r"-?\d+(?:\.\d+)?", path.get("d", ""))]
        assert all(-1 <= x <= width + 1 for x in points[::2])
        assert all(-1 <= y <= height + 1 for y in points[1::2])


def _within(box: Box, width: float, height: float) -> bool:
    return box[0] >= -1 and box[1] >= -1 and box[2] <= width + 1 and box[3] <= height + 1


@pytest.mark.parametrize(("name", "parameters"), USED_FIGURES)
def test_a_figure_says_what_it_shows_and_needs_nothing_of_the_page(name: str, parameters: Mapping[str, str]) -> None:
    drawing = FIGURES[name](parameters)
    assert drawing.get("role") == "img"
    alt = drawing.get("aria-label") or ""
    assert len(alt) > 20
    assert alt.endswith("。")
    for element in drawing.iter():
        assert {"id", "style", "fill", "stroke", "font-size"}.isdisjoint(element.attrib)
        assert not any("url(" in value for value in element.attrib.values())
    again = FIGURES[name](dict(sorted(parameters.items(), reverse=True)))
    assert ElementTree.tostring(drawing) == ElementTree.tostring(again)


def test_every_class_of_a_figure_is_in_the_style_sheet() -> None:
    sheet = (blocks.DOCS.parent / "overrides/assets/css/figures.css").read_text("utf-8")
    known = set(re.findall(r"\.(fig[\w-]*)", sheet)) | {"fig-line"}  # by [class^=fig-line]
    seen = {
        name
        for figure, parameters in USED_FIGURES
        for element in FIGURES[figure](parameters).iter()
        for name in (element.get("class") or "").split()
    }
    assert seen <= known


@pytest.mark.parametrize(("name", "parameters"), [*USED_EXAMPLES, *USED_FIGURES])
def test_an_unknown_parameter_is_refused(name: str, parameters: Mapping[str, str]) -> None:
    drawn: list[Callable[[Mapping[str, str]], str | Element]] = []
    drawn += [EXAMPLES[name]] if (name, parameters) in USED_EXAMPLES else []
    drawn += [FIGURES[name]] if (name, parameters) in USED_FIGURES else []
    for draw in drawn:
        with pytest.raises(ValueError, match=r"unknown parameter 'nonsense'; known are|unknown parameter 'nonsense'"):
            draw({**parameters, "nonsense": "1"})


@pytest.mark.parametrize(("name", "parameters"), [pair for pair in [*USED_EXAMPLES, *USED_FIGURES] if pair[1]])
def test_each_parameter_is_read_and_a_wrong_one_is_named(name: str, parameters: Mapping[str, str]) -> None:
    """`?` is no value of any parameter, and the message says which one."""
    draw = EXAMPLES[name] if (name, parameters) in USED_EXAMPLES else FIGURES[name]
    for key in parameters:
        with pytest.raises(ValueError, match=f"'{key}'") as refused:
            draw({**parameters, key: "?"})
        assert len(str(refused.value)) > len(key) + 12


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (lambda p: whole(p, "n", 1, 8), "", "'n' is a whole number from 1 to 8$"),
        (lambda p: whole(p, "n", 1, 8), "9", "'n' is a whole number from 1 to 8, not '9'"),
        (lambda p: whole(p, "n", 1, 8), "四", "not '四'"),
        (lambda p: whole(p, "n", 1, 8), "-3", "not '-3'"),
        (lambda p: whole(p, "n", 1, 8), "4.0", "not '4.0'"),
        (lambda p: wholes(p, "n", 1, 8), "1 9", "'n' lists whole numbers from 1 to 8, not '1 9'"),
        (lambda p: wholes(p, "n", 1, 8), "", "'n' lists whole numbers from 1 to 8$"),
        (lambda p: number(p, "n", 0, 1), "1.5", "'n' is a number from 0 to 1, not '1.5'"),
        (lambda p: number(p, "n", 0, 1), "1e-3", "not '1e-3'"),
        (lambda p: numbers(p, "n"), "1 x", "'n' lists numbers, not '1 x'"),
        (lambda p: matrix(p, "n"), "1 2; 3", "'n' is rows of as many numbers each: '1 2; 3 4', not '1 2; 3'"),
        (lambda p: rows(p, "n", ("a", "b")), "1 2 3", "'n' is rows of 'a b', a semicolon between them, not '1 2 3'"),
        (lambda p: said(p, "n"), " ", "'n' is missing; write '    n: …'"),
        (lambda p: one_of(p, "n", "a", "b"), "c", "'n' is one of a, b, not 'c'"),
    ],
)
def test_a_parameter_that_cannot_be_read_is_explained(
    read: Callable[[Mapping[str, str]], object], text: str, message: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(message).replace(r"\$", "$")):
        read({"n": text} if text else {})
