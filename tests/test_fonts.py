"""KaTeX's fonts are cut to what the formulas show, and to nothing less."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping

import pytest
from fontTools.ttLib import TTFont

from notes import fonts
from notes.katex import Engine, Typeset
from notes.model import Place, Tex
from shipped import PROJECT

PACKAGE = PROJECT / "node_modules/katex"
WHOLE = {path.name: path.read_bytes() for path in sorted((PACKAGE / "dist/fonts").glob("*.woff2"))}
TEX = (
    r"x_{\max}+\alpha\,\mathbf{w}\cdot\mathbb{R}",
    r"\left\lfloor\frac{\sum_{i=1}^{n}i}{2}\right\rfloor\ \int\ \Biggl(\Bigl[",
    r"\begin{cases}a\\b\\c\\d\\e\end{cases}",
    r"\text{steps}=\mathcal{U}\ \mathtt{code}\ \mathfrak{g}\ \mathrm{clip}",
)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    return Engine(PACKAGE, tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="module")
def shown(engine: Engine) -> Mapping[str, str]:
    return fonts.characters(formula.html for formula in formulas(engine))


@pytest.fixture(scope="module")
def sent(engine: Engine) -> dict[str, bytes]:
    return {name.removeprefix("fonts/"): font for name, font in engine.assets(formulas(engine)) if "fonts/" in name}


def formulas(engine: Engine) -> list[Typeset]:
    made, problems = engine.typeset([Tex(tex, True, Place("a.md", line)) for line, tex in enumerate(TEX, 1)])
    assert problems == []
    return list(made.values())


def glyphs(font: bytes) -> set[int]:
    return set(TTFont(io.BytesIO(font)).getBestCmap())


def test_a_character_counts_for_the_family_in_which_it_is_shown(shown: Mapping[str, str]) -> None:
    assert "x" in shown["Math"]
    assert "α" in shown["Math"]
    assert shown["AMS"] == "R"
    assert shown["Caligraphic"] == "U"
    assert {"∫", "["} <= set(shown["Size2"])
    assert "∑" in shown["Size1"]
    assert "(" in shown["Size4"]
    assert "⎨" in shown["Size4"]  # the middle of a tall brace
    assert set("max+stepsclip") <= set(shown["Main"])
    assert "\\" not in shown["Main"]  # of the TeX that stands in the MathML


def test_every_character_has_its_glyph_in_the_font_that_is_sent(
    shown: Mapping[str, str], sent: dict[str, bytes]
) -> None:
    assert set(sent) == set(WHOLE)
    for name, font in WHOLE.items():
        family = name.removeprefix("KaTeX_").split("-")[0]
        if family in shown:
            needed = {ord(sign) for sign in shown[family]} & glyphs(font)
            assert needed <= glyphs(sent[name]) <= glyphs(font), name
        else:
            assert sent[name] == font  # a family that the table does not know


def test_what_is_sent_is_a_fraction_and_the_same_every_time(engine: Engine, sent: dict[str, bytes]) -> None:
    for name in ("Main-Regular", "Math-Italic", "AMS-Regular", "Size2-Regular"):
        assert len(sent[f"KaTeX_{name}.woff2"]) < len(WHOLE[f"KaTeX_{name}.woff2"]) / 2
    again = dict(Engine(PACKAGE, engine.cache / "again").assets(formulas(engine)))
    assert {name: again[f"fonts/{name}"] for name in sent} == sent


def test_the_table_names_every_class_that_sets_one_of_its_families() -> None:
    """A class of KaTeX's style sheet that is not in the table would lose its glyphs."""
    sheet = re.sub(r"@font-face\{[^}]*\}", "", (PACKAGE / "dist/katex.min.css").read_text("utf-8"))
    known = dict(fonts.FAMILIES)
    found = {}
    for selectors, body in re.findall(r"([^{}]+)\{([^}]*)\}", sheet):
        if family := re.search(r"KaTeX_(\w+)", body):
            for selector in selectors.split(","):
                last = selector.removesuffix(">span").split(" ")[-1]
                found[frozenset(re.findall(r"\.([\w-]+)", last))] = family[1]
    families = set(known.values())
    assert {classes: family for classes, family in found.items() if family in families} == {
        classes: family for classes, family in known.items() if family
    }
