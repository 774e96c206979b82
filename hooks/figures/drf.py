"""Dominant Resource Fairness: tasks are handed out one by one to the user with the least dominant share.

Source: Ghodsi et al., NSDI 2011, algorithm 1: the user is picked first, and where the next task of the one picked does
not fit, the cluster is full.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, pairwise

from figures.parameters import matrix, numbers, one_of, only, said
from figures.writing import equals, paragraphs, ratio, shown, table

Vector = tuple[Fraction, ...]
Tasks = tuple[int, ...]
"""How many tasks of each user run."""


@dataclass(frozen=True)
class Cluster:
    """Names and totals of the resources, names of the users, and what a task of each user needs."""

    resources: tuple[str, ...]
    """As in the notes, a unit behind a slash: `CPU`, `内存/GB`."""
    totals: Vector
    users: tuple[str, ...]
    demands: tuple[Vector, ...]

    def shares(self, user: int, tasks: int) -> Vector:
        """Of each resource, the share that `tasks` tasks of a user hold."""
        return tuple(tasks * need / total for need, total in zip(self.demands[user], self.totals, strict=True))

    def dominant(self, user: int, tasks: int) -> Fraction:
        return max(self.shares(user, tasks))

    def dominant_resource(self, user: int) -> str:
        shares = self.shares(user, 1)
        return self.name(shares.index(max(shares)))

    def name(self, resource: int) -> str:
        return self.resources[resource].partition("/")[0]

    def amount(self, resource: int, value: Fraction) -> str:
        return shown(value) + self.resources[resource].partition("/")[2]

    def left(self, tasks: Tasks) -> Vector:
        """What is free when the users run so many tasks."""
        return tuple(
            total - sum((n * need[j] for n, need in zip(tasks, self.demands, strict=True)), Fraction(0))
            for j, total in enumerate(self.totals)
        )

    def fits(self, user: int, tasks: Tasks) -> bool:
        """One more task of the user."""
        return all(need <= free for need, free in zip(self.demands[user], self.left(tasks), strict=True))


def rounds(cluster: Cluster, first: int, *, skipping: bool = False) -> Iterator[tuple[int, Tasks]]:
    """User served and tasks of all after each round. Among equals `first` comes first, then the order of the users.

    `skipping` is not the paper's rule: users whose next task does not fit are passed over instead of ending it.
    """
    tasks = (0,) * len(cluster.users)
    while True:
        fitting = [user for user in range(len(tasks)) if cluster.fits(user, tasks)]
        picked = picked_next(cluster, tasks, first)
        if skipping and fitting:
            picked = picked_next(cluster, tasks, first, fitting)
        if picked not in fitting:
            return
        tasks = tuple(n + (user == picked) for user, n in enumerate(tasks))
        yield picked, tasks


def picked_next(cluster: Cluster, tasks: Tasks, first: int, among: Iterable[int] | None = None) -> int:
    """The user with the least dominant share."""
    users = range(len(tasks)) if among is None else among
    return min(users, key=lambda user: (cluster.dominant(user, tasks[user]), user != first, user))


def _cluster(parameters: Mapping[str, str]) -> Cluster:
    resources, users = tuple(said(parameters, "resources").split()), tuple(said(parameters, "users").split())
    totals, demands = numbers(parameters, "totals"), matrix(parameters, "demands")
    if len(totals) != len(resources) or any(len(row) != len(resources) for row in demands):
        count = len(resources)
        raise ValueError(f"'resources' names {count}, so 'totals' and each row of 'demands' have {count} numbers")
    if len(demands) != len(users):
        raise ValueError(f"'users' names {len(users)}, so 'demands' has {len(users)} rows, a semicolon between them")
    if len(set(users)) < len(users):
        raise ValueError("'users' names one twice; give each a name of its own")
    if min(totals) <= 0 or any(max(row) <= 0 or min(row) < 0 for row in demands):
        raise ValueError("'totals' are above 0, and each row of 'demands' asks for something")
    return Cluster(resources, totals, users, demands)


def with_order(parameters: Mapping[str, str]) -> tuple[Cluster, int]:
    """The cluster of a block, and the user who comes first among equals."""
    only(parameters, "resources", "totals", "users", "demands", "first")
    cluster = _cluster(parameters)
    return cluster, cluster.users.index(one_of(parameters, "first", *cluster.users))


MOST = 40


def _played(cluster: Cluster, first: int, *, skipping: bool = False) -> list[tuple[int, Tasks]]:
    played = list(islice(rounds(cluster, first, skipping=skipping), MOST + 1))
    if len(played) > MOST:
        raise ValueError(f"more than {MOST} rounds; make 'totals' smaller or 'demands' larger")
    return played


def _bracket(values: Vector) -> str:
    return "⟨" + ", ".join(shown(value) for value in values) + "⟩"


def example(parameters: Mapping[str, str]) -> str:
    """What a task takes of each resource, then the rounds, then why they end."""
    cluster, first = with_order(parameters)
    users, start = cluster.users, (0,) * len(cluster.users)
    played = _played(cluster, first)
    head = ["轮", "分给", *(f"{user}任务" for user in users), *(f"{user}份额" for user in users), "剩余"]
    lines = [_round(cluster, count, users[picked], tasks) for count, (picked, tasks) in enumerate(played, 1)]
    return paragraphs(
        f"总量{_bracket(cluster.totals)}（{'、'.join(cluster.resources)}）。一个任务占总量的份额：",
        table(["用户", "需求", *map(cluster.name, range(len(cluster.resources))), "主导份额"], _needs(cluster)),
        f"主导份额等于任务数乘以上面一个任务的主导份额（下表的份额）。每轮给它最小的用户，并列时先给{users[first]}：",
        table(head, [_round(cluster, 0, "—", start), *lines]),
        _end(cluster, first, played[-1][1] if played else start),
    )


def _needs(cluster: Cluster) -> Iterator[list[str]]:
    for user, name in enumerate(cluster.users):
        parts = [_part(need, total) for need, total in zip(cluster.demands[user], cluster.totals, strict=True)]
        dominant = f"${ratio(cluster.dominant(user, 1))}$（{cluster.dominant_resource(user)}）"
        yield [name, _bracket(cluster.demands[user]), *parts, dominant]


def _part(need: Fraction, total: Fraction) -> str:
    """As it is read off the task, then in lowest terms: 4/18 = 2/9."""
    lowest = ratio(need / total)
    written = rf"\frac{{{shown(need)}}}{{{shown(total)}}}"
    return f"${written}$" if written == lowest else f"${written}={lowest}$"


def _round(cluster: Cluster, count: int, served: str, tasks: Tasks) -> list[str]:
    shares = [f"${ratio(cluster.dominant(user, n))}$" for user, n in enumerate(tasks)]
    return [str(count), served, *map(str, tasks), *shares, _bracket(cluster.left(tasks))]


def _end(cluster: Cluster, first: int, tasks: Tasks) -> str:
    """Whose next task does not fit, what that leaves, and what would follow if that user were passed over."""
    last = picked_next(cluster, tasks, first)
    lacks = "、".join(
        f"{cluster.name(j)}要{cluster.amount(j, need)}只剩{cluster.amount(j, free)}"
        for j, (need, free) in enumerate(zip(cluster.demands[last], cluster.left(tasks), strict=True))
        if need > free
    )
    least = [user for user, n in enumerate(tasks) if cluster.dominant(user, n) == cluster.dominant(last, tasks[last])]
    tie = "主导份额并列，按约定" if len(least) > 1 else ""
    ending = f"{tie}下一个该给{cluster.users[last]}，但{lacks}，放不下，停止。结果：{_counts(cluster, tasks)}。"
    others = [name for user, name in enumerate(cluster.users) if cluster.fits(user, tasks)]
    if not others:
        return f"{ending}此时谁的任务都放不下。"
    final = [tasks, *(after for _, after in _played(cluster, first, skipping=True))][-1]
    return (
        f"{ending}此时{'、'.join(others)}还放得下；若允许跳过放不下的用户，"
        f"会分到{_counts(cluster, final)}，剩余{_bracket(cluster.left(final))}。"
    )


def _counts(cluster: Cluster, tasks: Tasks) -> str:
    return "，".join(f"{user}有{n}个任务" for user, n in zip(cluster.users, tasks, strict=True))


def dominant_share(parameters: Mapping[str, str]) -> str:
    """One task of each user: all shares, the dominant one, and who comes first."""
    only(parameters, "resources", "totals", "users", "demands")
    cluster = _cluster(parameters)
    lines = [
        [
            name,
            *(
                rf"$\frac{{{shown(need)}}}{{{shown(total)}}}{equals(need / total)}$"
                for need, total in zip(cluster.demands[user], cluster.totals, strict=True)
            ),
            f"{shown(cluster.dominant(user, 1))}（{cluster.dominant_resource(user)}）",
        ]
        for user, name in enumerate(cluster.users)
    ]
    return paragraphs(
        f"总量{_bracket(cluster.totals)}（{'、'.join(cluster.resources)}），每个作业各运行着一个任务：",
        table(["作业", *map(cluster.name, range(len(cluster.resources))), "主导份额"], lines),
        _least(cluster),
    )


def _least(cluster: Cluster) -> str:
    order = sorted(range(len(cluster.users)), key=lambda user: cluster.dominant(user, 1))
    shares = [cluster.dominant(user, 1) for user in order]
    signs = ["", *("=" if a == b else "<" for a, b in pairwise(shares))]
    compared = "".join(sign + _exact(part) for sign, part in zip(signs, shares, strict=True))
    least = [cluster.users[user] for user, part in zip(order, shares, strict=True) if part == shares[0]]
    if len(least) > 1:
        return f"${compared}$，{'和'.join(least)}并列最小，下一个给谁要先约定。"
    return f"${compared}$，{least[0]}的主导份额最小，下一个优先给{least[0]}。"


def _exact(part: Fraction) -> str:
    return shown(part) if Fraction(shown(part)) == part else ratio(part)
