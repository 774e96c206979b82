"""Every worked example and every figure that the notes use: whole, legible, and unforgiving with parameters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import pairwise
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest

import blocks
import legible
from figures import EXAMPLES, FIGURES, svg
from figures.parameters import matrix, number, numbers, one_of, rows, said, whole, wholes
from notes.model import Example, Figure

USED_EXAMPLES = list(blocks.used(Example))
USED_FIGURES = list(blocks.used(Figure))


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
    for table in re.findall(r"(?:^\|.*\n?)+", text, re.MULTILINE):
        assert len({line.replace(r"\|", "").count("|") for line in table.strip().split("\n")}) == 1
    heads = [row for row, rule in pairwise(tables) if set(rule) <= set("|- ")]
    cells = [re.sub(r"\$[^$]*\$", "", cell).strip() for head in heads for cell in head.strip("|").split("|")]
    assert all(cells)  # a head has words, for it is read out before each cell


@pytest.mark.parametrize(("name", "parameters"), USED_FIGURES)
def test_nothing_leaves_a_figure_and_no_word_covers_another(name: str, parameters: Mapping[str, str]) -> None:
    drawing = FIGURES[name](parameters)
    assert legible.faults(drawing) == []
    assert float(drawing.get("width", 0)) <= svg.WIDEST


@pytest.mark.parametrize(
    ("parts", "fault"),
    [
        ([svg.text(96, 50, "右边")], "'右边' leaves the figure"),
        ([svg.box(60, 20, 60, 20)], "a box leaves the figure"),
        ([svg.line((20, 20), (20, 120))], "a line leaves the figure"),
        ([svg.text(40, 50, "一二"), svg.text(60, 50, "三四")], "'一二' and '三四' overlap"),
        ([*svg.labelled(20, 20, 40, 24, "四个汉字")], "'四个汉字' lies over the edge of a box"),
        ([svg.text(50, 50, "字"), svg.line((10, 10), (90, 80))], "a line crosses '字'"),
    ],
)
def test_a_figure_that_cannot_be_read_is_found_out(parts: list[Element], fault: str) -> None:
    assert legible.faults(svg.drawing(100, 100, "", parts)) == [fault]


def test_no_text_of_a_figure_is_smaller_than_the_sheet_s() -> None:
    sizes = [float(size) for size in re.findall(r"(?:font-size:|font:[^;}]*?) ?(\d+)px", legible.SHEET)]
    assert sorted(set(sizes)) == [legible.SMALL, legible.BODY]
    small = set(re.findall(r"\.(fig-[\w-]+) \{[^}]*font-size: 14px", legible.SHEET))
    assert small == {"fig-note", "fig-code"}  # as `legible.extent` measures


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
    known = set(re.findall(r"\.(fig[\w-]*)", legible.SHEET)) | {"fig-line"}  # by [class^=fig-line]
    seen = {
        name
        for figure, parameters in USED_FIGURES
        for element in FIGURES[figure](parameters).iter()
        for name in (element.get("class") or "").split()
    }
    assert seen <= known


def drawn(name: str, parameters: Mapping[str, str]) -> Iterator[Callable[[Mapping[str, str]], str | Element]]:
    """The example of the name, the figure, or both where the notes give both the same parameters."""
    if (name, parameters) in USED_EXAMPLES:
        yield EXAMPLES[name]
    if (name, parameters) in USED_FIGURES:
        yield FIGURES[name]


@pytest.mark.parametrize(("name", "parameters"), [*USED_EXAMPLES, *USED_FIGURES])
def test_an_unknown_parameter_is_refused(name: str, parameters: Mapping[str, str]) -> None:
    for draw in drawn(name, parameters):
        with pytest.raises(ValueError, match=r"unknown parameter 'nonsense'; (?:known are \w|this block takes none$)"):
            draw({**parameters, "nonsense": "1"})


@pytest.mark.parametrize(("name", "parameters"), [pair for pair in [*USED_EXAMPLES, *USED_FIGURES] if pair[1]])
def test_each_parameter_is_read_and_a_wrong_one_is_named(name: str, parameters: Mapping[str, str]) -> None:
    """`?` is no value of any parameter, and the message says which one."""
    for draw in drawn(name, parameters):
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
        (lambda p: number(p, "n", 0.001, 1), "0.0009", "'n' is a number from 0.001 to 1, not '0.0009'"),
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


@pytest.mark.parametrize("text", ["0.001", "0.7", "7"])
def test_a_bound_is_within_the_bounds(text: str) -> None:
    """0.001 as a double is larger, 0.7 smaller than the number that an author types."""
    assert number({"n": text}, "n", float(text), float(text)) == Fraction(text)
