"""Docker in two drawings: the layers of images and containers, and the way from a Dockerfile to a container."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from xml.etree.ElementTree import Element

from figures import svg
from figures.parameters import only

LAYERS = ("COPY：训练代码", "RUN：安装依赖", "COPY：依赖清单", "FROM：系统与Python")
"""From the top, under the instruction of the Dockerfile that made each."""


def layers(parameters: Mapping[str, str]) -> Element:
    """Two containers, each with its own writable layer, above the read-only layers of one image."""
    only(parameters)
    alt = (
        "两个容器共用一个镜像。镜像自下而上是只读的层：" + "、".join(reversed(LAYERS)) + "。"
        "每个容器在上面各有自己的可写层，删掉容器，可写层也就没有了。"
    )
    top, bottom = 104, 104 + 40 * len(LAYERS) - 6
    return svg.drawing(
        480, bottom + 12, alt,
        [_container(20 + 170 * i, "AB"[i]) for i in range(2)],
        [
            svg.labelled(20, top + 40 * i, 320, 34, f"{name}（只读）", "a" if i % 2 else "soft")
            for i, name in enumerate(LAYERS)
        ],
        svg.line((348, top), (356, top), (356, bottom), (348, bottom)),
        svg.text(366, (top + bottom) / 2 - 5, "镜像：静态、", "start"),
        svg.text(366, (top + bottom) / 2 + 17, "只读、共用", "start"),
        svg.text(366, 61, "容器：可读写", "start"),
    )  # fmt: skip


def _container(x: float, name: str) -> Iterator[svg.Part]:
    yield svg.text(x + 75, 26, f"容器{name}", "title")
    yield svg.labelled(x, 38, 150, 36, "可写层", "c")
    yield svg.line((x + 75, 76), (x + 75, 102), stroke="dashed")


def flow(parameters: Mapping[str, str]) -> Element:
    only(parameters)
    alt = (
        "Docker的流程：Dockerfile用build生成镜像，镜像用run启动容器；镜像用push上传到Registry，用pull下载。"
        "Registry里有多个仓库，每个仓库是一组带标签的镜像。"
    )
    return svg.drawing(
        480, 252, alt,
        svg.labelled(8, 30, 112, 44, "Dockerfile", "soft"),
        svg.labelled(190, 30, 100, 44, "镜像", "b"),
        svg.labelled(360, 30, 112, 44, "容器", "c"),
        svg.arrow((122, 52), (188, 52)), svg.text(154, 42, "build", "code"),
        svg.arrow((292, 52), (358, 52)), svg.text(324, 42, "run", "code"),
        svg.arrow((222, 76), (222, 128)), svg.text(214, 108, "push", "code", "end"),
        svg.arrow((258, 128), (258, 76)), svg.text(266, 108, "pull", "code", "start"),
        svg.box(90, 130, 300, 108, "plain", round_=6),
        svg.text(240, 152, "Registry（注册中心）", "title"),
        [_repository(106 + 140 * i, 164, name) for i, name in enumerate(("仓库train_dl", "仓库python"))],
    )  # fmt: skip


def _repository(x: float, y: float, name: str) -> Iterator[svg.Part]:
    yield svg.box(x, y, 128, 62, "soft")
    yield svg.text(x + 64, y + 22, name)
    yield svg.labelled(x + 8, y + 32, 52, 24, "标签1", "a")
    yield svg.labelled(x + 68, y + 32, 52, 24, "标签2", "a")
