"""Sparse gradients with a local residual: what is below the threshold is kept and added to the next round."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from figures.parameters import matrix, number, only
from figures.writing import paragraphs, shown, table

Vector = tuple[Fraction, ...]


@dataclass(frozen=True)
class Round:
    """Vectors of one round: v = residual + gradient, what is sent of it, and what stays."""

    gradient: Vector
    gathered: Vector
    sent: Vector
    residual: Vector


def rounds(gradients: tuple[Vector, ...], threshold: Fraction) -> list[Round]:
    """The residual is nought at first; elements of at least `threshold` in magnitude are sent."""
    made: list[Round] = []
    residual: Vector = (Fraction(0),) * len(gradients[0])
    for gradient in gradients:
        gathered = tuple(r + g for r, g in zip(residual, gradient, strict=True))
        sent = tuple(v if abs(v) >= threshold else Fraction(0) for v in gathered)
        residual = tuple(v - s for v, s in zip(gathered, sent, strict=True))
        made.append(Round(gradient, gathered, sent, residual))
    return made


def example(parameters: Mapping[str, str]) -> str:
    only(parameters, "gradients", "threshold")
    gradients, threshold = matrix(parameters, "gradients"), number(parameters, "threshold", 0, 1000)
    made = rounds(gradients, threshold)
    lines = [
        [str(count), *(_vector(vector) for vector in (done.gradient, done.gathered, done.sent, done.residual))]
        for count, done in enumerate(made, 1)
    ]
    total = _sum([done.gradient for done in made])
    sent = _sum([done.sent for done in made])
    numbers = sum(value != 0 for done in made for value in done.sent)
    return paragraphs(
        f"阈值{shown(threshold)}，一开始残差为0：",
        table(["轮", "本轮梯度", "残差＋梯度", "发送", "新残差"], lines),
        f"{len(gradients[0])}个元素传{len(made)}轮，共发送{numbers}个数。已发送的和{_vector(sent)}加上最后的残差"
        f"{_vector(made[-1].residual)}，等于梯度的总和{_vector(total)}，没有丢失。",
    )


def _sum(vectors: list[Vector]) -> Vector:
    return tuple(sum(column, Fraction(0)) for column in zip(*vectors, strict=True))


def _vector(vector: Vector) -> str:
    return f"$[{', '.join(shown(value) for value in vector)}]$"
