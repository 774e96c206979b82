"""Ring AllReduce among N workers: which chunk travels at each step, and what each worker holds after it.

Source: A. Gibiansky, “Bringing HPC Techniques to Deep Learning” (Baidu Research, 2017): in step t of Scatter-Reduce
worker i sends chunk i − t, in step t of All-Gather chunk i + 1 − t, always to its right neighbour, modulo N.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from xml.etree.ElementTree import Element

from figures import svg
from figures.parameters import only, whole
from figures.writing import paragraphs, table

FEWEST, MOST = 2, 4
"""Workers of whom a phone can show every step."""
State = list[list[int]]
"""What worker i holds of chunk c, as `state[i][c]`."""


def sent(workers: int) -> list[list[int]]:
    """Chunk that worker `i` sends in step `t`, as `sent(workers)[t][i]`; N − 1 steps of each phase, 2(N − 1) in all."""
    steps = range(workers - 1)
    scatter = [[(i - t) % workers for i in range(workers)] for t in steps]
    gather = [[(i + 1 - t) % workers for i in range(workers)] for t in steps]
    return scatter + gather


def run(start: State) -> Iterator[State]:
    """The state after each step: received chunks are added in the first N − 1 steps and replace in the others."""
    workers = len(start)
    held = [list(chunks) for chunks in start]
    for step, chunks in enumerate(sent(workers)):
        parcels = [held[worker][chunk] for worker, chunk in enumerate(chunks)]
        for worker, chunk in enumerate(chunks):
            neighbour = held[(worker + 1) % workers]
            neighbour[chunk] = neighbour[chunk] + parcels[worker] if step < workers - 1 else parcels[worker]
        yield [list(chunks) for chunks in held]


def _workers(parameters: Mapping[str, str]) -> int:
    only(parameters, "workers")
    return whole(parameters, "workers", FEWEST, MOST)


def _phase(workers: int, step: int) -> str:
    return "Scatter-Reduce" if step < workers - 1 else "All-Gather"


def _number(workers: int, step: int) -> int:
    return step % (workers - 1) + 1


def example(parameters: Mapping[str, str]) -> str:
    """Worker i begins with (1, 2, …, N)·10ⁱ, so that every sum shows who is in it."""
    workers = _workers(parameters)
    start = [[(chunk + 1) * 10**worker for chunk in range(workers)] for worker in range(workers)]
    lines = [["开始", "", _matrix(start, None)]]
    for step, (chunks, held) in enumerate(zip(sent(workers), run(start), strict=True)):
        name = f"{'SR' if step < workers - 1 else 'AG'}{_number(workers, step)}"
        lines.append([name, ", ".join(map(str, chunks)), _matrix(held, chunks)])
    steps = len(sent(workers))
    return paragraphs(
        f"$N={workers}$，每个节点有{workers}块（块0到块{workers - 1}）。节点$i$发给节点$i+1$，最后一个发给节点0；"
        "SR是Scatter-Reduce（收到的加到自己的块上），AG是All-Gather（收到的换掉自己的块）。"
        f"发的块依次是节点0到{workers - 1}的；矩阵一列是一个节点，一行是一块，刚收到的加粗：",
        table(["步", "发的块", "之后各节点的数"], lines),
        f"共$2(N-1)={steps}$步，每步发送$\\frac{{1}}{{{workers}}}$的梯度，"
        f"每个节点共发送梯度大小的$\\frac{{2(N-1)}}{{N}}=\\frac{{{steps}}}{{{workers}}}$倍。",
    )


def _matrix(held: State, chunks: list[int] | None) -> str:
    """A column for each worker, a row for each chunk; what `chunks` brought in bold."""
    workers = range(len(held))
    received = {((worker + 1) % len(held), chunk) for worker, chunk in enumerate(chunks or [])}
    body = r" \\ ".join(
        " & ".join(
            f"\\mathbf{{{held[worker][chunk]}}}" if (worker, chunk) in received else str(held[worker][chunk])
            for worker in workers
        )
        for chunk in workers
    )
    return f"$\\begin{{bmatrix}} {body} \\end{{bmatrix}}$"


CELL, ROW, PITCH, TOP, PANEL = 32.0, 26.0, 54.0, 52.0, 240.0


def figure(parameters: Mapping[str, str]) -> Element:
    """A panel for each step: arrows carry chunks to the right; a cell tells how many workers are summed in it."""
    workers = _workers(parameters)
    ones = [[1] * workers for _ in range(workers)]
    states = list(run(ones))
    height = TOP + ROW * workers + 20
    panels = [
        _panel(PANEL * (step % 2), height * (step // 2), workers, step, chunks, held)
        for step, (chunks, held) in enumerate(zip(sent(workers), states, strict=True))
    ]
    said = "；".join(
        f"{_phase(workers, step)}第{_number(workers, step)}步，"
        + "、".join(f"节点{i}发块{chunk}" for i, chunk in enumerate(chunks))
        for step, chunks in enumerate(sent(workers))
    )
    alt = (
        f"{workers}个节点连成环，每步都向右邻发一块，最后一个节点发给节点0。{said}。"
        f"最后每个节点的每一块都含全部{workers}个节点的和。"
    )
    notes = (
        f"一列是一个节点，一行是一块，自上而下块0到块{workers - 1}",
        "箭头：这一步传的块，从右端出去的回到节点0",
        "格里的数：这一步之后，这一块已加进几个节点的值",
        f"共2(N−1)={2 * workers - 2}步，每步每个节点传梯度的1/{workers}",
    )
    foot = height * (workers - 1) + 20
    return svg.drawing(
        2 * PANEL, foot + 22 * len(notes) - 12, alt, panels,
        [svg.text(PANEL, foot + 22 * line, note, "note") for line, note in enumerate(notes)],
    )  # fmt: skip


def _panel(x: float, y: float, workers: int, step: int, chunks: list[int], held: State) -> Iterator[svg.Part]:
    fills: tuple[svg.Fill, ...] = ("plain", "a", "b", "c")
    left = x + (PANEL - PITCH * workers + PITCH - CELL) / 2
    yield svg.text(x + PANEL / 2, y + 20, f"{_phase(workers, step)}，第{_number(workers, step)}步", "title")
    for worker, row in enumerate(held):
        at = left + PITCH * worker
        yield svg.text(at + CELL / 2, y + 44, str(worker), "note")
        for chunk, count in enumerate(row):
            fill = fills[3 if count == workers else count - 1]
            yield svg.labelled(at, y + TOP + ROW * chunk, CELL, ROW, str(count), fill)
    for worker, chunk in enumerate(chunks):
        start = left + PITCH * worker + CELL
        middle = y + TOP + ROW * chunk + ROW / 2
        yield svg.arrow((start + 2, middle), (start + PITCH - CELL - 2, middle), stroke="accent")
    returned = y + TOP + ROW * chunks[-1] + ROW / 2
    yield svg.arrow((left - PITCH + CELL + 4, returned), (left - 2, returned), stroke="accent")
