"""Reverse-mode automatic differentiation of z = xy + sin x.

Source: the function is the example 3.1 of the course's textbook (AI-System 3.1).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import cos, sin

from figures.parameters import number, only
from figures.writing import paragraphs, shown, table


@dataclass(frozen=True)
class Trace:
    """Values of the forward pass and the derivatives that the backward pass gathers."""

    product: float
    sine: float
    value: float
    by_x: float
    by_y: float


def trace(x: float, y: float) -> Trace:
    """Forward a = xy, b = sin x, z = a + b; backward from ∂z/∂z = 1 against the order of the forward pass."""
    product, sine = x * y, sin(x)
    by_product = by_sine = 1.0  # ∂z/∂a and ∂z/∂b of a sum
    return Trace(product, sine, product + sine, by_product * y + by_sine * cos(x), by_product * x)


def example(parameters: Mapping[str, str]) -> str:
    only(parameters, "x", "y")
    x, y = number(parameters, "x", -100, 100), number(parameters, "y", -100, 100)
    made = trace(float(x), float(y))
    cosine = shown(cos(x))
    return paragraphs(
        f"$z=xy+\\sin x$，取$x={shown(x)}$、$y={shown(y)}$（$\\sin$按弧度）。",
        table(
            ["步骤", "计算"],
            [
                ["前向", f"$a=xy={shown(made.product)}$"],
                ["", f"$b=\\sin x={shown(made.sine)}$"],
                ["", f"$z=a+b={shown(made.value)}$"],
                ["反向", r"$\frac{\partial z}{\partial a}=1$，$\frac{\partial z}{\partial b}=1$"],
                [
                    "",
                    r"$\frac{\partial z}{\partial x}=\frac{\partial z}{\partial a}\,y+\frac{\partial z}{\partial b}"
                    r"\cos x$",
                ],
                ["", rf"$={shown(y)}{'' if cosine.startswith('-') else '+'}{cosine}={shown(made.by_x)}$"],
                ["", rf"$\frac{{\partial z}}{{\partial y}}=\frac{{\partial z}}{{\partial a}}\,x={shown(made.by_y)}$"],
            ],
        ),
        "$x$有两条路径通向$z$，两条路径的梯度相加。",
    )
