"""Reads of a matrix multiplication by a simulated cache, Roofline, loops and rewriting by running them."""

from __future__ import annotations

import ast
import re
from collections import OrderedDict
from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import blocks
import legible
from figures import EXAMPLES, FIGURES, graph_rewriting, loops, matmul, roofline
from notes.model import Figure

Access = tuple[str, int, int]


def reads(accesses: Iterator[Access], capacity: int) -> dict[str, int]:
    """Misses of a fully associative cache of `capacity` elements that forgets the least recently used."""
    cache: OrderedDict[Access, None] = OrderedDict()
    missed: dict[str, int] = {}
    for access in accesses:
        if access in cache:
            cache.move_to_end(access)
            continue
        missed[access[0]] = missed.get(access[0], 0) + 1
        if capacity:
            cache[access] = None
            if len(cache) > capacity:
                cache.popitem(last=False)
    return missed


def untiled(m: int, n: int, k: int) -> Iterator[Access]:
    for i, j, p in product(range(m), range(n), range(k)):
        yield from (("A", i, p), ("B", p, j))


def tiled(m: int, n: int, k: int, x: int, y: int) -> Iterator[Access]:
    """For each tile of the output, one column of A's band and one row of B's band at a time."""
    for i0, j0, p in product(range(0, m, x), range(0, n, y), range(k)):
        for i, j in product(range(i0, i0 + x), range(j0, j0 + y)):
            yield from (("A", i, p), ("B", p, j))


@pytest.mark.parametrize(
    ("m", "n", "k", "x", "y"), [(8, 8, 8, 4, 4), (8, 12, 6, 4, 2), (12, 6, 5, 3, 6), (4, 4, 4, 1, 1)]
)
def test_the_reads_without_reuse_are_those_of_a_simulated_cache(m: int, n: int, k: int, x: int, y: int) -> None:
    assert sum(reads(untiled(m, n, k), 0).values()) == matmul.Reads(m, n, k).operands
    if x * y > 1:
        fits = reads(tiled(m, n, k, x, y), x + y + 1)  # one column of the tile of A, one row of that of B
        assert sum(fits.values()) == matmul.Reads(m, n, k, x, y).operands


@pytest.mark.parametrize("n", [8, 16])
def test_a_row_that_stays_in_the_cache_is_read_once(n: int) -> None:
    missed = reads(untiled(n, n, n), 2 * n)
    assert (missed["A"], missed["B"]) == (n * n, n**3)
    assert sum(missed.values()) + 2 * n * n == matmul.with_rows_kept(n)  # C is read and written


@pytest.mark.parametrize(("n", "b"), [(8, 2), (16, 4)])
def test_tiles_that_stay_in_the_cache_are_read_n_over_b_times(n: int, b: int) -> None:
    missed = reads(tiled(n, n, n, b, b), 3 * b * b)
    assert missed["A"] == missed["B"] == n**3 // b
    assert sum(missed.values()) + 2 * n * n == matmul.with_tiles_kept(n, b)


class Slow:
    """A matrix in slow memory that counts the elements which pass."""

    def __init__(self, cells: list[list[int]]) -> None:
        self.cells = cells
        self.passed = 0

    def load(self, rows: range, columns: range) -> list[list[int]]:
        self.passed += len(rows) * len(columns)
        return [[self.cells[i][j] for j in columns] for i in rows]

    def store(self, rows: range, columns: range, block: list[list[int]]) -> None:
        self.passed += len(rows) * len(columns)
        for i, row in zip(rows, block, strict=True):
            for j, cell in zip(columns, row, strict=True):
                self.cells[i][j] = cell


