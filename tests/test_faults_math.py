"""Faults that others have met in formulas: what is one, what KaTeX refuses, and where an error is."""

from __future__ import annotations

import json
import re
import time

import pytest

from conftest import Build, Builder, chapters, find, outline, question, read
from shipped import PROJECT

SHOWN = {
    "sn-019": (
        "售价 $5 到 $10，打折后 $8。成本是$20，卖$30；`echo $HOME $PATH`；转义 \\$9。",
        "<p>售价 $5 到 $10，打折后 $8。成本是$20，卖$30；<code>echo $HOME $PATH</code>；转义 $9。</p>",
    ),
    "sn-019-a-price-among-formulas": (
        "单价$5的$x$件共$9，$3.5亿占$\\frac12$；[图](https://example.com/?a=$b&c=$d)，$6 and `$HOME`",
        "<p>单价$5的⟦x⟧件共$9，$3.5亿占⟦\\frac12⟧；图，$6 and <code>$HOME</code></p>",
    ),
    "sn-020-behind-a-lone-backtick": (
        "- 号 ` 与\n- $x$ `\n\n甲 `` 乙\n> $y$ ``",
        "<ul><li>号 ` 与</li><li>⟦x⟧ `</li></ul><p>甲 `` 乙</p><blockquote><p>⟦y⟧ ``</p></blockquote>",
    ),
    "sn-020": (
        "由定义：\n$$\n\\begin{aligned}a_1 \\\\ b_1\\end{aligned}\n$$\n可得。\n\n- 第一步：\n  $$\n  x_1 = 1\n  $$",
        "<p>由定义：</p><p>⟦\\begin{aligned}a_1 \\\\ b_1\\end{aligned}⟧</p><p>可得。</p>"
        "<ul><li><p>第一步：</p><p>⟦x_1 = 1⟧</p></li></ul>",
    ),
    "sn-020-in-other-blocks": (
        "- $$a$$\n- 乙\n\n> 引：$$b$$\n> $$\n> c\n> + d\n> $$\n> 毕\n\n| 式 |\n| - |\n| $$|e|$$ |\n\n```math\nf\n```",
        "<ul><li><p>⟦a⟧</p></li><li><p>乙</p></li></ul>"
        "<blockquote><p>引：</p><p>⟦b⟧</p><p>⟦c + d⟧</p><p>毕</p></blockquote>"
        "<table><tr><th>式</th></tr><tr><td>⟦|e|⟧</td></tr></table><p>⟦f⟧</p>",
    ),
    "sn-026": (
        "$v_{地}=\\frac{路程}{时间}$，$f(x)=\\begin{cases}1&\\text{若 }x>0\\\\0&其他\\end{cases}$，"
        "$\\xrightarrow{加热}$",
        "<p>⟦v_{地}=\\frac{路程}{时间}⟧，⟦f(x)=\\begin{cases}1&\\text{若 }x>0\\\\0&其他\\end{cases}⟧，"
        "⟦\\xrightarrow{加热}⟧</p>",
    ),
}
SHOWN["an-operator-in-a-script"] = ("$s_{\\max}$与$x^{\\log}$", "<p>⟦s_{\\max}⟧与⟦x^{\\log}⟧</p>")
ROWS = "\\begin{align}a&=b\\tag{式一}\\\\c&=d\\tag{2}\\end{align}"
REFUSED = {
    "sn-019-nobody-knows": (
        "成本$x元，售价$y元。\n\n重复$n$2次，记$z。",
        [
            "3:3: a formula holds the end of a sentence",
            "3:9: a single $ opens a formula that is never closed",
            "5:3: a formula closes right before a digit",
            "5:10: a single $ opens a formula that is never closed",
        ],
    ),
    "sn-019-one-item-each": (
        "- 甲 $a\n- 乙 b$ 丙",
        ["3:5: a single $ opens a formula", "4:6: a single $ opens a formula"],
    ),
    "sn-022": ("$$\na = b\n\nc = d\n$$\n\n下一段 $e$。", ["3:1: $$ is not closed before the next blank line"]),
    "sn-023": (
        "设 $ x $ 与 $y $ 为实数，$ z$ 为整数。",
        [f"3:{column}: a formula has no space just inside its $" for column in (3, 11, 20)],
    ),
}
KATEX = {
    "sn-020": ("由定义：\n$$\na_1 \\\\ b_1\n$$\n可得。", [(5, "aligned", "a_1")]),
    "sn-025": (
        "$$\\begin{equation}E=mc^2\\label{eq:e}\\end{equation}$$ 由 $\\eqref{eq:e}$，$\\norm{x}$、$\\dv{y}{x}$、\n"
        "$\\ce{H2O}$、$\\mathbbm{1}$、\n$$\\begin{eqnarray}a&=&b\\end{eqnarray}$$",
        [
            (3, "\\label", "E=mc^2"),
            (3, "\\eqref", "\\eqref{eq:e}"),
            (3, "\\norm", "\\norm{x}"),
            (3, "\\dv", "\\dv{y}{x}"),
            (4, "\\ce", "\\ce{H2O}"),
            (4, "\\mathbbm", "\\mathbbm{1}"),
            (5, "eqnarray", "a&=&b"),
        ],
    ),
    "sn-026": ("甲$f（x）＝１$", [(3, "full-width '（'", "f（x）＝１")]),
    "sn-028": (
        "行内 $a=b\\tag{1}$。\n\n$$\\begin{aligned}a&=b\\tag{3}\\\\c&=d\\tag{4}\\end{aligned}$$",
        [(3, "write the formula as $$ … $$", "a=b"), (5, "use \\begin{align}", "c&=d")],
    ),
    "sn-032": (
        "$$a &= b \\\\ c &= d$$ 与 $\\begin{align}a&=b\\end{align}$ 与 $$a\\\\b$$",
        [(3, "aligned", "a &= b"), (3, "aligned", "\\begin{align}"), (3, "aligned", "a\\\\b")],
    ),
}
DERIVATIVES = "设 $\\frac{1}{2$ 与 $x_1_2$，以及 $\\left( a$。"
SPOTS = "# 题\n\n设$x$，$y_1_2$。\n\n$$\na\n+ b_1_2\n$$\n\n> $$\n> c\n> + d_1_2\n> $$\n"


