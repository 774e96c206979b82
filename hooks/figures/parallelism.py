"""Ways to use several devices, and ways to keep their clocks.

Sources: AI-System 6.1.3 for the ways between operators and inside one; Ho et al., “More Effective Distributed ML via a
Stale Synchronous Parallel Parameter Server” (NIPS 2013) for the bound on the lead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from figures import svg
from figures.parameters import only

PANEL, HEIGHT, DEVICE = 240.0, 166.0, 90.0


def parallelism(parameters: Mapping[str, str]) -> Element:
    """Five ways between operators, and beside them the one inside an operator."""
    only(parameters)
    alt = (
        "六种并行。数据并行：两台设备各有完整模型，处理不同的数据片，交换梯度。模型并行（按层）：前几层在设备0，后几层在"
        "设备1，传递激活，轮流计算。流水并行：同样切分，两台设备同时处理不同的微批次。任务图并行：没有依赖的分支同时执行。"
        "组合并行：两组设备做数据并行，交换梯度，组内做模型并行，传递激活。算子内切分：一个大算子按维度切到两台设备，"
        "交换部分结果。"
    )
    return svg.drawing(
        2 * PANEL, 3 * HEIGHT, alt,
        _data(0, 0), _layers(PANEL, 0),
        _pipeline(0, HEIGHT), _branches(PANEL, HEIGHT),
        _combined(0, 2 * HEIGHT), _inside(PANEL, 2 * HEIGHT),
    )  # fmt: skip


def _head(x: float, y: float, title: str, note: str) -> Iterator[svg.Part]:
    yield svg.text(x + PANEL / 2, y + 22, title, "title")
    yield svg.text(x + PANEL / 2, y + 36 + DEVICE + 22, note, "note")


def _devices(x: float, y: float, names: tuple[str, str]) -> Iterator[svg.Part]:
    for at, name in zip(_lefts(x), names, strict=True):
        yield svg.box(at, y + 36, 96, DEVICE, "soft", round_=6)
        yield svg.text(at + 48, y + 36 + DEVICE - 10, name, "note")


def _lefts(x: float) -> tuple[float, float]:
    return x + 12, x + 132


def _parts(x: float, y: float, names: tuple[str, str], fill: svg.Fill = "b") -> Iterator[svg.Part]:
    """What each device holds, alone in it."""
    yield from _devices(x, y, ("设备0", "设备1"))
    for at, name in zip(_lefts(x), names, strict=True):
        yield svg.labelled(at + 10, y + 54, 76, 28, name, fill)


def _on(x: float, y: float, names: tuple[str, str], data: tuple[str, str]) -> Iterator[svg.Part]:
    """What each device holds, and what it works on just now."""
    yield from _devices(x, y, ("设备0", "设备1"))
    for at, name, now in zip(_lefts(x), names, data, strict=True):
        yield svg.labelled(at + 10, y + 46, 76, 26, name, "b")
        yield svg.text(at + 48, y + 92, now)


def _both_ways(x: float, y: float) -> Iterator[svg.Part]:
    yield svg.arrow((x + 110, y + 66), (x + 130, y + 66))
    yield svg.arrow((x + 130, y + 80), (x + 110, y + 80))


def _data(x: float, y: float) -> Iterator[svg.Part]:
    yield from _head(x, y, "数据并行", "交换梯度")
    yield from _on(x, y, ("完整模型", "完整模型"), ("数据片0", "数据片1"))
    yield from _both_ways(x, y)


def _layers(x: float, y: float) -> Iterator[svg.Part]:
    yield from _head(x, y, "模型并行（按层）", "传递激活，轮流计算")
    yield from _parts(x, y, ("前几层", "后几层"))
    yield svg.arrow((x + 110, y + 68), (x + 130, y + 68))


def _pipeline(x: float, y: float) -> Iterator[svg.Part]:
    yield from _head(x, y, "流水并行", "传递激活，同时计算")
    yield from _on(x, y, ("前几层", "后几层"), ("微批次1", "微批次0"))
    yield svg.arrow((x + 110, y + 59), (x + 130, y + 59))


def _branches(x: float, y: float) -> Iterator[svg.Part]:
    yield from _head(x, y, "任务图并行", "没有依赖，同时执行")
    yield from _parts(x, y, ("分支A", "分支B"))


def _combined(x: float, y: float) -> Iterator[svg.Part]:
    yield from _head(x, y, "组合并行", "组间交换梯度，组内传递激活")
    yield from _devices(x, y, ("组0", "组1"))
    for at in _lefts(x):
        yield svg.labelled(at + 8, y + 46, 30, 52, "前", "b")
        yield svg.labelled(at + 58, y + 46, 30, 52, "后", "b")
        yield svg.arrow((at + 40, y + 72), (at + 56, y + 72))
    yield from _both_ways(x, y)


def _inside(x: float, y: float) -> Iterator[svg.Part]:
    yield from _head(x, y, "算子内切分", "一个大算子按维度切开，交换结果")
    yield from _parts(x, y, ("左半W", "右半W"), "a")
    yield from _both_ways(x, y)


@dataclass(frozen=True)
class Round:
    """One round of a worker; it waits from `free`, when its round before ended, to `start`. `end` is None when cut."""

    free: float
    start: float
    end: float | None


WORK = ((60.0, 70.0, 64.0), (86.0, 76.0, 90.0), (126.0, 122.0, 118.0))
"""Length of each worker's rounds, over and over; the third is the straggler."""
SPAN = 384.0
"""Time that the figure shows."""