@pytest.mark.parametrize(("n", "b"), [(8, 2), (12, 4), (32, 8)])
def test_a_multiplication_that_runs_in_blocks_moves_what_is_said(n: int, b: int) -> None:
    make = np.random.default_rng(n)
    first, second = make.integers(-9, 10, (n, n)), make.integers(-9, 10, (n, n))
    a, bb, c = Slow(first.tolist()), Slow(second.tolist()), Slow([[0] * n for _ in range(n)])
    held = 0
    for i, j in product(range(0, n, b), repeat=2):
        rows, columns = range(i, i + b), range(j, j + b)
        block = c.load(rows, columns)
        for p in range(0, n, b):
            left, right = a.load(rows, range(p, p + b)), bb.load(range(p, p + b), columns)
            held = max(held, sum(len(row) for part in (block, left, right) for row in part))
            for u, v, w in product(range(b), repeat=3):
                block[u][v] += left[u][w] * right[w][v]
        c.store(rows, columns, block)
    assert c.cells == (first @ second).tolist()
    assert a.passed == bb.passed == n**3 // b
    assert a.passed + bb.passed == matmul.Reads(n, n, n, b, b).operands
    assert a.passed + bb.passed + c.passed == matmul.with_tiles_kept(n, b)
    assert held == 3 * b * b
    text = EXAMPLES["tiling-reads"]({"n": str(n), "b": str(b)}).replace("{,}", ",")
    for value in (a.passed + bb.passed, a.passed + bb.passed + c.passed, 4 * held):
        assert f"{value:,}" in text


def test_the_simulation_finds_the_editor_s_counts() -> None:
    """W-06 of the editor's report: n = 32, b = 8, fully associative, least recently used first."""
    assert reads(untiled(32, 32, 32), 0) == {"A": 32768, "B": 32768}
    assert reads(untiled(32, 32, 32), 2 * 32) == {"A": 1024, "B": 32768}
    assert reads(tiled(32, 32, 32, 8, 8), 3 * 8 * 8) == {"A": 4096, "B": 4096}


def test_the_numbers_of_the_notes_are_the_editor_s() -> None:
    """Values of the editor's report."""
    text = EXAMPLES["tiling-reads"]({"n": "1024", "b": "32"}).replace("{,}", ",")
    for value in (
        "2,147,483,648",
        "67,108,864",
        "1,076,887,552",
        "69,206,016",
        "3,145,728",
        "15.56",
        "32,768",
        "12,288",
        "8.59GB对0.268GB",
        "口径A是32倍，口径B是15.56倍",
    ):
        assert value in text
    text = EXAMPLES["tiling-rectangle"]({"m": "512", "n": "1024", "k": "256", "x": "64", "y": "32"})
    assert all(value in text for value in ("6,291,456", "268,435,456", "42.67倍"))
    text = EXAMPLES["roofline"]({"tflops": "19.5", "bandwidth": "1935", "tiles": "1 16 32 64 128"})
    assert "=10.08$" in text
    rows = re.findall(r"^\| (\d+)×\d+ \| ([\d.]+) \| [\d.]+ \| (访存|计算) \|$", text, re.MULTILINE)
    assert rows == [
        ("1", "0.25", "访存"), ("16", "4", "访存"), ("32", "8", "访存"), ("64", "16", "计算"), ("128", "32", "计算"),
    ]  # fmt: skip


@pytest.mark.parametrize("side", [1, 2, 8, 32])
def test_the_intensity_of_a_tile_is_its_operations_over_its_bytes(side: int) -> None:
    operations = sum(2 for _ in product(range(side), range(side)))  # one step of k: a product and a sum each
    assert roofline.of_tile(side) == Fraction(operations, 4 * (side + side))
    assert matmul.Reads(side, side, side, side, side).intensity == 4 * roofline.of_tile(side)


def test_the_roof_is_flat_behind_the_ridge() -> None:
    machine = roofline.Machine(Fraction("19.5"), Fraction(1935))
    assert machine.attainable(machine.ridge) == machine.peak == machine.attainable(2 * machine.ridge)
    assert machine.attainable(machine.ridge / 2) == machine.peak / 2