@pytest.fixture(scope="module")
def built(build: Builder) -> Build:
    tagged = f"$$\n{ROWS}\n$$\n\n/// formula | 有号\nE=mc^2\\tag{{9}}\n///"
    files = {
        "chapters/90-tags.md": "# 号\n\n" + question("有号的式子？", tagged, "tags"),
        "plain.md": "# 无式\n\n文字\n",
    }
    done = build({**chapters({name: text for name, (text, _) in SHOWN.items()}), **files})
    assert done.code == 0, done.output
    return done


@pytest.fixture(scope="module")
def refused(build: Builder) -> Build:
    cases = [*((f"{n}-{name}", text) for n, (name, (text, _)) in enumerate(REFUSED.items(), 2))]
    cases += [(f"{n}-{name}", text) for n, (name, (text, _)) in enumerate(KATEX.items(), 20)]
    files = {f"chapters/{name}.md": f"# 章\n\n{text}\n" for name, text in cases}
    files["chapters/90-spots.md"] = SPOTS
    files["chapters/91-sn-031.md"] = "---\ntitle: 第九章\n---\n# 题\n\n" + question("求导", DERIVATIVES, "derivative")
    files["chapters/92-macros.md"] = "# 章\n\n$\\def\\foo{1}\\foo$、$\\gdef\\baz{1}\\baz$\n\n$\\foo$与$\\baz$\n"
    files["chapters/93-tag.md"] = "# 章\n\n$$a\\tag{7}$$\n"
    files["chapters/94-tag.md"] = "# 章\n\n$$b\\tag{7}$$\n"
    return build(files)


@pytest.mark.parametrize("place", ["prose", "answer", "cheat sheet"])
@pytest.mark.parametrize("case", SHOWN)
def test_a_formula_is_typeset_and_a_price_stays_a_price(built: Build, case: str, place: str) -> None:
    assert outline(built.places(case)[place]) == SHOWN[case][1]


def test_no_delimiter_reaches_a_reader(built: Build) -> None:
    """SN-020: nor do search and export read one."""
    cases = [case for case in SHOWN if not case.startswith("sn-019")]
    assert [case for case in cases if "$" in read(find(built.case(case), "article")[0])] == []
    assert [row["id"] for row in built.questions() if row["id"] in cases and "$" in row["answer"]] == []
    assert [row["text"] for row in built.index() if "$$" in row["text"] or "\ue000" in row["text"]] == []


def test_a_script_has_a_base_and_one_script(built: Build) -> None:
    """MathML's msub takes two children; readers aloud and search get the text of both."""
    page = find(built.case("an-operator-in-a-script"), "article")[0]
    assert {tag: {len(script) for script in find(page, tag)} for tag in ("msub", "msup")} == {"msub": {2}, "msup": {2}}
    row = next(row for row in built.questions() if row["id"] == "an-operator-in-a-script")
    assert "s_max" in row["answer"]


def test_chinese_in_formulas_is_one_notice_a_file(built: Build) -> None:
    """SN-026: and not a warning for each character."""
    notices = [line for line in built.logged("INFO") if "Chinese inside" in line]
    files = [line.partition(":")[0].partition("-")[2] for line in notices]
    assert files == ["sn-026.md", "tags.md"]
    assert built.logged("WARNING") == []
    assert find(built.places("sn-026")["answer"], ".cjk_fallback")


