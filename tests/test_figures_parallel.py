"""Sparsity, quantization, speedup, pipelines and budgets, against numpy, simulations and counts."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

import legible
from figures import EXAMPLES, FIGURES, gradient_residual, parallelism, pipeline, pruning, quantization, speedup, tuning

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
    for line, kept in zip(text.split("\n")[4:7], ("4.9", "4.24", "3.66"), strict=True):
        added = re.search(r"\$([\d.+]+)\$ \|$", line)
        assert added
        assert sum(map(Fraction, added[1].split("+"))) == Fraction(kept)
    assert "第1、3列" in text
    said = [text.text for text in FIGURES["sparsity-patterns"]({"weights": WEIGHTS}).iter("text")]
    assert said.count("0") == 3 * 8
    shares = ["5.28（100%）", "4.9（92.8%）", "4.24（80.3%）", "3.66（69.3%）"]
    assert [text for text in said if text and text.startswith("幅值")] == [f"幅值{share}" for share in shares]


def test_apoz_counts_the_zeros() -> None:
    first, second = "0 2 0 0; 0 0 0 0; 0 0 3 0; 0 0 0 0", "1 0 3 4; 2 5 0 3; 0 4 2 1; 6 0 2 2"
    text = EXAMPLES["apoz"]({"first": first, "second": second})
    for channel in (first, second):
        zeros = np.mean(np.array([[float(v) for v in row.split()] for row in channel.split(";")]) == 0)
        assert f"={zeros:g}$" in text
    assert "=0.875$" in text
    assert "=0.25$" in text
    assert text.endswith("通道1的APoZ高，优先剪掉。")
    assert EXAMPLES["apoz"]({"first": second, "second": first}).endswith("通道2的APoZ高，优先剪掉。")
    assert EXAMPLES["apoz"]({"first": first, "second": first}).endswith("两个通道的APoZ相同，只凭它分不出先后。")


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
    assert "| 1.234 | 123.4 | 173 | 1.23 | -0.004 |" in text
    text = EXAMPLES["quantization"]({"low": "-1", "high": "3", "values": "0.5 -1 3"})
    assert "0.015686" in text
    for row in ("0.5 | 31.875 | 96 | 0.50196", "-1 | -63.75 | 0 | -1.00392", "3 | 191.25 | 255 | 2.99608"):
        assert row in text
    assert "0.5 | 21.167 | 21 | 0.49606" in EXAMPLES["symmetric-quantization"]({"largest": "3", "values": "0.5"})
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
        "| 0.75 | 4 | 2.2857 | 0.571 | 3.25 | 4 |", "| 0.9 | 8 | 4.7059 | 0.588 | 7.3 | 10 |",
        "| 0.95 | 8 | 5.9259 | 0.741 | 7.65 | 20 |", "| 0.95 | 64 | 15.4217 | 0.241 | 60.85 | 20 |",
        "| 0.95 | 1024 | 19.6357 | 0.019 | 972.85 | 20 |",
    ):  # fmt: skip
        assert row in text
    assert r"\approx5.93" in EXAMPLES["amdahl"]({"fraction": "0.95", "workers": "8"})


def test_each_curve_of_the_speedup_ends_at_its_value_and_bears_its_name() -> None:
    drawing = FIGURES["speedup-curves"]({"fractions": "0.9 0.95"})
    said = {text.text or "": float(text.get("y", 0)) for text in drawing.iter("text") if text.get("class")}
    ticks = {}
    for text in drawing.iter("text"):
        if text.get("class") == "fig-note fig-end" and (text.text or "").isdecimal():
            ticks[int(text.text or "")] = float(text.get("y", 0)) - 5  # the baseline is 5 below the middle
    scale = (ticks[1] - ticks[1024]) / 10

    def height(value: float) -> float:
        return ticks[1] - float(np.log2(value)) * scale

    paths = [path for path in drawing.iter("path") if "fig-line-" in (path.get("class") or "")]
    ends = [[float(v) for v in re.findall(r"[\d.]+", path.get("d", ""))[-2:]] for path in paths]
    for p, end in (("0.9", ends[0]), ("0.95", ends[2])):
        assert end[1] == pytest.approx(height(1 / (1 - float(p) + float(p) / 1024)), abs=0.1)
        assert said[f"p={p}"] == pytest.approx(end[1] + 5, abs=0.2)
    for bound, end in (("10", ends[1]), ("20", ends[3])):
        assert end[1] == pytest.approx(height(float(bound)), abs=0.1)
        assert 0 < end[1] - said[f"上限{bound}"] < 12
    assert ends[4][1] == pytest.approx(height(0.05 + 0.95 * 1024), abs=0.1)


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


@pytest.mark.parametrize(("stages", "batches"), [(4, 1), (4, 4), (3, 5), (2, 2)])
def test_the_backward_pass_starts_at_the_end_and_is_as_early_as_it_can_be(stages: int, batches: int) -> None:
    """Simulated: the last micro-batch first, each stage after the next one has handed back its gradient."""
    done = {(stages, batch): 0 for batch in range(batches)}
    for stage in reversed(range(stages)):
        free = 0
        for batch in reversed(range(batches)):
            free = done[stage, batch] = max(free, done[stage + 1, batch]) + 1
    made = pipeline.backward(stages, batches)
    for stage, row in enumerate(made):
        assert [row.index(batch) + 1 for batch in range(batches)] == [done[stage, batch] for batch in range(batches)]
        assert len(row) == max(done.values())
    idle = sum(row.count(None) for row in made)
    assert pipeline.bubble(stages, batches) == Fraction(idle, stages * max(done.values()))


def test_the_figure_of_the_pipeline_shows_both_passes() -> None:
    drawing = FIGURES["pipeline"]({"stages": "4", "microbatches": "4"})
    said = [text.text or "" for text in drawing.iter("text")]
    rows: dict[float, list[tuple[float, str]]] = {}
    for text in drawing.iter("text"):
        if re.fullmatch(r"[FB]\d?", text.text or ""):
            rows.setdefault(float(text.get("y", 0)), []).append((float(text.get("x", 0)), text.text or ""))
    order = ["".join(said for _, said in sorted(row)) for _, row in sorted(rows.items())]
    assert order == ["FB"] * 4 + ["F0F1F2F3B3B2B1B0"] * 4
    whole, split = (sorted(rows)[:4], sorted(rows)[4:])
    for stages in (whole, split):  # one after another forwards, the other way round backwards
        firsts = [min(rows[y])[0] for y in stages]
        lasts = [max(rows[y])[0] for y in stages]
        assert firsts == sorted(firsts)
        assert lasts == sorted(lasts, reverse=True)
        assert len({*firsts}) == len({*lasts}) == 4
    bubbles = [box for box in drawing.iter("rect") if box.get("class") == "fig-empty"]
    assert len(bubbles) == 2 * 4 * 3 + 2 * 4 * 3  # K − 1 slots of every stage, in each pass, however many M
    assert any("3/7≈42.9%" in text for text in said)
    assert "共14个时隙" in (drawing.get("aria-label") or "")


@pytest.mark.parametrize("lead", [0, 1, 2, None])
def test_a_worker_leads_by_no_more_than_its_bound_and_never_waits_without_need(lead: int | None) -> None:
    """At every moment the round of each worker, counted from its bars alone."""
    made = parallelism.timeline(lead)
    most = 0
    for moment in (step / 2 for step in range(int(2 * parallelism.SPAN))):
        working = [sum(round_.start <= moment for round_ in rounds) for rounds in made]
        ended = [sum(round_.end is not None and round_.end <= moment for round_ in rounds) for rounds in made]
        most = max(most, max(working) - min(ended) - 1)  # the slowest works on the round after those it has ended
        for rounds, begun in zip(made, working, strict=True):
            waits = begun < len(rounds) and rounds[begun].free <= moment < rounds[begun].start
            assert not waits or (lead is not None and begun - min(ended) > lead)
    free = max(len(rounds) for rounds in parallelism.timeline(None)) - 3
    assert most == (free if lead is None else min(lead, free))
    for worker, rounds in enumerate(made):
        for number, round_ in enumerate(rounds):
            assert round_.end is None or round_.end - round_.start == parallelism.WORK[worker][number % 3]
            assert number == 0 or round_.free == rounds[number - 1].end


def test_the_rounds_that_the_figure_of_the_clocks_tells_are_those_it_draws() -> None:
    drawing = FIGURES["synchronisation"]({})
    bars = [box for box in drawing.iter("rect") if box.get("class") in ("fig-a", "fig-b")]
    told = re.findall(r"(?:BSP|ASP|SSP)(\d)、(\d)、(\d)轮", drawing.get("aria-label") or "")
    rows = sorted({float(bar.get("y", 0)) for bar in bars})
    drawn = [sum(float(bar.get("y", 0)) == row for bar in bars) for row in rows]
    assert drawn == [int(count) for way in told for count in way]
    assert len(drawn) == 9


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


OTHERS = [
    *(("quantization-line", {"low": low, "high": high}) for low, high in (("0", "6"), ("-2", "0"), ("-1", "1"))),
    ("quantization-line", {"low": "-123456", "high": "98765"}),
    *(("speedup-curves", {"fractions": given}) for given in ("0.75", "0.8", "0.98", "0.75 0.98", "0.95 0.9")),
    *(("pipeline", {"stages": str(k), "microbatches": str(m)}) for k in (2, 3, 4) for m in (2, 3, 4, 5)),
    *(("sparsity-patterns", {"weights": given}) for given in ("1 2 3 4", "-0.45 9.999 0 1; 1 1 1 1; 2 2 2 2; 0 0 0 0")),
    *(("ring-allreduce", {"workers": str(n)}) for n in (2, 3, 4)),
]


@pytest.mark.parametrize(("name", "parameters"), OTHERS)
def test_other_parameters_are_as_legible_as_those_of_the_notes(name: str, parameters: dict[str, str]) -> None:
    drawing = FIGURES[name](parameters)
    assert legible.faults(drawing) == []
    assert float(drawing.get("width", 0)) <= 480


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("quantization-line", {"low": "-0.01", "high": "3"}, "'low' and 'high' at 0 or an eighth of the range"),
        ("quantization-line", {"low": "1", "high": "3"}, "'low' is at most 0 and 'high' at least 0"),
        ("speedup-curves", {"fractions": "0.9999"}, "'fractions' from 0.75 to 0.98"),
        ("speedup-curves", {"fractions": "0.8 0.9 0.95"}, "one or two 'fractions'"),
        ("speedup-curves", {"fractions": "0.95 0.96"}, "'fractions' whose limits 1/(1 − p) are 1.8 times apart"),
        ("sparsity-patterns", {"weights": "0.125 -0.125 1 2"}, "room for 5 signs a weight, as -0.45; round 'weights'"),
        ("sparsity-patterns", {"weights": "1 2 3 4 5 6 7 8"}, "make 'weights' smaller"),
        ("pruning", {"weights": "0 0 0 0"}, "'weights' are all 0"),
        ("pruning", {"weights": "1 2 3"}, "'weights' has rows of 4 or 8 numbers"),
        ("apoz", {"first": "0 1", "second": "0 1 2"}, "'first' and 'second' have as many samples and elements"),
        ("speedup", {"fractions": "1", "workers": "4"}, "'fractions' lie between 0.0001 and 0.9999"),
        ("hyperband", {"resource": "80", "eta": "3", "bracket": "4"}, "'bracket' is a whole number from 0 to 3"),
        ("pipeline", {"stages": "5", "microbatches": "4"}, "'stages' is a whole number from 2 to 4"),
    ],
)
def test_what_cannot_be_shown_is_refused_with_its_cure(name: str, parameters: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        (FIGURES[name] if name in FIGURES else EXAMPLES[name])(parameters)
