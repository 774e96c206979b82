"""Ring AllReduce among N workers: which chunk travels at each step, and what each worker has at the end.

Source: A. Gibiansky, “Bringing HPC Techniques to Deep Learning” (Baidu Research, 2017): in step t of Scatter-Reduce
worker i sends chunk i − t, in step t of All-Gather chunk i + 1 − t, always to its right neighbour, modulo N.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import cos, pi, sin
from xml.etree.ElementTree import Element

from figures import svg
from figures.parameters import only, whole

FEWEST, MOST = 2, 8
"""Workers that a figure can show legibly."""


def sent(workers: int) -> list[list[int]]:
    """Chunk that worker `i` sends in step `t`, as `sent(workers)[t][i]`; N − 1 steps of each phase, 2(N − 1) in all."""
    steps = range(workers - 1)
    scatter = [[(i - t) % workers for i in range(workers)] for t in steps]
    gather = [[(i + 1 - t) % workers for i in range(workers)] for t in steps]
    return scatter + gather


def example(parameters: Mapping[str, str]) -> str:
    """A table of the steps, then the traffic of each worker."""
    only(parameters, "workers")
    workers = whole(parameters, "workers", FEWEST, MOST)
    return "\n".join(_lines(workers))


def _lines(workers: int) -> Iterator[str]:
    steps = sent(workers)
    yield (
        f"$N={workers}$时，每个节点把梯度切成{workers}块（块0到块{workers - 1}），每一步都发给右邻。"
        "各节点在每一步发送的块："
    )
    yield ""
    yield "| 阶段 | 步 | " + " | ".join(f"节点{i}" for i in range(workers)) + " |"
    yield "| --- | --- |" + " --- |" * workers
    for step, chunks in enumerate(steps):
        phase = "Scatter-Reduce" if step < workers - 1 else "All-Gather"
        yield f"| {phase} | {step + 1} | " + " | ".join(f"块{chunk}" for chunk in chunks) + " |"
    yield ""
    yield (
        f"一共$2(N-1)={len(steps)}$步，每步发送$\\frac{{1}}{{{workers}}}$的梯度，"
        f"所以每个节点发送的数据量是梯度大小的$\\frac{{2(N-1)}}{{N}}=\\frac{{{len(steps)}}}{{{workers}}}$倍。"
    )


def figure(parameters: Mapping[str, str]) -> Element:
    """The ring with the chunk on each edge: one ring for each phase, both at their first step."""
    only(parameters, "workers")
    workers = whole(parameters, "workers", FEWEST, MOST)
    scatter, gather = sent(workers)[0], sent(workers)[workers - 1]
    return svg.drawing(
        WIDTH,
        HEIGHT,
        f"{workers}个节点连成环，每个节点都向右邻发送一块。Scatter-Reduce第1步：{_said(scatter)}，收到的块与自己的相加；"
        f"All-Gather第1步：{_said(gather)}，收到的块覆盖自己的。",
        _ring(workers, scatter, 160, "Scatter-Reduce，第1步", "收到的块相加"),
        _ring(workers, gather, 480, "All-Gather，第1步", "收到的块覆盖"),
    )


RADIUS, NODE, WIDTH, HEIGHT = 92, 25, 640, 300


def _said(chunks: list[int]) -> str:
    return "、".join(f"节点{i}发块{chunk}" for i, chunk in enumerate(chunks))


def _ring(workers: int, chunks: list[int], x: int, title: str, note: str) -> Iterator[svg.Part]:
    y = HEIGHT / 2 + 4
    yield svg.text(x, 18, title, "title")
    yield svg.text(x, HEIGHT - 6, note, "note")
    gap = (NODE + 5) / RADIUS
    for i, chunk in enumerate(chunks):
        start, end = _angle(i, workers) + gap, _angle(i + 1, workers) - gap
        neck = end - svg.HEAD / RADIUS
        yield svg.curve(f"M{_on(x, y, start)} A{RADIUS} {RADIUS} 0 0 1 {_on(x, y, neck)}")
        tip_x, tip_y = x + RADIUS * cos(end), y + RADIUS * sin(end)
        yield svg.head(tip_x, tip_y, (neck + end) / 2 + pi / 2)
        middle = (start + end) / 2
        yield svg.text(x + (RADIUS + 26) * cos(middle), y + (RADIUS + 20) * sin(middle) + 5, f"块{chunk}")
    for i in range(workers):
        node_x, node_y = x + RADIUS * cos(_angle(i, workers)), y + RADIUS * sin(_angle(i, workers))
        yield svg.circle(node_x, node_y, NODE)
        yield svg.text(node_x, node_y + 5, f"节点{i}")


def _angle(i: int, workers: int) -> float:
    """Node 0 stands at the top; the ring runs clockwise."""
    return 2 * pi * i / workers - pi / 2


def _on(x: float, y: float, angle: float) -> str:
    return f"{x + RADIUS * cos(angle):.1f} {y + RADIUS * sin(angle):.1f}"
