"""FGSM, BIM and PGD on a logistic regression p = σ(w·x + b), where every gradient can be written down.

Sources: Goodfellow et al. (arXiv:1412.6572) for FGSM; Kurakin et al. (arXiv:1607.02533) for the target and for BIM;
Madry et al. (arXiv:1706.06083) for the random start of PGD. Pixels lie in [0, 1].
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import exp, log
from xml.etree.ElementTree import Element

from figures import svg
from figures.parameters import number, numbers, only, whole
from figures.writing import paragraphs, shown, table

Vector = tuple[Fraction, ...]


@dataclass(frozen=True)
class Model:
    """Weights of the inputs and the bias; class 1 where p > 1/2."""

    weights: Vector
    bias: Fraction

    def score(self, x: Vector) -> Fraction:
        """z = w·x + b"""
        return sum((w * value for w, value in zip(self.weights, x, strict=True)), self.bias)

    def probability(self, x: Vector) -> float:
        """Of class 1."""
        return 1 / (1 + exp(-float(self.score(x))))

    def loss(self, x: Vector, label: int) -> float:
        """Cross-entropy."""
        p = self.probability(x)
        return -log(p if label else 1 - p)

    def gradient(self, x: Vector, label: int) -> tuple[float, ...]:
        """Of the loss by the input: (p − y)·w."""
        return tuple((self.probability(x) - label) * float(w) for w in self.weights)

    def signs(self, label: int) -> tuple[int, ...]:
        """Signs of the gradient, the same everywhere: p − y is below 0 for label 1 and above for label 0."""
        return tuple(_sign(w) * (-1 if label else 1) for w in self.weights)


def _sign(value: Fraction) -> int:
    return (value > 0) - (value < 0)


def clip(value: Fraction, low: Fraction, high: Fraction) -> Fraction:
    return min(max(value, low), high)


def step(model: Model, x: Vector, label: int, size: Fraction) -> Vector:
    """x + size·sign(∇J), within [0, 1]; a negative size goes towards the label."""
    moves = zip(x, model.signs(label), strict=True)
    return tuple(clip(value + size * sign, Fraction(0), Fraction(1)) for value, sign in moves)


def iterated(model: Model, x: Vector, label: int, epsilon: Fraction, size: Fraction, start: Vector) -> Vector:
    """One round of BIM or PGD: a step, then back into the box of ±ε around `x` and into [0, 1]."""
    moved = step(model, start, label, size)
    return tuple(clip(value, centre - epsilon, centre + epsilon) for value, centre in zip(moved, x, strict=True))


def _model(parameters: Mapping[str, str]) -> tuple[Model, Vector]:
    model = Model(numbers(parameters, "weights"), number(parameters, "bias", -1000, 1000))
    x = numbers(parameters, "x")
    if len(x) != len(model.weights):
        raise ValueError("'x' has as many numbers as 'weights'")
    if not all(0 <= value <= 1 for value in x):
        raise ValueError("'x' lies between 0 and 1, as pixels do")
    return model, x


def _vector(values: tuple[Fraction, ...] | tuple[float, ...] | tuple[int, ...], places: int = 3) -> str:
    return "(" + ", ".join(shown(value, places) for value in values) + ")"


def _said(values: Vector) -> str:
    return "（" + "，".join(shown(value) for value in values) + "）"


def _given(model: Model, x: Vector) -> str:
    return f"逻辑回归$w={_vector(model.weights)}$、$b={shown(model.bias)}$，$x={_vector(x)}$"


def _rows(model: Model, x: Vector, label: int, epsilon: Fraction, name: str) -> list[list[str]]:
    """Every step of FGSM; ε is negative for the attack towards a target."""
    made = step(model, x, label, epsilon)
    sign = "+" if epsilon > 0 else "-"
    gradient = f"$(p-{name})w={_vector(model.gradient(x, label))}$"
    return [
        ["前向", f"$z=w\\cdot x+b={shown(model.score(x))}$，$p=\\sigma(z)={shown(model.probability(x))}$"],
        ["输入的梯度", gradient],
        ["符号", f"${_vector(model.signs(label))}$"],
        ["对抗样本", f"$x{sign}\\epsilon\\operatorname{{sign}}={_vector(made)}$"],
        ["结果", f"$z'={shown(model.score(made))}$，$p'={shown(model.probability(made))}$"],
        ["损失", f"${shown(model.loss(x, label), 3)}\\to{shown(model.loss(made, label), 3)}$"],
    ]


def _verdict(model: Model, x: Vector, made: Vector) -> str:
    before, after = int(model.score(x) > 0), int(model.score(made) > 0)
    return f"预测由{before}变成{after}。" if before != after else f"预测仍是{before}。"


def fgsm(parameters: Mapping[str, str]) -> str:
    only(parameters, "weights", "bias", "x", "label", "epsilon")
    model, x = _model(parameters)
    label, epsilon = whole(parameters, "label", 0, 1), number(parameters, "epsilon", 0.0001, 1)
    made = step(model, x, label, epsilon)
    change = model.score(made) - model.score(x)
    return paragraphs(
        f"{_given(model, x)}，真实标签$y={label}$，$\\epsilon={shown(epsilon)}$。",
        table(["步骤", "计算"], _rows(model, x, label, epsilon, "y")),
        f"{_verdict(model, x, made)}每个分量最多变{shown(epsilon)}，$z$却变了{shown(change)}："
        "没有碰到边界时它等于$-\\epsilon\\lVert w\\rVert_1$（$y=1$），维数越高越大。",
    )


def fgsm_targeted(parameters: Mapping[str, str]) -> str:
    only(parameters, "weights", "bias", "x", "target", "epsilon")
    model, x = _model(parameters)
    target, epsilon = whole(parameters, "target", 0, 1), number(parameters, "epsilon", 0.0001, 1)
    made = step(model, x, target, -epsilon)
    return paragraphs(
        f"{_given(model, x)}，目标标签$y_{{\\text{{target}}}}={target}$，$\\epsilon={shown(epsilon)}$。",
        table(["步骤", "计算"], _rows(model, x, target, -epsilon, r"y_{\text{target}}")),
        f"{_verdict(model, x, made)}只有两类时，朝另一类走就是离开真实的一类，所以和无目标攻击走到同一点；"
        "类别多时两者不同。",
    )


def iterated_attack(parameters: Mapping[str, str]) -> str:
    """BIM, or PGD where `start` gives the shift of the first point."""
    only(parameters, "weights", "bias", "x", "label", "epsilon", "step", "steps", "start")
    model, x = _model(parameters)
    label, epsilon = whole(parameters, "label", 0, 1), number(parameters, "epsilon", 0.0001, 1)
    size, count = number(parameters, "step", 0.0001, 1), whole(parameters, "steps", 1, 12)
    shift = numbers(parameters, "start") if "start" in parameters else (Fraction(0),) * len(x)
    if len(shift) != len(x) or not all(abs(value) <= epsilon for value in shift):
        raise ValueError("'start' has as many numbers as 'x', none larger than 'epsilon'")
    at = tuple(clip(a + b, Fraction(0), Fraction(1)) for a, b in zip(x, shift, strict=True))
    lines = [_state(model, 0, at, label)]
    for done in range(1, count + 1):
        at = iterated(model, x, label, epsilon, size, at)
        lines.append(_state(model, done, at, label))
    random = any(shift)
    name = "PGD：从$\\epsilon$球内的随机点起步" if random else "BIM：从原样本起步"
    start = f"，$\\delta_0={_vector(shift)}$" if random else ""
    box = "、".join(f"$[{shown(max(v - epsilon, Fraction(0)))},{shown(min(v + epsilon, Fraction(1)))}]$" for v in x)
    return paragraphs(
        f"{name}{start}。{_given(model, x)}，$y={label}$，$\\epsilon={shown(epsilon)}$，步长$\\alpha={shown(size)}$，"
        f"每步之后各分量裁剪到{box}：",
        table(["步", "样本$x^t$", "概率$p$", "损失"], lines),
    )


def _state(model: Model, done: int, at: Vector, label: int) -> list[str]:
    return [str(done), f"${_vector(at)}$", shown(model.probability(at)), shown(model.loss(at, label), 3)]


SIDE, LEFT, BOTTOM = 330.0, 62.0, 366.0


def figure(parameters: Mapping[str, str]) -> Element:
    """The plane of two inputs: the boundary, the box of ε, the direction of the gradient, and the corner reached."""
    only(parameters, "weights", "bias", "x", "epsilon")
    model, x = _model(parameters)
    epsilon = number(parameters, "epsilon", 0.01, 0.5)
    if len(x) != 2 or not all(model.weights):
        raise ValueError("the figure is a plane: 'weights' and 'x' have two numbers, no weight of 0")
    label = int(model.score(x) > 0)
    made = step(model, x, label, epsilon)
    slope = model.gradient(x, label)
    scale = float(epsilon) * 0.75 / max(abs(value) for value in slope)
    ends = _boundary(model)
    if len(ends) < 2:
        raise ValueError("the boundary does not cross the unit square; choose other 'weights' or 'bias'")

    def at(point: tuple[Fraction, ...] | tuple[float, ...]) -> svg.Point:
        return LEFT + float(point[0]) * SIDE, BOTTOM - float(point[1]) * SIDE

    (x0, y0), (x1, y1) = at(x), at(made)
    reach = float(epsilon) * SIDE
    gradient_end = at((float(x[0]) + slope[0] * scale, float(x[1]) + slope[1] * scale))
    crossed = int(model.score(made) > 0) != label
    alt = (
        f"两个输入的平面。样本{_said(x)}在类别{label}一侧，周围是边长{shown(2 * epsilon)}的方框（L∞球）。"
        f"梯度方向取符号后，走到方框的一角{_said(made)}，{'越过了' if crossed else '没有越过'}决策边界。"
    )
    return svg.drawing(
        430, 416, alt,
        svg.arrow((LEFT, BOTTOM), (LEFT + SIDE + 16, BOTTOM)), svg.arrow((LEFT, BOTTOM), (LEFT, BOTTOM - SIDE - 16)),
        svg.text(LEFT + SIDE, BOTTOM + 36, "x₁", "note"), svg.text(LEFT - 30, BOTTOM - SIDE + 6, "x₂", "note"),
        [
            [svg.text(LEFT + SIDE * k / 2, BOTTOM + 20, shown(Fraction(k, 2)), "note"),
             svg.text(LEFT - 8, BOTTOM - SIDE * k / 2 + 5, shown(Fraction(k, 2)), "note", "end")]
            for k in range(3)
        ],
        svg.line(at(ends[0]), at(ends[1]), stroke="strong"),
        svg.text(at(ends[1])[0] - 8, at(ends[1])[1] - 10, "决策边界", "end"),
        svg.box(x0 - reach, y0 - reach, 2 * reach, 2 * reach, "empty", round_=0),
        svg.text(x0, y0 + reach - 9, f"ε={shown(epsilon)}的方框", "note"),
        svg.arrow((x0, y0), gradient_end, stroke="dashed"),
        svg.arrow((x0, y0), (x1 + (6 if x1 < x0 else -6), y1 + (6 if y1 < y0 else -6)), stroke="accent"),
        svg.circle(x0, y0, 5, "plain"), svg.circle(x1, y1, 5, "strong"),
        svg.text(x0, y0 + 24, f"x（类别{label}）"),
        svg.text(x1 - 10, y1 - 10, "对抗样本", "end"),
        svg.text(430 - 8, 20, "虚线是梯度方向，实线是取符号之后", "note", "end"),
    )  # fmt: skip


def _boundary(model: Model) -> list[tuple[Fraction, Fraction]]:
    """Where w₁x₁ + w₂x₂ + b = 0 meets the sides of the unit square, from left to right."""
    (w1, w2), b = model.weights, model.bias
    points = {(Fraction(k), -(b + w1 * k) / w2) for k in (0, 1)} | {(-(b + w2 * k) / w1, Fraction(k)) for k in (0, 1)}
    return sorted(point for point in points if all(0 <= value <= 1 for value in point))
