"""Convolution, pooling and im2col on one channel, and the sizes and parameters of layers.

As in deep learning frameworks, “convolution” is cross-correlation: the kernel is not turned round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from xml.etree.ElementTree import Element

from figures import svg
from figures.parameters import matrix, only, rows, whole
from figures.writing import grouped, paragraphs, shown, table
from figures.writing import matrix as tex_matrix

Matrix = tuple[tuple[Fraction, ...], ...]


def output_size(height: int, kernel: int, padding: int, stride: int) -> int:
    """⌊(H + 2P − K)/S⌋ + 1; `padding` counts one side."""
    return (height + 2 * padding - kernel) // stride + 1


def padded(image: Matrix, padding: int) -> Matrix:
    width = len(image[0]) + 2 * padding
    blank = ((Fraction(0),) * width,) * padding
    side = (Fraction(0),) * padding
    return (*blank, *(side + row + side for row in image), *blank)


def windows(image: Matrix, height: int, width: int, stride: int) -> list[list[tuple[Fraction, ...]]]:
    """Every window, row by row, as one tuple of its numbers in reading order."""
    return [
        [
            tuple(image[top + i][left + j] for i in range(height) for j in range(width))
            for left in range(0, len(image[0]) - width + 1, stride)
        ]
        for top in range(0, len(image) - height + 1, stride)
    ]


def pooled(image: Matrix, size: int, stride: int, pick: Callable[[tuple[Fraction, ...]], Fraction]) -> Matrix:
    return tuple(tuple(pick(window) for window in row) for row in windows(image, size, size, stride))


def convolved(image: Matrix, kernel: Matrix, stride: int) -> Matrix:
    """Each window times the kernel, summed. `image` is padded already."""
    weights = [weight for row in kernel for weight in row]
    found = windows(image, len(kernel), len(kernel[0]), stride)
    return tuple(
        tuple(sum((a * b for a, b in zip(window, weights, strict=True)), Fraction(0)) for window in row)
        for row in found
    )


def columns(image: Matrix, kernel: Matrix, stride: int = 1) -> Matrix:
    """The im2col matrix: one column a window, one row a place of the kernel."""
    found = [window for row in windows(image, len(kernel), len(kernel[0]), stride) for window in row]
    return tuple(zip(*found, strict=True))


def _fits(image: Matrix, kernel: Matrix) -> None:
    if len(kernel) > len(image) or len(kernel[0]) > len(image[0]):
        raise ValueError("the kernel is larger than the input; make 'kernel' smaller or 'padding' larger")


def convolution(parameters: Mapping[str, str]) -> str:
    """Every output with the sum that makes it."""
    only(parameters, "input", "kernel", "stride", "padding")
    image, kernel = matrix(parameters, "input"), matrix(parameters, "kernel")
    stride, padding = whole(parameters, "stride", 1, 9), whole(parameters, "padding", 0, 9)
    wide = padded(image, padding)
    _fits(wide, kernel)
    result = convolved(wide, kernel, stride)
    weights = [weight for row in kernel for weight in row]
    sums = [
        [f"$Y_{{{i},{j}}}$", f"${_sum(window, weights)}={shown(result[i - 1][j - 1])}$"]
        for i, row in enumerate(windows(wide, len(kernel), len(kernel[0]), stride), 1)
        for j, window in enumerate(row, 1)
    ]
    return paragraphs(
        f"输入$X={tex_matrix(image)}$，卷积核$K={tex_matrix(kernel)}$，步长{stride}，填充{padding}。"
        "核在输入上滑动，对应元素相乘再求和：",
        table(["输出", "计算"], sums),
        f"输出$Y={tex_matrix(result)}$。",
    )


def _sum(window: tuple[Fraction, ...], weights: list[Fraction]) -> str:
    pairs = zip(window, weights, strict=True)
    return "+".join(f"{_signed(shown(a))}\\times{_signed(shown(b))}" for a, b in pairs)


def _signed(text: str) -> str:
    return f"({text})" if text.startswith("-") else text


def pooling(parameters: Mapping[str, str]) -> str:
    only(parameters, "input", "size", "stride")
    image = matrix(parameters, "input")
    size, stride = whole(parameters, "size", 1, 9), whole(parameters, "stride", 1, 9)
    if size > min(len(image), len(image[0])):
        raise ValueError("'size' is larger than the input; make it smaller")
    largest = pooled(image, size, stride, max)
    average = pooled(image, size, stride, lambda window: sum(window, Fraction(0)) / len(window))
    return paragraphs(
        f"输入$X={tex_matrix(image)}$，窗口${size}\\times{size}$，步长{stride}。",
        f"Max Pooling取每个窗口的最大值：${tex_matrix(largest)}$。",
        f"Average Pooling取平均值：${tex_matrix(average)}$。",
    )


def output_sizes(parameters: Mapping[str, str]) -> str:
    only(parameters, "cases")
    lines = []
    for height, kernel, padding, stride in rows(parameters, "cases", ("height", "kernel", "padding", "stride")):
        if min(height, kernel, stride) < 1 or height + 2 * padding < kernel:
            case = f"{height} {kernel} {padding} {stride}"
            raise ValueError(f"'cases' has {case}: the kernel does not fit once, or a side is 0")
        size = output_size(height, kernel, padding, stride)
        step = f"$\\lfloor({height}+2\\times{padding}-{kernel})/{stride}\\rfloor+1={size}$"
        lines.append([f"${height},{kernel},{padding},{stride}$", step])
    return paragraphs(
        r"依次取输入$H$、核$K$、填充$P$、步长$S$，输出$\lfloor(H+2P-K)/S\rfloor+1$：",
        table(["取值", "输出"], lines),
    )


def im2col(parameters: Mapping[str, str]) -> str:
    only(parameters, "input", "kernel")
    image, kernel = matrix(parameters, "input"), matrix(parameters, "kernel")
    _fits(image, kernel)
    made, result = columns(image, kernel), convolved(image, kernel, 1)
    weights = (tuple(weight for row in kernel for weight in row),)
    flat = (tuple(value for row in result for value in row),)
    inputs, expanded = len(image) * len(image[0]), len(made) * len(made[0])
    return paragraphs(
        f"输入${tex_matrix(image)}$，核${tex_matrix(kernel)}$，步长1，无填充。"
        f"{len(made[0])}个窗口各展开成一列，核展开成一行，乘一次得到全部输出：",
        f"$${tex_matrix(weights)}\\,{tex_matrix(made)}={tex_matrix(flat)}$$",
        f"列矩阵有{expanded}个元素，输入只有{inputs}个，膨胀${shown(Fraction(expanded, inputs), 2)}$倍。",
    )


def im2col_sizes(parameters: Mapping[str, str]) -> str:
    """Shapes, growth and multiplications of square layers."""
    only(parameters, "cases")
    names = ("in", "out", "height", "kernel", "padding", "stride")
    layers = [["输入", "卷积核", "填充、步长", "权重矩阵", "列矩阵", "输出矩阵", "膨胀", "乘加次数"]]
    for channels, filters, height, kernel, padding, stride in rows(parameters, "cases", names):
        if min(channels, filters, height, kernel, stride) < 1 or height + 2 * padding < kernel:
            raise ValueError(f"'cases' has a kernel of {kernel} that does not fit into {height} once, or a 0")
        inner, places = channels * kernel**2, output_size(height, kernel, padding, stride) ** 2
        layers.append([
            f"{channels}×{height}×{height}",
            f"{filters}个{kernel}×{kernel}",
            f"{padding}、{stride}",
            f"{filters}×{inner}",
            f"{inner}×{places}",
            f"{filters}×{places}",
            f"{shown(Fraction(inner * places, channels * height**2), 2)}倍",
            grouped(filters * inner * places),
        ])  # fmt: skip
    head, *lines = zip(*layers, strict=True)  # a layer in a column, or the table is twice as wide as a phone
    return paragraphs(
        r"权重矩阵$C_{out}\times(C_{in}K^2)$，列矩阵$(C_{in}K^2)\times(H_{out}W_{out})$；"
        "乘加次数是权重矩阵的行数乘列矩阵的元素数：",
        table(head, lines),
    )


def parameter_count(parameters: Mapping[str, str]) -> str:
    only(parameters, "side", "kernel", "in", "out", "filter", "image", "classes")
    side, kernel = whole(parameters, "side", 2, 1000), whole(parameters, "kernel", 1, 99)
    channels, filters = whole(parameters, "in", 1, 4096), whole(parameters, "out", 1, 4096)
    small, image = whole(parameters, "filter", 1, 99), whole(parameters, "image", 1, 4096)
    classes = whole(parameters, "classes", 1, 10**6)
    if kernel > side:
        raise ValueError("'kernel' is larger than 'side'; make it smaller")
    size = output_size(side, kernel, 0, 1)
    layers = table(
        ["层", "参数", "计算"],
        [
            [f"全连接，{side}×{side}→{size}×{size}", grouped(side**2 * size**2), f"${side**2}\\times{size**2}$"],
            [f"{kernel}×{kernel}卷积，单通道", grouped(kernel**2), f"${kernel}\\times{kernel}$"],
            [
                f"{small}×{small}卷积，{channels}→{filters}通道",
                grouped(channels * filters * small**2 + filters),
                f"${channels}\\times{filters}\\times{small**2}+{filters}$",
            ],
            [
                f"全连接，{image}×{image}×{channels}→{classes}",
                grouped(image**2 * channels * classes),
                f"${image**2 * channels}\\times{classes}$",
            ],
        ],
    )
    return paragraphs(
        f"前两行输出相同，边长${side}-{kernel}+1={size}$（无填充，步长1）。只有第三行计偏置，每个输出通道一个：",
        layers,
    )


CELL = 34
"""Side of a cell whose number has up to two signs."""


def figure(parameters: Mapping[str, str]) -> Element:
    """The input with its first window, the column matrix with its first column, and below them the product."""
    only(parameters, "input", "kernel")
    image, kernel = matrix(parameters, "input"), matrix(parameters, "kernel")
    _fits(image, kernel)
    made, result = columns(image, kernel), convolved(image, kernel, 1)
    flat = tuple(value for row in result for value in row)
    weights = tuple(weight for row in kernel for weight in row)
    height, width = len(kernel), len(kernel[0])
    alt = (
        f"{len(image)}×{len(image[0])}的输入上，{height}×{width}的窗口各展开成列矩阵的一列，第一个窗口"
        f"{_said(row[0] for row in made)}是第一列；核展开成一行{_said(weights)}，乘列矩阵得输出{_said(flat)}。"
    )
    longest = max(len(shown(value, 2)) for value in (*sum(image, ()), *weights, *flat))
    cell = max(CELL, 9 * longest + 8)
    input_wide, weights_wide, columns_wide = (cell * len(row) for row in (image[0], weights, flat))
    above = input_wide + 74 + max(columns_wide, 156)  # the title of the columns
    below = max(weights_wide, 90) + 96 + columns_wide
    whole_wide = max(above, below, 300) + 16
    if whole_wide > svg.WIDEST:
        raise ValueError("the figure of im2col is too wide to read; make 'input' or 'kernel' smaller")
    left, top = (whole_wide - above) / 2, 40
    columns_x = left + input_wide + 74 + (max(columns_wide, 156) - columns_wide) / 2
    weights_x = (whole_wide - below) / 2 + (max(weights_wide, 90) - weights_wide) / 2
    product_x, product_y = (whole_wide + below) / 2 - columns_wide, top + cell * max(len(made), len(image)) + 56
    return svg.drawing(
        whole_wide, product_y + cell + 40, alt,
        svg.text(left + input_wide / 2, 24, "输入", "title"),
        _grid(left, top, cell, image, lambda i, j: i < height and j < width),
        svg.arrow((left + input_wide + 10, top + cell), (left + input_wide + 64, top + cell)),
        svg.text(left + input_wide + 37, top + cell - 12, "展开", "note"),
        svg.text(columns_x + columns_wide / 2, 24, "列矩阵：一个窗口一列", "title"),
        _grid(columns_x, top, cell, made, lambda i, j: j == 0),
        svg.text(weights_x + weights_wide / 2, product_y - 12, "核展开成一行", "note"),
        _grid(weights_x, product_y, cell, (weights,), lambda i, j: False),
        svg.text(product_x - 48, product_y + cell / 2 + 5, "× 列矩阵 ="),
        svg.text(product_x + columns_wide / 2, product_y - 12, "输出", "note"),
        _grid(product_x, product_y, cell, (flat,), lambda i, j: j == 0),
        svg.text(whole_wide / 2, product_y + cell + 28, "深色：第一个窗口、它的列和它的结果", "note"),
    )  # fmt: skip


def _said(numbers: Iterator[Fraction] | tuple[Fraction, ...]) -> str:
    return "、".join(shown(value) for value in numbers)


def _grid(x: float, y: float, side: float, cells: Matrix, marked: Callable[[int, int], bool]) -> Iterator[svg.Part]:
    for i, row in enumerate(cells):
        for j, value in enumerate(row):
            fill: svg.Fill = "b" if marked(i, j) else "plain"
            yield svg.box(x + side * j, y + side * i, side, side, fill, round_=0)
            yield svg.text(x + side * (j + 0.5), y + side * (i + 0.5) + 5, shown(value, 2))