@pytest.mark.parametrize("tiles", [(1, 32, 64), (64, 128), (1, 16, 32, 64, 128), (41,)])
def test_the_figure_of_the_roof_names_every_tile(tiles: tuple[int, ...]) -> None:
    parameters = {"tflops": "19.5", "bandwidth": "1935", "tiles": " ".join(map(str, tiles))}
    assert legible.faults(FIGURES["roofline"](parameters)) == []
    drawing = FIGURES["roofline"](parameters)
    texts = [text.text for text in drawing.iter("text")]
    assert {f"{tile}×{tile}时I={tile / 4:g}" for tile in tiles} <= set(texts)
    assert {"拐点10.08", "峰值19.5"} <= set(texts)
    points = [(float(c.get("cx", 0)), float(c.get("cy", 0))) for c in drawing.iter("circle")]
    assert len({y for _, y in points}) == len([tile for tile in tiles if tile <= 40]) + any(tile > 40 for tile in tiles)
    alt = drawing.get("aria-label") or ""
    for tile in tiles:
        assert (
            f"{tile}×{tile}的块{tile / 4:g}FLOP/B，可达{min(19.5, tile / 4 * 1.935):.2f}".rstrip("0").rstrip(".") in alt
        )


@pytest.mark.parametrize("tiles", ["32 32", "24 1 32"])
def test_tiles_whose_names_would_overlap_are_refused(tiles: str) -> None:
    with pytest.raises(ValueError, match="'tiles' of the figure at least double"):
        FIGURES["roofline"]({"tflops": "19.5", "bandwidth": "1935", "tiles": tiles})


@pytest.mark.parametrize(("n", "x", "y"), [(6, 2, 2), (6, 3, 2), (12, 4, 1), (2, 2, 2)])
def test_the_figure_of_tiling_counts_the_uses(n: int, x: int, y: int) -> None:
    parameters = {"n": str(n), "x": str(x), "y": str(y)}
    assert legible.faults(FIGURES["tiling"](parameters)) == []
    drawing = FIGURES["tiling"](parameters)
    used: dict[Access, int] = {}
    for i, j, p in product(range(x), range(y), range(n)):  # the first tile of the output
        for access in (("A", i, p), ("B", p, j)):
            used[access] = used.get(access, 0) + 1
    alt = drawing.get("aria-label") or ""
    texts = [text.text for text in drawing.iter("text") if "次" in (text.text or "")]
    for name, said in zip("AB", texts, strict=True):
        (times,) = {count for access, count in used.items() if access[0] == name}
        assert said == f"载入一次，用{times}次"
        assert f"{name}的元素载入一次用{times}次" in alt
    marked = [rect for rect in drawing.iter("rect") if rect.get("class") == "fig-b"]
    assert len(marked) == len(used) + x * y


def test_the_hierarchy_grows_downwards() -> None:
    drawing = FIGURES["memory-hierarchy"]({})
    widths = [float(rect.get("width", 0)) for rect in drawing.iter("rect")]
    names = [text.text or "" for text in drawing.iter("text")][:10:2]
    assert widths == sorted(set(widths))
    assert names == ["寄存器", "L1缓存、共享内存", "L2、L3缓存", "显存、主存", "磁盘、网络"]
    alt = drawing.get("aria-label") or ""
    assert [alt.index(name) for name in names] == sorted(alt.index(name) for name in names)


@pytest.mark.parametrize("name", ["memory-hierarchy", "operator-fusion", "tiling", "roofline", "im2col", "loop-splits"])
def test_small_grey_text_stands_on_no_dark_fill(name: str) -> None:
    """In dark mode a note's grey has too little contrast on the fills from `b` on."""
    drawing = FIGURES[name](next(parameters for figure, parameters in blocks.used(Figure) if figure == name))
    dark = [
        (float(r.get("x", 0)), float(r.get("y", 0)), float(r.get("width", 0)), float(r.get("height", 0)))
        for r in drawing.iter("rect")
        if r.get("class") in ("fig-b", "fig-c", "fig-strong")
    ]
    for text in drawing.iter("text"):
        x, y = float(text.get("x", 0)), float(text.get("y", 0))
        if "fig-note" in (text.get("class") or ""):
            assert not [box for box in dark if box[0] < x < box[0] + box[2] and box[1] < y < box[1] + box[3]], text.text


