"""The Roofline model: attainable speed = min(peak, intensity × bandwidth).

Source: Williams, Waterman and Patterson (2009); the A100's figures in the notes are of AI-System, table 1.5.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import log2
from xml.etree.ElementTree import Element

from figures import svg
from figures.parameters import number, only, wholes
from figures.writing import paragraphs, shown, table

BYTES = 4
"""Of an FP32 element."""


@dataclass(frozen=True)
class Machine:
    """Peak in TFLOP/s, bandwidth in GB/s."""

    peak: Fraction
    bandwidth: Fraction

    @property
    def ridge(self) -> Fraction:
        """Intensity in FLOP/B above which the peak is the limit."""
        return self.peak * 1000 / self.bandwidth

    def attainable(self, intensity: Fraction) -> Fraction:
        """TFLOP/s at `intensity` FLOP/B."""
        return min(self.peak, intensity * self.bandwidth / 1000)


def of_tile(side: int) -> Fraction:
    """FLOP/B of a multiplication with square tiles: 2XY/(X + Y) = X operations an element of four bytes."""
    return Fraction(side, BYTES)


def _machine(parameters: Mapping[str, str]) -> Machine:
    only(parameters, "tflops", "bandwidth", "tiles")
    return Machine(number(parameters, "tflops", 0.001, 10**6), number(parameters, "bandwidth", 0.001, 10**7))


def example(parameters: Mapping[str, str]) -> str:
    machine, tiles = _machine(parameters), wholes(parameters, "tiles", 1, 65536)
    peak, bandwidth, ridge = shown(machine.peak), shown(machine.bandwidth), shown(machine.ridge, 2)
    lines = [
        [
            f"{tile}×{tile}",
            f"{shown(of_tile(tile))}",
            f"{shown(machine.attainable(of_tile(tile)), 2)}",
            "访存" if of_tile(tile) < machine.ridge else "计算",
        ]
        for tile in tiles
    ]
    return paragraphs(
        f"峰值{peak}TFLOP/s，带宽{bandwidth}GB/s，拐点$I^{{*}}={peak}\\times10^{{12}}\\div({bandwidth}\\times10^9)"
        f"={ridge}$ FLOP/B。FP32每个元素4字节，$X\\times X$的块$I=\\frac{{2XX}}{{X+X}}\\div4=\\frac X4$：",
        table(["块", "$I$（FLOP/B）", "可达到（TFLOP/s）", "受限于"], lines),
    )


LEFT, RIGHT, TOP, BOTTOM = 66, 466, 44, 232


def figure(parameters: Mapping[str, str]) -> Element:
    """Both axes logarithmic: the slope of the bandwidth, the roof of the peak, and a point for each tile."""
    machine, tiles = _machine(parameters), wholes(parameters, "tiles", 1, 65536)
    if any(after < 2 * before for before, after in pairwise(sorted(tiles))):
        raise ValueError("'tiles' of the figure at least double from one to the next, or names overlap; leave some out")
    intensities = [of_tile(tile) for tile in tiles]
    marked = sorted(zip(tiles, intensities, strict=True))
    rising = [pair for pair in marked if pair[1] < machine.ridge]
    flat = [pair for pair in marked if pair[1] >= machine.ridge]
    low = min(*intensities, machine.ridge) / 16  # room for the names at both ends
    high = max(*intensities, machine.ridge) * 16
    floor, roof = machine.attainable(low) / 2, machine.peak * 2

    def at(intensity: Fraction, speed: Fraction) -> svg.Point:
        across = log2(intensity / low) / log2(high / low)
        up = log2(speed / floor) / log2(roof / floor)
        return LEFT + across * (RIGHT - LEFT), BOTTOM - up * (BOTTOM - TOP)

    ridge_x, ridge_y = at(machine.ridge, machine.peak)
    said = "，".join(
        f"{tile}×{tile}的块{shown(value)}FLOP/B，可达{shown(machine.attainable(value), 2)}TFLOP/s"
        for tile, value in zip(tiles, intensities, strict=True)
    )
    alt = f"Roofline：带宽线上升到拐点{shown(machine.ridge, 2)}FLOP/B，之后是峰值{shown(machine.peak)}TFLOP/s。{said}。"
    return svg.drawing(
        480, 280, alt,
        svg.arrow((LEFT, BOTTOM), (RIGHT + 8, BOTTOM)),
        svg.arrow((LEFT, BOTTOM), (LEFT, 14)),
        svg.text(RIGHT, BOTTOM + 40, "计算访存比I（FLOP/B，对数）", "note", "end"),
        svg.text(LEFT + 10, 20, "性能（TFLOP/s，对数）", "note", "start"),
        svg.line(at(low, machine.attainable(low)), (ridge_x, ridge_y), at(high, machine.peak), stroke="strong"),
        svg.line((ridge_x, ridge_y), (ridge_x, BOTTOM), stroke="dashed"),
        svg.text(ridge_x, BOTTOM + 20, f"拐点{shown(machine.ridge, 2)}", "note"),
        svg.text(RIGHT, ridge_y - 10, f"峰值{shown(machine.peak)}", "note", "end"),
        [_named(at(value, machine.attainable(value)), _label(tile)) for tile, value in rising],
        [
            _hung(at(value, machine.peak), _label(tile), row)
            for row, (tile, value) in enumerate(reversed(flat))  # the longest line is the leftmost and crosses no name
        ],
    )  # fmt: skip


def _label(tile: int) -> str:
    return f"{tile}×{tile}时I={shown(of_tile(tile))}"


def _named(point: svg.Point, name: str) -> list[Element]:
    """Where the line rises, with the name on its upper side."""
    x, y = point
    return [svg.circle(x, y, 5, "strong"), svg.text(x - 9, y - 7, name, "end")]


def _hung(point: svg.Point, name: str, row: int) -> list[Element]:
    """Under the roof, names in rows."""
    x, y = point
    return [svg.line((x, y), (x, y + 26 + 22 * row)), svg.circle(x, y, 5, "strong"),
            svg.text(x + 6, y + 30 + 22 * row, name, "start")]  # fmt: skip
