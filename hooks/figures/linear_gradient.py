"""Forward and backward pass of a linear layer without bias: Y = XWᵀ, dX = dY·W, dW = dYᵀX."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from figures.parameters import matrix, only
from figures.writing import matrix as tex_matrix
from figures.writing import paragraphs, shown, table

Matrix = tuple[tuple[Fraction, ...], ...]


def product(left: Matrix, right: Matrix) -> Matrix:
    columns = tuple(zip(*right, strict=True))
    return tuple(
        tuple(sum((a * b for a, b in zip(row, column, strict=True)), Fraction(0)) for column in columns) for row in left
    )


def transposed(rows: Matrix) -> Matrix:
    return tuple(zip(*rows, strict=True))


@dataclass(frozen=True)
class Gradients:
    """Y: N × O, dX: N × I, dW: O × I."""

    output: Matrix
    by_input: Matrix
    by_weight: Matrix


def gradients(x: Matrix, weight: Matrix, upstream: Matrix) -> Gradients:
    """`x` N × I, `weight` O × I, `upstream` (dY) N × O."""
    return Gradients(product(x, transposed(weight)), product(upstream, weight), product(transposed(upstream), x))


def example(parameters: Mapping[str, str]) -> str:
    only(parameters, "x", "weight", "upstream")
    x, weight, upstream = (matrix(parameters, name) for name in ("x", "weight", "upstream"))
    if len(x[0]) != len(weight[0]):
        raise ValueError("'x' and 'weight' have as many columns (the inputs)")
    if (len(upstream), len(upstream[0])) != (len(x), len(weight)):
        raise ValueError(f"'upstream' has {len(x)} rows of {len(weight)} numbers, as the output")
    made = gradients(x, weight, upstream)
    samples, inputs, outputs = len(x), len(x[0]), len(weight)
    return paragraphs(
        f"$N={samples}$个样本，$I={inputs}$个输入，$O={outputs}$个输出："
        f"$X={tex_matrix(x)}$，$W={tex_matrix(weight)}$，上游梯度$dY={tex_matrix(upstream)}$。",
        table(
            ["方向", "计算", "形状"],
            [
                ["前向", f"$Y=XW^{{\\top}}={tex_matrix(made.output)}$", f"{samples}×{outputs}"],
                ["对输入", f"$dX=dY\\,W={tex_matrix(made.by_input)}$", f"{samples}×{inputs}"],
                ["对权重", f"$dW=dY^{{\\top}}X={tex_matrix(made.by_weight)}$", f"{outputs}×{inputs}"],
            ],
        ),
        f"例如每个结果左下角的数：$Y_{{{samples}1}}={_dot(x[-1], weight[0])}$，"
        f"$dX_{{{samples}1}}={_dot(upstream[-1], transposed(weight)[0])}$，"
        f"$dW_{{{outputs}1}}={_dot(transposed(upstream)[-1], transposed(x)[0])}$（最后一式对样本求和）。",
    )


def _dot(left: tuple[Fraction, ...], right: tuple[Fraction, ...]) -> str:
    terms = "+".join(f"{_factor(a)}\\times{_factor(b)}" for a, b in zip(left, right, strict=True))
    return f"{terms}={shown(sum((a * b for a, b in zip(left, right, strict=True)), Fraction(0)))}"


def _factor(value: Fraction) -> str:
    return f"({shown(value)})" if value < 0 else shown(value)
