"""Splitting a loop: into parts, into two nested loops, into a vector loop with a tail; and fission."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from math import isqrt
from xml.etree.ElementTree import Element

from figures import svg
from figures.parameters import only, whole, wholes
from figures.writing import paragraphs, table


def split(n: int, width: int) -> tuple[int, int]:
    """Rounds of the main loop and iterations of the tail: n = q·width + r."""
    return divmod(n, width)


def parts(n: int, count: int) -> list[range]:
    """`count` stretches of the loop as equal as can be, the longer ones first."""
    size, more = divmod(n, count)
    starts = [i * size + min(i, more) for i in range(count + 1)]
    return [range(start, end) for start, end in pairwise(starts)]


def three(n: int) -> tuple[int, int, int] | None:
    """Lengths above 1 of three nested loops that make n iterations, the shortest outside; None where there are none."""
    for outer in range(2, isqrt(n) + 1):
        for middle in range(outer, isqrt(n // outer) + 1):
            if n % (outer * middle) == 0:
                return outer, middle, n // (outer * middle)
    return None


def example(parameters: Mapping[str, str]) -> str:
    only(parameters, "n", "factor", "widths")
    n, factor = whole(parameters, "n", 1, 10**6), whole(parameters, "factor", 2, 64)
    widths = wholes(parameters, "widths", 2, 4096)
    return table(["拆法", "结果"], [*_ways(n, factor), *(_vector(n, width) for width in widths)])


def _ways(n: int, factor: int) -> Iterator[list[str]]:
    stretches = "、".join(f"[{part.start}, {part.stop})" for part in parts(n, factor))
    yield [f"分成{factor}段", stretches]
    rounds, tail = split(n, factor)
    outer = -(-n // factor)
    rest = f"，最后一轮只有{tail}次，要`if (i < {n})`" if tail else ""
    yield [f"factor={factor}", f"外层{outer}×内层{factor}，$i=x_o\\cdot{factor}+x_i${rest}"]
    inner = -(-n // factor)
    idle = f"，多出{inner * factor - n}次，要`if (i < {n})`" if inner * factor > n else ""
    yield [f"nparts={factor}", f"外层{factor}×内层{inner}，$i=x_o\\cdot{inner}+x_i${idle}"]
    if lengths := three(n):
        outer, middle, inner = lengths
        yield ["三层循环", f"${outer}\\times{middle}\\times{inner}$，$i=(x\\cdot{middle}+y)\\cdot{inner}+z$"]
    yield [f"展开，因子{factor}", f"{rounds}次" + (f"，尾循环{tail}次" if tail else "，没有尾循环")]


def _vector(n: int, width: int) -> list[str]:
    rounds, tail = split(n, width)
    whole_part = rounds * width
    last = f"{whole_part}到{n - 1}" if tail > 1 else str(whole_part)
    end = f"，尾循环{tail}次（{last}）" if tail else "，没有尾循环"
    return [f"向量宽度{width}", f"主循环${rounds}\\times{width}={whole_part}${end}"]


def split_and_fission(parameters: Mapping[str, str]) -> str:
    """The two transformations side by side, as code."""
    only(parameters, "n", "factor")
    n = whole(parameters, "n", 2, 10**6)
    factor = whole(parameters, "factor", 2, 4096)
    if n % factor:
        raise ValueError(f"'factor' divides 'n'; {factor} does not divide {n}")
    return paragraphs(
        f"split：一个循环变成两重，还是{n}次，次序不变：",
        f"```text\nfor i in 0..{n - 1}:\n    C[i] = A[i] + B[i]\n```",
        f"```text\nfor xo in 0..{n // factor - 1}:\n    for xi in 0..{factor - 1}:\n"
        f"        i = xo * {factor} + xi\n        C[i] = A[i] + B[i]\n```",
        "循环分裂（fission）：循环体分到两个循环，带条件的独立出来，前一个便于向量化：",
        f"```text\nfor i in 0..{n - 1}:\n    C[i] = A[i] + B[i]\n    if t[i] > 0: D[i] = A[i]\n```",
        f"```text\nfor i in 0..{n - 1}:\n    C[i] = A[i] + B[i]\n"
        f"for i in 0..{n - 1}:\n    if t[i] > 0: D[i] = A[i]\n```",
    )


LEFT, LENGTH, HEIGHT = 8.0, 464.0, 26.0
NARROWEST = 30.0
"""Of a piece that holds its number."""


def figure(parameters: Mapping[str, str]) -> Element:
    """Three strips of n cells: equal parts, rounds of the factor, and a vector loop with its tail."""
    only(parameters, "n", "factor", "width")
    n = whole(parameters, "n", 2, 128)
    factor, width = whole(parameters, "factor", 2, min(n, 8)), whole(parameters, "width", 2, n)
    rounds, tail = split(n, width)
    stretches = parts(n, factor)
    groups = [range(start, min(start + factor, n)) for start in range(0, n, factor)]
    vectors = [range(i * width, (i + 1) * width) for i in range(rounds)]
    alt = (
        f"{n}次循环的三种拆法：分成{factor}段，各{'、'.join(str(len(part)) for part in stretches)}次；"
        f"factor={factor}，外层{len(groups)}次、内层{factor}次；"
        f"向量宽度{width}，主循环{rounds}次，尾循环{tail}次。"
    )
    return svg.drawing(
        480, 232, alt,
        svg.text(LEFT, 24, f"分成{factor}段", "title", "start"),
        _strip(34, n, stretches, named=True),
        svg.text(LEFT, 98, f"factor={factor}：外层{len(groups)}次，内层{factor}次", "title", "start"),
        _strip(108, n, groups, named=False),
        svg.text(LEFT, 172, f"向量宽度{width}：主循环{rounds}次，尾循环{tail}次", "title", "start"),
        _strip(182, n, vectors, named=True),
        _tail(182, n, rounds * width),
    )  # fmt: skip


def _strip(y: float, n: int, pieces: list[range], *, named: bool) -> Iterator[svg.Part]:
    """Cells of the loop in order, pieces in turns light and dark."""
    for position, piece in enumerate(pieces):
        x, width = LEFT + LENGTH * piece.start / n, LENGTH * len(piece) / n
        yield svg.box(x, y, width, HEIGHT, "b" if position % 2 else "a", round_=0)
        if named and width >= NARROWEST:
            yield svg.text(x + width / 2, y + 18, str(len(piece)))


def _tail(y: float, n: int, start: int) -> Iterator[svg.Part]:
    if start < n:
        x, width = LEFT + LENGTH * start / n, LENGTH * (n - start) / n
        yield svg.box(x, y, width, HEIGHT, "empty", round_=0)
        if width >= NARROWEST:
            yield svg.text(x + width / 2, y + 18, f"尾{n - start}" if width > 44 else str(n - start))
