"""Communication, commands, clusters and containers, against simulations, exhaustive search and other readers."""

from __future__ import annotations

import io
import itertools
import re
from collections.abc import Iterator
from fractions import Fraction

import pytest
from dockerfile_parse import DockerfileParser

from figures import EXAMPLES, FIGURES, cluster, communication, dockerfile, hived, horovodrun, ring_allreduce

PAPER = {"resources": "CPU 内存GB", "totals": "9 18", "users": "A B", "demands": "1 4; 3 1", "first": "B"}
THREE = {"resources": "CPU GPU 内存GB", "totals": "20 8 64", "users": "A B", "demands": "2 1 4; 4 1 16", "first": "A"}


@pytest.mark.parametrize("workers", range(2, 9))
def test_the_volumes_are_counted_over_the_steps(workers: int) -> None:
    per_worker = len(ring_allreduce.sent(workers)) * Fraction(1, workers)  # a chunk of S/N at each step
    assert communication.ring_volume(workers) == per_worker
    star = [("receive", i) for i in range(1, workers)] + [("send", i) for i in range(1, workers)]
    assert communication.star_volume(workers) == len(star)


def test_the_times_of_the_notes_are_the_editor_s() -> None:
    text = EXAMPLES["allreduce-time"]({"megabytes": "100", "gigabytes-per-second": "10", "workers": "2 4 8 16"})
    for row in ("| 4 | 6 | $1.5S$ | 15ms | 60ms |", "| 8 | 14 | $1.75S$ | 17.5ms |", "| 16 | 30 | $1.875S$ |"):
        assert row in text
    text = EXAMPLES["gradient-traffic"]({"millions": "25.557", "workers": "4", "gigabytes-per-second": "10"})
    assert all(value in text for value in ("102.2MB", "153.3MB"))
    text = EXAMPLES["gradient-traffic"]({"millions": "25", "workers": "4", "gigabytes-per-second": "10"})
    assert all(value in text for value in ("100MB", "150MB", "15ms"))
    text = EXAMPLES["communication-share"]({"sync": "120 200", "nosync": "84 164"})
    assert re.findall("即([0-9]+%)", text) == ["30%", "18%"]


@pytest.mark.parametrize(
    ("line", "gloo", "command"),
    [
        ("horovodrun --gloo -np 4 -H localhost:4 python test.py", True, "python test.py"),
        ("horovodrun -np 4 --gloo python test.py", True, "python test.py"),
        ("horovodrun -np 4 -H localhost:4 python test.py", False, "python test.py"),
        ("horovodrun -np 4 python test.py --gloo", False, "python test.py --gloo"),
    ],
)
def test_a_command_asks_for_gloo_before_the_program_or_not_at_all(line: str, gloo: bool, command: str) -> None:
    launch = horovodrun.parse(line)
    assert (launch.gloo, launch.command, launch.processes, launch.hosts) == (gloo, command, 4, "localhost:4")


@pytest.mark.parametrize(
    "line", ["mpirun -np 4 python test.py", "horovodrun python test.py", "horovodrun -np 4 --gloo --mpi x"]
)
def test_a_command_that_horovodrun_refuses_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match="'commands'"):
        EXAMPLES["horovodrun"]({"commands": line})


def table(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in text.split("\n") if row.startswith("|")][2:]


def share(text: str) -> Fraction:
    found = re.fullmatch(r"\$(?:\\frac\{(\d+)\}\{(\d+)\}|(\d+))\$", text)
    assert found is not None
    return Fraction(int(found[1]), int(found[2])) if found[1] else Fraction(int(found[3]))


@pytest.mark.parametrize("parameters", [PAPER, {**PAPER, "first": "A"}, THREE])
def test_each_round_of_drf_serves_the_least_dominant_share_and_adds_up(parameters: dict[str, str]) -> None:
    totals = [Fraction(word) for word in parameters["totals"].split()]
    demands = [[Fraction(word) for word in row.split()] for row in parameters["demands"].split(";")]
    rows = table(EXAMPLES["drf"](parameters))
    tasks = [0, 0]
    for row in rows:
        if row[1]:
            dominant = [
                max(n * d / t for d, t in zip(need, totals, strict=True))
                for n, need in zip(tasks, demands, strict=True)
            ]
            assert dominant["AB".index(row[1])] == min(dominant)
            tasks["AB".index(row[1])] += 1
        assert [int(row[2]), int(row[3])] == tasks
        for place, need in enumerate(demands):
            assert share(row[4 + place]) == max(tasks[place] * d / t for d, t in zip(need, totals, strict=True))
        free = [t - sum(n * need[j] for n, need in zip(tasks, demands, strict=True)) for j, t in enumerate(totals)]
        assert row[6] == "⟨" + ", ".join(map(str, free)) + "⟩"
        assert min(free) >= 0


