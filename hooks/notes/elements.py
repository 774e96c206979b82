"""Markup as element trees: no string of HTML is ever put together from the author's text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeAlias
from xml.etree.ElementTree import Element, SubElement

from markdown.util import AtomicString

from notes.dialect import inline

Content: TypeAlias = "str | Element | Iterable[Content] | None"
SPECIAL = re.compile(r"[^\w\s.,:;?()/%'\"+=@#·，。、：；？！（）“”—…−-]|_")
"""What may mean something in Markdown; a text without it, as most are, is not looked at again."""


def h(name: str, *content: Content, **attributes: str | int | None) -> Element:
    """`h("a.mark", text, href=…)` is `<a class="mark" href="…">text</a>`.

    Text is a line of Markdown. In names of attributes `_` stands for `-`; one that is None is left out.
    """
    tag, *classes = name.split(".")
    element = Element(tag, {"class": " ".join(classes)} if classes else {})
    for attribute, value in attributes.items():
        if value is not None:
            element.set(attribute.rstrip("_").replace("_", "-"), str(value))
    _fill(element, content)
    return element


def _fill(element: Element, content: Content) -> None:
    if content is None:
        return
    if isinstance(content, str):
        _say(element, inline(content) if SPECIAL.search(content) else AtomicString(content))
    elif isinstance(content, Element):
        element.append(content)
    else:
        for part in content:
            _fill(element, part)


def _say(element: Element, text: str) -> None:
    owner, name = (element[-1], "tail") if len(element) else (element, "text")
    before = getattr(owner, name)
    if before:
        plain = isinstance(before, AtomicString) and isinstance(text, AtomicString)
        text = AtomicString(before + text) if plain else before + text
    setattr(owner, name, text)


def icon(path: str) -> Element:
    """A drawing of 24 by 24 units in the colour of the text around it; means nothing to a screen reader."""
    svg = Element("svg", {"viewBox": "0 0 24 24", "aria-hidden": "true"})
    SubElement(svg, "path", {"d": path})
    return svg
