"""Ring AllReduce: the steps of the source, against a simulation that knows nothing of how they are made."""

from __future__ import annotations

import re

import pytest

from figures import EXAMPLES, FIGURES, ring_allreduce

WORKERS = range(2, 9)


class Ring:
    """N workers, each with a vector of N chunks, in numbers of which no part adds up to the sum of all."""

    def __init__(self, workers: int) -> None:
        self.size = workers
        self.held = [[2.0**worker + chunk / 8 for chunk in range(workers)] for worker in range(workers)]
        self.whole = [sum(column) for column in zip(*self.held, strict=True)]

    def pass_on(self, chunks: list[int], add: bool) -> None:
        """All send at once: worker i its chunk `chunks[i]` to worker i + 1."""
        parcels = [self.held[worker][chunk] for worker, chunk in enumerate(chunks)]
        for worker, chunk in enumerate(chunks):
            neighbour = self.held[(worker + 1) % self.size]
            neighbour[chunk] = neighbour[chunk] + parcels[worker] if add else parcels[worker]

    def whole_chunks(self, worker: int) -> list[int]:
        pairs = enumerate(zip(self.held[worker], self.whole, strict=True))
        return [chunk for chunk, (held, whole) in pairs if held == whole]


@pytest.mark.parametrize("workers", WORKERS)
def test_every_worker_ends_with_the_full_sum(workers: int) -> None:
    ring = Ring(workers)
    steps = ring_allreduce.sent(workers)
    for chunks in steps[: workers - 1]:
        ring.pass_on(chunks, add=True)
    assert [ring.whole_chunks(worker) for worker in range(workers)] == [[(i + 1) % workers] for i in range(workers)]
    for chunks in steps[workers - 1 :]:
        ring.pass_on(chunks, add=False)
    assert all(ring.whole_chunks(worker) == [*range(workers)] for worker in range(workers))


@pytest.mark.parametrize("workers", WORKERS)
def test_each_worker_sends_one_nth_of_the_gradient_at_each_of_two_times_n_minus_one_steps(workers: int) -> None:
    steps = ring_allreduce.sent(workers)
    assert len(steps) == workers - 1 + workers - 1
    for chunks in steps:
        assert sorted(chunks) == [*range(workers)]  # one chunk of N from each worker, no two the same


def test_the_ring_of_four_is_the_one_of_the_source() -> None:
    """Gibiansky: worker n begins with chunk n, then sends the one that it has just received."""
    assert ring_allreduce.sent(4) == [
        [0, 1, 2, 3], [3, 0, 1, 2], [2, 3, 0, 1],
        [1, 2, 3, 0], [0, 1, 2, 3], [3, 0, 1, 2],
    ]  # fmt: skip


def columns(cell: str) -> list[list[str]]:
    """A matrix of the example, as what each node holds."""
    body = re.fullmatch(r"\$\\begin\{bmatrix\} (.*) \\end\{bmatrix\}\$", cell)
    assert body
    return [list(column) for column in zip(*(row.split(" & ") for row in body[1].split(r" \\ ")), strict=True)]


@pytest.mark.parametrize("workers", range(ring_allreduce.FEWEST, ring_allreduce.MOST + 1))
def test_the_example_tells_who_sends_what_and_what_each_holds(workers: int) -> None:
    text = EXAMPLES["ring-allreduce"]({"workers": str(workers)})
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.split("\n") if line.startswith("|")]
    phases = [f"SR{n}" for n in range(1, workers)] + [f"AG{n}" for n in range(1, workers)]
    assert [row[0] for row in rows[2:]] == ["开始", *phases]
    ring = Ring(workers)
    ring.held = [[(chunk + 1) * 10**worker for chunk in range(workers)] for worker in range(workers)]
    assert columns(rows[2][2]) == [[str(value) for value in map(int, held)] for held in ring.held]
    for step, row in enumerate(rows[3:]):
        chunks = [int(chunk) for chunk in row[1].split(", ")]
        ring.pass_on(chunks, add=step < workers - 1)
        shown = columns(row[2])
        assert [[int(value.strip(r"\mathbf{}")) for value in held] for held in shown] == ring.held
        for worker, held in enumerate(shown):  # the only bold number of a node is the chunk that its left one sent
            assert [chunk for chunk, value in enumerate(held) if "mathbf" in value] == [chunks[worker - 1]]
    assert f"$2(N-1)={2 * workers - 2}$步" in text
    assert rf"\frac{{2(N-1)}}{{N}}=\frac{{{2 * workers - 2}}}{{{workers}}}$倍" in text


def test_the_figure_shows_every_step_and_ends_with_whole_sums() -> None:
    drawing = FIGURES["ring-allreduce"]({"workers": "4"})
    texts = [text.text or "" for text in drawing.iter("text")]
    titles = [text for text in texts if re.fullmatch(r"(?:Scatter-Reduce|All-Gather)，第\d步", text)]
    assert titles == [f"{phase}，第{n}步" for phase in ("Scatter-Reduce", "All-Gather") for n in (1, 2, 3)]
    cells = [int(text) for text in texts if re.fullmatch("[1-4]", text)]
    nodes = 6 * 4 - 6  # the labels 1 to 3 above the columns are numbers too
    assert len(cells) == 6 * 16 + nodes
    arrows = [path for path in drawing.iter("path") if path.get("class") == "fig-head-accent"]
    assert len(arrows) == 6 * (4 + 1)  # the one that leaves at the right comes in at the left
    for step in ring_allreduce.sent(4):
        assert "、".join(f"节点{i}发块{chunk}" for i, chunk in enumerate(step)) in (drawing.get("aria-label") or "")


@pytest.mark.parametrize("workers", ["", "1", "5", "四"])
def test_a_wrong_number_of_workers_is_named(workers: str) -> None:
    for draw in (EXAMPLES["ring-allreduce"], FIGURES["ring-allreduce"]):
        with pytest.raises(ValueError, match="'workers' is a whole number from 2 to 4"):
            draw({"workers": workers})