def test_the_rounds_of_the_notes_are_those_of_the_paper() -> None:
    """Ghodsi et al. 2011: A gets ⟨3 CPU, 12 GB⟩, B ⟨6 CPU, 2 GB⟩, both 2/3; the editor's report has the rounds."""
    rows = table(EXAMPLES["drf"](PAPER))
    assert "".join(row[1] for row in rows) == "BAABA"
    assert rows[-1] == ["5", "A", "3", "2", r"$\frac{2}{3}$", r"$\frac{2}{3}$", "⟨0, 4⟩"]
    assert "".join(row[1] for row in table(EXAMPLES["drf"]({**PAPER, "first": "A"}))) == "ABABA"
    assert "".join(row[1] for row in table(EXAMPLES["drf"](THREE))) == "ABAABAA"
    text = EXAMPLES["drf"](THREE)
    assert "下一个该给B，但CPU要4只剩2、内存GB要16只剩12，放不下，停止。结果：A有5个任务，B有2个任务。" in text


def test_equal_dominant_shares_at_their_largest_are_what_the_rounds_reach() -> None:
    """The paper's optimisation, by trying all: x + 3y ≤ 9, 4x + y ≤ 18, 2x/9 = y/3."""
    pairs = [(x, y) for x, y in itertools.product(range(10), repeat=2) if x + 3 * y <= 9 and 4 * x + y <= 18]
    assert max(pair for pair in pairs if Fraction(2 * pair[0], 9) == Fraction(pair[1], 3)) == (3, 2)


def test_the_shares_of_single_tasks_are_the_textbook_s() -> None:
    """AI-System 7.3.3: Job1 0.4 of the memory, Job2 0.5 of the GPUs."""
    text = EXAMPLES["dominant-share"](
        {"resources": "GPU 内存GB", "totals": "10 20", "users": "Job1 Job2", "demands": "2 8; 5 4"}
    )
    assert [row[3] for row in table(text)] == ["0.4（内存GB）", "0.5（GPU）"]
    assert "优先给Job1" in text


def test_the_bars_are_as_high_as_the_shares() -> None:
    drawing = FIGURES["drf-shares"](PAPER)
    heights = [float(bar.get("height", 0)) / 150 for bar in drawing.iter("rect")]
    wanted = [0, 1 / 3, 2 / 9, 1 / 3, 4 / 9, 1 / 3, 4 / 9, 2 / 3, 2 / 3, 2 / 3]
    assert heights == pytest.approx(wanted, abs=0.002)


FILES = [
    'FROM a\nENV X=1\nRUN one && \\\n    two\nENTRYPOINT ["python", "a.py"]\nCMD ["--n", "5"]\n',
    "# first\nARG V=1\nFROM a:${V}\nRUN x \\\n# between\n  y\nCMD python a.py\n",
    'from b\nworkdir /app\ncopy . .\nentrypoint ["sh"]\n',
]


