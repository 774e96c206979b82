"""Drawing: parts of a figure in the page's own type and colours, which `figures.css` gives to the classes used here.

A unit is a pixel. A figure of at most 480 units fits a phone; a wider one, up to 640, scrolls in its own box there.
No part has an id: a page may show a figure twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import atan2, cos, hypot, sin
from typing import Literal, TypeAlias
from xml.etree.ElementTree import Element

Point: TypeAlias = tuple[float, float]
Part: TypeAlias = "Element | Iterable[Part]"
Fill: TypeAlias = Literal["plain", "soft", "a", "b", "c", "strong", "empty"]
"""`a`, `b`, `c` grow darker, so that they differ in grey too; `strong` takes light text; `empty` has a dashed edge."""
Kind: TypeAlias = Literal["title", "note", "code", "start", "end", "light"]
"""Of a text: `start` and `end` put it to the right or left of its place; `light` stands on a `strong` fill."""
Stroke: TypeAlias = Literal["", "strong", "dashed", "accent"]

FITS, WIDEST = 480, 640
HEAD = 9.0


def drawing(width: float, height: float, alt: str, *parts: Part) -> Element:
    """A figure. `alt` says what it shows to someone who cannot see it."""
    size = {"width": _n(width), "height": _n(height), "viewBox": f"0 0 {_n(width)} {_n(height)}"}
    svg = Element("svg", {"class": "fig fig-wide" if width > FITS else "fig", **size, "role": "img", "aria-label": alt})
    svg.extend(_flat(parts))
    return svg


def text(x: float, y: float, said: str, *kinds: Kind) -> Element:
    """A line of text around `x`, its baseline at `y`."""
    classes = " ".join(f"fig-{kind}" for kind in kinds)
    element = Element("text", {**({"class": classes} if classes else {}), "x": _n(x), "y": _n(y)})
    element.text = said
    return element


def box(x: float, y: float, width: float, height: float, fill: Fill = "plain", *, round_: float = 3) -> Element:
    place = {"x": _n(x), "y": _n(y), "width": _n(width), "height": _n(height), "rx": _n(round_)}
    return Element("rect", {"class": f"fig-{fill}", **place})


def labelled(x: float, y: float, width: float, height: float, said: str, fill: Fill = "plain") -> list[Element]:
    """A box with a line of text in its middle."""
    kinds: tuple[Kind, ...] = ("light",) if fill == "strong" else ()
    return [box(x, y, width, height, fill), text(x + width / 2, y + height / 2 + 5, said, *kinds)]


def circle(x: float, y: float, radius: float, fill: Fill = "plain") -> Element:
    return Element("circle", {"class": f"fig-{fill}", "cx": _n(x), "cy": _n(y), "r": _n(radius)})


def line(*points: Point, stroke: Stroke = "") -> Element:
    """Straight from point to point."""
    path = " L".join(f"{_n(x)} {_n(y)}" for x, y in points)
    return Element("path", {"class": _line(stroke), "d": f"M{path}"})


def curve(path: str, stroke: Stroke = "") -> Element:
    """A path in SVG's own words."""
    return Element("path", {"class": _line(stroke), "d": path})


def arrow(*points: Point, stroke: Stroke = "") -> list[Element]:
    """A line with a head at its last point."""
    (before_x, before_y), (x, y) = points[-2:]
    length = hypot(x - before_x, y - before_y) or 1
    neck = (x - HEAD * (x - before_x) / length, y - HEAD * (y - before_y) / length)
    return [line(*points[:-1], neck, stroke=stroke), head(x, y, atan2(y - before_y, x - before_x), stroke)]


def head(x: float, y: float, angle: float, stroke: Stroke = "") -> Element:
    """The head of an arrow that comes to a point at `angle` (radians, clockwise from the right).

    Drawn and not a marker: a marker needs an id.
    """
    wings = (
        (x - HEAD * cos(angle) + side * HEAD / 2 * sin(angle), y - HEAD * sin(angle) - side * HEAD / 2 * cos(angle))
        for side in (-1, 1)
    )
    corners = " L".join(f"{_n(a)} {_n(b)}" for a, b in wings)
    kind = "fig-head-accent" if stroke == "accent" else "fig-head"
    return Element("path", {"class": kind, "d": f"M{_n(x)} {_n(y)} L{corners} z"})


def _line(stroke: Stroke) -> str:
    return f"fig-line-{stroke}" if stroke else "fig-line"


def _flat(parts: Iterable[Part]) -> Iterable[Element]:
    for part in parts:
        if isinstance(part, Element):
            yield part
        else:
            yield from _flat(part)


def _n(value: float) -> str:
    """A coordinate with one decimal at most."""
    return f"{value:.1f}".removesuffix(".0")
