"""Jobs in a cluster: their life, the components of Kubernetes, and what preemption loses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from xml.etree.ElementTree import Element

from figures import svg
from figures.parameters import only, whole


def job_life(parameters: Mapping[str, str]) -> Element:
    only(parameters)
    alt = "作业的生命周期：提交与排队，资源分配与调度，执行，完成后释放资源。执行失败而没有超过重试次数时，回到排队。"
    names = ("提交排队", "分配调度", "执行", "释放资源")
    fills: tuple[svg.Fill, ...] = ("soft", "a", "b", "soft")
    width, gap = 92.0, 34.0
    starts = [8 + (width + gap) * i for i in range(len(names))]
    return svg.drawing(
        480, 150, alt,
        [svg.labelled(x, 24, width, 44, name, fill) for x, name, fill in zip(starts, names, fills, strict=True)],
        [svg.arrow((x + width + 2, 46), (x + width + gap - 2, 46)) for x in starts[:-1]],
        svg.text(starts[2] + width + gap / 2, 34, "完成", "note"),
        svg.arrow((starts[2] + width / 2, 70), (starts[2] + width / 2, 112), (starts[0] + width / 2, 112),
                  (starts[0] + width / 2, 72), stroke="dashed"),
        svg.text((starts[0] + starts[2] + width) / 2, 134, "失败，未超过重试次数", "note"),
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


def kubernetes(parameters: Mapping[str, str]) -> Element:
    """The control plane on the left, a worker on the right, the dev-box outside the cluster."""
    only(parameters)
    alt = (
        "Kubernetes的组件。控制平面（master）：" + "；".join(f"{name}，{does}" for name, does in CONTROL)
        + "。工作节点（worker）：" + "；".join(f"{name}，{does}" for name, does in NODE)
        + "。dev-box在集群之外，用来部署和管理。"
    )  # fmt: skip
    return svg.drawing(
        480, 318, alt,
        _column(8, "控制平面（master）", CONTROL, "a"),
        _column(248, "工作节点（worker）", NODE, "soft"),
        svg.arrow((246, 80), (234, 80)),
        svg.arrow((234, 92), (246, 92)),
        svg.labelled(8, 278, 120, 32, "dev-box"),
        svg.text(138, 299, "在集群之外，用来部署和管理", "note", "start"),
    )  # fmt: skip


def _column(x: float, title: str, components: tuple[tuple[str, str], ...], fill: svg.Fill) -> Iterator[svg.Part]:
    yield svg.text(x + 112, 24, title, "title")
    yield svg.box(x, 36, 224, 228, "plain", round_=6)
    for i, (name, does) in enumerate(components):
        y = 46 + 54 * i
        yield svg.box(x + 10, y, 204, 46, fill)
        yield svg.text(x + 112, y + 19, name)
        yield svg.text(x + 112, y + 37, does, "note")


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
    return (
        f"每{interval}分钟存一次检查点，运行到第{preempted}分钟被抢占："
        f"最近的检查点在第$\\lfloor{preempted}/{interval}\\rfloor\\times{interval}={last}$分钟，"
        f"丢失${preempted}-{last}={work}$分钟。"
    )


LEFT, RIGHT, LINE = 24.0, 456.0, 74.0


def checkpoint_figure(parameters: Mapping[str, str]) -> Element:
    interval, preempted = _times(parameters)
    last, work = lost(interval, preempted)
    if preempted // interval > 6:
        raise ValueError("the figure is legible with 6 checkpoints at most; make 'interval' larger")

    def at(minute: float) -> float:
        return LEFT + minute / preempted * (RIGHT - LEFT - 20)

    points = list(range(interval, last + 1, interval))
    alt = (
        f"时间线：每{interval}分钟存一次检查点，在{'、'.join(map(str, points)) or '抢占之前没有'}分钟；"
        f"第{preempted}分钟被抢占，回到第{last}分钟，丢失{work}分钟。"
    )
    return svg.drawing(
        480, 152, alt,
        svg.box(at(0), LINE - 14, at(last) - at(0), 28, "b", round_=0),
        svg.box(at(last), LINE - 14, at(preempted) - at(last), 28, "empty", round_=0),
        svg.text((at(0) + at(last)) / 2, LINE + 5, "保留" if last else ""),
        svg.text((at(last) + at(preempted)) / 2, LINE + 5, f"丢失{work}分钟"),
        [
            [svg.line((at(minute), LINE - 26), (at(minute), LINE - 14), stroke="strong"),
             svg.text(at(minute), LINE - 32, f"检查点{minute}", "note")]
            for minute in points
        ],
        svg.line((at(preempted), LINE - 26), (at(preempted), LINE - 14), stroke="strong"),
        svg.text(at(preempted) + 20, LINE - 32, f"抢占{preempted}", "note", "end"),
        svg.arrow((at(preempted), LINE + 20), (at(preempted), LINE + 46), (at(last), LINE + 46), (at(last), LINE + 20)),
        svg.text((at(last) + at(preempted)) / 2, LINE + 66, "从最近的检查点重启", "note"),
    )  # fmt: skip
