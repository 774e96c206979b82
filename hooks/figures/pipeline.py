"""Pipeline parallelism in the manner of GPipe: K stages, M micro-batches, each stage one slot for a micro-batch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from xml.etree.ElementTree import Element

from figures import svg
from figures.parameters import only, whole, wholes
from figures.writing import paragraphs, percent, table


def schedule(stages: int, batches: int) -> list[list[int | None]]:
    """The forward pass: of each stage, the micro-batch of each slot, None in a bubble."""
    slots = batches + stages - 1
    return [[slot - stage if 0 <= slot - stage < batches else None for slot in range(slots)] for stage in range(stages)]


def backward(stages: int, batches: int) -> list[list[int | None]]:
    """The backward pass: the forward one run backwards, from the last stage and the last micro-batch."""
    return [row[::-1] for row in schedule(stages, batches)]


def bubble(stages: int, batches: int) -> Fraction:
    """Share of idle slots: (K − 1)/(M + K − 1); the backward pass has the same."""
    return Fraction(stages - 1, batches + stages - 1)


def example(parameters: Mapping[str, str]) -> str:
    only(parameters, "stages", "microbatches")
    stages, counts = whole(parameters, "stages", 2, 1024), wholes(parameters, "microbatches", 1, 10**6)
    lines = [
        [
            str(count),
            str(count + stages - 1),
            f"$\\frac{{{stages - 1}}}{{{count}+{stages - 1}}}$",
            percent(bubble(stages, count)),
        ]
        for count in counts
    ]
    return paragraphs(
        f"$K={stages}$个阶段，前向要$M+K-1$个时隙，每个阶段空{stages - 1}个：",
        table(["微批次$M$", "时隙", "气泡率", "约"], lines),
    )


ROW, LEFT = 32.0, 62.0
WIDEST_CELL = 46.0


def figure(parameters: Mapping[str, str]) -> Element:
    """Without micro-batches above, with them below; bubbles are empty."""
    only(parameters, "stages", "microbatches")
    stages, batches = whole(parameters, "stages", 2, 4), whole(parameters, "microbatches", 2, 5)
    slots = 2 * (batches + stages - 1)
    cell = min(WIDEST_CELL, (svg.FITS - LEFT - 12) / slots)
    plain, split = (f"{stages - 1}/{count + stages - 1}" for count in (1, batches))
    alt = (
        f"{stages}个阶段的时间格，前向F之后是反向B。不切分时一次只有一个阶段在算，气泡占{plain}，即"
        f"{percent(bubble(stages, 1))}；切成{batches}个微批次后依次流入，反向从最后一个阶段、最后一个微批次开始，"
        f"共{slots}个时隙，气泡占{split}，约{percent(bubble(stages, batches))}。"
    )
    lower = ROW * stages + 66
    foot = lower + ROW * stages + 50
    return svg.drawing(
        svg.FITS, foot + 32, alt,
        svg.text(8, 24, f"不切微批次：气泡={plain}={percent(bubble(stages, 1))}", "title", "start"),
        _rows(36, cell, stages, 1),
        svg.text(
            8, lower + 12, f"{batches}个微批次：气泡=(K−1)/(M+K−1)={split}≈{percent(bubble(stages, batches))}",
            "title", "start",
        ),
        _rows(lower + 24, cell, stages, batches),
        svg.text(8, foot, "F0、B0：第0个微批次的前向和反向，画成一样长", "note", "start"),
        svg.text(8, foot + 22, "虚线格：气泡；时间向右", "note", "start"),
    )  # fmt: skip


def _rows(y: float, cell: float, stages: int, batches: int) -> Iterator[svg.Part]:
    passes: tuple[tuple[str, svg.Fill, list[list[int | None]]], ...] = (
        ("F", "a", schedule(stages, batches)),
        ("B", "c", backward(stages, batches)),
    )
    for stage in range(stages):
        at = y + ROW * stage
        yield svg.text(8, at + 20, f"阶段{stage + 1}", "start")
        for half, (letter, fill, rows) in enumerate(passes):
            for slot, batch in enumerate(rows[stage]):
                x = LEFT + cell * (slot + half * len(rows[stage]))
                if batch is None:
                    yield svg.box(x, at, cell - 3, ROW - 4, "empty")
                else:
                    said = f"{letter}{batch}" if batches > 1 else letter
                    yield svg.labelled(x, at, cell - 3, ROW - 4, said, fill)
