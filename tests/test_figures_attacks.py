"""FGSM, BIM and PGD on a logistic regression, against finite differences and a search of the whole box."""

from __future__ import annotations

import itertools
import re
from fractions import Fraction
from math import exp, log

import pytest

import legible
from figures import EXAMPLES, FIGURES
from figures.adversarial import Model, Vector, iterated, step

GIVEN = {"weights": "2 -3 1", "bias": "0.1", "x": "0.6 0.2 0.3"}
ATTACK = {**GIVEN, "label": "1", "epsilon": "0.2"}
ITERATED = {**ATTACK, "step": "0.08", "steps": "3"}
MODELS = [
    (
        Model((Fraction(2), Fraction(-3), Fraction(1)), Fraction("0.1")),
        (Fraction("0.6"), Fraction("0.2"), Fraction("0.3")),
    ),
    (Model((Fraction(-1), Fraction(4)), Fraction(-1)), (Fraction("0.5"), Fraction("0.9"))),
    (Model((Fraction(5), Fraction(0)), Fraction("-0.5")), (Fraction("0.05"), Fraction("1"))),
]


def loss(model: Model, x: tuple[float, ...], label: int) -> float:
    z = sum(float(w) * value for w, value in zip(model.weights, x, strict=True)) + float(model.bias)
    p = 1 / (1 + exp(-z))
    return -(label * log(p) + (1 - label) * log(1 - p))


def floats(point: Vector) -> tuple[float, ...]:
    return tuple(map(float, point))


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
    assert model.loss(x, label) == pytest.approx(loss(model, floats(x), label))


@pytest.mark.parametrize(("model", "x"), MODELS)
@pytest.mark.parametrize("label", [0, 1])
@pytest.mark.parametrize("epsilon", [Fraction(1, 20), Fraction(1, 5)])
def test_the_step_is_the_worst_corner_of_the_box(model: Model, x: Vector, label: int, epsilon: Fraction) -> None:
    """Of all points of a grid over the box, the untargeted step has the greatest loss, the targeted one the least."""
    sides = [
        [min(max(value + epsilon * Fraction(k, 4), Fraction(0)), Fraction(1)) for k in range(-4, 5)] for value in x
    ]
    losses = [loss(model, floats(point), label) for point in itertools.product(*sides)]
    made, aimed = step(model, x, label, epsilon), step(model, x, label, -epsilon)
    assert loss(model, floats(made), label) == pytest.approx(max(losses))
    assert loss(model, floats(aimed), label) == pytest.approx(min(losses))
    assert all(abs(a - b) <= epsilon and 0 <= a <= 1 for a, b in zip(made, x, strict=True))


@pytest.mark.parametrize(("model", "x"), MODELS)
@pytest.mark.parametrize("shift", [Fraction(0), Fraction(1, 10)])
def test_iterated_steps_stay_in_the_box_and_never_lower_the_loss(model: Model, x: Vector, shift: Fraction) -> None:
    epsilon, size = Fraction(1, 5), Fraction(2, 25)
    at = tuple(min(value + shift * (w != 0), Fraction(1)) for value, w in zip(x, model.weights, strict=True))
    for _ in range(6):
        moved = iterated(model, x, 1, epsilon, size, at)
        assert all(abs(a - b) <= epsilon and 0 <= a <= 1 for a, b in zip(moved, x, strict=True))
        assert loss(model, floats(moved), 1) >= loss(model, floats(at), 1)
        at = moved
    assert at == step(model, x, 1, epsilon)  # a linear score: many small steps end where one large one does


def rows(text: str) -> dict[str, str]:
    """The first cell of each row of a table, and the others."""
    lines = [row.strip("| ").split(" | ") for row in text.split("\n") if row.startswith("|")][2:]
    return {name: " | ".join(cells) for name, *cells in lines}


def test_the_attack_of_the_notes_is_the_editor_s_step_by_step() -> None:
    """Report W-27."""
    text = EXAMPLES["fgsm"](ATTACK)
    said = rows(text)
    assert said["打分"] == r"$z=2\times0.6-3\times0.2+1\times0.3+0.1=1$"
    assert said["概率"].endswith(r"\approx0.7311$")
    assert said["误差"] == r"$p-y\approx0.7311-1=-0.2689$"
    assert said["梯度"] == r"$(p-y)w\approx(-0.538, 0.807, -0.269)$"
    assert said["符号"] == "$(-1, 1, -1)$"
    assert said["扰动"] == r"$0.2\times(-1, 1, -1)=(-0.2, 0.2, -0.2)$"
    assert said["对抗样本"] == "$x'=(0.4, 0.4, 0.1)$"
    assert said["新的打分"] == r"$z'=2\times0.4-3\times0.4+1\times0.1+0.1=-0.2$"
    assert said["新的概率"] == r"$p'\approx0.4502$"
    assert said["损失"] == r"$J=-\ln p$：$0.313\to0.798$"
    assert "预测由1变成0" in text
    assert r"减小了$\epsilon\lVert w\rVert_1=0.2\times6=1.2$" in text