def test_equation_numbers_stand_in_the_answer_and_on_the_formula_sheet(built: Build) -> None:
    """SN-028: each row of `align` has its own."""
    numbers = [read(tag) for tag in find(find(built.page("chapters/90-tags.md"), "#tags")[0], ".katex-tag")]
    assert [number.replace("\u200b", "") for number in numbers] == ["(式一)(2)", "(9)"]
    assert [read(tag) for tag in find(built.page("formulas.md"), ".katex-tag")] == ["(9)"]


@pytest.mark.parametrize("case", REFUSED)
def test_a_dollar_that_nobody_can_place_is_reported_where_it_is(refused: Build, case: str) -> None:
    number = 2 + list(REFUSED).index(case)
    found = refused.problems(f"chapters/{number}-{case}.md")
    assert [problem[: len(start)] for problem, start in zip(found, REFUSED[case][1], strict=True)] == REFUSED[case][1]


@pytest.mark.parametrize("case", KATEX)
def test_what_katex_refuses_is_reported_with_line_cure_and_formula(refused: Build, case: str) -> None:
    number = 20 + list(KATEX).index(case)
    found = refused.problems(f"chapters/{number}-{case}.md")
    for problem, (line, *words) in zip(found, KATEX[case][1], strict=True):
        assert problem.startswith(f"{line}:"), problem
        assert all(word in problem or repr(word)[1:-1] in problem for word in words), (problem, words)


def test_every_error_of_a_question_names_its_place_its_formula_and_the_question(refused: Build) -> None:
    """SN-031: all of them in one run, without `--strict`."""
    problems = refused.problems("chapters/91-sn-031.md")
    assert refused.code == 1
    assert [re.match(r"12:\d+: ", problem) is not None for problem in problems] == [True] * 3
    for formula in ("\\frac{1}{2", "x_1_2", "\\left( a"):
        assert [problem for problem in problems if f"formula {formula!r} in the question “求导”" in problem], formula


def test_an_error_is_located_at_its_line_and_column(refused: Build) -> None:
    """SN-031: the second subscript, in a line, in a block and in a quotation."""
    line, block, quotation = (problem.partition(": ")[0] for problem in refused.problems("chapters/90-spots.md"))
    assert (line, block) == ("3:10", "7:6")
    assert quotation.startswith("12:")


def test_a_macro_of_one_formula_is_unknown_to_the_next(refused: Build) -> None:
    """SN-080"""
    problems = refused.problems("chapters/92-macros.md")
    assert [problem.partition(":")[0] for problem in problems] == ["5", "5"]
    assert all("Undefined control sequence" in problem for problem in problems)


def test_an_equation_number_is_taken_once_in_the_course(refused: Build) -> None:
    """SN-028"""
    taken = "3:1: the equation number (7) is taken at docs/chapters/93-tag.md:3:1; choose another"
    assert refused.problems("chapters/94-tag.md") == [taken]


def test_nothing_is_published_beside_a_refused_formula(refused: Build) -> None:
    assert not refused.site.exists()


def test_renderer_style_sheet_and_fonts_are_of_one_pinned_version(built: Build) -> None:
    """SN-029"""
    wanted = json.loads((PROJECT / "package.json").read_text("utf-8"))["dependencies"]["katex"]
    package = PROJECT / "node_modules/katex"
    assert wanted == json.loads((package / "package.json").read_text("utf-8"))["version"]
    style = built.text("assets/katex/katex.min.css")
    assert style == (package / "dist/katex.min.css").read_text("utf-8")
    fonts = set(re.findall(r"fonts/[\w-]+\.woff2", style))
    assert fonts
    assert {font for font in fonts if not (built.site / "assets/katex" / font).is_file()} == set()


def test_every_page_with_a_formula_has_the_style_sheet_that_knows_its_classes(built: Build) -> None:
    """SN-029: without it each formula would be shown twice."""
    style = built.text("assets/katex/katex.min.css")
    for uri, wanted in (("formulas.md", True), ("plain.md", False), ("chapters/90-tags.md", True)):
        page = built.page(uri)
        links = [link.get("href", "") for link in find(page, "link") if link.get("rel") == "stylesheet"]
        assert any(link.endswith("assets/katex/katex.min.css") for link in links) == wanted, uri
        assert bool(find(page, ".katex")) == wanted, uri
    for name in ("katex-html", "katex-mathml", "katex-base", "katex-strut", "katex-display", "vlist-t", "mord"):
        assert find(built.page("chapters/90-tags.md"), f".{name}"), name
        assert f".{name}" in style or name == "mord"


def test_a_warm_build_starts_no_node(build: Builder) -> None:
    """A Node that cannot start breaks the build with a new formula, and no other."""
    broken = {"NODE_OPTIONS": "--require ./no-such-file.cjs"}
    known = {"a.md": "# 甲\n\n$a+b=c$\n"}
    assert build(known).code == 0
    assert build(known, environment=broken).code == 0
    new = build({"a.md": f"# 甲\n\n$a+b={time.time_ns()}$\n"}, environment=broken)
    assert new.code == 1
    assert new.logged("ERROR")[0].startswith("Node.js could not typeset the formulas")
