"""FGSM, BIM and PGD on a logistic regression p = σ(w·x + b), where every gradient can be written down.

Sources: Goodfellow et al. (arXiv:1412.6572) for FGSM; Kurakin et al. (arXiv:1607.02533) for the target and for BIM;
Madry et al. (arXiv:1706.06083) for the random start of PGD. Pixels lie in [0, 1].
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import exp, log

from figures.parameters import number, numbers, only, whole
from figures.writing import equals, paragraphs, shown, table

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


def given(parameters: Mapping[str, str]) -> tuple[Model, Vector]:
    """The model and the sample of a block."""
    model = Model(numbers(parameters, "weights"), number(parameters, "bias", -1000, 1000))
    x = numbers(parameters, "x")
    if len(x) != len(model.weights):
        raise ValueError("'x' has as many numbers as 'weights'")
    if not all(0 <= value <= 1 for value in x):
        raise ValueError("'x' lies between 0 and 1, as pixels do")
    return model, x


def _vector(values: tuple[Fraction, ...] | tuple[float, ...] | tuple[int, ...], places: int = 3) -> str:
    return "(" + ", ".join(shown(value, places) for value in values) + ")"


def _said(model: Model, x: Vector) -> str:
    return f"逻辑回归$w={_vector(model.weights)}$、$b={shown(model.bias)}$，$x={_vector(x)}$"


def _score(model: Model, x: Vector) -> str:
    """The sum written out: 2×0.6 − 3×0.2 + 0.1 = 0.7."""
    terms = "".join(
        rf"{'-' if w < 0 else '+'}{shown(abs(w))}\times{shown(value)}"
        for w, value in zip(model.weights, x, strict=True)
    )
    bias = f"{'-' if model.bias < 0 else '+'}{shown(abs(model.bias))}" if model.bias else ""
    return f"{terms.removeprefix('+')}{bias}{equals(model.score(x))}"


def _rows(model: Model, x: Vector, label: int, epsilon: Fraction, name: str) -> list[list[str]]:
    """Every step of FGSM; ε is negative for the attack towards a target."""
    made = step(model, x, label, epsilon)
    p = shown(model.probability(x))
    move = tuple(epsilon * one for one in model.signs(label))
    clipped = any(a + b != c for a, b, c in zip(x, move, made, strict=True))
    loss = r"-\ln p" if label else r"-\ln(1-p)"
    return [
        ["打分", f"$z={_score(model, x)}$"],
        ["概率", rf"$p=\frac{{1}}{{1+e^{{-z}}}}\approx{p}$"],
        ["误差", rf"$p-{name}\approx{p}-{label}={shown(Fraction(p) - label)}$"],
        ["梯度", rf"$(p-{name})w\approx{_vector(model.gradient(x, label))}$"],
        ["符号", f"${_vector(model.signs(label))}$"],
        ["扰动", rf"${shown(epsilon)}\times{_vector(model.signs(label))}={_vector(move)}$"],
        ["对抗样本", f"$x'={_vector(made)}$" + ("（裁剪到0和1之间）" if clipped else "")],
        ["新的打分", f"$z'={_score(model, made)}$"],
        ["新的概率", rf"$p'\approx{shown(model.probability(made))}$"],
        ["损失", rf"$J={loss}$：${shown(model.loss(x, label), 3)}\to{shown(model.loss(made, label), 3)}$"],
    ]


TARGET = r"y_{\text{target}}"


def _rule(name: str) -> str:
    return rf"$z=w\cdot x+b$，损失$J$是交叉熵，对输入的梯度$\nabla_xJ=(p-{name})w$"


def _verdict(model: Model, x: Vector, made: Vector) -> str:
    before, after = int(model.score(x) > 0), int(model.score(made) > 0)
    return f"预测由{before}变成{after}。" if before != after else f"预测仍是{before}。"


def fgsm(parameters: Mapping[str, str]) -> str:
    only(parameters, "weights", "bias", "x", "label", "epsilon")
    model, x = given(parameters)
    label, epsilon = whole(parameters, "label", 0, 1), number(parameters, "epsilon", 0.0001, 1)
    made = step(model, x, label, epsilon)
    return paragraphs(
        rf"{_said(model, x)}，真实标签$y={label}$，$\epsilon={shown(epsilon)}$。{_rule('y')}：",
        table(["步骤", "计算"], _rows(model, x, label, epsilon, "y")),
        _verdict(model, x, made) + _change(model, x, label, made, epsilon),
    )


def _change(model: Model, x: Vector, label: int, made: Vector, epsilon: Fraction) -> str:
    """Of the score: ε‖w‖₁ where nothing was clipped, so it grows with the number of inputs."""
    norm = sum((abs(w) for w in model.weights), Fraction(0))
    change = abs(model.score(made) - model.score(x))
    most = rf"\epsilon\lVert w\rVert_1={shown(epsilon)}\times{shown(norm)}{equals(epsilon * norm)}"
    way = "减小" if label else "增大"
    if change == epsilon * norm:
        return f"每个分量只变{shown(epsilon)}，$z$却{way}了${most}$：维数越高，变得越多。"
    return f"有分量裁剪到0或1，所以$z$只{way}了{shown(change)}，小于${most}$。"


def fgsm_targeted(parameters: Mapping[str, str]) -> str:
    only(parameters, "weights", "bias", "x", "target", "epsilon")
    model, x = given(parameters)
    target, epsilon = whole(parameters, "target", 0, 1), number(parameters, "epsilon", 0.0001, 1)
    if target == int(model.score(x) > 0):
        raise ValueError(f"'target' is {1 - target}: the model already takes 'x' for a {target}")
    made = step(model, x, target, -epsilon)
    return paragraphs(
        rf"{_said(model, x)}，目标标签$y_{{\text{{target}}}}={target}$，$\epsilon={shown(epsilon)}$。{_rule(TARGET)}：",
        table(["步骤", "计算"], _rows(model, x, target, -epsilon, TARGET)),
        f"{_verdict(model, x, made)}目标类的损失减小。只有两类时，朝另一类走就是离开原来的一类，"
        "所以和无目标攻击走到同一点；类别更多时两者不同。",
    )


def iterated_attack(parameters: Mapping[str, str]) -> str:
    """BIM, or PGD where `start` gives the shift of the first point."""
    only(parameters, "weights", "bias", "x", "label", "epsilon", "step", "steps", "start")
    model, x = given(parameters)
    label, epsilon = whole(parameters, "label", 0, 1), number(parameters, "epsilon", 0.0001, 1)
    size, count = number(parameters, "step", 0.0001, 1), whole(parameters, "steps", 1, 12)
    shift = numbers(parameters, "start") if "start" in parameters else (Fraction(0),) * len(x)
    if len(shift) != len(x) or not all(abs(value) <= epsilon for value in shift):
        raise ValueError("'start' has as many numbers as 'x', none larger than 'epsilon'")
    points = [tuple(clip(a + b, Fraction(0), Fraction(1)) for a, b in zip(x, shift, strict=True))]
    lines, clipped = [_state(model, 0, points[0], label)], ""
    for done in range(1, count + 1):
        stepped = tuple(value + size * sign for value, sign in zip(points[-1], model.signs(label), strict=True))
        points.append(iterated(model, x, label, epsilon, size, points[-1]))
        lines.append(_state(model, done, points[-1], label))
        if stepped != points[-1] and not clipped:
            clipped = f"第{done}步先走到${_vector(stepped)}$，越出方框，裁剪回${_vector(points[-1])}$。"
    name, start = ("BIM：从原样本起步", "")
    if any(shift):
        name, start = "PGD：从随机点起步", rf"，$x^0=x+\delta_0$，$\delta_0={_vector(shift)}$"
    box = "、".join(f"$[{shown(max(v - epsilon, Fraction(0)))},{shown(min(v + epsilon, Fraction(1)))}]$" for v in x)
    return paragraphs(
        rf"{name}。{_said(model, x)}，$y={label}${start}，$\epsilon={shown(epsilon)}$，步长$\alpha={shown(size)}$。"
        rf"梯度$(p-y)w$的符号处处是${_vector(model.signs(label))}$，每步走$\alpha$倍的符号，再把各分量裁剪到{box}：",
        table(["步", "裁剪之后$x^t$", "概率$p$", "损失"], lines),
        clipped + _arrival(model, x, label, epsilon, points),
    )


def _state(model: Model, done: int, at: Vector, label: int) -> list[str]:
    return [str(done), f"${_vector(at)}$", shown(model.probability(at)), shown(model.loss(at, label), 3)]


def _arrival(model: Model, x: Vector, label: int, epsilon: Fraction, points: list[Vector]) -> str:
    """When the prediction turns, and whether the corner of FGSM is reached."""
    classes = [int(model.score(point) > 0) for point in points]
    turned = next((done for done, found in enumerate(classes) if found != label), None)
    said = f"第{turned}步起预测不再是{label}" if turned else f"起点的预测就不是{label}"
    if turned is None:
        said = f"{len(points) - 1}步之后预测仍是{label}"
    if points[-1] != step(model, x, label, epsilon):
        return f"{said}。"
    return f"{said}。打分$z$是线性的，各步方向相同，所以终点和FGSM一样；深度网络的梯度每步不同，要重新算。"
