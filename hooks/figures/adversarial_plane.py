"""FGSM on a logistic regression of two inputs, drawn in their plane."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import hypot
from xml.etree.ElementTree import Element

from figures import svg
from figures.adversarial import Model, Vector, given, step
from figures.parameters import number, only
from figures.writing import shown

SIDE, LEFT, BOTTOM = 330.0, 48.0, 372.0


def boundary(model: Model) -> list[tuple[Fraction, Fraction]]:
    """Where w₁x₁ + w₂x₂ + b = 0 meets the sides of the unit square, from left to right."""
    (w1, w2), b = model.weights, model.bias
    points = {(Fraction(k), -(b + w1 * k) / w2) for k in (0, 1)} | {(-(b + w2 * k) / w1, Fraction(k)) for k in (0, 1)}
    return sorted(point for point in points if all(0 <= value <= 1 for value in point))


def _at(point: Sequence[Fraction | float]) -> svg.Point:
    return LEFT + float(point[0]) * SIDE, BOTTOM - float(point[1]) * SIDE


def figure(parameters: Mapping[str, str]) -> Element:
    """The boundary, the box of ε, the direction of the gradient, and the corner reached; a key below."""
    only(parameters, "weights", "bias", "x", "epsilon")
    model, x = given(parameters)
    epsilon = number(parameters, "epsilon", 0.05, 0.5)
    if len(x) != 2 or not all(model.weights):
        raise ValueError("the figure is a plane: 'weights' and 'x' have two numbers, no weight of 0")
    ends = boundary(model)
    if len(ends) < 2:
        raise ValueError("the boundary does not cross the unit square; choose other 'weights' or 'bias'")
    label = int(model.score(x) > 0)
    made = step(model, x, label, epsilon)
    crossed = int(model.score(made) > 0) != label
    alt = (
        f"两个输入的平面，从0到1。样本{_said(x)}在类别{label}一侧，周围是每边离它{shown(epsilon)}的方框（L∞球）。"
        f"对梯度取符号再走，到方框的角{_said(made)}，{'越过了' if crossed else '没有越过'}决策边界。"
    )
    return svg.drawing(
        430, BOTTOM + 128, alt,
        _axes(),
        svg.line(_at(ends[0]), _at(ends[1]), stroke="strong"),
        [_region(model, side) for side in (0, 1)],
        _box(x, epsilon),
        svg.arrow(_at(x), _at(_towards(model, x, label, epsilon)), stroke="dashed"),
        _attack(model, _at(x), _at(made)),
        _key(epsilon),
    )  # fmt: skip


def _said(values: Vector) -> str:
    return "（" + "，".join(shown(value) for value in values) + "）"


def _axes() -> Iterator[svg.Part]:
    for end in ((LEFT + SIDE + 18, BOTTOM), (LEFT, BOTTOM - SIDE - 18)):
        yield svg.arrow((LEFT, BOTTOM), end)
    yield svg.text(LEFT + SIDE + 30, BOTTOM + 5, "x₁", "note")
    yield svg.text(LEFT, BOTTOM - SIDE - 26, "x₂", "note")
    yield svg.text(LEFT - 10, BOTTOM + 20, "0", "note")
    for k in (Fraction(1, 2), Fraction(1)):
        x, y = _at((k, k))
        yield svg.line((x, BOTTOM), (x, BOTTOM + 5))
        yield svg.text(x, BOTTOM + 20, shown(k), "note")
        yield svg.line((LEFT - 5, y), (LEFT, y))
        yield svg.text(LEFT - 9, y + 5, shown(k), "note", "end")


def _region(model: Model, side: int) -> Iterator[svg.Part]:
    """The name of a class, in the corner that is farthest on its side; none where it has no corner."""
    corners = [(Fraction(i), Fraction(j)) for i in (0, 1) for j in (0, 1)]
    i, j = max(corners, key=lambda corner: model.score(corner) * (1 if side else -1))
    if int(model.score((i, j)) > 0) == side:
        x, y = _at((i, j))
        yield svg.text(x + (-28 if i else 32), y + (22 if j else -12), f"类别{side}")


def _box(x: Vector, epsilon: Fraction) -> Element:
    """Points within ε of `x` in each input, and between 0 and 1."""
    left, top = _at((max(x[0] - epsilon, Fraction(0)), min(x[1] + epsilon, Fraction(1))))
    right, bottom = _at((min(x[0] + epsilon, Fraction(1)), max(x[1] - epsilon, Fraction(0))))
    return svg.box(left, top, right - left, bottom - top, "empty", round_=0)


def _towards(model: Model, x: Vector, label: int, epsilon: Fraction) -> tuple[float, ...]:
    """Along the gradient, three quarters of the way to the side of the box."""
    slope = model.gradient(x, label)
    scale = float(epsilon) * 0.75 / max(map(abs, slope))
    return tuple(float(value) + part * scale for value, part in zip(x, slope, strict=True))


def _attack(model: Model, start: svg.Point, end: svg.Point) -> Iterator[svg.Part]:
    """From the sample to the adversarial one, each with its name off the arrow."""
    (x0, y0), (x1, y1) = start, end
    along, down = (x1 - x0) / hypot(x1 - x0, y1 - y0), (y1 - y0) / hypot(x1 - x0, y1 - y0)
    yield svg.arrow(start, (x1 - 6 * along, y1 - 6 * down), stroke="accent")
    yield svg.circle(*start, 5, "plain")
    yield svg.circle(*end, 5, "strong")
    aside = [(down, -along), (-down, along)]
    yield _name(model, "x", start, [(-along, -down), *aside])
    yield _name(model, "x′", end, [(along, down), *aside])


def _name(model: Model, said: str, point: svg.Point, ways: list[svg.Point]) -> Element:
    """Beside a point, in that of the ways which leads farthest from the boundary and does not leave the square."""

    def away(way: svg.Point) -> float:
        x = point[0] + 16 * way[0] - LEFT
        y = BOTTOM - point[1] - 16 * way[1]
        inside = 10 <= x <= SIDE and 6 <= y <= SIDE
        return inside * abs(float(model.score((Fraction(x / SIDE), Fraction(y / SIDE)))))

    right, down = max(ways, key=away)
    return svg.text(point[0] + 16 * right, point[1] + 16 * down + 5, said)


def _key(epsilon: Fraction) -> Iterator[svg.Part]:
    for row in range(3):
        y = BOTTOM + 54 + 28 * row
        left, right = (LEFT, y), (LEFT + 34, y)
        yield (
            svg.line(left, right, stroke="strong"),
            svg.arrow(left, right, stroke="dashed"),
            svg.arrow(left, right, stroke="accent"),
        )[row]
        yield svg.text(LEFT + 44, y + 5, ("决策边界", "梯度方向", "ε乘梯度的符号")[row], "note", "start")
        yield (
            svg.circle(LEFT + 207, y, 5, "plain"),
            svg.circle(LEFT + 207, y, 5, "strong"),
            svg.box(LEFT + 197, y - 9, 20, 18, "empty", round_=0),
        )[row]
        said = ("样本x", "对抗样本x′", f"ε={shown(epsilon)}的方框")[row]
        yield svg.text(LEFT + 228, y + 5, said, "note", "start")
