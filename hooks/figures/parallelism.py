"""Ways to use several devices, and ways to keep their clocks: drawings without numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from xml.etree.ElementTree import Element

from figures import svg
from figures.parameters import only

PANEL, HEIGHT = 240.0, 150.0


def parallelism(parameters: Mapping[str, str]) -> Element:
    """Four panels: data, model by layers, inside an operator, combined."""
    only(parameters)
    alt = (
        "四种并行。数据并行：两台设备各有完整模型，处理不同数据，交换梯度。模型并行（按层）：前几层在设备0，后几层在设备1，"
        "传递激活。算子内切分：一个大算子按维度切到两台设备，拼接结果。组合并行：两组设备做数据并行，每组内做模型并行。"
    )
    return svg.drawing(
        2 * PANEL, 2 * HEIGHT + 8, alt,
        _data(0, 0), _layers(PANEL, 0), _inside(0, HEIGHT), _combined(PANEL, HEIGHT),
    )  # fmt: skip


def _head(x: float, y: float, title: str, note: str) -> Iterator[svg.Part]:
    yield svg.text(x + PANEL / 2, y + 22, title, "title")
    yield svg.text(x + PANEL / 2, y + HEIGHT - 12, note, "note")


def _device(x: float, y: float, width: float, name: str) -> Iterator[svg.Part]:
    yield svg.box(x, y, width, 84, "soft", round_=6)
    yield svg.text(x + width / 2, y + 78, name, "note")


def _data(x: float, y: float) -> Iterator[svg.Part]:
    yield from _head(x, y, "数据并行", "交换的是梯度")
    for i in range(2):
        at = x + 12 + 120 * i
        yield _device(at, y + 36, 96, f"设备{i}")
        yield svg.labelled(at + 10, y + 44, 76, 24, "完整模型", "b")
        yield svg.text(at + 48, y + 88, f"数据片{i}")
    yield svg.arrow((x + 110, y + 72), (x + 130, y + 72))
    yield svg.arrow((x + 130, y + 84), (x + 110, y + 84))


def _layers(x: float, y: float) -> Iterator[svg.Part]:
    yield from _head(x, y, "模型并行（按层）", "传递的是激活")
    for i, name in enumerate(("前几层", "后几层")):
        at = x + 12 + 120 * i
        yield _device(at, y + 36, 96, f"设备{i}")
        yield svg.labelled(at + 10, y + 58, 76, 28, name, "b")
    yield svg.arrow((x + 110, y + 72), (x + 130, y + 72))


def _inside(x: float, y: float) -> Iterator[svg.Part]:
    yield from _head(x, y, "算子内切分", "一个大算子按维度切开")
    for i, name in enumerate(("左半W", "右半W")):
        at = x + 12 + 120 * i
        yield _device(at, y + 36, 96, f"设备{i}")
        yield svg.labelled(at + 10, y + 58, 76, 28, name, "a")
    yield svg.line((x + 108, y + 72), (x + 132, y + 72), stroke="dashed")


def _combined(x: float, y: float) -> Iterator[svg.Part]:
    yield from _head(x, y, "组合并行", "组间数据并行，组内模型并行")
    for i in range(2):
        at = x + 12 + 120 * i
        yield _device(at, y + 36, 96, f"数据片{i}")
        yield svg.labelled(at + 8, y + 44, 36, 46, "前", "b")
        yield svg.labelled(at + 52, y + 44, 36, 46, "后", "b")
        yield svg.arrow((at + 44, y + 67), (at + 52, y + 67))
    yield svg.arrow((x + 110, y + 60), (x + 130, y + 60))
    yield svg.arrow((x + 130, y + 74), (x + 110, y + 74))


LEFT, RIGHT, ROW, BAR = 78.0, 466.0, 26.0, 20.0
WORK = ((60.0, 70.0, 64.0), (86.0, 76.0, 82.0), (126.0, 122.0, 118.0))
"""Length of each worker's rounds; the third is the straggler."""


def synchronisation(parameters: Mapping[str, str]) -> Element:
    """BSP, ASP and SSP: three workers' rounds along time."""
    only(parameters)
    alt = (
        "三个worker的时间线。BSP同步：每轮都在栅栏处等最慢的一个。ASP异步：各自连续推进，快的领先。"
        "SSP半同步：快的可以领先，但领先超过阈值就要等。"
    )
    height = 3 * ROW + 52
    return svg.drawing(
        480, 3 * height, alt,
        svg.text(8, 22, "BSP（同步）：每轮等齐", "title", "start"), _bsp(32),
        svg.text(8, height + 22, "ASP（异步）：谁也不等", "title", "start"), _asp(height + 32),
        svg.text(8, 2 * height + 22, "SSP（半同步）：领先一轮以上就等", "title", "start"), _ssp(2 * height + 32),
    )  # fmt: skip


def _worker(y: float, worker: int) -> Element:
    return svg.text(8, y + ROW * worker + 15, f"worker{worker}", "note", "start")


def _round(x: float, y: float, worker: int, width: float, number: int) -> list[Element]:
    return svg.labelled(x, y + ROW * worker, width - 2, BAR, str(number), "b" if number % 2 else "a")


def _wait(x: float, y: float, worker: int, width: float) -> Iterator[svg.Part]:
    if width > 4:
        yield svg.box(x, y + ROW * worker, width - 2, BAR, "empty")


def _bsp(y: float) -> Iterator[svg.Part]:
    x = LEFT
    for number in range(3):
        longest = max(work[number] for work in WORK)
        for worker, work in enumerate(WORK):
            yield _round(x, y, worker, work[number], number + 1)
            yield _wait(x + work[number], y, worker, longest - work[number])
        x += longest
        yield svg.line((x, y - 4), (x, y + 3 * ROW - 2), stroke="strong")
        x += 6
    yield from (_worker(y, worker) for worker in range(3))


def _asp(y: float) -> Iterator[svg.Part]:
    for worker, work in enumerate(WORK):
        yield _worker(y, worker)
        x, number = LEFT, 0
        while x + work[number % 3] <= RIGHT:
            yield _round(x, y, worker, work[number % 3], number + 1)
            x, number = x + work[number % 3], number + 1


def _ssp(y: float) -> Iterator[svg.Part]:
    """A worker may begin round r + 2 only when the slowest has ended round r."""
    ends: list[list[float]] = [[], [], []]
    for number in range(5):
        for worker, work in enumerate(WORK):
            free = ends[worker][-1] if ends[worker] else LEFT
            slowest = (
                max((row[number - 2] for row in ends if len(row) > number - 2), default=LEFT) if number > 1 else LEFT
            )
            start = max(free, slowest)
            end = start + work[number % 3]
            if end > RIGHT or len(ends[worker]) < number:
                continue
            yield _wait(free, y, worker, start - free)
            yield _round(start, y, worker, work[number % 3], number + 1)
            ends[worker].append(end)
    yield from (_worker(y, worker) for worker in range(3))
