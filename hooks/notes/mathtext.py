"""MathML -> the formula in plain characters: E=mc², x_adv, (a+b)/c."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

MATH = re.compile(r"<math.*?</math>", re.DOTALL)
NAMESPACE = re.compile(r' xmlns="[^"]*"')
SUPERSCRIPT = str.maketrans("0123456789+-−=()ni⊤T′", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱᵀᵀ′")
SUBSCRIPT = str.maketrans("0123456789+-−=()aeijnoprtuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑᵢⱼₙₒₚᵣₜᵤᵥₓ")
UNSEEN = re.compile("[\u2061-\u2064\u200b]")
ACCENTS = {
    "^": "\u0302", "ˉ": "\u0304", "‾": "\u0304", "¯": "\u0304", "~": "\u0303", "˙": "\u0307", "¨": "\u0308",
    "ˊ": "\u0301", "ˋ": "\u0300", "ˇ": "\u030c", "˘": "\u0306", "⃗": "\u20d7",
}  # fmt: skip
SPACED = set("=≈≤≥<>←→⇒≠∈∼")


def plain(html: str) -> str:
    """Text of the MathML in KaTeX's output."""
    found = MATH.search(html)
    if not found:
        return ""
    root = ElementTree.fromstring(NAMESPACE.sub("", found[0]))
    return re.sub(r"\s+", " ", UNSEEN.sub("", _text(root))).strip()


def _text(element: Element) -> str:
    parts = [_text(child) for child in element if child.tag != "annotation"]
    if write := WRITERS.get(element.tag):
        return write(*parts)
    if element.tag == "mo":
        return _sign((element.text or "").strip())
    if element.tag == "mspace":
        return " " if _wide(element) else ""
    if element.tag in ("mi", "mn", "mtext", "ms"):
        return (element.text or "").replace("\u00a0", " ")
    return (element.text or "").strip() + "".join(parts)


def _sign(sign: str) -> str:
    return f" {sign} " if sign in SPACED else sign + " " * (sign == ",")


def _wide(element: Element) -> bool:
    width = element.get("width", "0").removesuffix("em")
    return width.replace(".", "", 1).isdigit() and float(width) >= 0.2


def _grouped(text: str) -> str:
    text = text.strip()
    return f"({text})" if re.search(r"[\s+\-−/·×]", text) and not (text[:1] == "(" and text[-1:] == ")") else text


def _script(text: str, table: dict[int, int], sign: str) -> str:
    """x² where Unicode has the characters, else x^(…)."""
    text = text.strip()
    if text and all(ord(character) in table for character in text) and (len(text) < 3 or not text.isalpha()):
        return text.translate(table)
    return f"{sign}({text})" if len(text) > 1 and not text.isalnum() else f"{sign}{text}"


def _over(base: str, mark: str) -> str:
    """x̂ for an accent over one character, otherwise the mark as an upper script."""
    if mark in ACCENTS:
        return base + ACCENTS[mark] if len(base) == 1 else base
    return base + _script(mark, SUPERSCRIPT, "^")


WRITERS: Mapping[str, Callable[..., str]] = {
    "mfrac": lambda above, below: f"{_grouped(above)}/{_grouped(below)}",
    "msqrt": lambda *parts: f"√{_grouped(''.join(parts))}",
    "mroot": lambda base, degree: f"{_script(degree, SUPERSCRIPT, '^')}√{_grouped(base)}",
    "msup": lambda base, upper: base + _script(upper, SUPERSCRIPT, "^"),
    "msub": lambda base, lower: base + _script(lower, SUBSCRIPT, "_"),
    "munder": lambda base, lower: base + _script(lower, SUBSCRIPT, "_"),
    "msubsup": lambda base, lower, upper: base + _script(lower, SUBSCRIPT, "_") + _script(upper, SUPERSCRIPT, "^"),
    "munderover": lambda base, lower, upper: base + _script(lower, SUBSCRIPT, "_") + _script(upper, SUPERSCRIPT, "^"),
    "mover": lambda base, mark: _over(base, mark.strip()),
    "mtable": lambda *rows: "; ".join(row.strip() for row in rows),
    "mtr": lambda *cells: " ".join(cell.strip() for cell in cells if cell.strip()),
    "mlabeledtr": lambda *cells: " ".join(cell.strip() for cell in cells if cell.strip()),
}
"""How an element is written, given the texts of what stands in it."""
