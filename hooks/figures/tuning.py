"""Budgets: the rounds of a Hyperband bracket, updates an epoch, and the samples that each process gets.

Sources: Li et al., Hyperband (arXiv:1603.06560), with the table of NNI's documentation; PyTorch's DistributedSampler.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from figures.parameters import only, whole, wholes
from figures.writing import grouped, paragraphs, shown, table


def brackets(resource: int, eta: int) -> int:
    """s_max = ⌊log_η R⌋, in whole numbers."""
    most = 0
    while eta ** (most + 1) <= resource:
        most += 1
    return most


def bracket(resource: int, eta: int, number: int) -> list[tuple[int, Fraction]]:
    """Configurations and resource for each of them in every round of a bracket."""
    most = brackets(resource, eta)
    count = -(-(most + 1) * eta**number // (number + 1))
    first = Fraction(resource, eta**number)
    return [(count // eta**i, first * eta**i) for i in range(number + 1)]


def hyperband(parameters: Mapping[str, str]) -> str:
    only(parameters, "resource", "eta", "bracket")
    resource, eta = whole(parameters, "resource", 1, 10**6), whole(parameters, "eta", 2, 10)
    most = brackets(resource, eta)
    number = whole(parameters, "bracket", 0, most)
    rounds = bracket(resource, eta, number)
    start = rf"\left\lceil\frac{{{most}+1}}{{{number}+1}}\times{eta}^{{{number}}}\right\rceil"
    return paragraphs(
        rf"$R={resource}$、$\eta={eta}$，$s_{{\max}}=\lfloor\log_{{{eta}}}{resource}\rfloor={most}$。取$s={number}$："
        rf"$n={start}={rounds[0][0]}$，$r={resource}/{eta}^{{{number}}}={shown(rounds[0][1])}$。",
        table(
            ["轮$i$", r"配置数$\lfloor n/\eta^i\rfloor$", r"每个配置的资源$r\eta^i$"],
            [[str(i), str(n), shown(r)] for i, (n, r) in enumerate(rounds)],
        ),
        f"每轮留下约$1/{eta}$的配置，资源乘{eta}。",
    )


def updates(parameters: Mapping[str, str]) -> str:
    only(parameters, "samples", "batches")
    samples, batches = whole(parameters, "samples", 1, 10**9), wholes(parameters, "batches", 1, 10**9)
    lines = [[str(size), f"$\\lceil{samples}/{size}\\rceil$", grouped(-(-samples // size))] for size in batches]
    return paragraphs(
        f"{grouped(samples)}个样本，一个epoch的更新次数：", table(["batch size", "计算", "更新次数"], lines)
    )


def shares(samples: int, workers: int) -> tuple[int, int, int]:
    """Samples of each process when padded, samples that stand twice then, and samples of each when the tail goes."""
    padded = -(-samples // workers)
    return padded, workers * padded - samples, samples // workers


def sampler(parameters: Mapping[str, str]) -> str:
    only(parameters, "samples", "workers")
    samples, workers = whole(parameters, "samples", 1, 10**9), whole(parameters, "workers", 1, 10**5)
    padded, twice, dropped = shares(samples, workers)
    return paragraphs(
        f"{samples}个样本，{workers}个进程：",
        table(
            ["做法", "每个进程", "合计", "差别"],
            [
                [
                    "默认（补齐）",
                    f"$\\lceil{samples}/{workers}\\rceil={padded}$",
                    f"${workers}\\times{padded}={workers * padded}$",
                    f"重复{twice}个",
                ],
                [
                    "`drop_last=True`",
                    f"$\\lfloor{samples}/{workers}\\rfloor={dropped}$",
                    f"${workers}\\times{dropped}={workers * dropped}$",
                    f"丢掉{samples - workers * dropped}个",
                ],
            ],
        ),
    )
