"""Gradients, convolution and layers, against finite differences and numpy."""

from __future__ import annotations

import re
from fractions import Fraction
from math import sin

import numpy as np
import pytest
from numpy.typing import NDArray

import legible
from figures import EXAMPLES, FIGURES, autodiff, convolution, gradient_step, linear_gradient

Array = NDArray[np.float64]


def array(rows: tuple[tuple[Fraction, ...], ...]) -> Array:
    return np.array([[float(value) for value in row] for row in rows])


def exact(rows: Array) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(tuple(Fraction(float(value)) for value in row) for row in rows)


@pytest.mark.parametrize(("x", "w", "b", "t"), [(2, 3, 1, 5), (-1, 2, 0, 4), (3, -2, 1, -5)])
def test_the_gradients_of_a_neuron_are_those_of_differences(x: int, w: int, b: int, t: int) -> None:
    h = Fraction(1, 10**6)
    at = [Fraction(x), Fraction(w), Fraction(b)]

    def loss(values: list[Fraction]) -> Fraction:
        return (values[1] * values[0] + values[2] - t) ** 2 / 2

    made = gradient_step.Neuron(at[0], at[1], at[2], Fraction(t))
    for place, gradient in enumerate((made.by_input, made.by_weight, made.by_bias)):
        up, down = list(at), list(at)
        up[place], down[place] = at[place] + h, at[place] - h
        assert (loss(up) - loss(down)) / (2 * h) == gradient  # a square's central difference is exact
    if made.loss:
        assert made.after(Fraction(1, 100)).loss < made.loss


def test_the_neuron_of_the_notes_is_the_editor_s() -> None:
    """Values of the editor's report."""
    text = EXAMPLES["gradient-step"]({"x": "2", "weight": "3", "bias": "1", "target": "5", "rate": "0.1"})
    for said in ("=7$", "(7-5)^2=2$", "(y-t)x=4$", "y-t=2$", "(y-t)w=6$", "=2.6$", "=0.8$", r"2\to0.5"):
        assert said in text
    assert r"$y=2.6\times2+0.8=6$" in text
    assert r"$L=\frac12(6-5)^2=0.5$" in text


@pytest.mark.parametrize(("x", "w", "b", "t"), [(2, 3, 1, 5), (-0.5, -2.5, 3, -12.5), (30, 40, 0.25, 7)])
def test_the_graph_of_a_neuron_shows_both_passes(x: float, w: float, b: float, t: float) -> None:
    parameters = {"x": f"{x}", "weight": f"{w}", "bias": f"{b}", "target": f"{t}"}
    assert legible.faults(FIGURES["compute-graph"](parameters)) == []
    drawing = FIGURES["compute-graph"](parameters)
    error = w * x + b - t

    def two(value: float) -> str:
        return f"{value:.2f}".rstrip("0").rstrip(".")

    forward = {
        f"{name}={two(value)}" for name, value in zip("wxbtyL", (w, x, b, t, error + t, error**2 / 2), strict=True)
    }
    backward = [two(value) for value in (error * w, error * x, error)]
    texts = [text.text or "" for text in drawing.iter("text")]
    assert {*forward, two(w * x), *(f"梯度{value}" for value in backward), "梯度1"} <= set(texts)
    assert texts.count(f"梯度{two(error)}") >= 3  # of b, of the product and of y
    assert f"对w的梯度{backward[1]}，对x的梯度{backward[0]}，对b的梯度{backward[2]}。" in (
        drawing.get("aria-label") or ""
    )
    dashed = [path for path in drawing.iter("path") if path.get("class") == "fig-line-dashed"]
    assert len(dashed) == 6  # an edge each of w, x, b, the product, the sum and the loss, and none to the target


@pytest.mark.parametrize(("x", "y"), [(2.0, 3.0), (0.5, -1.0), (-3.0, 4.0)])
def test_automatic_differentiation_agrees_with_differences(x: float, y: float) -> None:
    made, h = autodiff.trace(x, y), 1e-6

    def z(a: float, b: float) -> float:
        return a * b + sin(a)

    assert made.value == pytest.approx(z(x, y))
    assert made.by_x == pytest.approx((z(x + h, y) - z(x - h, y)) / (2 * h), abs=1e-7)
    assert made.by_y == pytest.approx((z(x, y + h) - z(x, y - h)) / (2 * h), abs=1e-7)


def test_the_derivatives_of_the_notes_are_the_editor_s() -> None:
    """Values of the editor's report."""
    text = EXAMPLES["autodiff"]({"x": "2", "y": "3"})
    assert all(f"={value}$" in text for value in ("0.9093", "6.9093", "2.5839", "2"))


CASES = [
    (np.arange(1, 10.0).reshape(3, 3), np.array([[1, 2.0], [3, 4]]), 1, 0),
    (np.arange(20.0).reshape(4, 5), np.array([[1, -1.0, 2], [0, 3, -2]]), 1, 1),
    (np.arange(49.0).reshape(7, 7) % 5, np.ones((3, 3)), 2, 0),
    (np.arange(30.0).reshape(5, 6) - 9, np.array([[2.0]]), 3, 2),
]


