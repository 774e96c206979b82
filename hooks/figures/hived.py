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
SIZE = 8
"""GPUs of a machine."""


@dataclass(frozen=True)
class Cell:
    """So many GPUs of a machine from `start`."""

    machine: int
    start: int
    size: int


def allocate(machines: int, wanted: list[tuple[str, int]]) -> list[tuple[str, Cell]]:
    """A physical cell for each (tenant, size), the largest first. Raises ValueError where none is left."""
    free = [Cell(machine, 0, SIZE) for machine in range(machines)]
    placed = []
    for tenant, size in sorted(wanted, key=lambda request: -request[1]):
        fitting = [cell for cell in free if cell.size >= size]
        if not fitting:
            total = sum(need for _, need in wanted)
            raise ValueError(f"'cells' need {total} GPUs and more room than {machines} machines have; ask for fewer")
        cell = min(fitting, key=lambda one: (one.size, one.machine, one.start))
        free.remove(cell)
        while cell.size > size:
            half = cell.size // 2
            free.append(Cell(cell.machine, cell.start + half, half))
            cell = Cell(cell.machine, cell.start, half)
        placed.append((tenant, cell))
    return placed


def _requests(parameters: Mapping[str, str]) -> tuple[int, list[str], list[list[str]]]:
    only(parameters, "machines", "tenants", "cells")
    machines, tenants = whole(parameters, "machines", 1, 8), said(parameters, "tenants").split()
    cells = [row.split() for row in said(parameters, "cells").split(";")]
    if len(cells) != len(tenants):
        count = len(tenants)
        raise ValueError(f"'tenants' names {count}, so 'cells' has {count} rows, a semicolon between them")
    for row in cells:
        for level in row:
            if level not in LEVELS:
                raise ValueError(f"'cells' knows {', '.join(LEVELS)}, not '{level}'")
    return machines, tenants, cells


def _placed(machines: int, tenants: list[str], cells: list[list[str]]) -> list[tuple[str, Cell]]:
    wanted = [(tenant, LEVELS[level][1]) for tenant, row in zip(tenants, cells, strict=True) for level in row]
    return allocate(machines, wanted)


def example(parameters: Mapping[str, str]) -> str:
    machines, tenants, cells = _requests(parameters)
    placed = _placed(machines, tenants, cells)
    lines = []
    for tenant, row in zip(tenants, cells, strict=True):
        sizes = [LEVELS[level][1] for level in row]
        where = "；".join(
            f"机器{cell.machine + 1}的GPU {cell.start}" + (f"–{cell.start + cell.size - 1}" if cell.size > 1 else "")
            for name, cell in placed
            if name == tenant
        )
        lines.append([tenant, " + ".join(row), f"{' + '.join(map(str, sizes))} = {sum(sizes)}", where])
    total, used = machines * SIZE, sum(cell.size for _, cell in placed)
    levels = "，".join(f"{level}是{name}（{size}卡）" for level, (name, size) in LEVELS.items())
    rest = "恰好分完" if used == total else f"余{total - used}卡"
    return paragraphs(
        f"{machines}台8卡机器，共{total}块GPU；{levels}。各租户保留的cell和分到的物理cell：",
        table(["VC", "cell", "GPU数", "位置"], lines),
        f"共{used}块，{rest}；每个cell都在同一台机器的同一级拓扑之内。",
    )


CELL, TOP, LEFT = 44.0, 44.0, 84.0


def figure(parameters: Mapping[str, str]) -> Element:
    """A row of GPUs for each machine, grouped by switch and socket, with the cells of the virtual clusters."""
    machines, tenants, cells = _requests(parameters)
    if machines > 4 or len(tenants) > 3:
        raise ValueError("the figure is legible with 4 machines and 3 tenants at most")
    placed = _placed(machines, tenants, cells)
    fills: tuple[svg.Fill, ...] = ("a", "b", "c")
    said_ = "；".join(
        f"{tenant}得机器{cell.machine + 1}的GPU {cell.start}到{cell.start + cell.size - 1}" for tenant, cell in placed
    )
    return svg.drawing(
        480, TOP + 62 * machines + 34, f"{machines}台8卡机器上的cell和虚拟集群。{said_}。",
        [_machine(machine, [cell for _, cell in placed if cell.machine == machine]) for machine in range(machines)],
        [_cell(tenant, cell, fills[tenants.index(tenant)]) for tenant, cell in placed],
        svg.text(LEFT + 2 * CELL, 28, "插槽0", "note"), svg.text(LEFT + 6 * CELL + 8, 28, "插槽1", "note"),
        svg.text(8, TOP + 62 * machines + 20, "一个框是一个cell，字母是租户", "note", "start"),
    )  # fmt: skip


def _x(gpu: int) -> float:
    """With a gap between the switches and a wider one between the sockets."""
    return LEFT + CELL * gpu + 2 * (gpu // 2) + 6 * (gpu // 4)


def _machine(machine: int, taken: list[Cell]) -> Iterator[svg.Part]:
    """Its name, and the GPUs that no cell covers."""
    yield svg.text(8, TOP + 62 * machine + 27, f"机器{machine + 1}", "start")
    free = [gpu for gpu in range(SIZE) if not any(c.start <= gpu < c.start + c.size for c in taken)]
    for gpu in free:
        yield svg.labelled(_x(gpu), TOP + 62 * machine, CELL - 4, 46, str(gpu), "plain")


def _cell(tenant: str, cell: Cell, fill: svg.Fill) -> Iterator[svg.Part]:
    left, right = _x(cell.start), _x(cell.start + cell.size - 1) + CELL - 4
    yield svg.labelled(
        left, TOP + 62 * cell.machine, right - left, 46, f"{tenant}：{cell.size}卡" if cell.size > 1 else tenant, fill
    )
