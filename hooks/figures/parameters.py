"""Reading the parameters of a block."""

from __future__ import annotations

from collections.abc import Mapping


def whole(parameters: Mapping[str, str], name: str, low: int, high: int) -> int:
    """A whole number from `low` to `high`."""
    text = parameters.get(name, "")
    if not text.isdecimal() or not low <= int(text) <= high:
        raise ValueError(f"'{name}' is a whole number from {low} to {high}" + (f", not '{text}'" if text else ""))
    return int(text)


def only(parameters: Mapping[str, str], *names: str) -> None:
    """Refuses a parameter that is not among `names`."""
    for name in parameters:
        if name not in names:
            raise ValueError(f"unknown parameter '{name}'; known are {', '.join(names)}")
