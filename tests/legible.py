"""Whether a figure can be read: nothing outside, no word on another, on a line or over the edge of its box."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import combinations, pairwise
from xml.etree.ElementTree import Element

import blocks

Box = tuple[float, float, float, float]
SHEET = (blocks.DOCS.parent / "overrides/assets/css/figures.css").read_text("utf-8")
BODY, SMALL = 15.0, 14.0
"""Sizes of a figure's text in `SHEET`, which a test holds to it."""
LATIN = 0.56
"""Widest mean of a Latin sign, as a share of the text's size: 8.4 px at 15."""


def extent(text: Element) -> Box:
    """Left, top, right and bottom of a text; Han and full-width signs are as wide as they are high."""
    kinds = (text.get("class") or "").split()
    size = SMALL if {"fig-note", "fig-code"} & set(kinds) else BODY
    width = sum(size if unicodedata.east_asian_width(sign) in "WF" else LATIN * size for sign in text.text or "")
    x, y = float(text.get("x", 0)), float(text.get("y", 0))
    left = x if "fig-start" in kinds else x - width if "fig-end" in kinds else x - width / 2
    return left, y - 0.8 * size, left + width, y + 0.15 * size


def overlap(one: Box, other: Box) -> bool:
    return min(one[2], other[2]) - max(one[0], other[0]) > 1 and min(one[3], other[3]) - max(one[1], other[1]) > 1


def within(inner: Box, outer: Box) -> bool:
    return all(a >= b - 1 for a, b in zip(inner[:2], outer[:2], strict=True)) and all(
        a <= b + 1 for a, b in zip(inner[2:], outer[2:], strict=True)
    )


def lines(drawing: Element) -> Iterator[tuple[float, float, float, float]]:
    """Straight pieces of the paths: x, y, x, y."""
    for path in drawing.iter("path"):
        points = _points(path)
        if not re.search("[ACHQSTV]", path.get("d", ""), re.IGNORECASE):
            yield from ((*start, *end) for start, end in pairwise(points))


def _points(path: Element) -> list[tuple[float, float]]:
    numbers = [float(word) for word in re.findall(r"-?\d+(?:\.\d+)?", path.get("d", ""))]
    return list(zip(numbers[::2], numbers[1::2], strict=False))


def crosses(line: tuple[float, float, float, float], box: Box) -> bool:
    x, y, to_x, to_y = line
    shares = [step / 100 for step in range(101)]
    return any(box[0] < x + (to_x - x) * s < box[2] and box[1] < y + (to_y - y) * s < box[3] for s in shares)


def faults(drawing: Element) -> list[str]:
    """What a reader could not make out."""
    width, height = (float(side) for side in (drawing.get("viewBox") or "").split()[2:])
    whole = (0.0, 0.0, width, height)
    texts = [(text.text, extent(text)) for text in drawing.iter("text") if text.text]
    rects = [tuple(float(rect.get(key, 0)) for key in ("x", "y", "width", "height")) for rect in drawing.iter("rect")]
    boxes = [(x, y, x + w, y + h) for x, y, w, h in rects]
    found = [f"{said!r} leaves the figure" for said, at in texts if not within(at, whole)]
    found += ["a box leaves the figure" for box in boxes if not within(box, whole)]
    places = [place for path in drawing.iter("path") for place in _points(path)]
    found += ["a line leaves the figure" for place in places if not within((*place, *place), whole)]
    found += [f"{a!r} and {b!r} overlap" for (a, at), (b, other) in combinations(texts, 2) if overlap(at, other)]
    found += [
        f"{said!r} lies over the edge of a box"
        for said, at in texts
        for box in boxes
        if overlap(at, box) and not within(at, box) and not within(box, at)
    ]
    found += [f"a line crosses {said!r}" for line in lines(drawing) for said, at in texts if crosses(line, at)]
    return found