@pytest.mark.parametrize("text", FILES)
def test_a_dockerfile_is_read_as_another_parser_reads_it(text: str) -> None:
    other = DockerfileParser(fileobj=io.BytesIO(text.encode()))
    wanted = [
        (one["instruction"], " ".join(one["value"].split()))
        for one in other.structure
        if one["instruction"] != "COMMENT"
    ]
    assert [(one.name, " ".join(one.value.split())) for one in dockerfile.parse(text)] == wanted


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("FROM a\nCPOY . .", "line 2 of 'file': unknown instruction 'CPOY'"),
        ("RUN x", "line 1 of 'file': a Dockerfile begins with FROM"),
        ("FROM a\nCMD ['python', 'a.py']", "line 2 of 'file': the exec form is a JSON list"),
        ('FROM a\n\nCMD ["python", 5]', "line 3 of 'file': the exec form is a JSON list"),
        ("FROM a\nWORKDIR", "line 2 of 'file': 'WORKDIR' needs a value"),
        ("FROM a\nRUN x \\", "line 2 of 'file': the last line ends with a backslash"),
    ],
)
def test_a_mistake_in_a_dockerfile_is_named_with_its_line(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        EXAMPLES["dockerfile"]({"file": text, "run": "img"})


@pytest.mark.parametrize(
    ("ending", "run", "wanted"),
    [
        ('ENTRYPOINT ["python", "t.py"]\nCMD ["-n", "5"]', "img", "python t.py -n 5"),
        ('ENTRYPOINT ["python", "t.py"]\nCMD ["-n", "5"]', "img -n 1", "python t.py -n 1"),
        ('ENTRYPOINT ["python", "t.py"]\nCMD ["-n", "5"]', "--entrypoint bash img", "bash"),
        ('ENTRYPOINT ["python", "t.py"]\nCMD ["-n", "5"]', "--entrypoint bash img -c ls", "bash -c ls"),
        ('CMD ["python", "t.py"]', "img", "python t.py"),
        ('CMD ["python", "t.py"]', "img bash", "bash"),
        ("CMD python t.py", "img", "/bin/sh -c python t.py"),
        ("ENTRYPOINT python t.py", "img -n 1", "/bin/sh -c python t.py"),
        ('CMD ["a"]\nCMD ["b"]', "img", "b"),
    ],
)
def test_what_a_container_runs_is_the_table_of_the_reference(ending: str, run: str, wanted: str) -> None:
    """Docker's reference, “Understand how CMD and ENTRYPOINT interact”."""
    assert " ".join(dockerfile.runs(dockerfile.parse(f"FROM a\n{ending}"), run)) == wanted


def cells(placed: list[tuple[str, hived.Cell]]) -> Iterator[set[tuple[int, int]]]:
    for _, cell in placed:
        yield {(cell.machine, gpu) for gpu in range(cell.start, cell.start + cell.size)}


@pytest.mark.parametrize(
    ("machines", "sizes"),
    [(4, [4, 2, 1, 4, 2, 1, 8, 8, 2]), (1, [4, 2, 1, 1]), (2, [8, 1, 1, 2, 4]), (3, [1] * 24)],
)
def test_cells_are_aligned_apart_and_of_the_size_that_was_asked(machines: int, sizes: list[int]) -> None:
    placed = hived.allocate(machines, [("A", size) for size in sizes])
    assert sorted(cell.size for _, cell in placed) == sorted(sizes)
    for _, cell in placed:
        assert cell.start % cell.size == 0  # within one switch, socket or machine
    gpus = list(cells(placed))
    assert sum(map(len, gpus)) == len(set().union(*gpus)) == sum(sizes)
    assert all(machine < machines for one in gpus for machine, _ in one)


def test_the_cells_of_the_notes_are_shared_out_whole() -> None:
    """AI-System 7.4: 7 + 7 + 18 = 32."""
    wanted = {"machines": "4", "tenants": "A B C", "cells": "L3 L2 L1; L3 L2 L1; L4 L4 L2"}
    text = EXAMPLES["hived-cells"](wanted)
    assert [row[2] for row in table(text)] == ["4 + 2 + 1 = 7", "4 + 2 + 1 = 7", "8 + 8 + 2 = 18"]
    assert "共32块，恰好分完" in text
    with pytest.raises(ValueError, match="'cells' need 40 GPUs"):
        EXAMPLES["hived-cells"]({**wanted, "cells": "L4 L4; L4 L4; L4"})
    with pytest.raises(ValueError, match="'cells' knows L1, L2, L3, L4, not 'L5'"):
        EXAMPLES["hived-cells"]({**wanted, "cells": "L1; L5; L1"})


@pytest.mark.parametrize(("interval", "preempted"), [(60, 170), (60, 180), (60, 59), (7, 100)])
def test_what_preemption_loses_is_what_was_done_since_the_last_checkpoint(interval: int, preempted: int) -> None:
    saved = 0
    for minute in range(1, preempted + 1):
        if minute % interval == 0:
            saved = minute
    assert cluster.lost(interval, preempted) == (saved, preempted - saved)
