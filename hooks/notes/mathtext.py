"""MathML -> the formula in plain characters: E=mc², x_adv, (a+b)/c."""

from __future__ import annotations

import re
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
    match element.tag:
        case "mo":
            sign = (element.text or "").strip()
            return f" {sign} " if sign in SPACED else sign + " " * (sign == ",")
        case "mi" | "mn" | "mtext" | "ms":
            return (element.text or "").replace("\u00a0", " ")
        case "mspace":
            return " " if _wide(element) else ""
        case "mfrac":
            return f"{_grouped(parts[0])}/{_grouped(parts[1])}"
        case "msqrt":
            return f"√{_grouped(''.join(parts))}"
        case "mroot":
            return f"{_script(parts[1], SUPERSCRIPT, '^')}√{_grouped(parts[0])}"
        case "msup":
            return parts[0] + _script(parts[1], SUPERSCRIPT, "^")
        case "msub" | "munder":
            return parts[0] + _script(parts[1], SUBSCRIPT, "_")
        case "msubsup" | "munderover":
            return parts[0] + _script(parts[1], SUBSCRIPT, "_") + _script(parts[2], SUPERSCRIPT, "^")
        case "mover":
            return _over(parts[0], parts[1].strip())
        case "mtable":
            return "; ".join(part.strip() for part in parts)
        case "mtr" | "mlabeledtr":
            return " ".join(part.strip() for part in parts if part.strip())
        case _:
            return (element.text or "").strip() + "".join(parts)


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
