"""Pruning half of a matrix in three ways, and the share of zero activations.

Sources: AI-System 11.3.2 for the three patterns; Hu et al., Network Trimming (arXiv:1607.03250) for APoZ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from xml.etree.ElementTree import Element

from figures import svg
from figures.parameters import matrix, only
from figures.writing import paragraphs, percent, shown, table

Matrix = tuple[tuple[Fraction, ...], ...]
Kept = frozenset[tuple[int, int]]
"""Places that stay."""


def _places(weights: Matrix) -> list[tuple[int, int]]:
    return [(i, j) for i, row in enumerate(weights) for j in range(len(row))]


def magnitude(weights: Matrix, kept: Kept) -> Fraction:
    return sum((abs(weights[i][j]) for i, j in kept), Fraction(0))


def unstructured(weights: Matrix) -> Kept:
    """The larger half of all weights, wherever they stand."""
    ordered = sorted(_places(weights), key=lambda place: -abs(weights[place[0]][place[1]]))
    return frozenset(ordered[: len(ordered) // 2])


def two_of_four(weights: Matrix) -> Kept:
    """The two larger of every four in a row."""
    kept = []
    for i, row in enumerate(weights):
        for start in range(0, len(row), 4):
            group = sorted(range(start, start + 4), key=lambda j: -abs(row[j]))
            kept += [(i, j) for j in group[:2]]
    return frozenset(kept)


def structured(weights: Matrix) -> Kept:
    """The half of the columns with the larger sum of magnitudes."""
    width = len(weights[0])
    ordered = sorted(range(width), key=lambda j: -sum(abs(row[j]) for row in weights))
    return frozenset((i, j) for i in range(len(weights)) for j in ordered[: width // 2])


WAYS: tuple[tuple[str, str, Callable[[Matrix], Kept]], ...] = (
    ("非结构化", "全局取最大的一半", unstructured),
    ("2:4半结构化", "每行每4个取2个", two_of_four),
    ("结构化", "保留幅值大的一半列", structured),
)


def _sums(weights: Matrix) -> tuple[str, ...]:
    """What adds up to the magnitude that each of `WAYS` keeps: weights, rows, columns."""
    single = sorted((abs(weights[i][j]) for i, j in unstructured(weights)), reverse=True)
    pairs = two_of_four(weights)
    rows = [magnitude(weights, frozenset(place for place in pairs if place[0] == i)) for i in range(len(weights))]
    chosen = sorted({j for _, j in structured(weights)})
    columns = [sum((abs(row[j]) for row in weights), Fraction(0)) for j in chosen]
    names = "、".join(str(j + 1) for j in chosen)
    return _added(single), f"各行{_added(rows)}", f"第{names}列{_added(columns)}"


def _added(values: Iterable[Fraction]) -> str:
    return f"${'+'.join(shown(value) for value in values)}$"


def _weights(parameters: Mapping[str, str]) -> Matrix:
    only(parameters, "weights")
    weights = matrix(parameters, "weights")
    if len(weights[0]) % 4 or len(weights) > 8 or len(weights[0]) > 8:
        raise ValueError("'weights' has rows of 4 or 8 numbers, 8 rows at most")
    if not any(any(row) for row in weights):
        raise ValueError("'weights' are all 0, so nothing is worth keeping; give one that is not")
    return weights


def example(parameters: Mapping[str, str]) -> str:
    weights = _weights(parameters)
    total = magnitude(weights, frozenset(_places(weights)))
    count = len(weights) * len(weights[0]) // 2
    lines = [
        [name, rule, _share(magnitude(weights, way(weights)), total), added]
        for (name, rule, way), added in zip(WAYS, _sums(weights), strict=True)
    ]
    rows = r" \\ ".join(" & ".join(shown(value) for value in row) for row in weights)
    return paragraphs(
        f"$W=\\begin{{bmatrix}} {rows} \\end{{bmatrix}}$，总幅值（绝对值之和）{shown(total)}。"
        f"同为50%稀疏，各保留{count}个：",
        table(["剪枝", "规则", "保留的幅值", "相加"], lines),
        "稀疏度相同，位置越受约束，丢掉的大权重越多；反过来，同等精度下非结构化能剪得更多。",
    )


def _share(kept: Fraction, total: Fraction) -> str:
    return f"{shown(kept)}（{percent(kept / total)}）"


CELL, GAP, TOP = 46, 44, 56
LONGEST = 5
"""Signs of a weight that fit a cell."""


def figure(parameters: Mapping[str, str]) -> Element:
    """The dense matrix and what the three ways leave of it."""
    weights = _weights(parameters)
    if len(weights) > 4 or len(weights[0]) > 4:
        raise ValueError("the figure shows 4 × 4; make 'weights' smaller")
    if any(len(shown(value)) > LONGEST for row in weights for value in row):
        raise ValueError(f"the figure has room for {LONGEST} signs a weight, as -0.45; round 'weights'")
    side = CELL * len(weights[0])
    height = CELL * len(weights)
    everything = frozenset(_places(weights))
    panels = [("稠密", everything), *((name, way(weights)) for name, _, way in WAYS)]
    alt = "同一个矩阵的四种样子：" + "；".join(
        f"{name}保留{len(kept)}个，幅值{shown(magnitude(weights, kept))}" for name, kept in panels
    )
    return svg.drawing(
        2 * side + GAP + 16, 2 * (height + TOP + 16), f"{alt}。",
        [
            _panel(8 + (position % 2) * (side + GAP), (position // 2) * (height + TOP + 16), name, weights, kept)
            for position, (name, kept) in enumerate(panels)
        ],
    )  # fmt: skip


def _panel(x: float, y: float, name: str, weights: Matrix, kept: Kept) -> Iterator[svg.Part]:
    middle = x + CELL * len(weights[0]) / 2
    total = magnitude(weights, frozenset(_places(weights)))
    yield svg.text(middle, y + 22, name, "title")
    yield svg.text(middle, y + 44, f"幅值{_share(magnitude(weights, kept), total)}", "note")
    for i, j in _places(weights):
        said, fill = (shown(weights[i][j]), "b") if (i, j) in kept else ("0", "plain")
        yield svg.labelled(x + CELL * j, y + TOP + CELL * i, CELL, CELL, said, fill)  # type: ignore[arg-type]


def apoz(channel: Matrix) -> Fraction:
    """Share of zeros among the activations of one channel, a row for each sample."""
    values = [value for row in channel for value in row]
    return Fraction(values.count(Fraction(0)), len(values))


def apoz_example(parameters: Mapping[str, str]) -> str:
    only(parameters, "first", "second")
    channels = [matrix(parameters, name) for name in ("first", "second")]
    if len({(len(channel), len(channel[0])) for channel in channels}) > 1:
        raise ValueError("'first' and 'second' have as many samples and elements")
    samples, size = len(channels[0]), len(channels[0][0])
    lines = []
    for number, channel in enumerate(channels, 1):
        zeros = sum(row.count(Fraction(0)) for row in channel)
        maps = "、".join("[" + ", ".join(shown(value) for value in row) + "]" for row in channel)
        lines.append([str(number), maps, f"$\\frac{{{zeros}}}{{{samples}\\times{size}}}={shown(apoz(channel))}$"])
    first, second = map(apoz, channels)
    verdict = f"通道{1 if first > second else 2}的APoZ高，优先剪掉。"
    return paragraphs(
        f"{len(channels)}个通道，$N={samples}$个样本，每个特征图$M={size}$个元素，ReLU之后：",
        table(["通道", "各样本的激活", "APoZ"], lines),
        verdict if first != second else "两个通道的APoZ相同，只凭它分不出先后。",
    )
