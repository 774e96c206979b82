"""Dominant Resource Fairness: tasks are handed out one by one to the user with the least dominant share.

Source: Ghodsi et al., NSDI 2011, algorithm 1: the user is picked first, and where the next task of the one picked does
not fit, the cluster is full.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from xml.etree.ElementTree import Element

from figures import svg
from figures.parameters import matrix, numbers, one_of, only, said
from figures.writing import paragraphs, ratio, shown, table

Vector = tuple[Fraction, ...]


@dataclass(frozen=True)
class Cluster:
    """Names and totals of the resources, names of the users, and what a task of each user needs."""

    resources: tuple[str, ...]
    totals: Vector
    users: tuple[str, ...]
    demands: tuple[Vector, ...]

    def shares(self, user: int, tasks: int) -> Vector:
        """Of each resource, the share that `tasks` tasks of a user hold."""
        return tuple(tasks * need / total for need, total in zip(self.demands[user], self.totals, strict=True))

    def dominant(self, user: int, tasks: int) -> Fraction:
        return max(self.shares(user, tasks))

    def left(self, tasks: tuple[int, ...]) -> Vector:
        """What is free when the users run so many tasks."""
        return tuple(
            total - sum((n * need[j] for n, need in zip(tasks, self.demands, strict=True)), Fraction(0))
            for j, total in enumerate(self.totals)
        )

    def fits(self, user: int, tasks: tuple[int, ...]) -> bool:
        return all(need <= free for need, free in zip(self.demands[user], self.left(tasks), strict=True))


def rounds(cluster: Cluster, first: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    """User served and tasks of all after each round. Among equals `first` comes first, then the order of the users."""
    tasks = (0,) * len(cluster.users)
    while True:
        picked = picked_next(cluster, tasks, first)
        if not cluster.fits(picked, tasks):
            return
        tasks = tuple(n + (user == picked) for user, n in enumerate(tasks))
        yield picked, tasks


def picked_next(cluster: Cluster, tasks: tuple[int, ...], first: int) -> int:
    return min(range(len(tasks)), key=lambda user: (cluster.dominant(user, tasks[user]), user != first, user))


def _cluster(parameters: Mapping[str, str]) -> Cluster:
    resources, users = tuple(said(parameters, "resources").split()), tuple(said(parameters, "users").split())
    totals, demands = numbers(parameters, "totals"), matrix(parameters, "demands")
    if len(totals) != len(resources) or any(len(row) != len(resources) for row in demands):
        count = len(resources)
        raise ValueError(f"'resources' names {count}, so 'totals' and each row of 'demands' have {count} numbers")
    if len(demands) != len(users):
        raise ValueError(f"'users' names {len(users)}, so 'demands' has {len(users)} rows, a semicolon between them")
    if min(totals) <= 0 or any(max(row) <= 0 or min(row) < 0 for row in demands):
        raise ValueError("'totals' are above 0, and each user demands something")
    return Cluster(resources, totals, users, demands)


def _with_order(parameters: Mapping[str, str]) -> tuple[Cluster, int]:
    only(parameters, "resources", "totals", "users", "demands", "first")
    cluster = _cluster(parameters)
    return cluster, cluster.users.index(one_of(parameters, "first", *cluster.users))


def _bracket(values: Vector) -> str:
    return "⟨" + ", ".join(shown(value) for value in values) + "⟩"


def example(parameters: Mapping[str, str]) -> str:
    cluster, first = _with_order(parameters)
    users = cluster.users
    lines = [_line(cluster, 0, "", (0,) * len(users))]
    tasks = (0,) * len(users)
    for count, (picked, tasks) in enumerate(rounds(cluster, first), 1):
        lines.append(_line(cluster, count, users[picked], tasks))
        if count > 60:
            raise ValueError("more than 60 rounds; make 'totals' smaller or 'demands' larger")
    last = picked_next(cluster, tasks, first)
    need, free = cluster.demands[last], cluster.left(tasks)
    short = [
        f"{name}要{shown(a)}只剩{shown(b)}" for name, a, b in zip(cluster.resources, need, free, strict=True) if a > b
    ]
    needs = "，".join(f"{user}每个任务{_bracket(row)}" for user, row in zip(users, cluster.demands, strict=True))
    result = "，".join(f"{user}有{n}个任务" for user, n in zip(users, tasks, strict=True))
    head = ["轮", "分给", *(f"{user}的任务" for user in users), *(f"{user}的主导份额" for user in users), "剩余"]
    return paragraphs(
        f"总量{_bracket(cluster.totals)}（{'、'.join(cluster.resources)}），{needs}；并列时先给{users[first]}。",
        table(head, lines),
        f"下一个该给{users[last]}，但{'、'.join(short)}，放不下，停止。结果：{result}。",
    )


def _line(cluster: Cluster, count: int, served: str, tasks: tuple[int, ...]) -> list[str]:
    shares = [f"${ratio(cluster.dominant(user, n))}$" for user, n in enumerate(tasks)]
    return [str(count), served, *map(str, tasks), *shares, _bracket(cluster.left(tasks))]


def dominant_share(parameters: Mapping[str, str]) -> str:
    """One task of each user: all shares, the dominant one, and who comes first."""
    only(parameters, "resources", "totals", "users", "demands")
    cluster = _cluster(parameters)
    lines = []
    for user, name in enumerate(cluster.users):
        shares = cluster.shares(user, 1)
        top = shares.index(max(shares))
        parts = [
            f"${shown(need)}/{shown(total)}={shown(part)}$"
            for need, total, part in zip(cluster.demands[user], cluster.totals, shares, strict=True)
        ]
        lines.append([name, *parts, f"{shown(shares[top])}（{cluster.resources[top]}）"])
    order = sorted(range(len(cluster.users)), key=lambda user: cluster.dominant(user, 1))
    least = cluster.users[order[0]]
    compared = " < ".join(f"{shown(cluster.dominant(user, 1))}" for user in order)
    return paragraphs(
        f"总量{_bracket(cluster.totals)}（{'、'.join(cluster.resources)}），每个作业各运行着一个任务：",
        table(["作业", *(f"{name}份额" for name in cluster.resources), "主导份额"], lines),
        f"${compared}$，{least}的主导份额最小，下一个优先给{least}。",
    )


LEFT, TOP, HEIGHT, BAR = 48.0, 40.0, 150.0, 22.0


def figure(parameters: Mapping[str, str]) -> Element:
    """A pair of bars for each round: the dominant shares after it."""
    cluster, first = _with_order(parameters)
    if len(cluster.users) > 3:
        raise ValueError("the figure is legible with 3 'users' at most")
    steps = list(rounds(cluster, first))
    if len(steps) > 7:
        raise ValueError("the figure is legible with 7 rounds at most; make 'totals' smaller")
    fills: tuple[svg.Fill, ...] = ("a", "c", "plain")
    group = BAR * len(cluster.users) + 22
    width = max(LEFT + group * len(steps) + 16, 320)
    said_rounds = "；".join(
        f"第{count}轮给{cluster.users[picked]}，"
        + "、".join(f"{name}{cluster.dominant(user, tasks[user])}" for user, name in enumerate(cluster.users))
        for count, (picked, tasks) in enumerate(steps, 1)
    )
    bars = [
        _group(LEFT + 8 + group * (count - 1), cluster, count, picked, tasks, fills)
        for count, (picked, tasks) in enumerate(steps, 1)
    ]
    axis = [_level(part, width) for part in (Fraction(1, 3), Fraction(2, 3), Fraction(1))]
    return svg.drawing(
        width, TOP + HEIGHT + 70, f"每轮之后各用户的主导份额。{said_rounds}。",
        axis, bars,
        svg.line((LEFT, TOP), (LEFT, TOP + HEIGHT), (width - 8, TOP + HEIGHT)),
        svg.text(LEFT, 24, "主导份额", "note", "start"),
        svg.text(LEFT, TOP + HEIGHT + 60, "下面是轮次和这一轮分给谁", "note", "start"),
    )  # fmt: skip


def _level(part: Fraction, width: float) -> list[Element]:
    line = svg.line((LEFT, _y(part)), (width - 8, _y(part)), stroke="dashed")
    return [line, svg.text(LEFT - 8, _y(part) + 5, str(part), "note", "end")]


def _y(part: Fraction) -> float:
    return TOP + HEIGHT * (1 - float(part))


def _group(
    x: float, cluster: Cluster, count: int, picked: int, tasks: tuple[int, ...], fills: tuple[svg.Fill, ...]
) -> Iterator[svg.Part]:
    for user, name in enumerate(cluster.users):
        part = cluster.dominant(user, tasks[user])
        yield svg.box(x + BAR * user, _y(part), BAR - 3, TOP + HEIGHT - _y(part), fills[user], round_=1)
        yield svg.text(x + BAR * user + BAR / 2 - 1, _y(part) - 5, name, "note")
    middle = x + BAR * len(cluster.users) / 2
    yield svg.text(middle, TOP + HEIGHT + 20, str(count))
    yield svg.text(middle, TOP + HEIGHT + 38, f"→{cluster.users[picked]}", "note")
