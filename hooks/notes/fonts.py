"""KaTeX's fonts, cut down to the characters that the formulas show: a quarter of the bytes."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from html.parser import HTMLParser

from fontTools import subset

FAMILIES: tuple[tuple[frozenset[str], str], ...] = tuple(
    (frozenset(classes.split()), family)
    for family, selectors in {
        "": ("katex-mathml",),  # for screen readers, in no font of KaTeX's
        "Main": ("katex", "textrm", "mathit", "mathbf", "mainrm"),
        "Math": ("mathnormal", "boldsymbol"),
        "AMS": ("amsrm", "mathbb", "textbb"),
        "Caligraphic": ("mathcal",),
        "Size1": ("delimsizing size1", "delim-size1", "op-symbol small-op"),
        "Size2": ("delimsizing size2", "op-symbol large-op"),
        "Size3": ("delimsizing size3",),
        "Size4": ("delimsizing size4", "delim-size4"),
    }.items()
    for classes in selectors
)
"""Classes that set a family, as in KaTeX's style sheet; fonts of families that are not here stay whole."""


class _Reader(HTMLParser):
    """Collects the characters that each family shows: that of the nearest element that sets one."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.shown: dict[str, set[str]] = {family: set() for _, family in FAMILIES}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        classes = set((dict(attrs).get("class") or "").split())
        inherited = self.open[-1] if self.open else "Main"
        self.open.append(next((family for wanted, family in FAMILIES if wanted <= classes), inherited))

    def handle_endtag(self, tag: str) -> None:
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.shown[self.open[-1] if self.open else "Main"].update(data)


def characters(markup: Iterable[str]) -> Mapping[str, str]:
    """Of each family the characters that the formulas show in it, in order."""
    reader = _Reader()
    for html in markup:
        reader.feed(html)
    return {family: "".join(sorted(shown)) for family, shown in reader.shown.items()}


def cut(font: bytes, text: str) -> bytes:
    """A WOFF2 font with the glyphs of these characters alone; the same input gives the same bytes.

    Without hinting, which phones and high resolutions pass over and which is a third of the bytes.
    """
    options = subset.Options(flavor="woff2", hinting=False, recalc_timestamp=False, notdef_outline=True)
    whole = subset.load_font(io.BytesIO(font), options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(text=text)
    subsetter.subset(whole)
    made = io.BytesIO()
    subset.save_font(whole, made, options)
    return made.getvalue()
