"""The Markdown of a worked example: numbers, tables, matrices."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

Number = Fraction | int | float


def shown(value: Number, places: int = 4) -> str:
    """A number with at most `places` decimals, half away from zero, no zeros at the end: 0.25, -1.2, 7."""
    exact = Fraction(value)
    scaled = Decimal(exact.numerator) / Decimal(exact.denominator)
    text = f"{scaled.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP):f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def equals(value: Number, places: int = 4) -> str:
    """A number as TeX behind its sign of equality: `=0.25`, and `\\approx0.3333` where it is rounded."""
    text = shown(value, places)
    return f"={text}" if Fraction(text) == Fraction(value) else rf"\approx{text}"


def grouped(value: int) -> str:
    """A whole number with its thousands apart, as readers see it: 2,147,483,648."""
    return f"{value:,}"


def percent(value: Number, places: int = 1) -> str:
    """A share as text outside a formula: 92.8%."""
    return f"{shown(Fraction(value) * 100, places)}%"


def ratio(value: Fraction) -> str:
    """A fraction as TeX: `\\frac{2}{9}`, and a whole number as itself."""
    if value.denominator == 1:
        return str(value.numerator)
    return f"{'-' * (value < 0)}\\frac{{{abs(value.numerator)}}}{{{value.denominator}}}"


def matrix(rows: Iterable[Iterable[Number]], places: int = 4) -> str:
    """Rows of numbers as TeX."""
    body = r" \\ ".join(" & ".join(shown(cell, places) for cell in row) for row in rows)
    return f"\\begin{{bmatrix}} {body} \\end{{bmatrix}}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table. A cell may hold code and formulas, no `|`."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def paragraphs(*blocks: str) -> str:
    """Blocks of Markdown with a free line between them."""
    return "\n\n".join(blocks)
