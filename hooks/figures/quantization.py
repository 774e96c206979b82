"""Uniform quantization to eight bits, asymmetric and symmetric.

Source: PyTorch's fake_quantize and OpenMLSys, model compression: q = clip(round(r/s) + z), r ≈ s(q − z).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from xml.etree.ElementTree import Element

from figures import svg
from figures.parameters import number, numbers, only
from figures.writing import paragraphs, percent, shown, table


@dataclass(frozen=True)
class Grid:
    """Scale, zero point and the range of the whole numbers."""

    scale: Fraction
    zero: int
    low: int
    high: int

    def quantized(self, value: Fraction) -> int:
        """Halves go to the even neighbour, as in PyTorch."""
        return min(max(round(value / self.scale) + self.zero, self.low), self.high)

    def restored(self, whole: int) -> Fraction:
        return self.scale * (whole - self.zero)


def asymmetric(low: Fraction, high: Fraction) -> Grid:
    """uint8 over the range from `low` to `high`."""
    scale = (high - low) / 255
    return Grid(scale, round(-low / scale), 0, 255)


def symmetric(largest: Fraction) -> Grid:
    """int8 with the zero point at nought."""
    return Grid(largest / 127, 0, -127, 127)


def _range(parameters: Mapping[str, str]) -> tuple[Fraction, Fraction]:
    low, high = number(parameters, "low", -(10**6), 10**6), number(parameters, "high", -(10**6), 10**6)
    if not low <= 0 <= high or low == high:
        raise ValueError("'low' is at most 0 and 'high' at least 0, so that nought has a place; they differ")
    return low, high


def _table(grid: Grid, values: tuple[Fraction, ...]) -> str:
    lines = []
    for value in values:
        whole = grid.quantized(value)
        restored = grid.restored(whole)
        steps = shown(value / grid.scale, 3)
        lines.append([shown(value), steps, str(whole), shown(restored, 5), shown(restored - value, 5)])
    head = ["实数$r$", "相除$r/s$", "整数$q$", r"还原$\hat r$", "误差"]
    return paragraphs(
        rf"$q=\mathrm{{round}}(r/s)+z$，超出${grid.low}$到${grid.high}$的截断；$\hat r=s(q-z)$：",
        table(head, lines),
    )


def _term(value: Fraction) -> str:
    """A number behind a minus sign."""
    return f"({shown(value)})" if value < 0 else shown(value)


def example(parameters: Mapping[str, str]) -> str:
    only(parameters, "low", "high", "values")
    low, high = _range(parameters)
    grid, values = asymmetric(low, high), numbers(parameters, "values")
    return paragraphs(
        f"范围$[{shown(low)},{shown(high)}]$量化到uint8："
        rf"$s=\frac{{{shown(high)}-{_term(low)}}}{{255}}={shown(grid.scale, 6)}$，"
        rf"$z=\mathrm{{round}}\bigl(0-\frac{{{shown(low)}}}{{s}}\bigr)={grid.zero}$。",
        _table(grid, values),
    )


def symmetric_example(parameters: Mapping[str, str]) -> str:
    only(parameters, "largest", "values")
    largest = number(parameters, "largest", 0.000001, 10**6)
    grid, values = symmetric(largest), numbers(parameters, "values")
    return paragraphs(
        f"对称量化到int8，$\\max|r|={shown(largest)}$："
        rf"$s=\frac{{{shown(largest)}}}{{127}}={shown(grid.scale, 6)}$，$z=0$。",
        _table(grid, values),
    )


def model_size(parameters: Mapping[str, str]) -> str:
    only(parameters, "millions")
    millions = number(parameters, "millions", 0.001, 10**7)
    full, small = millions * 4, millions
    return (
        f"存储：{shown(millions)}百万个参数，FP32占$4\\times{shown(millions)}={shown(full, 1)}$MB，"
        f"INT8占{shown(small, 1)}MB，省{percent(1 - small / full, 0)}。"
    )


LEFT, RIGHT, REAL, WHOLE = 40.0, 440.0, 64.0, 156.0
TICK = 15  # divides 255


def figure(parameters: Mapping[str, str]) -> Element:
    """The line of real numbers above the line of whole numbers, with the places that map to each other."""
    only(parameters, "low", "high")
    low, high = _range(parameters)
    grid = asymmetric(low, high)
    marks = sorted({low, Fraction(0), high})
    if any(0 < abs(end) * 8 < high - low for end in (low, high)):
        raise ValueError("the figure needs 'low' and 'high' at 0 or an eighth of the range from it, for their labels")
    alt = (
        f"量化把实数{shown(low)}到{shown(high)}均匀映到整数0到255，0映到零点{grid.zero}，"
        f"相邻两个整数差一个缩放因子{shown(grid.scale, 6)}。"
    )
    parts: list[svg.Part] = [
        svg.line((LEFT, REAL), (RIGHT, REAL), stroke="strong"),
        svg.line((LEFT, WHOLE), (RIGHT, WHOLE), stroke="strong"),
        svg.text(LEFT - 26, 22, "实数r", "title", "start"),
        svg.text(LEFT - 26, WHOLE + 52, "整数q", "title", "start"),
        [svg.line((_x(whole), WHOLE - 5), (_x(whole), WHOLE + 5)) for whole in range(0, 256, TICK)],
    ]
    for value in marks:
        x = LEFT + float((value - low) / (high - low)) * (RIGHT - LEFT)
        to = _x(grid.quantized(value))
        parts += [
            svg.arrow((x, REAL + 4), (to, WHOLE - 8)),
            svg.text(x, REAL - 12, shown(value)),
            svg.text(to, WHOLE + 24, str(grid.quantized(value))),
        ]
    note = f"缩放因子s={shown(grid.scale, 6)}，零点z={grid.zero}；一小格{TICK}个整数"
    parts.append(svg.text(RIGHT, WHOLE + 52, note, "note", "end"))
    return svg.drawing(480, 220, alt, parts)


def _x(whole: int) -> float:
    return LEFT + whole / 255 * (RIGHT - LEFT)