def by_loops(image: Array, kernel: Array, stride: int, padding: int) -> Array:
    wide = np.pad(image, padding)
    rows = range(0, wide.shape[0] - kernel.shape[0] + 1, stride)
    columns = range(0, wide.shape[1] - kernel.shape[1] + 1, stride)
    return np.array([
        [float(np.sum(wide[i : i + kernel.shape[0], j : j + kernel.shape[1]] * kernel)) for j in columns] for i in rows
    ])  # fmt: skip


@pytest.mark.parametrize(("image", "kernel", "stride", "padding"), CASES)
def test_convolution_is_what_numpy_finds(image: Array, kernel: Array, stride: int, padding: int) -> None:
    wide = convolution.padded(exact(image), padding)
    made = array(convolution.convolved(wide, exact(kernel), stride))
    wanted = by_loops(image, kernel, stride, padding)
    assert made.tolist() == wanted.tolist()
    sizes = [
        convolution.output_size(side, k, padding, stride) for side, k in zip(image.shape, kernel.shape, strict=True)
    ]
    assert [*wanted.shape] == sizes


@pytest.mark.parametrize(("image", "kernel", "stride", "padding"), CASES)
def test_the_columns_times_the_weights_are_the_convolution(
    image: Array, kernel: Array, stride: int, padding: int
) -> None:
    wide = convolution.padded(exact(image), padding)
    product = kernel.reshape(1, -1) @ array(convolution.columns(wide, exact(kernel), stride))
    assert product.ravel().tolist() == by_loops(image, kernel, stride, padding).ravel().tolist()


def test_pooling_of_the_notes_is_the_editor_s() -> None:
    """Values of the editor's report."""
    image = np.array([[1, 3, 2, 4], [5, 6, 1, 2], [7, 2, 9, 0], [1, 8, 3, 4.0]])
    blocks = image.reshape(2, 2, 2, 2).swapaxes(1, 2)
    assert blocks.max(axis=(2, 3)).tolist() == [[6, 4], [8, 9]]
    assert blocks.mean(axis=(2, 3)).tolist() == [[3.75, 2.25], [4.5, 4]]
    assert array(convolution.pooled(exact(image), 2, 2, max)).tolist() == [[6, 4], [8, 9]]
    text = EXAMPLES["pooling"]({"input": "1 3 2 4; 5 6 1 2; 7 2 9 0; 1 8 3 4", "size": "2", "stride": "2"})
    assert r"\begin{bmatrix} 6 & 4 \\ 8 & 9 \end{bmatrix}" in text
    assert r"\begin{bmatrix} 3.75 & 2.25 \\ 4.5 & 4 \end{bmatrix}" in text


def test_sizes_of_the_notes_are_counted() -> None:
    """Counted by the shapes of arrays and not by the formulas of the code."""
    text = EXAMPLES["im2col-sizes"]({"cases": "16 32 32 3 1 1; 3 64 224 7 3 2"})
    for channels, filters, height, kernel, padding, stride in ((16, 32, 32, 3, 1, 1), (3, 64, 224, 7, 3, 2)):
        starts = len(range(0, height + 2 * padding - kernel + 1, stride))
        weights, columns = np.empty((filters, channels, kernel, kernel)), (channels * kernel * kernel, starts * starts)
        table = [row.strip("|").split("|") for row in text.split("\n") if row.startswith("|")]
        layer = {row[0].strip(): row[1 + (filters == 64)].strip() for row in table}
        assert layer["输入"] == f"{channels}×{height}×{height}"
        assert layer["卷积核"] == f"{filters}个{kernel}×{kernel}"
        assert layer["权重矩阵"] == f"{filters}×{weights[0].size}"
        assert layer["列矩阵"] == f"{columns[0]}×{columns[1]}"
        assert layer["输出矩阵"] == f"{filters}×{columns[1]}"
        assert layer["膨胀"] == f"{columns[0] * columns[1] / (channels * height**2):g}倍"
        assert layer["乘加次数"] == f"{weights.size * columns[1]:,}"
    assert "4,718,592 | 118,013,952" in text  # the editor's report, W-04
    said = EXAMPLES["parameter-count"]({
        "side": "28", "kernel": "5", "in": "3", "out": "64", "filter": "3", "image": "224", "classes": "1000",
    })  # fmt: skip
    assert re.findall(r"\| ([\d,]+) \|", said) == ["451,584", "25", "1,792", "150,528,000"]


def test_output_sizes_are_counted() -> None:
    text = EXAMPLES["output-size"]({"cases": "28 5 0 1; 28 3 1 1; 5 3 0 2; 4 3 1 1; 224 7 3 2; 6 4 0 3"})
    sizes = [int(size) for size in re.findall(r"\+1=(\d+)\$", text)]
    assert sizes == [
        len(range(0, h + 2 * p - k + 1, s))
        for h, k, p, s in [(28, 5, 0, 1), (28, 3, 1, 1), (5, 3, 0, 2), (4, 3, 1, 1), (224, 7, 3, 2), (6, 4, 0, 3)]
    ]
    assert sizes[:5] == [24, 28, 2, 4, 112]  # the editor's report, W-03


