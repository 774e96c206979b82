"""The rounds of Dominant Resource Fairness, drawn as bars."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import islice
from xml.etree.ElementTree import Element

from figures import svg
from figures.drf import Cluster, Tasks, rounds, with_order

LEFT, TOP, HEIGHT, BAR, GAP = 46.0, 52.0, 150.0, 29.0, 20.0


def figure(parameters: Mapping[str, str]) -> Element:
    """For each round a bar of each user: the dominant shares after it."""
    cluster, first = with_order(parameters)
    group = BAR * len(cluster.users) + GAP
    room = int((svg.WIDEST - LEFT - GAP) / group)
    steps = list(islice(rounds(cluster, first), room + 1))
    if len(cluster.users) > 3 or not 0 < len(steps) <= room:
        raise ValueError(f"the figure has room for 3 'users' and {room} rounds; make 'totals' smaller")
    width = LEFT + GAP + group * len(steps)
    told = "；".join(
        f"第{count}轮给{cluster.users[picked]}，"
        + "、".join(f"{name}{cluster.dominant(user, tasks[user])}" for user, name in enumerate(cluster.users))
        for count, (picked, tasks) in enumerate(steps, 1)
    )
    return svg.drawing(
        max(width, 250), TOP + HEIGHT + 74, f"每轮之后各用户的主导份额。{told}。",
        svg.text(8, 24, "每轮之后的主导份额", "title", "start"),
        [_level(part, width) for part in (Fraction(0), Fraction(1, 2), Fraction(1))],
        [_group(LEFT + GAP + group * i, cluster, i + 1, *step) for i, step in enumerate(steps)],
        svg.line((LEFT, TOP), (LEFT, TOP + HEIGHT), (width - 8, TOP + HEIGHT)),
    )  # fmt: skip


def _level(part: Fraction, width: float) -> list[Element]:
    mark = svg.line((LEFT - 5, _y(part)), (LEFT, _y(part)))
    return [mark, svg.text(LEFT - 10, _y(part) + 5, str(part), "note", "end")]


def _y(part: Fraction) -> float:
    return TOP + HEIGHT * (1 - float(part))


def _group(x: float, cluster: Cluster, count: int, picked: int, tasks: Tasks) -> Iterator[svg.Part]:
    fills: tuple[svg.Fill, ...] = ("a", "c", "plain")
    for user, name in enumerate(cluster.users):
        part, middle = cluster.dominant(user, tasks[user]), x + BAR * user + BAR / 2
        yield svg.box(middle - BAR / 2 + 2, _y(part), BAR - 4, TOP + HEIGHT - _y(part), fills[user], round_=1)
        yield svg.text(middle, _y(part) - 6, str(part), "note")
        yield svg.text(middle, TOP + HEIGHT + 20, name)
    middle = x + BAR * len(cluster.users) / 2
    yield svg.text(middle, TOP + HEIGHT + 44, f"第{count}轮")
    yield svg.text(middle, TOP + HEIGHT + 64, f"给{cluster.users[picked]}", "note")