def test_the_attack_towards_a_target_subtracts_and_lowers_the_loss_of_the_target() -> None:
    aimed = rows(EXAMPLES["fgsm-targeted"]({**GIVEN, "target": "0", "epsilon": "0.2"}))
    assert aimed["误差"] == r"$p-y_{\text{target}}\approx0.7311-0=0.7311$"
    assert aimed["扰动"] == r"$-0.2\times(1, -1, 1)=(-0.2, 0.2, -0.2)$"
    assert aimed["对抗样本"] == "$x'=(0.4, 0.4, 0.1)$"
    assert aimed["损失"] == r"$J=-\ln(1-p)$：$1.313\to0.598$"
    with pytest.raises(ValueError, match="'target' is 0: the model already takes 'x' for a 1"):
        EXAMPLES["fgsm-targeted"]({**GIVEN, "target": "1", "epsilon": "0.2"})


def test_a_sample_at_the_edge_is_clipped_and_the_score_moves_less() -> None:
    """w = (2, −3), x = (0.1, 0.2), y = 1: (−0.1, 0.4) is clipped to (0, 0.4); z falls by 0.8, not by 0.2·5 = 1."""
    text = EXAMPLES["fgsm"]({"weights": "2 -3", "bias": "1", "x": "0.1 0.2", "label": "1", "epsilon": "0.2"})
    assert rows(text)["对抗样本"] == "$x'=(0, 0.4)$（裁剪到0和1之间）"
    assert "所以$z$只减小了0.8，小于" in text
    assert r"0.2\times5=1$" in text
    up = EXAMPLES["fgsm"]({"weights": "2 -3", "bias": "1", "x": "0.5 0.5", "label": "0", "epsilon": "0.2"})
    assert "$z$却增大了" in up
    assert "预测仍是1" in up


