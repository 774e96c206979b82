"""One step of gradient descent on a neuron y = wx + b with the loss L = (y − t)²/2, and its computational graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import hypot
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
    by_weight, by_bias, new = shown(neuron.by_weight), shown(neuron.by_bias), shown(after.output)
    return paragraphs(
        rf"$y=wx+b$，$L=\frac12(y-t)^2$，取$x={x}$、$w={w}$、$b={b}$、$t={t}$，学习率$\eta={eta}$。",
        table(
            ["步骤", "计算"],
            [
                ["前向", rf"$y={_times(w, x)}{_plus(b)}={y}$"],
                ["", rf"$L=\frac12({y}{_minus(t)})^2={shown(neuron.loss)}$"],
                ["反向", rf"$\frac{{\partial L}}{{\partial y}}=y-t={error}$"],
                ["", rf"$\frac{{\partial L}}{{\partial w}}=(y-t)x={by_weight}$"],
                ["", rf"$\frac{{\partial L}}{{\partial b}}=y-t={by_bias}$"],
                ["", rf"$\frac{{\partial L}}{{\partial x}}=(y-t)w={shown(neuron.by_input)}$"],
                ["更新", rf"$w\leftarrow {w}-{eta}\times{_signed(by_weight)}={shown(after.weight)}$"],
                ["", rf"$b\leftarrow {b}-{eta}\times{_signed(by_bias)}={shown(after.bias)}$"],
                ["再前向", rf"$y={_times(shown(after.weight), x)}{_plus(shown(after.bias))}={new}$"],
                ["", rf"$L=\frac12({new}{_minus(t)})^2={shown(after.loss)}$"],
                ["损失", rf"${shown(neuron.loss)}\to{shown(after.loss)}$"],
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


LEAF, PRODUCT, SUM, LOSS, RESULT = 42.0, 134.0, 226.0, 334.0, 410.0
"""Middles of the columns, and where the value of the loss begins."""
TOP, MIDDLE, LOW, BOTTOM = 44.0, 98.0, 152.0, 192.0
RADIUS = 16.0


def figure(parameters: Mapping[str, str]) -> Element:
    """Each edge twice: solid with the value of the forward pass, dashed back with the gradient."""
    only(parameters, "x", "weight", "bias", "target")
    neuron = _neuron(parameters)
    w, x, b, t, product, y, loss = (
        shown(value, 2)
        for value in (
            neuron.weight, neuron.x, neuron.bias, neuron.target,
            neuron.weight * neuron.x, neuron.output, neuron.loss,
        )
    )  # fmt: skip
    by_output, by_weight, by_input, by_bias = (
        f"梯度{shown(value, 2)}" for value in (neuron.by_output, neuron.by_weight, neuron.by_input, neuron.by_bias)
    )
    leaves = [(LEAF, TOP, f"w={w}", by_weight), (LEAF, LOW, f"x={x}", by_input), (SUM, BOTTOM, f"b={b}", by_bias)]
    edges = [
        ((82, TOP + 5), (PRODUCT - 15, MIDDLE - 11)),
        ((82, LOW - 5), (PRODUCT - 15, MIDDLE + 11)),
        ((PRODUCT + RADIUS + 2, MIDDLE), (SUM - RADIUS - 2, MIDDLE)),
        ((SUM, BOTTOM - 19), (SUM, MIDDLE + RADIUS + 2)),
        ((SUM + RADIUS + 2, MIDDLE), (LOSS - 38, MIDDLE)),
        ((LOSS + 38, MIDDLE), (RESULT - 6, MIDDLE)),
    ]
    alt = (
        f"y=wx+b的计算图。前向：w={w}与x={x}相乘得{product}，加b={b}得y={y}，与t={t}算得损失{loss}。"
        f"反向：损失对y的{by_output}，对w的{by_weight}，对x的{by_input}，对b的{by_bias}。"
    )
    return svg.drawing(
        max(480, RESULT + 9 * len(f"L={loss}")), 276, alt,
        [_leaf(*leaf) for leaf in leaves],
        [_edge(start, end) for start, end in edges],
        _operator(PRODUCT, "×"), _operator(SUM, "+"),
        svg.labelled(LOSS - 36, MIDDLE - 17, 72, 34, "½(y−t)²", "a"),
        svg.labelled(LOSS - 34, BOTTOM - 17, 68, 34, f"t={t}"),
        svg.arrow((LOSS, BOTTOM - 19), (LOSS, MIDDLE + 19)),
        _passed((PRODUCT + SUM) / 2 - 6, product, by_output),
        _passed((SUM + LOSS) / 2 - 5, f"y={y}", by_output),
        svg.text((LOSS + RESULT) / 2 + 17, MIDDLE + 34, "梯度1", "note"),
        svg.text(RESULT, MIDDLE + 5, f"L={loss}", "title", "start"),
        svg.text(240, 264, "实线：前向，上方是值；虚线：反向，下方是梯度", "note"),
    )  # fmt: skip


def _edge(start: svg.Point, end: svg.Point) -> list[list[Element]]:
    """Forward and backward side by side."""
    length = hypot(end[0] - start[0], end[1] - start[1])
    aside = (5 * (start[1] - end[1]) / length, 5 * (end[0] - start[0]) / length)
    return [
        svg.arrow((start[0] - aside[0], start[1] - aside[1]), (end[0] - aside[0], end[1] - aside[1])),
        svg.arrow((end[0] + aside[0], end[1] + aside[1]), (start[0] + aside[0], start[1] + aside[1]), stroke="dashed"),
    ]


def _passed(x: float, forward: str, back: str) -> list[Element]:
    """What an edge carries, higher and lower than the nodes at its ends."""
    return [svg.text(x, MIDDLE - 22, forward), svg.text(x, MIDDLE + 34, back, "note")]


def _leaf(x: float, y: float, said: str, gradient: str) -> list[Element]:
    return [*svg.labelled(x - 34, y - 17, 68, 34, said), svg.text(x, y + 34, gradient, "note")]


def _operator(x: float, sign: str) -> list[Element]:
    return [svg.circle(x, MIDDLE, RADIUS, "a"), svg.text(x, MIDDLE + 5, sign, "title")]
