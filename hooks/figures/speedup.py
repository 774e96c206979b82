"""The laws of Amdahl (fixed problem) and Gustafson (problem grows with the processors)."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import log2
from xml.etree.ElementTree import Element

from figures import svg
from figures.parameters import number, numbers, only, whole, wholes
from figures.writing import paragraphs, shown, table


def amdahl(fraction: Fraction, workers: int) -> Fraction:
    """1 / ((1 − p) + p/N), p of the serial time."""
    return 1 / ((1 - fraction) + fraction / workers)


def gustafson(fraction: Fraction, workers: int) -> Fraction:
    """(1 − p) + pN, p of the parallel run's time."""
    return (1 - fraction) + fraction * workers


def limit(fraction: Fraction) -> Fraction:
    """Amdahl's speedup with ever more processors; p < 1."""
    return 1 / (1 - fraction)


def _fractions(parameters: Mapping[str, str]) -> tuple[Fraction, ...]:
    fractions = numbers(parameters, "fractions")
    if not all(Fraction("0.0001") <= fraction <= Fraction("0.9999") for fraction in fractions):
        raise ValueError("'fractions' lie between 0.0001 and 0.9999")
    return fractions


def amdahl_example(parameters: Mapping[str, str]) -> str:
    only(parameters, "fraction", "workers")
    fraction, workers = number(parameters, "fraction", 0.001, 0.9999), whole(parameters, "workers", 1, 10**6)
    p, serial = shown(fraction), shown(1 - fraction)
    speed = amdahl(fraction, workers)
    return paragraphs(
        f"$p={p}$、$N={workers}$："
        rf"$S=\frac{{1}}{{{serial}+\frac{{{p}}}{{{workers}}}}}=\frac{{1}}{{{shown(1 / speed, 6)}}}"
        rf"\approx{shown(speed, 2)}$，效率$E=S/N\approx{shown(speed / workers, 3)}$。",
        rf"再多的处理器也不超过$\frac{{1}}{{1-p}}=\frac{{1}}{{{serial}}}={shown(limit(fraction), 2)}$。",
    )


def example(parameters: Mapping[str, str]) -> str:
    only(parameters, "fractions", "workers")
    fractions, counts = _fractions(parameters), wholes(parameters, "workers", 1, 10**6)
    lines = [
        [
            shown(p), str(n), shown(amdahl(p, n)), shown(amdahl(p, n) / n, 3), shown(gustafson(p, n)), shown(limit(p)),
        ]
        for p in fractions
        for n in counts
    ]  # fmt: skip
    return paragraphs(
        r"同样的$p$和$N$，Amdahl的加速比$\frac{1}{(1-p)+p/N}$，效率是它除以$N$；"
        r"Gustafson的加速比$(1-p)+pN$；Amdahl的上限$\frac{1}{1-p}$：",
        table(["比例$p$", "处理器$N$", "Amdahl", "效率", "Gustafson", "上限"], lines),
    )


LEFT, RIGHT, TOP, BOTTOM = 54, 404, 34, 264
MOST = 10  # N runs to 2¹⁰
LEAST, LARGEST, APART = Fraction("0.75"), Fraction("0.98"), Fraction("1.8")
"""Of the fractions: what keeps the labels of the limits off the lines and off each other."""


def figure(parameters: Mapping[str, str]) -> Element:
    """Both axes logarithmic: Gustafson's lines go on, Amdahl's bend to their limits."""
    only(parameters, "fractions")
    fractions = sorted(_fractions(parameters))
    if len(fractions) > 2 or not all(LEAST <= fraction <= LARGEST for fraction in fractions):
        raise ValueError(f"the figure has room for one or two 'fractions' from {float(LEAST)} to {float(LARGEST)}")
    if limit(fractions[-1]) < APART * limit(fractions[0]) and len(fractions) > 1:
        raise ValueError(f"the figure needs 'fractions' whose limits 1/(1 − p) are {float(APART)} times apart")

    def at(power: float, speed: float) -> svg.Point:
        return LEFT + power / MOST * (RIGHT - LEFT), BOTTOM - log2(speed) / MOST * (BOTTOM - TOP)

    parts: list[svg.Part] = [svg.arrow((LEFT, BOTTOM), (RIGHT + 22, BOTTOM)), svg.arrow((LEFT, BOTTOM), (LEFT, 10))]
    parts += [svg.text(at(power, 1)[0], BOTTOM + 22, str(2**power), "note") for power in range(0, MOST + 1, 2)]
    parts += [
        svg.text(LEFT - 8, at(0, 2**power)[1] + 5, str(2**power), "note", "end") for power in range(0, MOST + 1, 2)
    ]
    parts += [
        svg.text(LEFT + 10, 18, "加速比", "note", "start"),
        svg.text(470, BOTTOM + 42, "处理器数N", "note", "end"),
    ]
    for fraction in fractions:
        bent = [at(power / 4, float(amdahl(fraction, 1)) if not power else _amdahl(fraction, 2 ** (power / 4)))
                for power in range(4 * MOST + 1)]  # fmt: skip
        top = at(MOST, float(limit(fraction)))
        parts += [
            svg.line(*bent, stroke="accent"),
            svg.line(at(0, float(limit(fraction))), (RIGHT, top[1]), stroke="dashed"),
            svg.text(LEFT + 12, top[1] - 7, f"上限{shown(limit(fraction))}", "note", "start"),
            svg.text(RIGHT + 8, bent[-1][1] + 5, f"p={shown(fraction)}", "note", "start"),
        ]
    grown = [at(power, float(gustafson(fractions[-1], 2**power))) for power in range(MOST + 1)]
    parts += [
        svg.line(*grown, stroke="strong"),
        svg.text(grown[7][0] - 12, grown[7][1] - 4, f"Gustafson p={shown(fractions[-1])}", "end"),
        svg.text(at(8, 1)[0], at(8, float(amdahl(fractions[0], 2**7)))[1] + 22, "Amdahl"),
    ]
    bends = "".join(f"Amdahl定律p={shown(p)}时趋于上限{shown(limit(p))}；" for p in fractions)
    most = shown(gustafson(fractions[-1], 2**MOST))
    grows = f"Gustafson定律p={shown(fractions[-1])}时一直增长，N={2**MOST}时{most}。"
    alt = f"加速比随处理器数的变化，两轴对数。{bends}{grows}"
    return svg.drawing(480, 312, alt, parts)


def _amdahl(fraction: Fraction, workers: float) -> float:
    """Between whole numbers of processors, to draw the curve."""
    return 1 / (1 - float(fraction) + float(fraction) / workers)
