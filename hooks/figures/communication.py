"""Cost of synchronising gradients: ring against star, bytes of a model, and the share of an iteration.

Sources: NCCL's doc/PERFORMANCE for the ring; the star is a root that receives from and sends to one worker at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import cos, pi, sin
from xml.etree.ElementTree import Element

from figures import svg
from figures.parameters import number, numbers, only, whole, wholes
from figures.writing import paragraphs, percent, shown, table


def ring_volume(workers: int) -> Fraction:
    """Of the gradient's size, what each worker sends (and receives): 2(N − 1)/N."""
    return Fraction(2 * (workers - 1), workers)


def star_volume(workers: int) -> Fraction:
    """Of the gradient's size, what the root receives and sends in all: 2(N − 1)."""
    return Fraction(2 * (workers - 1))


def allreduce_time(parameters: Mapping[str, str]) -> str:
    """Without latency, one transfer at a time at the root."""
    only(parameters, "megabytes", "gigabytes-per-second", "workers")
    size = number(parameters, "megabytes", 0.001, 10**7)
    speed = number(parameters, "gigabytes-per-second", 0.001, 10**5)
    once = size / speed  # MB over GB/s are milliseconds
    lines = [
        [
            str(n),
            str(2 * (n - 1)),
            f"${shown(ring_volume(n))}S$",
            f"{shown(ring_volume(n) * once, 2)}ms",
            f"{shown(star_volume(n) * once, 2)}ms",
        ]
        for n in wholes(parameters, "workers", 2, 10**5)
    ]
    return paragraphs(
        f"$S={shown(size)}$MB，链路{shown(speed)}GB/s，忽略延迟，传一遍$S$要{shown(once)}ms：",
        table(["节点数", "环的步数", "环：每节点发送", "环的时间", "星形的时间（根串行）"], lines),
        "环上每个节点的发送量趋于$2S$，星形的时间随$N$线性增长。",
    )


def gradient_traffic(parameters: Mapping[str, str]) -> str:
    only(parameters, "millions", "workers", "gigabytes-per-second")
    millions, workers = number(parameters, "millions", 0.001, 10**7), whole(parameters, "workers", 2, 10**5)
    speed = number(parameters, "gigabytes-per-second", 0.001, 10**5)
    size = millions * 4
    sent = ring_volume(workers) * size
    return paragraphs(
        f"$P={shown(millions)}$百万个参数，FP32，$N={workers}$，带宽{shown(speed)}GB/s，忽略延迟：",
        table(
            ["量", "计算", "结果"],
            [
                ["梯度", f"$M=4\\times{shown(millions)}$", f"{shown(size, 1)}MB"],
                [
                    "每个进程发送",
                    f"$V=\\frac{{2\\times{workers - 1}}}{{{workers}}}\\times{shown(size, 1)}$",
                    f"{shown(sent, 1)}MB",
                ],
                ["带宽项", f"${shown(sent, 1)}\\div{shown(speed)}$", f"{shown(sent / speed, 1)}ms"],
            ],
        ),
    )


def share(sync: Fraction, nosync: Fraction) -> Fraction:
    """Exposed communication as a share of the iteration."""
    return (sync - nosync) / sync


def communication_share(parameters: Mapping[str, str]) -> str:
    only(parameters, "sync", "nosync")
    syncs, nosyncs = numbers(parameters, "sync"), numbers(parameters, "nosync")
    if len(syncs) != len(nosyncs) or not all(0 < b <= a for a, b in zip(syncs, nosyncs, strict=True)):
        raise ValueError("'sync' and 'nosync' have as many times, each 'nosync' at most its 'sync'")
    pairs = list(zip(syncs, nosyncs, strict=True))
    same = len(pairs) > 1 and len({sync - nosync for sync, nosync in pairs}) == 1
    return paragraphs(
        "单步时间（ms），第二行的batch size加倍：" if same else "单步时间（ms）：",
        table(
            [r"正常$T_{\text{sync}}$", r"关闭同步$T_{\text{nosync}}$", "通信时间", "占比"],
            [_share(*both) for both in pairs],
        ),
        *(["通信时间没有变，计算时间变长，占比下降。"] if same else []),
    )


def _share(sync: Fraction, nosync: Fraction) -> list[str]:
    exposed, part = shown(sync - nosync), percent(share(sync, nosync))
    difference = f"${shown(sync)}-{shown(nosync)}={exposed}$"
    return [shown(sync), shown(nosync), difference, f"${exposed}/{shown(sync)}$，即{part}"]


RADIUS, NODE = 78.0, 21.0


def figure(parameters: Mapping[str, str]) -> Element:
    """The star with its root on the left, the ring on the right."""
    only(parameters, "workers")
    workers = whole(parameters, "workers", 3, 6)
    alt = (
        f"{workers}个节点的两种拓扑。星形：根节点收{workers - 1}份再发{workers - 1}份，共{2 * (workers - 1)}S，是瓶颈。"
        f"环形：每个节点只向右邻发送，共{2 * (workers - 1)}S/{workers}，没有中心。"
    )
    return svg.drawing(
        480, 270, alt,
        svg.text(120, 22, "星形：Reduce + Broadcast", "title"),
        _star(120, 136, workers),
        svg.text(120, 256, f"根节点收发共{2 * (workers - 1)}S", "note"),
        svg.text(360, 22, "环形", "title"),
        _ring(360, 136, workers),
        svg.text(360, 256, f"每个节点只发{2 * (workers - 1)}S/{workers}", "note"),
    )  # fmt: skip


def _place(x: float, y: float, i: int, workers: int) -> svg.Point:
    angle = 2 * pi * i / workers - pi / 2
    return x + RADIUS * cos(angle), y + RADIUS * sin(angle)


def _node(x: float, y: float, said: str, fill: svg.Fill = "plain") -> Iterator[svg.Part]:
    yield svg.circle(x, y, NODE, fill)
    yield svg.text(x, y + 5, said, *(("light",) if fill == "strong" else ()))


def _between(start: svg.Point, end: svg.Point, aside: float = 0) -> list[Element]:
    """An arrow from the edge of a node to the edge of another, `aside` of the line between them."""
    (x1, y1), (x2, y2) = start, end
    length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
    across, along = (x2 - x1) / length, (y2 - y1) / length
    off_x, off_y = -along * aside, across * aside
    near, far = NODE + 3, length - NODE - 3
    return svg.arrow(
        (x1 + across * near + off_x, y1 + along * near + off_y), (x1 + across * far + off_x, y1 + along * far + off_y)
    )


def _star(x: float, y: float, workers: int) -> Iterator[svg.Part]:
    for i in range(workers - 1):
        place = _place(x, y, i, workers - 1)
        yield _between(place, (x, y), 5)
        yield _between((x, y), place, 5)
        yield _node(*place, str(i + 1))
    yield _node(x, y, "根", "strong")


def _ring(x: float, y: float, workers: int) -> Iterator[svg.Part]:
    for i in range(workers):
        yield _between(_place(x, y, i, workers), _place(x, y, i + 1, workers))
        yield _node(*_place(x, y, i, workers), str(i))
