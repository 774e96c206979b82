"""Sparsity, quantization, speedup, pipelines and budgets, against numpy, simulations and counts."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from figures import EXAMPLES, FIGURES, gradient_residual, pipeline, pruning, quantization, speedup, tuning

WEIGHTS = "0.9 -0.8 0.7 0.1; 0.05 0.02 -0.6 0.5; -0.4 0.03 0.01 -0.04; 0.55 0.06 -0.45 0.07"
MATRIX = tuple(tuple(Fraction(value) for value in row.split()) for row in WEIGHTS.split(";"))


def test_each_way_of_pruning_keeps_the_most_that_its_rule_allows() -> None:
    """Against every choice that the rule allows."""
    sizes = {(i, j): abs(value) for i, row in enumerate(MATRIX) for j, value in enumerate(row)}
    anywhere = sum(sorted(sizes.values())[-8:])
    by_row = sum(max(sum(pair) for pair in combinations([abs(v) for v in row], 2)) for row in MATRIX)
    by_column = max(sum(sizes[i, j] for i in range(4) for j in pair) for pair in combinations(range(4), 2))
    ways = (pruning.unstructured, pruning.two_of_four, pruning.structured)
    assert [pruning.magnitude(MATRIX, way(MATRIX)) for way in ways] == [anywhere, by_row, by_column]
    assert anywhere >= by_row >= by_column
    assert all(len(way(MATRIX)) == 8 for way in ways)


def test_the_pruning_of_the_notes_is_the_editor_s() -> None:
    text = EXAMPLES["pruning"]({"weights": WEIGHTS})
    assert re.findall(r"[\d.]+（[\d.]+%）", text) == ["4.9（92.8%）", "4.24（80.3%）", "3.66（69.3%）"]
    drawing = FIGURES["sparsity-patterns"]({"weights": WEIGHTS})
    assert [text.text for text in drawing.iter("text")].count("0") == 3 * 8


def test_apoz_counts_the_zeros() -> None:
    first, second = "0 2 0 0; 0 0 0 0; 0 0 3 0; 0 0 0 0", "1 0 3 4; 2 5 0 3; 0 4 2 1; 6 0 2 2"
    text = EXAMPLES["apoz"]({"first": first, "second": second})
    for channel in (first, second):
        zeros = np.mean(np.array([[float(v) for v in row.split()] for row in channel.split(";")]) == 0)
        assert f"={zeros:g}$" in text
    assert "=0.875$" in text
    assert "=0.25$" in text


@pytest.mark.parametrize("seed", range(4))
def test_no_gradient_is_lost_and_none_above_the_threshold_stays(seed: int) -> None:
    make = np.random.default_rng(seed)
    given = tuple(tuple(Fraction(int(v), 100) for v in row) for row in make.integers(-60, 61, (6, 5)))
    threshold = Fraction(1, 2)
    made = gradient_residual.rounds(given, threshold)
    for place in range(5):
        sent = sum(done.sent[place] for done in made)
        assert sent + made[-1].residual[place] == sum(row[place] for row in given)
    assert all(abs(value) < threshold for done in made for value in done.residual)
    assert all(not value or abs(value) >= threshold for done in made for value in done.sent)


def test_the_residuals_of_the_notes_are_the_editor_s() -> None:
    gradients = "0.6 0.3 -0.1 0.05; 0.1 0.3 -0.2 0.05; 0.2 0.1 -0.3 0.05"
    text = EXAMPLES["gradient-residual"]({"gradients": gradients, "threshold": "0.5"})
    for row in (
        "$[0.6, 0, 0, 0]$ | $[0, 0.3, -0.1, 0.05]$",
        "$[0, 0.6, 0, 0]$ | $[0.1, 0, -0.3, 0.1]$",
        "$[0, 0, -0.6, 0]$ | $[0.3, 0.1, 0, 0.15]$",
    ):
        assert row in text
    assert "总和$[0.9, 0.7, -0.6, 0.15]$" in text


@pytest.mark.parametrize(("low", "high"), [("-0.5", "2.05"), ("-1", "3"), ("0", "6"), ("-2", "0")])
def test_quantization_errs_by_half_a_step_at_most_and_keeps_nought(low: str, high: str) -> None:
    grid = quantization.asymmetric(Fraction(low), Fraction(high))
    assert grid.scale == (Fraction(high) - Fraction(low)) / 255
    assert grid.restored(grid.quantized(Fraction(0))) == 0
    for value in np.linspace(float(low), float(high), 97):
        exact = Fraction(float(value))
        best = min(range(256), key=lambda q: abs(grid.restored(q) - exact))
        found = grid.restored(grid.quantized(exact))
        assert abs(found - exact) == abs(grid.restored(best) - exact)  # no other whole number is nearer
        inside = grid.restored(0) <= exact <= grid.restored(255)
        assert abs(found - exact) <= grid.scale / (2 if inside else 1)
    assert grid.quantized(Fraction(10**6)) == 255
    assert grid.quantized(Fraction(-(10**6))) == 0


def test_the_quantized_numbers_of_the_notes_are_the_editor_s() -> None:
    text = EXAMPLES["quantization"]({"low": "-0.5", "high": "2.05", "values": "1.234 0"})
    assert "=0.01$" in text
    assert "=50$" in text
    assert "| 1.234 | 173 | 1.23 | -0.004 |" in text
    text = EXAMPLES["quantization"]({"low": "-1", "high": "3", "values": "0.5 -1 3"})
    assert "0.015686" in text
    for row in ("0.5 | 96 | 0.50196", "-1 | 0 | -1.00392", "3 | 255 | 2.99608"):
        assert row in text
    assert "0.5 | 21 | 0.49606" in EXAMPLES["symmetric-quantization"]({"largest": "3", "values": "0.5"})
    size = EXAMPLES["model-size"]({"millions": "25.557"})
    assert all(value in size for value in ("102.2", "25.6", "75%"))


@pytest.mark.parametrize("p", [Fraction(3, 4), Fraction(9, 10), Fraction(19, 20)])
@pytest.mark.parametrize("n", [1, 4, 8, 64, 1024])
def test_the_laws_follow_from_the_times_of_the_two_parts(p: Fraction, n: int) -> None:
    serial_run = 1 - p, p
    parallel_run = 1 - p, p / n
    assert speedup.amdahl(p, n) == sum(serial_run) / sum(parallel_run)
    assert speedup.amdahl(p, n) < speedup.limit(p)
    grown = 1 - p, p * n  # what one worker would need for the work that n do in the time 1
    assert speedup.gustafson(p, n) == sum(grown)


def test_the_speedups_of_the_notes_are_the_editor_s() -> None:
    text = EXAMPLES["speedup"]({"fractions": "0.75 0.9 0.95", "workers": "4 8 64 1024"})
    for row in (
        "| 0.75 | 4 | 2.2857 | 0.571 | 4 | 3.25 |", "| 0.9 | 8 | 4.7059 | 0.588 | 10 | 7.3 |",
        "| 0.95 | 8 | 5.9259 | 0.741 | 20 | 7.65 |", "| 0.95 | 64 | 15.4217 | 0.241 | 20 | 60.85 |",
        "| 0.95 | 1024 | 19.6357 | 0.019 | 20 | 972.85 |",
    ):  # fmt: skip
        assert row in text
    assert r"\approx5.93" in EXAMPLES["amdahl"]({"fraction": "0.95", "workers": "8"})


@pytest.mark.parametrize(("stages", "batches"), [(4, 1), (4, 4), (4, 8), (3, 5), (2, 1)])
def test_a_pipeline_runs_every_batch_through_every_stage_as_early_as_it_can(stages: int, batches: int) -> None:
    """Simulated: a stage works on a batch when it is free and the stage before has done it."""
    done = [[0] * batches for _ in range(stages)]
    for stage in range(stages):
        for batch in range(batches):
            ready = done[stage - 1][batch] if stage else 0
            free = done[stage][batch - 1] if batch else 0
            done[stage][batch] = max(ready, free) + 1
    slots = done[-1][-1]
    made = pipeline.schedule(stages, batches)
    for stage, row in enumerate(made):
        assert len(row) == slots
        assert [row.index(batch) + 1 for batch in range(batches)] == done[stage]
    idle = sum(row.count(None) for row in made)
    assert pipeline.bubble(stages, batches) == Fraction(idle, stages * slots)


def test_the_bubbles_of_the_notes_are_the_editor_s() -> None:
    text = EXAMPLES["pipeline-bubble"]({"stages": "4", "microbatches": "1 4 8 16 32"})
    assert re.findall(r"([\d.]+%) \|$", text, re.MULTILINE) == ["75%", "42.9%", "27.3%", "15.8%", "8.6%"]


def test_a_bracket_of_hyperband_is_the_one_of_nni_s_documentation() -> None:
    """R = 81, η = 3: the table of the paper, which NNI's documentation repeats."""
    wanted = {
        4: [(81, 1), (27, 3), (9, 9), (3, 27), (1, 81)],
        3: [(34, 3), (11, 9), (3, 27), (1, 81)],
        2: [(15, 9), (5, 27), (1, 81)],
        1: [(8, 27), (2, 81)],
        0: [(5, 81)],
    }
    assert {s: [(n, int(r)) for n, r in tuning.bracket(81, 3, s)] for s in range(5)} == wanted
    assert [tuning.brackets(r, 3) for r in (80, 81, 242, 243)] == [3, 4, 4, 5]


@pytest.mark.parametrize(("samples", "workers"), [(10, 4), (12, 4), (7, 3), (5, 8)])
def test_padding_and_dropping_are_what_dealing_out_gives(samples: int, workers: int) -> None:
    dealt = [*range(samples)]
    while len(dealt) % workers:
        dealt.append(len(dealt) % samples)  # from the beginning again
    padded, twice, dropped = tuning.shares(samples, workers)
    assert [len(dealt[rank::workers]) for rank in range(workers)] == [padded] * workers
    assert len(dealt) - len(set(dealt)) == twice
    assert dropped == min(len(range(rank, samples, workers)) for rank in range(workers))


def test_updates_are_counted() -> None:
    text = EXAMPLES["updates-per-epoch"]({"samples": "60000", "batches": "1 16 64 256"})
    found = [int(value.replace(",", "")) for value in re.findall(r"\$ \| ([\d,]+) \|$", text, re.MULTILINE)]
    assert found == [len(range(0, 60000, size)) for size in (1, 16, 64, 256)]