def timeline(lead: int | None) -> list[list[Round]]:
    """Rounds of each worker up to `SPAN`.

    A worker begins round r when all have ended round r − 1 − `lead`: 0 is BSP, more is SSP, None (no bound) is ASP.
    """
    ends: list[list[float]] = [[0.0] for _ in WORK]  # of round r at r
    made: list[list[Round]] = [[] for _ in WORK]
    number = 0
    while any(row[-1] < SPAN for row in ends):
        number += 1
        gate = 0.0 if lead is None or number - 1 - lead < 0 else max(row[number - 1 - lead] for row in ends)
        for row, rounds, work in zip(ends, made, WORK, strict=True):
            free, start = row[-1], max(row[-1], gate)
            row.append(start + work[(number - 1) % 3])
            if free < SPAN:
                rounds.append(Round(free, min(start, SPAN), row[-1] if row[-1] <= SPAN else None))
    return made


LEFT, ROW, BAR = 82.0, 26.0, 20.0


def synchronisation(parameters: Mapping[str, str]) -> Element:
    """BSP, ASP and SSP: three workers' rounds along time."""
    only(parameters)
    ways: tuple[tuple[str, int | None], ...] = (
        ("BSP（同步）：每轮等齐", 0),
        ("ASP（异步）：谁也不等", None),
        ("SSP（半同步）：最多领先一轮", 1),
    )
    done = [[sum(round_.end is not None for round_ in row) for row in timeline(lead)] for _, lead in ways]
    bsp, asp, ssp = (f"{'、'.join(map(str, counts))}轮" for counts in done)
    alt = (
        "三个worker的时间线，worker2最慢。BSP同步：每轮都在栅栏处等最慢的一个；ASP异步：各自连续推进，快的领先；"
        f"SSP半同步：快的最多领先一轮，再快就等。同样的时间里，三个worker分别做完：BSP{bsp}，ASP{asp}，SSP{ssp}。"
    )
    height = 3 * ROW + 52
    return svg.drawing(
        svg.FITS, 3 * height + 22, alt,
        [
            [svg.text(8, height * i + 22, title, "title", "start"), _rows(height * i + 34, timeline(lead))]
            for i, (title, lead) in enumerate(ways)
        ],
        _barriers(34),
        svg.text(8, 3 * height + 8, "格里的数是轮次；虚线格：等待；竖线：栅栏", "note", "start"),
    )  # fmt: skip


def _rows(y: float, workers: list[list[Round]]) -> Iterator[svg.Part]:
    for worker, rounds in enumerate(workers):
        at = y + ROW * worker
        yield svg.text(8, at + 15, f"worker{worker}", "note", "start")
        for number, round_ in enumerate(rounds, 1):
            if round_.start > round_.free:
                yield _bar(at, round_.free, round_.start, "empty")
            if round_.end is not None:
                yield _bar(at, round_.start, round_.end, "b" if number % 2 else "a")
                yield svg.text(LEFT + (round_.start + round_.end) / 2, at + BAR / 2 + 5, str(number))


def _bar(y: float, start: float, end: float, fill: svg.Fill) -> Element:
    return svg.box(LEFT + start + 2, y, end - start - 4, BAR, fill)


def _barriers(y: float) -> Iterator[svg.Part]:
    """Where the last worker ends a round of BSP."""
    rounds = zip(*timeline(0), strict=True)
    for ends in ([round_.end for round_ in row] for row in rounds):
        whole = [end for end in ends if end is not None]
        if len(whole) == len(ends):
            yield svg.line((LEFT + max(whole), y - 4), (LEFT + max(whole), y + 2 * ROW + BAR + 4), stroke="strong")