@pytest.mark.parametrize(
    ("image", "kernel"), [("1 2 3; 4 5 6; 7 8 9", "1 2; 3 4"), ("-1.25 0; 2 4", "1"), ("1 2 3 4; 5 6 7 8", "1 1; 0 -1")]
)
def test_the_figure_of_im2col_shows_the_columns_and_the_product(image: str, kernel: str) -> None:
    parameters = {"input": image, "kernel": kernel}
    assert legible.faults(FIGURES["im2col"](parameters)) == []
    x, k = (np.array([[float(cell) for cell in row.split()] for row in said.split(";")]) for said in (image, kernel))
    views = np.lib.stride_tricks.sliding_window_view(x, k.shape)
    windows = views.reshape(-1, k.size)
    wanted = [*x.ravel(), *windows.T.ravel(), *k.ravel(), *(windows @ k.ravel())]
    drawing = FIGURES["im2col"](parameters)
    cells = [text.text for text in drawing.iter("text") if re.fullmatch(r"-?[\d.]+", text.text or "")]
    assert cells == [f"{value:g}" for value in wanted]
    alt = drawing.get("aria-label") or ""
    assert f"得输出{'、'.join(f'{value:g}' for value in windows @ k.ravel())}。" in alt


def test_a_figure_of_im2col_that_no_page_holds_is_refused() -> None:
    with pytest.raises(ValueError, match="make 'input' or 'kernel' smaller"):
        FIGURES["im2col"]({"input": "1 2 3 4 5; 1 2 3 4 5; 1 2 3 4 5; 1 2 3 4 5", "kernel": "1 1; 1 1"})


@pytest.mark.parametrize("seed", range(4))
def test_the_gradients_of_a_linear_layer_are_those_of_differences(seed: int) -> None:
    make = np.random.default_rng(seed)
    x, weight, upstream = (make.integers(-4, 5, size).astype(float) for size in ((3, 2), (4, 2), (3, 4)))
    made = linear_gradient.gradients(exact(x), exact(weight), exact(upstream))
    assert array(made.output).tolist() == (x @ weight.T).tolist()

    def loss(a: Array, b: Array) -> float:
        return float(np.sum((a @ b.T) * upstream))  # its gradient by Y is `upstream`

    for values, gradient, place in ((x, made.by_input, 0), (weight, made.by_weight, 1)):
        for index in np.ndindex(values.shape):
            up, down = values.copy(), values.copy()
            up[index] += 0.5
            down[index] -= 0.5
            pairs = [(up, weight), (down, weight)] if place == 0 else [(x, up), (x, down)]
            assert loss(*pairs[0]) - loss(*pairs[1]) == float(gradient[index[0]][index[1]])


def test_the_numbers_that_a_linear_layer_s_example_works_out_are_numpy_s() -> None:
    x, weight, upstream = ([[1, 2], [3, 4]], [[1, 0], [2, -1], [0, 3]], [[1, 0, 1], [0, 1, 2]])
    given = {"x": x, "weight": weight, "upstream": upstream}
    text = EXAMPLES["linear-gradient"]({
        name: "; ".join(" ".join(map(str, row)) for row in rows) for name, rows in given.items()
    })  # fmt: skip
    wanted = {
        "Y_{21}": (np.array(x) @ np.array(weight).T)[-1, 0],
        "dX_{21}": (np.array(upstream) @ np.array(weight))[-1, 0],
        "dW_{31}": (np.array(upstream).T @ np.array(x))[-1, 0],
    }
    for name, value in wanted.items():
        terms = re.search(rf"\${re.escape(name)}=([^$]*)=(-?\d+)\$", text)
        assert terms
        products = [re.findall(r"-?\d+", term) for term in terms[1].split("+")]
        assert sum(int(a) * int(b) for a, b in products) == int(terms[2]) == value


def test_shapes_that_do_not_fit_are_explained() -> None:
    with pytest.raises(ValueError, match="'x' and 'weight' have as many columns"):
        EXAMPLES["linear-gradient"]({"x": "1 2", "weight": "1; 2", "upstream": "1 2"})
    with pytest.raises(ValueError, match="'upstream' has 1 rows of 2 numbers"):
        EXAMPLES["linear-gradient"]({"x": "1 2", "weight": "1 1; 2 2", "upstream": "1 2 3"})
    for cases in ("0 1 3 2 0 1", "1 1 3 0 0 1", "1 1 3 2 0 0", "1 1 3 5 0 1"):
        with pytest.raises(ValueError, match="'cases' has a kernel of"):
            EXAMPLES["im2col-sizes"]({"cases": cases})
        with pytest.raises(ValueError, match=r"'cases' has .* does not fit once, or a side is 0"):
            EXAMPLES["output-size"]({"cases": " ".join(cases.split()[-4:]) if cases[0] == "1" else "0 2 1 1"})
    with pytest.raises(ValueError, match="the kernel is larger than the input"):
        EXAMPLES["im2col"]({"input": "1 2", "kernel": "1 2 3"})
