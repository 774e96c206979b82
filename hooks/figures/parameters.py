"""Reading the parameters of a block: each function returns a value or raises ValueError with the end of a sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?")


def only(parameters: Mapping[str, str], *names: str) -> None:
    """Refuses a parameter that is not among `names`."""
    for name in parameters:
        if name not in names:
            known = f"known are {', '.join(names)}" if names else "this block takes none"
            raise ValueError(f"unknown parameter '{name}'; {known}")


def said(parameters: Mapping[str, str], name: str) -> str:
    """A text, not empty."""
    if text := parameters.get(name, "").strip():
        return text
    raise ValueError(f"'{name}' is missing; write '    {name}: …' below the block's first line")


def one_of(parameters: Mapping[str, str], name: str, *choices: str) -> str:
    text = parameters.get(name, "")
    if text not in choices:
        raise ValueError(f"'{name}' is one of {', '.join(choices)}" + (f", not '{text}'" if text else ""))
    return text


def whole(parameters: Mapping[str, str], name: str, low: int, high: int) -> int:
    """A whole number from `low` to `high`."""
    text = parameters.get(name, "")
    if not text.isdecimal() or not low <= int(text) <= high:
        raise ValueError(f"'{name}' is a whole number from {low} to {high}" + (f", not '{text}'" if text else ""))
    return int(text)


def wholes(parameters: Mapping[str, str], name: str, low: int, high: int) -> tuple[int, ...]:
    """One or more whole numbers from `low` to `high`, in a list or between spaces."""
    words = _words(parameters, name)
    if not words or not all(word.isdecimal() and low <= int(word) <= high for word in words):
        raise ValueError(f"'{name}' lists whole numbers from {low} to {high}{_not(parameters, name)}")
    return tuple(map(int, words))


def number(parameters: Mapping[str, str], name: str, low: float, high: float) -> Fraction:
    """A decimal number from `low` to `high`, exactly as it is typed."""
    text = parameters.get(name, "")
    least, most = Fraction(str(low)), Fraction(str(high))  # 0.001 itself, not the double beside it
    if not NUMBER.fullmatch(text) or not least <= Fraction(text) <= most:
        raise ValueError(f"'{name}' is a number from {low} to {high}" + (f", not '{text}'" if text else ""))
    return Fraction(text)


def numbers(parameters: Mapping[str, str], name: str) -> tuple[Fraction, ...]:
    """One or more decimal numbers, in a list or between spaces."""
    words = _words(parameters, name)
    if not words or not all(map(NUMBER.fullmatch, words)):
        raise ValueError(f"'{name}' lists numbers{_not(parameters, name)}")
    return tuple(map(Fraction, words))


def rows(parameters: Mapping[str, str], name: str, columns: tuple[str, ...]) -> tuple[tuple[int, ...], ...]:
    """Rows of whole numbers with a semicolon between them, each row one number for each of `columns`."""
    found = [row.replace(",", " ").split() for row in parameters.get(name, "").split(";")]
    if not all(len(row) == len(columns) and all(word.isdecimal() for word in row) for row in found):
        raise ValueError(f"'{name}' is rows of '{' '.join(columns)}', a semicolon between them{_not(parameters, name)}")
    return tuple(tuple(map(int, row)) for row in found)


def matrix(parameters: Mapping[str, str], name: str) -> tuple[tuple[Fraction, ...], ...]:
    """Rows of numbers with a semicolon between them: `1 2; 3 4`."""
    rows = [row.replace(",", " ").split() for row in parameters.get(name, "").split(";")]
    if not all(row and len(row) == len(rows[0]) and all(map(NUMBER.fullmatch, row)) for row in rows):
        raise ValueError(f"'{name}' is rows of as many numbers each: '1 2; 3 4'{_not(parameters, name)}")
    return tuple(tuple(map(Fraction, row)) for row in rows)


def _words(parameters: Mapping[str, str], name: str) -> list[str]:
    return parameters.get(name, "").replace(",", " ").split()


def _not(parameters: Mapping[str, str], name: str) -> str:
    return f", not '{parameters[name]}'" if parameters.get(name) else ""
