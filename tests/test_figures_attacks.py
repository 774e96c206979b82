"""FGSM, BIM and PGD on a logistic regression, against finite differences and a search of the whole box."""

from __future__ import annotations

import itertools
import re
from fractions import Fraction
from math import exp, log

import pytest

from figures import EXAMPLES, FIGURES
from figures.adversarial import Model, Vector, iterated, step

GIVEN = {"weights": "2 -3 1", "bias": "0.1", "x": "0.6 0.2 0.3"}
MODELS = [
    (
        Model((Fraction(2), Fraction(-3), Fraction(1)), Fraction("0.1")),
        (Fraction("0.6"), Fraction("0.2"), Fraction("0.3")),
    ),
    (Model((Fraction(-1), Fraction(4)), Fraction(-1)), (Fraction("0.5"), Fraction("0.9"))),
]


def loss(model: Model, x: tuple[float, ...], label: int) -> float:
    z = sum(float(w) * value for w, value in zip(model.weights, x, strict=True)) + float(model.bias)
    p = 1 / (1 + exp(-z))
    return -(label * log(p) + (1 - label) * log(1 - p))


@pytest.mark.parametrize(("model", "x"), MODELS)
@pytest.mark.parametrize("label", [0, 1])
def test_the_gradient_is_that_of_differences_and_so_are_its_signs(model: Model, x: Vector, label: int) -> None:
    h = 1e-6
    for place, (gradient, sign) in enumerate(zip(model.gradient(x, label), model.signs(label), strict=True)):
        up, down = ([float(value) for value in x] for _ in range(2))
        up[place] += h
        down[place] -= h
        difference = (loss(model, tuple(up), label) - loss(model, tuple(down), label)) / (2 * h)
        assert gradient == pytest.approx(difference, abs=1e-6)
        assert sign == (difference > 0) - (difference < 0)
    assert model.loss(x, label) == pytest.approx(loss(model, tuple(map(float, x)), label))


@pytest.mark.parametrize(("model", "x"), MODELS)
@pytest.mark.parametrize("label", [0, 1])
@pytest.mark.parametrize("epsilon", [Fraction(1, 20), Fraction(1, 5)])
def test_the_step_is_the_worst_corner_of_the_box(model: Model, x: Vector, label: int, epsilon: Fraction) -> None:
    """Of all points of a grid over the box, the untargeted step has the greatest loss, the targeted one the least."""
    sides = [
        [min(max(value + epsilon * Fraction(k, 4), Fraction(0)), Fraction(1)) for k in range(-4, 5)] for value in x
    ]
    losses = [loss(model, tuple(map(float, point)), label) for point in itertools.product(*sides)]
    made, aimed = step(model, x, label, epsilon), step(model, x, label, -epsilon)
    assert loss(model, tuple(map(float, made)), label) == pytest.approx(max(losses))
    assert loss(model, tuple(map(float, aimed)), label) == pytest.approx(min(losses))
    assert all(abs(a - b) <= epsilon and 0 <= a <= 1 for a, b in zip(made, x, strict=True))


@pytest.mark.parametrize(("model", "x"), MODELS)
@pytest.mark.parametrize("shift", [Fraction(0), Fraction(1, 10)])
def test_iterated_steps_stay_in_the_box_and_never_lower_the_loss(model: Model, x: Vector, shift: Fraction) -> None:
    epsilon, size = Fraction(1, 5), Fraction(2, 25)
    at = tuple(min(value + shift, Fraction(1)) for value in x)
    for _ in range(6):
        moved = iterated(model, x, 1, epsilon, size, at)
        assert all(abs(a - b) <= epsilon and 0 <= a <= 1 for a, b in zip(moved, x, strict=True))
        assert loss(model, tuple(map(float, moved)), 1) >= loss(model, tuple(map(float, at)), 1)
        at = moved
    assert at == step(model, x, 1, epsilon)  # a linear score: many small steps end where one large one does


def test_the_attack_of_the_notes_is_the_editor_s() -> None:
    text = EXAMPLES["fgsm"]({**GIVEN, "label": "1", "epsilon": "0.2"})
    for said in (
        "b=1$", "=0.7311$", "(-0.538, 0.807, -0.269)", "(-1, 1, -1)", "(0.4, 0.4, 0.1)", "z'=-0.2$", "p'=0.4502$",
        r"0.313\to0.798", "变了-1.2",
    ):  # fmt: skip
        assert said in text
    aimed = EXAMPLES["fgsm-targeted"]({**GIVEN, "target": "0", "epsilon": "0.2"})
    assert "(0.4, 0.4, 0.1)" in aimed
    before, after = map(float, re.findall(r"\$([\d.]+)\\to([\d.]+)\$", aimed)[0])
    assert before > after


def test_bim_starts_at_the_sample_and_pgd_beside_it() -> None:
    given = {**GIVEN, "label": "1", "epsilon": "0.2", "step": "0.08", "steps": "3"}
    bim = EXAMPLES["iterated-attack"](given)
    pgd = EXAMPLES["iterated-attack"]({**given, "start": "0.1 -0.05 0.05"})
    assert "| 0 | $(0.6, 0.2, 0.3)$" in bim
    assert "| 0 | $(0.7, 0.15, 0.35)$" in pgd
    assert bim.startswith("BIM")
    assert pgd.startswith("PGD")
    with pytest.raises(ValueError, match="'start' has as many numbers as 'x', none larger than 'epsilon'"):
        EXAMPLES["iterated-attack"]({**given, "start": "0.3 0 0"})


def test_the_plane_shows_the_sample_the_box_and_the_corner() -> None:
    drawing = FIGURES["fgsm"]({"weights": "2 -3", "bias": "0.1", "x": "0.6 0.2", "epsilon": "0.2"})
    circles = [(float(dot.get("cx", 0)), float(dot.get("cy", 0))) for dot in drawing.iter("circle")]
    (x0, y0), (x1, y1) = circles
    unit = 330
    assert (x1 - x0) / unit == pytest.approx(-0.2, abs=0.001)
    assert (y0 - y1) / unit == pytest.approx(0.2, abs=0.001)
    assert "越过了决策边界" in (drawing.get("aria-label") or "")
