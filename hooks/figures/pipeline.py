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
        table(["$M$", "时隙", "气泡率", "约"], lines),
    )


CELL, ROW, LEFT = 46.0, 32.0, 62.0


def figure(parameters: Mapping[str, str]) -> Element:
    """Without micro-batches above, with them below; bubbles are empty."""
    only(parameters, "stages", "microbatches")
    stages, batches = whole(parameters, "stages", 2, 4), whole(parameters, "microbatches", 2, 5)
    lower = ROW * stages + 66
    width = LEFT + CELL * (batches + stages - 1) + 12
    alt = (
        f"{stages}个阶段的前向时间格。不切分时一次只有一个阶段在算，气泡占{percent(bubble(stages, 1))}；"
        f"切成{batches}个微批次后依次流入，共{batches + stages - 1}个时隙，"
        f"气泡占{stages - 1}/{batches + stages - 1}，约{percent(bubble(stages, batches))}。"
    )
    return svg.drawing(
        max(width, 390), lower + ROW * stages + 60, alt,
        svg.text(8, 24, f"不切微批次：气泡{percent(bubble(stages, 1))}", "title", "start"),
        _rows(36, schedule(stages, 1), "整批"),
        svg.text(8, lower + 12, f"{batches}个微批次：气泡{percent(bubble(stages, batches))}", "title", "start"),
        _rows(lower + 24, schedule(stages, batches), ""),
        svg.text(8, lower + ROW * stages + 48, "F0是第0个微批次的前向；虚线格是气泡，时间向右", "note", "start"),
    )  # fmt: skip


def _rows(y: float, slots: list[list[int | None]], name: str) -> Iterator[svg.Part]:
    fills: tuple[svg.Fill, ...] = ("a", "b", "c", "soft", "plain")
    for stage, row in enumerate(slots):
        yield svg.text(8, y + ROW * stage + 20, f"阶段{stage + 1}", "start")
        for slot, batch in enumerate(row):
            x = LEFT + CELL * slot
            if batch is None:
                yield svg.box(x, y + ROW * stage, CELL - 3, ROW - 4, "empty")
            else:
                yield svg.labelled(x, y + ROW * stage, CELL - 3, ROW - 4, name or f"F{batch}", fills[batch])
