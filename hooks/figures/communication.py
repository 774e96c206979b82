"""Cost of synchronising gradients: ring against star, bytes of a model, and the share of an iteration.

Sources: NCCL's doc/PERFORMANCE for the ring; the star is a root that receives from and sends to one worker at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import cos, pi, sin
from xml.etree.ElementTree import Element

from figures import svg
from figures.parameters import number, numbers, only, said, whole, wholes
from figures.writing import equals, paragraphs, percent, shown, table


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
            rf"$\frac{{{2 * (n - 1)}}}{{{n}}}S{equals(ring_volume(n))}S$",
            shown(ring_volume(n) * once, 2),
            shown(star_volume(n) * once, 2),
        ]
        for n in wholes(parameters, "workers", 2, 10**5)
    ]
    return paragraphs(
        f"$S={shown(size)}$MB，链路$B={shown(speed)}$GB/s，忽略延迟，传一遍$S$要$S/B{equals(once)}$ms。"
        r"环的时间$\frac{2(N-1)}{N}\cdot\frac{S}{B}$，星形由根节点串行收发，时间$2(N-1)\frac{S}{B}$。步数和发送量是环的，时间的单位是ms：",
        table(["节点数", "步数", "每节点发送", "环", "星形"], lines),
        "环上每个节点的发送量趋于$2S$，星形的时间随$N$线性增长。",
    )


BYTES = 4
"""Of a parameter in FP32."""


def gradient_traffic(parameters: Mapping[str, str]) -> str:
    only(parameters, "millions", "workers", "gigabytes-per-second")
    millions, workers = number(parameters, "millions", 0.001, 10**7), whole(parameters, "workers", 2, 10**5)
    speed = number(parameters, "gigabytes-per-second", 0.001, 10**5)
    size = millions * BYTES
    sent = ring_volume(workers) * size
    volume = rf"V=\frac{{2\times{workers - 1}}}{{{workers}}}\times{shown(size)}{equals(sent, 3)}"
    return paragraphs(
        rf"$P={shown(millions)}\times10^6$个参数，FP32每个$s={BYTES}$字节，$N={workers}$，"
        rf"带宽$\beta={shown(speed)}$GB/s，忽略延迟：",
        table(
            ["量", "计算"],
            [
                ["梯度", rf"$M=P\,s={shown(millions)}\times10^6\times{BYTES}$字节，即{shown(size)}MB"],
                ["每个进程发送", f"${volume}$MB"],
                ["带宽项", rf"$V/\beta={shown(sent, 3)}/{shown(speed)}{equals(sent / speed, 2)}$ms"],
            ],
        ),
    )


def share(sync: Fraction, nosync: Fraction) -> Fraction:
    """Exposed communication as a share of the iteration."""
    return (sync - nosync) / sync


def communication_share(parameters: Mapping[str, str]) -> str:
    """One row for each pair of times, in ms, under the names of `cases` where they are given."""
    only(parameters, "sync", "nosync", "cases")
    syncs, nosyncs = numbers(parameters, "sync"), numbers(parameters, "nosync")
    if len(syncs) != len(nosyncs) or not all(0 < b <= a for a, b in zip(syncs, nosyncs, strict=True)):
        raise ValueError("'sync' and 'nosync' have as many times, each 'nosync' at most its 'sync'")
    cases = said(parameters, "cases").split(", ") if "cases" in parameters else []
    if cases and len(cases) != len(syncs):
        raise ValueError(f"'cases' names {len(cases)} rows, 'sync' has {len(syncs)}; put ', ' between the names")
    lines = [_share(*times) for times in zip(syncs, nosyncs, strict=True)]
    return paragraphs(
        r"单步时间（ms），通信占比$\rho=\frac{T_{\text{sync}}-T_{\text{nosync}}}{T_{\text{sync}}}$：",
        table(
            [*(["情形"] if cases else []), "正常", "关闭同步", "通信", "占比"],
            [[*cases[i : i + 1], *line] for i, line in enumerate(lines)],
        ),
        *_trend(syncs, nosyncs),
    )


def _share(sync: Fraction, nosync: Fraction) -> list[str]:
    exposed = shown(sync - nosync)
    part = rf"\frac{{{exposed}}}{{{shown(sync)}}}{equals(share(sync, nosync) * 100, 1)}\%"
    return [shown(sync), shown(nosync), exposed, f"${part}$"]


def _trend(syncs: Sequence[Fraction], nosyncs: Sequence[Fraction]) -> Iterator[str]:
    """What happens to the share where communication stays the same and computation grows."""
    exposed = {sync - nosync for sync, nosync in zip(syncs, nosyncs, strict=True)}
    if len(exposed) == 1 and len(syncs) > 1 and list(nosyncs) == sorted(set(nosyncs)):
        first, last = (percent(share(syncs[i], nosyncs[i])) for i in (0, -1))
        yield f"通信时间都是{shown(exposed.pop())}ms，计算时间变长，占比由{first}降到{last}。"


RADIUS, NODE, MIDDLE = 78.0, 21.0, 142.0


def figure(parameters: Mapping[str, str]) -> Element:
    """The star with its root on the left, the ring on the right."""
    only(parameters, "workers")
    workers = whole(parameters, "workers", 3, 6)
    others, steps = workers - 1, 2 * (workers - 1)
    sent = f"{steps}S/{workers}"
    alt = (
        f"{workers}个节点的两种拓扑。星形：每个箭头传整份S，根节点收{others}份再发{others}份，共{steps}S，是瓶颈。"
        f"环形：每步各节点只向右邻发一块，大小S/{workers}，{steps}步，每个节点共发{sent}，没有中心。"
    )
    return svg.drawing(
        480, 300, alt,
        svg.text(120, 22, "星形：Reduce + Broadcast", "title"),
        _star(120, MIDDLE, workers),
        svg.text(120, 266, "每个箭头传整份S", "note"),
        svg.text(120, 288, f"根节点收{others}份、发{others}份，共{steps}S", "note"),
        svg.text(360, 22, "环形：每步都向右邻发送", "title"),
        _ring(360, MIDDLE, workers),
        svg.text(360, 266, f"每个箭头传一块S/{workers}", "note"),
        svg.text(360, 288, f"{steps}步，每个节点发{sent}", "note"),
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
