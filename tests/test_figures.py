"""The worked examples and figures: their numbers against a simulation that knows nothing of how they are made."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from xml.etree.ElementTree import Element

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
    assert sorted(chunk for worker in range(workers) for chunk in ring.whole_chunks(worker)) == [*range(workers)]
    for chunks in steps[workers - 1 :]:
        ring.pass_on(chunks, add=False)
    assert all(ring.whole_chunks(worker) == [*range(workers)] for worker in range(workers))


@pytest.mark.parametrize("workers", WORKERS)
def test_each_worker_sends_one_nth_of_the_gradient_at_each_of_two_times_n_minus_one_steps(workers: int) -> None:
    steps = ring_allreduce.sent(workers)
    assert len(steps) == workers - 1 + workers - 1
    for chunks in steps:
        assert sorted(chunks) == [*range(workers)]  # one chunk of N from each worker, no two the same


@pytest.mark.parametrize("workers", WORKERS)
def test_the_example_tells_the_steps_and_the_traffic(workers: int) -> None:
    text = EXAMPLES["ring-allreduce"]({"workers": str(workers)})
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.split("\n") if line.startswith("|")]
    phases = ["Scatter-Reduce"] * (workers - 1) + ["All-Gather"] * (workers - 1)
    assert [row[:2] for row in rows[2:]] == [[phase, str(step)] for step, phase in enumerate(phases, 1)]
    assert all(len(row) == workers + 2 for row in rows)
    assert [[int(cell.removeprefix("块")) for cell in row[2:]] for row in rows[2:]] == ring_allreduce.sent(workers)
    assert f"$2(N-1)={2 * workers - 2}$步" in text
    assert rf"\frac{{2(N-1)}}{{N}}=\frac{{{2 * workers - 2}}}{{{workers}}}$倍" in text


def test_the_ring_of_four_is_the_one_of_the_source() -> None:
    """Gibiansky: worker n begins with chunk n, then sends the one that it has just received."""
    assert ring_allreduce.sent(4) == [
        [0, 1, 2, 3], [3, 0, 1, 2], [2, 3, 0, 1],
        [1, 2, 3, 0], [0, 1, 2, 3], [3, 0, 1, 2],
    ]  # fmt: skip


@pytest.mark.parametrize("workers", WORKERS)
def test_the_figure_shows_each_worker_and_each_first_chunk_in_both_phases(workers: int) -> None:
    svg = FIGURES["ring-allreduce"]({"workers": str(workers)})
    texts = [text.text or "" for text in svg.iter("text")]
    for sign in ("节点", "块"):
        named = sorted(text for text in texts if re.fullmatch(rf"{sign}\d", text))
        assert named == sorted(2 * [f"{sign}{number}" for number in range(workers)])
    assert svg.get("role") == "img"
    steps = ring_allreduce.sent(workers)
    for worker in range(workers):
        for step in (steps[0], steps[workers - 1]):
            assert f"节点{worker}发块{step[worker]}" in (svg.get("aria-label") or "")


@pytest.mark.parametrize("workers", WORKERS)
def test_nothing_of_the_figure_leaves_its_box_and_nothing_in_it_needs_an_id(workers: int) -> None:
    """An id would stand twice on a page with two figures, and the cheat sheet takes ids away."""
    svg = FIGURES["ring-allreduce"]({"workers": str(workers)})
    width, height = (float(side) for side in (svg.get("viewBox") or "").split()[2:])
    for element in svg.iter():
        x, y = (float(element.get(f"c{axis}") or element.get(axis) or 1) for axis in "xy")
        r = float(element.get("r", 0))
        assert x - r >= 0
        assert x + r <= width
        assert y - r >= 0
        assert y + r <= height
        assert element.get("id") is None
        assert not any("url(" in value for value in element.attrib.values())


@pytest.mark.parametrize("draw", [EXAMPLES["ring-allreduce"], FIGURES["ring-allreduce"]], ids=["example", "figure"])
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, "'workers' is a whole number from 2 to 8$"),
        ({"workers": "1"}, "'workers' is a whole number from 2 to 8, not '1'"),
        ({"workers": "9"}, "'workers' is a whole number from 2 to 8, not '9'"),
        ({"workers": "四"}, "'workers' is a whole number from 2 to 8, not '四'"),
        ({"workers": "-3"}, "'workers' is a whole number from 2 to 8, not '-3'"),
        ({"workers": "4.0"}, "'workers' is a whole number from 2 to 8, not '4.0'"),
        ({"workers": "4", "nodes": "4"}, "unknown parameter 'nodes'; known are workers"),
    ],
)
def test_a_wrong_parameter_is_named(
    draw: Callable[[Mapping[str, str]], str | Element], parameters: Mapping[str, str], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        draw(parameters)
