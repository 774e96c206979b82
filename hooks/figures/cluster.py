"""Jobs in a cluster: their life, the components of Kubernetes, and what preemption loses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from xml.etree.ElementTree import Element

from figures import svg
from figures.parameters import only, whole
from figures.writing import paragraphs


def job_life(parameters: Mapping[str, str]) -> Element:
    only(parameters)
    alt = "作业的生命周期：提交与排队，资源分配与调度，执行，完成后释放资源。执行失败而没有超过重试次数时，回到排队。"
    names = ("提交排队", "分配调度", "执行", "释放资源")
    fills: tuple[svg.Fill, ...] = ("soft", "a", "b", "soft")
    starts, width = (8.0, 124.0, 240.0, 388.0), 84.0
    first, running = starts[0] + width / 2, starts[2] + width / 2
    return svg.drawing(
        480, 142, alt,
        [svg.labelled(x, 12, width, 46, name, fill) for x, name, fill in zip(starts, names, fills, strict=True)],
        [svg.arrow((x + width + 2, 35), (after - 2, 35)) for x, after in pairwise(starts)],
        svg.text((starts[2] + width + starts[3]) / 2 - 3, 26, "完成", "note"),
        svg.arrow((running, 60), (running, 100), (first, 100), (first, 61), stroke="dashed"),
        svg.text((first + running) / 2, 124, "失败，未超过重试次数：重新排队", "note"),
    )  # fmt: skip


CONTROL = (
    ("kube-apiserver", "API，集群的入口"),
    ("etcd", "键值存储，集群状态"),
    ("kube-scheduler", "为新Pod选节点"),
    ("kube-controller-manager", "维持期望状态"),
)
NODE = (
    ("kubelet", "保证Pod中的容器运行"),
    ("kube-proxy", "维护网络规则（可选）"),
    ("容器运行时", "经CRI，如containerd"),
    ("device plugin", "上报GPU"),
)
WIDTH, STEP = 216.0, 54.0


def kubernetes(parameters: Mapping[str, str]) -> Element:
    """The control plane on the left, a worker on the right, the dev-box outside the cluster."""
    only(parameters)
    alt = (
        "Kubernetes的组件。控制平面（master）：" + "；".join(f"{name}，{does}" for name, does in CONTROL)
        + "。工作节点（worker）：" + "；".join(f"{name}，{does}" for name, does in NODE)
        + "。工作节点的kubelet与kube-apiserver互相通信。dev-box在集群之外，用来部署和管理。"
    )  # fmt: skip
    left, right = 4.0, 476.0 - WIDTH
    bottom = 36 + STEP * len(CONTROL) + 10
    return svg.drawing(
        480, bottom + 76, alt,
        _column(left, "控制平面（master）", CONTROL, "a"),
        _column(right, "工作节点（worker）", NODE, "soft"),
        svg.arrow((right - 3, 64), (left + WIDTH + 3, 64)),
        svg.arrow((left + WIDTH + 3, 76), (right - 3, 76)),
        svg.arrow((left + 60, bottom + 36), (left + 60, bottom + 3)),
        svg.labelled(left, bottom + 38, 120, 34, "dev-box"),
        svg.text(left + 132, bottom + 60, "在集群之外，用来部署和管理", "note", "start"),
    )  # fmt: skip


def _column(x: float, title: str, components: tuple[tuple[str, str], ...], fill: svg.Fill) -> Iterator[svg.Part]:
    yield svg.text(x + WIDTH / 2, 24, title, "title")
    yield svg.box(x, 36, WIDTH, STEP * len(components) + 10, "plain", round_=6)
    for i, (name, does) in enumerate(components):
        y = 45 + STEP * i
        yield svg.box(x + 8, y, WIDTH - 16, STEP - 8, fill)
        yield svg.text(x + WIDTH / 2, y + 19, name)
        yield svg.text(x + WIDTH / 2, y + 37, does, "note")


def lost(interval: int, preempted: int) -> tuple[int, int]:
    """Minute of the last checkpoint, and minutes of work lost since; checkpoints at every multiple of `interval`."""
    last = preempted // interval * interval
    return last, preempted - last


def _times(parameters: Mapping[str, str]) -> tuple[int, int]:
    only(parameters, "interval", "preempted")
    return whole(parameters, "interval", 1, 10**5), whole(parameters, "preempted", 1, 10**6)


def checkpoint(parameters: Mapping[str, str]) -> str:
    interval, preempted = _times(parameters)
    last, work = lost(interval, preempted)
    given = f"每{interval}分钟存一次检查点，运行到第{preempted}分钟被抢占。"
    if not last:
        return f"{given}这时还没有检查点，只能从头开始，丢失{preempted}分钟。"
    count = rf"\left\lfloor\frac{{{preempted}}}{{{interval}}}\right\rfloor"
    return paragraphs(
        f"{given}已存的检查点有${count}={last // interval}$个，最近的在第"
        rf"${last // interval}\times{interval}={last}$分钟，从这里恢复：",
        f"保留{last}分钟，丢失${preempted}-{last}={work}$分钟；没有检查点就要从头开始，{preempted}分钟全部丢失。",
    )


LEFT, RIGHT, BAR, HEIGHT, MOST = 20.0, 460.0, 62.0, 30.0, 8


def checkpoint_figure(parameters: Mapping[str, str]) -> Element:
    interval, preempted = _times(parameters)
    last, work = lost(interval, preempted)
    if preempted // interval > MOST:
        raise ValueError(f"the figure has room for {MOST} checkpoints; make 'interval' larger or 'preempted' smaller")

    def at(minute: int) -> float:
        return LEFT + minute / preempted * (RIGHT - LEFT)

    saved = list(range(interval, last + 1, interval))
    told = f"在第{'、'.join(map(str, saved))}分钟存了检查点" if saved else "还没有检查点"
    alt = f"时间线：{told}，第{preempted}分钟被抢占，回到第{last}分钟，丢失{work}分钟。"
    back = BAR + HEIGHT + 26
    return svg.drawing(
        480, back + 46, alt,
        svg.text(LEFT, 20, f"检查点（每{interval}分钟）", "title", "start"),
        [_mark(at(minute), str(minute)) for minute in saved],
        [svg.labelled(at(0), BAR, at(last) - at(0), HEIGHT, f"保留{last}分钟", "b")] if last else [],
        [svg.box(at(last), BAR, at(preempted) - at(last), HEIGHT, "empty")] if work else [],
        [svg.arrow((RIGHT, BAR + HEIGHT + 3), (RIGHT, back), (at(last), back), (at(last), BAR + HEIGHT + 3))]
        if work else [],
        svg.text(RIGHT, back + 20, f"第{preempted}分钟被抢占：回到第{last}分钟，丢失{work}分钟", "note", "end"),
        svg.text(RIGHT, back + 40, "虚线框：要重新训练的部分", "note", "end") if work else [],
    )  # fmt: skip


def _mark(x: float, minute: str) -> Iterator[svg.Part]:
    yield svg.line((x, BAR - 9), (x, BAR - 1), stroke="strong")
    yield svg.text(x, BAR - 14, minute, "note")
