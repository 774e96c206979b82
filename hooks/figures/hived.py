"""HiveD's cells: machines split into halves level by level, and the virtual clusters that reserve cells of them.

Source: HiveD's README and AI-System 7.4: a machine (L4, 8 GPUs) has two sockets (L3, 4), a socket two PCIe switches
(L2, 2), a switch two GPUs (L1). A free cell is split only where no smaller one is free (buddy allocation).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from figures import svg
from figures.parameters import only, said, whole
from figures.writing import paragraphs, table

LEVELS: Mapping[str, tuple[str, int]] = {
    "L1": ("GPU", 1),
    "L2": ("PCIe交换机", 2),
    "L3": ("CPU插槽", 4),
    "L4": ("节点", 8),
}
"""Name, and how many GPUs a cell of the level has."""
SIZE = 8
"""GPUs of a machine."""


@dataclass(frozen=True)
class Cell:
    """So many GPUs of a machine from `start`."""

    machine: int
    start: int
    size: int

    @property
    def level(self) -> str:
        return next(level for level, (_, size) in LEVELS.items() if size == self.size)

    @property
    def halves(self) -> tuple[Cell, Cell]:
        half = self.size // 2
        return Cell(self.machine, self.start, half), Cell(self.machine, self.start + half, half)


@dataclass(frozen=True)
class Placement:
    """The physical cell that a tenant got, and the cells that were split for it, from the largest."""

    tenant: str
    cell: Cell
    split: tuple[Cell, ...]


def allocate(machines: int, wanted: list[tuple[str, int]]) -> list[Placement]:
    """A physical cell for each (tenant, size), the largest first. Raises ValueError where there are too few GPUs."""
    total = sum(size for _, size in wanted)
    if total > machines * SIZE:
        raise ValueError(f"'cells' ask for {total} GPUs, 'machines' have {machines * SIZE}; take out some cells")
    free = [Cell(machine, 0, SIZE) for machine in range(machines)]
    placed = []
    for tenant, size in sorted(wanted, key=lambda request: -request[1]):
        cell = min((one for one in free if one.size >= size), key=lambda one: (one.size, one.machine, one.start))
        free.remove(cell)
        split = []
        while cell.size > size:
            split.append(cell)
            cell, buddy = cell.halves
            free.append(buddy)
        placed.append(Placement(tenant, cell, tuple(split)))
    return placed


def _requests(parameters: Mapping[str, str]) -> tuple[int, list[str], list[list[str]]]:
    only(parameters, "machines", "tenants", "cells")
    machines, tenants = whole(parameters, "machines", 1, 8), said(parameters, "tenants").split()
    cells = [row.split() for row in said(parameters, "cells").split(";")]
    if len(set(tenants)) < len(tenants):
        raise ValueError("'tenants' names one twice; give each a name of its own")
    if len(cells) != len(tenants):
        count = len(tenants)
        raise ValueError(f"'tenants' names {count}, so 'cells' has {count} rows, a semicolon between them")
    for row in cells:
        for level in row:
            if level not in LEVELS:
                raise ValueError(f"'cells' knows {', '.join(LEVELS)}, not '{level}'")
    return machines, tenants, cells


def _placed(machines: int, tenants: list[str], cells: list[list[str]]) -> list[Placement]:
    wanted = [(tenant, LEVELS[level][1]) for tenant, row in zip(tenants, cells, strict=True) for level in row]
    return allocate(machines, wanted)


def example(parameters: Mapping[str, str]) -> str:
    """First the sums, then each cell in the order in which they are handed out."""
    machines, tenants, cells = _requests(parameters)
    placed = _placed(machines, tenants, cells)
    levels = "，".join(f"{level}是{name}（{size}卡）" for level, (name, size) in LEVELS.items())
    total, used = machines * SIZE, sum(one.cell.size for one in placed)
    rest = "恰好分完" if used == total else f"余{total - used}卡"
    return paragraphs(
        f"{machines}台8卡机器，共{total}块GPU；{levels}。各个VC保留的cell：",
        table(["VC", "保留的cell", "GPU数"], [_sum(*both) for both in zip(tenants, cells, strict=True)]),
        f"共{used}块，{rest}。这些cell用到时才绑定到物理cell；从大到小分，没有大小正好的空cell，才把大的对半拆开：",
        table(["cell", "分到", "拆开"], [[*_step(one)] for one in placed]),
    )


def _sum(tenant: str, row: list[str]) -> list[str]:
    sizes = [LEVELS[level][1] for level in row]
    return [tenant, " + ".join(row), f"${'+'.join(map(str, sizes))}={sum(sizes)}$" if row[1:] else str(sum(sizes))]


def _step(one: Placement) -> Iterator[str]:
    yield f"{one.tenant}的{one.cell.level}"
    yield f"机器{one.cell.machine + 1}，{_gpus(one.cell)}"
    yield "，".join(f"{cell.level}→2个{cell.halves[0].level}" for cell in one.split) or "不用拆"


def _gpus(cell: Cell) -> str:
    return f"GPU {cell.start}" + (f"–{cell.start + cell.size - 1}" if cell.size > 1 else "")


CELL, LEFT, LEVEL, MACHINE, TOP = 43.5, 118.0, 30.0, 48.0, 32.0


def figure(parameters: Mapping[str, str]) -> Element:
    """The levels of a machine above; below a row for each machine, with the cells of the virtual clusters."""
    machines, tenants, cells = _requests(parameters)
    if machines > 4 or len(tenants) > 3 or max(map(len, tenants)) > 1:
        raise ValueError("the figure has room for 4 'machines' and 3 'tenants' with names of one sign")
    placed = _placed(machines, tenants, cells)
    fills: tuple[svg.Fill, ...] = ("a", "b", "c")
    told = "；".join(f"{one.tenant}得机器{one.cell.machine + 1}的{_gpus(one.cell)}" for one in placed)
    below = TOP + LEVEL * len(LEVELS) + 46
    return svg.drawing(
        480, below + MACHINE * machines + 4,
        f"上面是一台机器的四级cell：一个节点8卡，两个CPU插槽各4卡，四个PCIe交换机各2卡，八块GPU。"
        f"下面是{machines}台机器分给虚拟集群{'、'.join(tenants)}的cell：{told}。",
        svg.text(8, 20, "一台机器的四级cell", "title", "start"),
        [_levels(row, *level) for row, level in enumerate(reversed([*LEVELS.items()]))],
        svg.text(8, below - 14, "分给各个VC的物理cell", "title", "start"),
        [_machine(below, machine, placed) for machine in range(machines)],
        [_cell(below, one, fills[tenants.index(one.tenant)]) for one in placed],
    )  # fmt: skip


def _x(gpu: int) -> float:
    """With a gap between the switches and a wider one between the sockets."""
    return LEFT + CELL * gpu + 2 * (gpu // 2) + 2 * (gpu // 4)


def _span(start: int, size: int) -> tuple[float, float]:
    """Left side and width of the GPUs from `start`."""
    return _x(start), _x(start + size - 1) + CELL - 4 - _x(start)


def _levels(row: int, level: str, cell: tuple[str, int]) -> Iterator[svg.Part]:
    name, size = cell
    y = TOP + LEVEL * row
    yield svg.text(8, y + 18, _joined(level, name), "start")
    for start in range(0, SIZE, size):
        x, width = _span(start, size)
        yield svg.labelled(x, y, width, LEVEL - 4, f"{size}卡" if size > 1 else str(start), "plain")


def _machine(top: float, machine: int, placed: list[Placement]) -> Iterator[svg.Part]:
    """Its name, and the GPUs that no cell covers."""
    y = top + MACHINE * machine
    yield svg.text(8, y + 26, f"机器{machine + 1}", "start")
    taken = [one.cell for one in placed if one.cell.machine == machine]
    for gpu in range(SIZE):
        if not any(cell.start <= gpu < cell.start + cell.size for cell in taken):
            x, width = _span(gpu, 1)
            yield svg.labelled(x, y, width, MACHINE - 6, "空", "empty")


def _cell(top: float, one: Placement, fill: svg.Fill) -> Iterator[svg.Part]:
    x, width = _span(one.cell.start, one.cell.size)
    said_ = _joined(one.tenant, one.cell.level)
    yield svg.labelled(x, top + MACHINE * one.cell.machine, width, MACHINE - 6, said_, fill)


def _joined(before: str, after: str) -> str:
    """Two names; a space stands between Latin ones only."""
    return f"{before}{' ' * (before[-1].isascii() and after[0].isascii())}{after}"
