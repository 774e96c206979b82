"""One step of gradient descent on a neuron y = wx + b with the loss L = (y − t)²/2, and its computational graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from xml.etree.ElementTree import Element

from figures import svg
from figures.parameters import number, only
from figures.writing import paragraphs, shown, table


@dataclass(frozen=True)
class Neuron:
    """One input, one weight, one bias and the target of the output."""

    x: Fraction
    weight: Fraction
    bias: Fraction
    target: Fraction

    @property
    def output(self) -> Fraction:
        return self.weight * self.x + self.bias

    @property
    def loss(self) -> Fraction:
        return (self.output - self.target) ** 2 / 2

    @property
    def by_output(self) -> Fraction:
        """∂L/∂y"""
        return self.output - self.target

    @property
    def by_weight(self) -> Fraction:
        """∂L/∂w"""
        return self.by_output * self.x

    @property
    def by_bias(self) -> Fraction:
        """∂L/∂b"""
        return self.by_output

    @property
    def by_input(self) -> Fraction:
        """∂L/∂x"""
        return self.by_output * self.weight

    def after(self, rate: Fraction) -> Neuron:
        """The neuron after a step against the gradient, `rate` long."""
        return Neuron(self.x, self.weight - rate * self.by_weight, self.bias - rate * self.by_bias, self.target)


def _neuron(parameters: Mapping[str, str]) -> Neuron:
    return Neuron(*(number(parameters, name, -1000, 1000) for name in ("x", "weight", "bias", "target")))


def example(parameters: Mapping[str, str]) -> str:
    only(parameters, "x", "weight", "bias", "target", "rate")
    neuron, rate = _neuron(parameters), number(parameters, "rate", 0, 1000)
    after = neuron.after(rate)
    x, w, b, t = (shown(value) for value in (neuron.x, neuron.weight, neuron.bias, neuron.target))
    y, error, eta = shown(neuron.output), shown(neuron.by_output), shown(rate)
    by_weight, by_bias = shown(neuron.by_weight), shown(neuron.by_bias)
    return paragraphs(
        rf"$y=wx+b$，$L=\frac12(y-t)^2$，取$x={x}$、$w={w}$、$b={b}$、$t={t}$，学习率$\eta={eta}$。",
        table(
            ["步骤", "计算"],
            [
                ["前向", rf"$y={_times(w, x)}{_plus(b)}={y}$，$L=\frac12({y}{_minus(t)})^2={shown(neuron.loss)}$"],
                ["反向", rf"$\frac{{\partial L}}{{\partial y}}=y-t={error}$"],
                ["", rf"$\frac{{\partial L}}{{\partial w}}=(y-t)x={by_weight}$"],
                ["", rf"$\frac{{\partial L}}{{\partial b}}=y-t={by_bias}$"],
                ["", rf"$\frac{{\partial L}}{{\partial x}}=(y-t)w={shown(neuron.by_input)}$"],
                ["更新", rf"$w\leftarrow {w}-{eta}\times{_signed(by_weight)}={shown(after.weight)}$"],
                ["", rf"$b\leftarrow {b}-{eta}\times{_signed(by_bias)}={shown(after.bias)}$"],
                ["新损失", f"${shown(neuron.loss)}\\to{shown(after.loss)}$"],
            ],
        ),
    )


def _times(left: str, right: str) -> str:
    return rf"{left}\times{_signed(right)}"


def _signed(text: str) -> str:
    return f"({text})" if text.startswith("-") else text


def _plus(text: str) -> str:
    return text if text.startswith("-") else f"+{text}"


def _minus(text: str) -> str:
    return f"+{text[1:]}" if text.startswith("-") else f"-{text}"


COLUMN = (40.0, 145.0, 250.0, 345.0, 440.0)
"""Middles of inputs, product, sum, loss and the loss's value."""
TOP, MIDDLE, BOTTOM = 46.0, 116.0, 186.0


def figure(parameters: Mapping[str, str]) -> Element:
    """Forward values above the edges, gradients below them, against the arrows."""
    only(parameters, "x", "weight", "bias", "target")
    neuron = _neuron(parameters)
    product = neuron.weight * neuron.x
    nodes = [
        (COLUMN[0], TOP, f"w={shown(neuron.weight)}", neuron.by_weight),
        (COLUMN[0], MIDDLE, f"x={shown(neuron.x)}", neuron.by_input),
        (COLUMN[0], BOTTOM, f"b={shown(neuron.bias)}", neuron.by_bias),
    ]
    alt = (
        f"y=wx+b的计算图。前向：w={shown(neuron.weight)}与x={shown(neuron.x)}相乘得{shown(product)}，"
        f"加b={shown(neuron.bias)}得y={shown(neuron.output)}，与t={shown(neuron.target)}算得损失{shown(neuron.loss)}。"
        f"反向：损失对y的梯度{shown(neuron.by_output)}，对w的{shown(neuron.by_weight)}，"
        f"对x的{shown(neuron.by_input)}，对b的{shown(neuron.by_bias)}。"
    )
    return svg.drawing(
        480, 250, alt,
        [_leaf(x, y, said, gradient) for x, y, said, gradient in nodes],
        svg.arrow((74, TOP), (COLUMN[1] - 20, 80)),
        svg.arrow((74, MIDDLE), (COLUMN[1] - 24, 98)),
        svg.arrow((74, BOTTOM), (COLUMN[2] - 20, 126)),
        _operator(COLUMN[1], 90, "×"),
        svg.arrow((COLUMN[1] + 22, 92), (COLUMN[2] - 23, 106)),
        svg.text(197, 84, shown(product)),
        svg.text(197, 126, shown(neuron.by_output), "note"),
        _operator(COLUMN[2], 112, "+"),
        svg.arrow((COLUMN[2] + 22, 112), (COLUMN[3] - 34, 112)),
        svg.text(292, 100, f"y={shown(neuron.output)}"),
        svg.text(292, 134, shown(neuron.by_output), "note"),
        svg.labelled(COLUMN[3] - 32, 92, 72, 40, "½(y−t)²", "a"),
        svg.arrow((COLUMN[3] + 42, 112), (COLUMN[4] - 6, 112)),
        svg.text(COLUMN[4] + 16, 117, shown(neuron.loss), "title"),
        svg.text(COLUMN[3] + 4, 160, f"t={shown(neuron.target)}"),
        svg.line((COLUMN[3] + 4, 146), (COLUMN[3] + 4, 134)),
        svg.text(240, 238, "箭头上方是前向的值，灰字是反向传回的梯度", "note"),
    )  # fmt: skip


def _leaf(x: float, y: float, said: str, gradient: Fraction) -> list[Element]:
    return [*svg.labelled(x - 34, y - 17, 68, 34, said), svg.text(x, y + 33, f"梯度{shown(gradient)}", "note")]


def _operator(x: float, y: float, sign: str) -> list[Element]:
    return [svg.circle(x, y, 20, "a"), svg.text(x, y + 6, sign, "title")]