def test_bim_starts_at_the_sample_and_pgd_beside_it() -> None:
    bim = EXAMPLES["iterated-attack"](ITERATED)
    pgd = EXAMPLES["iterated-attack"]({**ITERATED, "start": "0.1 -0.05 0.05"})
    assert bim.startswith("BIM")
    assert pgd.startswith("PGD")
    points = [[Fraction(value) for value in re.findall(r"-?[\d.]+", cell.split("$")[1])] for cell in rows(bim).values()]
    x, signs = [Fraction("0.6"), Fraction("0.2"), Fraction("0.3")], (-1, 1, -1)
    for done, point in enumerate(points):
        assert point == [
            a + sign * min(done * Fraction("0.08"), Fraction("0.2")) for a, sign in zip(x, signs, strict=True)
        ]
    assert [cell.split(" | ")[1] for cell in rows(bim).values()] == ["0.7311", "0.6271", "0.51", "0.4502"]
    assert "第3步先走到$(0.36, 0.44, 0.06)$，越出方框，裁剪回$(0.4, 0.4, 0.1)$。第3步起预测不再是1" in bim
    assert "终点和FGSM一样" in bim
    later = EXAMPLES["iterated-attack"]({**ITERATED, "steps": "5"})
    assert re.findall(r"第(\d)步先走到", later) == ["3"]  # told once, where it first happens
    assert rows(pgd)["0"].startswith("$(0.7, 0.15, 0.35)$")
    assert rows(pgd)["3"].startswith("$(0.46, 0.39, 0.11)$")
    assert "裁剪回" not in pgd
    assert "终点" not in pgd  # three steps do not reach the corner yet


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"steps": "1"}, "1步之后预测仍是1。"),
        ({"label": "0"}, "起点的预测就不是0。"),
        ({"steps": "2"}, "2步之后预测仍是1。"),
    ],
)
def test_the_example_says_when_the_prediction_turns(changes: dict[str, str], said: str) -> None:
    assert said in EXAMPLES["iterated-attack"]({**ITERATED, **changes})


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("iterated-attack", {**ITERATED, "start": "0.3 0 0"}, "'start' has as many numbers as 'x', none larger than"),
        ("iterated-attack", {**ITERATED, "start": "0.1 0"}, "'start' has as many numbers as 'x', none larger than"),
        ("fgsm", {**ATTACK, "x": "0.6 0.2"}, "'x' has as many numbers as 'weights'"),
        ("fgsm", {**ATTACK, "x": "0.6 0.2 1.3"}, "'x' lies between 0 and 1, as pixels do"),
        ("fgsm", {**ATTACK, "label": "2"}, "'label' is a whole number from 0 to 1, not '2'"),
    ],
)
def test_an_attack_that_cannot_be_made_is_refused(name: str, given: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        EXAMPLES[name](given)


PLANE = {"weights": "2 -3", "bias": "0.1", "x": "0.6 0.2", "epsilon": "0.2"}
UNIT = 330


def test_the_plane_shows_the_sample_the_box_the_corner_and_the_boundary() -> None:
    drawing = FIGURES["fgsm"](PLANE)
    (x0, y0), (x1, y1) = [(float(dot.get("cx", 0)), float(dot.get("cy", 0))) for dot in drawing.iter("circle")][:2]
    assert ((x1 - x0) / UNIT, (y0 - y1) / UNIT) == pytest.approx((-0.2, 0.2), abs=0.001)
    origin = (x0 - 0.6 * UNIT, y0 + 0.2 * UNIT)
    box = next(box for box in drawing.iter("rect") if box.get("class") == "fig-empty")
    sides = [float(box.get(key, 0)) / UNIT for key in ("width", "height")]
    assert sides == pytest.approx([0.4, 0.4], abs=0.001)
    assert float(box.get("x", 0)) == pytest.approx(x1, abs=0.1)
    assert float(box.get("y", 0)) == pytest.approx(y1, abs=0.1)
    line = next(path for path in drawing.iter("path") if path.get("class") == "fig-line-strong")
    numbers = [float(number) for number in re.findall(r"[\d.]+", line.get("d", ""))]
    for x, y in zip(numbers[::2], numbers[1::2], strict=True):
        a, b = (x - origin[0]) / UNIT, (origin[1] - y) / UNIT
        assert 2 * a - 3 * b + 0.1 == pytest.approx(0, abs=0.002)
    arrows = [path.get("d", "") for path in drawing.iter("path") if path.get("class") == "fig-line-dashed"]
    start_x, start_y, end_x, end_y = (float(number) for number in re.findall(r"[\d.]+", arrows[0]))
    assert (end_y - start_y) / (end_x - start_x) == pytest.approx(1.5, abs=0.02)  # along (−2, 3), downwards on screen
    assert "（0.4，0.4），越过了决策边界" in (drawing.get("aria-label") or "")


@pytest.mark.parametrize(("x", "sides"), [("0.9 0.1", (0.3, 0.3)), ("0.1 0.95", (0.3, 0.25)), ("0.5 0.5", (0.4, 0.4))])
def test_the_box_ends_where_the_pixels_do(x: str, sides: tuple[float, float]) -> None:
    drawing = FIGURES["fgsm"]({**PLANE, "x": x})
    box = next(box for box in drawing.iter("rect") if box.get("class") == "fig-empty")
    assert [float(box.get(key, 0)) / UNIT for key in ("width", "height")] == pytest.approx(sides, abs=0.001)


def test_the_classes_stand_on_their_sides_of_the_boundary() -> None:
    for given in (PLANE, {**PLANE, "weights": "-2 3", "bias": "-0.1"}):
        drawing = FIGURES["fgsm"](given)
        w1, w2 = map(float, given["weights"].split())
        dot = next(iter(drawing.iter("circle")))
        origin = (float(dot.get("cx", 0)) - 0.6 * UNIT, float(dot.get("cy", 0)) + 0.2 * UNIT)
        names = [text.text for text in drawing.iter("text") if (text.text or "").startswith("类别")]
        assert sorted(name or "" for name in names) == ["类别0", "类别1"]
        for text in drawing.iter("text"):
            if found := re.fullmatch(r"类别(\d)", text.text or ""):
                a = (float(text.get("x", 0)) - origin[0]) / UNIT
                b = (origin[1] - float(text.get("y", 0))) / UNIT
                assert (w1 * a + w2 * b + float(given["bias"]) > 0) == (found[1] == "1")


@pytest.mark.parametrize(
    "given",
    [
        PLANE,
        {**PLANE, "x": "0.3 0.7"},
        {**PLANE, "x": "0.9 0.3"},
        {**PLANE, "weights": "1 1", "bias": "-1", "x": "0.3 0.4", "epsilon": "0.25"},
        {**PLANE, "weights": "-3 -1", "bias": "2", "x": "0.4 0.3", "epsilon": "0.1"},
        {**PLANE, "weights": "1 0.01", "bias": "-0.5", "x": "0.7 0.5"},
    ],
)
def test_other_planes_are_as_legible(given: dict[str, str]) -> None:
    assert legible.faults(FIGURES["fgsm"](given)) == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"weights": "2 0"}, "'weights' and 'x' have two numbers, no weight of 0"),
        ({"weights": "1 1", "bias": "5"}, "the boundary does not cross the unit square; choose other 'weights'"),
        ({"x": "0.6 1.2"}, "'x' lies between 0 and 1"),
    ],
)
def test_a_plane_that_shows_nothing_is_refused(changes: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        FIGURES["fgsm"]({**PLANE, **changes})
