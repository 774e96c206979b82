"""How often a matrix multiplication reads its operands, with and without tiling, and where the data lie.

Source: AI-System 4.3.3 for the count without reuse; the count that keeps a row of A is derived here. Both are simulated
by a cache in the tests.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from xml.etree.ElementTree import Element

from figures import svg
from figures.parameters import only, whole
from figures.writing import grouped, paragraphs, shown, table


@dataclass(frozen=True)
class Reads:
    """Elements that C = AB reads: A is M × K, B is K × N, a tile of the output X × Y; X = Y = 1 is untiled."""

    m: int
    n: int
    k: int
    x: int = 1
    y: int = 1

    @property
    def operands(self) -> int:
        """Of A and B alone, each tile reading all that it needs: MNK(1/X + 1/Y)."""
        return self.m * self.n * self.k // self.x + self.m * self.n * self.k // self.y

    @property
    def intensity(self) -> Fraction:
        """Floating-point operations for each element read: 2XY/(X + Y)."""
        return Fraction(2 * self.x * self.y, self.x + self.y)


def with_rows_kept(n: int) -> int:
    """Untiled, n × n, with a row of A in the cache and C read and written: n³ + 3n²."""
    return n**3 + 3 * n**2


def with_tiles_kept(n: int, b: int) -> int:
    """Tiles of b × b, C read and written once: (2n/b + 2)n²."""
    return 2 * n**3 // b + 2 * n**2


def _tile(parameters: Mapping[str, str], name: str, side: int) -> int:
    size = whole(parameters, name, 1, 4096)
    if side % size:
        raise ValueError(f"'{name}' divides the matrix's side {side}; {size} does not")
    return size


def tiling_reads(parameters: Mapping[str, str]) -> str:
    only(parameters, "n", "b")
    n = whole(parameters, "n", 2, 65536)
    b = _tile(parameters, "b", n)
    naive, tiled = Reads(n, n, n), Reads(n, n, n, b, b)
    blocks = n // b
    kept, kept_tiled, least = with_rows_kept(n), with_tiles_kept(n, b), 3 * n * n
    ratio, kept_ratio = Fraction(naive.operands, tiled.operands), Fraction(kept, kept_tiled)
    return paragraphs(
        f"$n={n}$、$b={b}$：每边$n/b={blocks}$块，共${blocks}^3={_tex(blocks**3)}$次块乘，"
        f"每次读$A$、$B$各${b}\\times{b}$，合计{grouped(2 * b * b)}个元素。",
        "口径A只计$A$、$B$，不分块时毫无复用；口径B不分块时把$A$的一行留在缓存，$C$的读写也计；"
        "下限是每个数据只读或写一次：",
        table(
            ["口径", "做法", "公式", "次数"],
            [
                ["A", "不分块", "$2n^3$", grouped(naive.operands)],
                ["", "分块", "$2n^3/b$", grouped(tiled.operands)],
                ["B", "不分块", "$n^3+3n^2$", grouped(kept)],
                ["", "分块", "$(2n/b+2)n^2$", grouped(kept_tiled)],
                ["下限", "", "$3n^2$", grouped(least)],
            ],
        ),
        f"不分块比分块：口径A是{shown(ratio, 2)}倍，口径B是{shown(kept_ratio, 2)}倍。"
        f"FP32下口径A是{_gigabytes(naive.operands)}对{_gigabytes(tiled.operands)}；"
        f"三块要放进快速存储，占$3b^2\\times4={_tex(12 * b * b)}$字节。",
    )


def _tex(value: int) -> str:
    """A whole number in a formula, where a bare comma would take a space."""
    return grouped(value).replace(",", "{,}")


def _gigabytes(elements: int) -> str:
    return f"{shown(Fraction(4 * elements, 10**9), 3)}GB"


def tiling_rectangle(parameters: Mapping[str, str]) -> str:
    only(parameters, "m", "n", "k", "x", "y")
    m, n, k = (whole(parameters, name, 1, 65536) for name in "mnk")
    x, y = _tile(parameters, "x", m), _tile(parameters, "y", n)
    naive, tiled = Reads(m, n, k), Reads(m, n, k, x, y)
    factor = shown(tiled.intensity, 2)
    return paragraphs(
        f"非方阵：$M={m}$、$N={n}$、$K={k}$，$MNK={_tex(m * n * k)}$；输出块$X\\times Y={x}\\times{y}$。",
        table(
            ["做法", "计算", "读取次数"],
            [
                ["不分块", "$2MNK$", grouped(naive.operands)],
                ["分块", f"$MNK(\\frac1{{{x}}}+\\frac1{{{y}}})$", grouped(tiled.operands)],
                ["减少", rf"$\frac{{2XY}}{{X+Y}}=\frac{{{2 * x * y}}}{{{x + y}}}$", f"{factor}倍"],
            ],
        ),
    )


def figure(parameters: Mapping[str, str]) -> Element:
    """The band of A, the band of B and the tile of C that they make."""
    only(parameters, "n", "x", "y")
    n = whole(parameters, "n", 2, 12)
    x, y = _tile(parameters, "x", n), _tile(parameters, "y", n)
    cell = 132 / n
    left, top = 12, 40
    middle, right = left + 160, left + 320
    alt = (
        f"{n}×{n}的矩阵相乘，输出C的一块{x}×{y}，由A的{x}行和B的{y}列得到。"
        f"A的元素载入一次用{y}次，B的元素载入一次用{x}次。"
    )
    return svg.drawing(
        476, 234, alt,
        _square(left, top, cell, n, (0, x), (0, n), "A"),
        svg.text(left + 146, top + 72, "×"),
        _square(middle, top, cell, n, (0, n), (0, y), "B"),
        svg.text(middle + 146, top + 72, "="),
        _square(right, top, cell, n, (0, x), (0, y), "C"),
        svg.text(left + 66, top + 156, f"{x}行", "note"),
        svg.text(left + 66, top + 178, f"载入一次，用{y}次", "note"),
        svg.text(middle + 66, top + 156, f"{y}列", "note"),
        svg.text(middle + 66, top + 178, f"载入一次，用{x}次", "note"),
        svg.text(right + 66, top + 156, f"{x}×{y}的输出块", "note"),
    )  # fmt: skip


def _square(
    x: float, y: float, cell: float, n: int, across: tuple[int, int], along: tuple[int, int], name: str
) -> list[svg.Part]:
    """A grid of n × n with the rows and columns of the tile marked."""
    marked = [
        svg.box(x + cell * j, y + cell * i, cell, cell, "b" if i in range(*across) and j in range(*along) else "plain",
                round_=0)
        for i in range(n)
        for j in range(n)
    ]  # fmt: skip
    return [svg.text(x + cell * n / 2, y - 14, name, "title"), marked]


LEVELS = (
    ("寄存器", "每个线程私有"),
    ("L1缓存、共享内存", "片上，一个SM或核心共用"),
    ("L2、L3缓存", "片上，全芯片共用"),
    ("显存、主存", "片外"),
    ("磁盘、网络", "设备之外"),
)


def memory_hierarchy(parameters: Mapping[str, str]) -> Element:
    """Levels of storage: the higher, the smaller and the faster."""
    only(parameters)
    step = 52
    alt = (
        "存储层次，自上而下容量变大、速度变慢："
        + "，".join(name for name, _ in LEVELS)
        + "。分块让数据在上面几层多用几次。"
    )
    boxes = []
    for level, (name, note) in enumerate(LEVELS):
        width = 150 + 52 * level
        fill: svg.Fill = "a" if "片上" in note or level == 0 else "plain"
        boxes.append(svg.box(190 - width / 2, 12 + step * level, width, step - 8, fill))
        boxes.append(svg.text(190, 12 + step * level + 18, name))
        boxes.append(svg.text(190, 12 + step * level + 36, note, "note"))
    return svg.drawing(
        480, 12 + step * len(LEVELS) + 6, alt, boxes,
        svg.arrow((398, 256), (398, 24)),
        svg.text(410, 40, "更快", "start"), svg.text(410, 60, "更小", "start"),
        svg.text(410, 230, "更慢", "start"), svg.text(410, 250, "更大", "start"),
    )  # fmt: skip