@pytest.mark.parametrize("n", range(1, 130))
def test_three_nested_loops_run_every_iteration_in_order(n: int) -> None:
    lengths = loops.three(n)
    possible = [m for m in product(range(2, n), repeat=2) if n % (m[0] * m[1]) == 0 and n // (m[0] * m[1]) > 1]
    assert (lengths is not None) == bool(possible)
    if lengths:
        outer, middle, inner = lengths
        runs = product(range(outer), range(middle), range(inner))
        assert [(x * middle + y) * inner + z for x, y, z in runs] == [*range(n)]
        said = f"${outer}\\times{middle}\\times{inner}$，$i=(x\\cdot{middle}+y)\\cdot{inner}+z$"
        assert said in EXAMPLES["loop-splits"]({"n": str(n), "factor": "3", "widths": "4"})


@pytest.mark.parametrize(("n", "factor", "width"), [(128, 2, 2), (64, 8, 63), (2, 2, 2), (100, 7, 32), (63, 3, 62)])
def test_a_strip_too_narrow_for_numbers_goes_without(n: int, factor: int, width: int) -> None:
    parameters = {"n": str(n), "factor": str(factor), "width": str(width)}
    assert legible.faults(FIGURES["loop-splits"](parameters)) == []
    drawing = FIGURES["loop-splits"](parameters)
    cells = [rect for rect in drawing.iter("rect") if rect.get("class") in ("fig-a", "fig-b")]
    assert len(cells) == factor + len(range(0, n, factor)) + len(range(0, n - width + 1, width))
    assert f"主循环{n // width}次，尾循环{n % width}次。" in (drawing.get("aria-label") or "")


@pytest.mark.parametrize("n", [63, 64, 1, 7, 100])
@pytest.mark.parametrize("width", [2, 3, 4, 16, 32])
def test_a_split_loop_runs_every_iteration_once_and_in_order(n: int, width: int) -> None:
    rounds, tail = loops.split(n, width)
    main = [o * width + i for o in range(rounds) for i in range(width)]
    assert [*main, *range(n // width * width, n)] == [*range(n)]  # the tail as the notes write it
    assert len([*range(n // width * width, n)]) == tail
    guarded = [o * width + i for o in range(-(-n // width)) for i in range(width) if o * width + i < n]
    assert guarded == [*range(n)]
    assert [i for part in loops.parts(n, width) for i in part] == [*range(n)]
    assert max(map(len, loops.parts(n, width))) - min(map(len, loops.parts(n, width))) <= 1


def test_the_ways_to_split_sixty_three_are_the_editor_s() -> None:
    """Values of the editor's report."""
    text = EXAMPLES["loop-splits"]({"n": "63", "factor": "3", "widths": "2 4 8 16 32"})
    for said in (
        "[0, 21)、[21, 42)、[42, 63)", "外层21×内层3", "外层3×内层21", "21次，没有尾循环",
        r"31\times2=62$，尾循环1次", r"15\times4=60$，尾循环3次", r"7\times8=56$，尾循环7次",
        r"3\times16=48$，尾循环15次", r"1\times32=32$，尾循环31次",
    ):  # fmt: skip
        assert said in text
    texts = [text.text for text in FIGURES["loop-splits"]({"n": "63", "factor": "3", "width": "16"}).iter("text")]
    assert texts.count("21") == 3
    assert texts.count("16") == 3
    assert "尾15" in texts


def test_an_uneven_split_says_where_it_needs_a_bound() -> None:
    text = EXAMPLES["loop-splits"]({"n": "64", "factor": "3", "widths": "4"})
    assert "外层22×内层3，$i=x_o\\cdot3+x_i$，最后一轮只有1次，要`if (i < 64)`" in text
    assert "多出2次" in text
    assert r"16\times4=64$，没有尾循环" in text


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("x*(2*3)+0", ["x * 6 + 0", "x * 6"]),
        ("(1+2)*(y-0)", ["3 * (y - 0)", "3 * y"]),
        ("1*a+2*3", ["a + 2 * 3", "a + 6"]),
        ("a*b", []),
        ("0-x", []),
        ("(2-5)*x", ["-3 * x"]),
    ],
)
def test_folding_keeps_the_value_of_the_expression(text: str, steps: list[str]) -> None:
    made = [ast.unparse(step) for step in graph_rewriting.folded(graph_rewriting.expression(text))]
    assert made == steps
    for step in made:
        for value in (-2, 0, 5):
            names = dict.fromkeys("xyab", value)
            assert eval(step, {}, names) == eval(text, {}, names)


@pytest.mark.parametrize(
    ("u", "v", "after", "saved"),
    [
        ("(a+b)*c", "(a+b)*d", ["t=a+b", "u=t*c", "v=t*d"], 1),
        ("x*y-z", "(x*y)+w", ["t=x*y", "u=t-z", "v=t+w"], 1),
        ("(a+b)*(c-d)", "(a+b)*(c-d)+e", ["t=(a+b)*(c-d)", "u=t", "v=t+e"], 3),
        ("(p+q)*(a+b)", "(r-s)*(a+b)", ["t=a+b", "u=(p+q)*t", "v=(r-s)*t"], 1),
    ],
)
def test_a_shared_part_is_computed_once(u: str, v: str, after: list[str], saved: int) -> None:
    text = EXAMPLES["common-subexpressions"]({"u": u, "v": v})
    lines = [line.split("|")[2:4] for line in text.split("\n")[2:]]
    assert [part.strip("` ") for part in lines[1][0].strip().split("；")] == after
    count = len(re.findall(r"[-+*]", u + v))
    assert [int(line[1]) for line in lines] == [count, count - saved]
    names = dict(zip("abcdepqrswxyz", range(2, 15), strict=True))
    for statement in after:
        name, expression = statement.split("=", 1)
        names[name] = eval(expression, {}, names)
    assert (names["u"], names["v"]) == (eval(u, {}, names), eval(v, {}, names))


@pytest.mark.parametrize("text", ["a/b", "f(x)", "a+", "2**3", "a<b", "'x'"])
def test_an_expression_beyond_the_three_signs_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"'u' (?:holds only|is an expression)"):
        EXAMPLES["common-subexpressions"]({"u": text, "v": "a+b"})


def test_fusion_saves_the_intermediate_s_write_and_read() -> None:
    """Counted by tensors that pass through memory: x0, x1, x2, the intermediate t and y."""
    apart = len(["read x0", "read x1", "write t", "read t", "read x2", "write y"])
    fused = len(["read x0", "read x1", "read x2", "write y"])
    assert graph_rewriting.traffic() == (apart, fused) == (6, 4)
    text = EXAMPLES["operator-fusion"]({"elements": "1000000"})
    assert "| 融合前 | $4N$ | $2N$ | $6N$，6,000,000 | 2 |" in text
    assert "| 融合后 | $3N$ | $N$ | $4N$，4,000,000 | 1 |" in text
    assert "33%" in text
    drawing = FIGURES["operator-fusion"]({})
    texts = [text.text for text in drawing.iter("text")]
    assert {"融合前：2个kernel，读写6N", "融合后：1个kernel，读写4N"} <= set(texts)
    assert len([path for path in drawing.iter("path") if path.get("class") == "fig-head"]) == apart + fused
    assert all(said in (drawing.get("aria-label") or "") for said in ("共6N，两个kernel", "共4N"))
