"""Markdown as authors type it comes out as on GitHub: lists, quotations, formulas, prices, comments, links."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from markdown import Markdown

from notes import parse
from notes.dialect import inline, prepare, token
from notes.katex import Typeset
from notes.model import Course, Place, Settings, Tex
from notes.render import NotesExtension
from notes.spans import scan

COURSE = Course(Settings((), (), {}, {}, (), {}, {}), ())
EXTENSIONS = ["sane_lists", "tables", "pymdownx.highlight", "pymdownx.superfences"]
SHOWN = {"ul", "ol", "li", "blockquote", "pre", "table", "tr", "th", "td", "h1", "h2", "h3", "hr", "strong", "em", "br"}


class Outline(HTMLParser):
    """Tags that make the structure and the text between them; a line end parts paragraphs and lines of code."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.pieces: list[str] = []
        self.links: list[str] = []
        self.feed(markup)

    def __str__(self) -> str:
        return re.sub(r"\n*(</?\w+>)\n*", r"\1", re.sub(r"\n+", "\n", "".join(self.pieces))).strip()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]
        self.pieces.append(f"<{tag}>" if tag in SHOWN else "\n" * (tag == "p"))

    def handle_endtag(self, tag: str) -> None:
        self.pieces.append(f"</{tag}>" if tag in SHOWN - {"br", "hr"} else "")

    def handle_data(self, data: str) -> None:
        self.pieces.append(data)

    def handle_comment(self, data: str) -> None:
        self.pieces.append(f"<!--{data}-->")


def rendered(text: str) -> Outline:
    """The page as a reader gets it, each formula as ⟨TeX⟩ or, displayed, as ⟪TeX⟫."""
    formulas = {
        tex.key: Typeset(tex.tex, "", f"⟪{tex.tex}⟫" if tex.display else f"⟨{tex.tex}⟩")
        for tex in parse.page("c.md", text).formulas
    }
    page = Markdown(extensions=[*EXTENSIONS, NotesExtension(COURSE, formulas)])
    return Outline(page.convert(prepare(text)))


@pytest.mark.parametrize(
    ("text", "outline"),
    [
        pytest.param(
            "**考点**如下：\n- 互斥\n- 占有\n1. 先判断\n2. 再举例",
            "<strong>考点</strong>如下：<ul><li>互斥</li><li>占有</li></ul><ol><li>先判断</li><li>再举例</li></ol>",
            id="SN-004 no blank line above",
        ),
        pytest.param(
            "- 进程\n  - 状态\n    - 就绪\n    - 阻塞\n- 线程",
            "<ul><li>进程<ul><li>状态<ul><li>就绪</li><li>阻塞</li></ul></li></ul></li><li>线程</li></ul>",
            id="SN-005 two spaces",
        ),
        pytest.param(
            "- 甲\n    - 乙\n        - 丙",
            "<ul><li>甲<ul><li>乙<ul><li>丙</li></ul></li></ul></li></ul>",
            id="four spaces",
        ),
        pytest.param(
            "1. 甲\n   - 乙\n   - 丙\n2. 丁",
            "<ol><li>甲<ul><li>乙</li><li>丙</li></ul></li><li>丁</li></ol>",
            id="mixed",
        ),
        pytest.param(
            "10. 甲\n    - 乙\n11. 丙", "<ol><li>甲<ul><li>乙</li></ul></li><li>丙</li></ol>", id="two digits"
        ),
        pytest.param("1) 甲\n2) 乙", "<ol><li>甲</li><li>乙</li></ol>", id="brackets"),
        pytest.param(
            "1. 甲\n  - 乙\n2. 丙",
            "<ol><li>甲</li></ol><ul><li>乙</li></ul><ol><li>丙</li></ol>",
            id="too little indent",
        ),
        pytest.param("共\n2. 个", "共2. 个", id="a number that is not 1 is no list"),
        pytest.param("-甲\n\n1.乙", "-甲\n1.乙", id="no space is no list"),
        pytest.param("- 甲\n续\n- 乙", "<ul><li>甲续</li><li>乙</li></ul>", id="a line that goes on"),
        pytest.param("- 甲\n\n  乙\n- 丙", "<ul><li>甲\n乙</li><li>丙</li></ul>", id="two paragraphs"),
        pytest.param("- 甲\n\n乙\n\n- 丙", "<ul><li>甲</li></ul>乙<ul><li>丙</li></ul>", id="two lists"),
        pytest.param(
            "- 甲\n  ```\n  x\n\n    y\n  ```\n- 乙",
            "<ul><li>甲<pre>x\n  y</pre></li><li>乙</li></ul>",
            id="code in an item",
        ),
        pytest.param("```\n- x\n  - y\n```", "<pre>- x\n  - y</pre>", id="a list in code is code"),
        pytest.param("## 节\n- 甲\n## 节", "<h2>节</h2><ul><li>甲</li></ul><h2>节</h2>", id="between headings"),
        pytest.param(
            "> 引：\n> - 甲\n>   - 乙",
            "<blockquote>引：<ul><li>甲<ul><li>乙</li></ul></li></ul></blockquote>",
            id="quoted",
        ),
        pytest.param("- 甲\n  > 引", "<ul><li>甲<blockquote>引</blockquote></li></ul>", id="a quotation in an item"),
        pytest.param("一\n* * *\n二", "一<hr>二", id="a rule is no list"),
        pytest.param(
            "表：\n| a | b |\n| --- | --- |\n| 1 | 2 |",
            "表：<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>",
            id="a table with no blank line above",
        ),
    ],
)
def test_blocks_come_out_as_on_github(text: str, outline: str) -> None:
    assert str(rendered(text)) == outline


@pytest.mark.parametrize(
    ("text", "outline"),
    [
        pytest.param(
            "售价 $5 到 $10，打折后 $8。成本是$20，卖$30；`echo $HOME $PATH`；转义 \\$9。",
            "售价 $5 到 $10，打折后 $8。成本是$20，卖$30；echo $HOME $PATH；转义 $9。",
            id="SN-019 prices",
        ),
        pytest.param("从$5-$10，a$3", "从$5-$10，a$3", id="a range of prices"),
        pytest.param("$x$和$5，再$y$", "⟨x⟩和$5，再⟨y⟩", id="a price between formulas"),
        pytest.param("`$x$`与``a`$y$`b``", "$x$与a`$y$`b", id="code holds no formula"),
        pytest.param("$P(A|B)$与$a_1*b_1*c_1$", "⟨P(A|B)⟩与⟨a_1*b_1*c_1⟩", id="no syntax inside a formula"),
        pytest.param(
            "| 概念 | 公式 | 备注 |\n| --- | --- | --- |\n| 条件 | $P(A|B)$ | 必背 |\n| 展示 | $$|x|$$ | 常考 |",
            "<table><tr><th>概念</th><th>公式</th><th>备注</th></tr><tr><td>条件</td><td>⟨P(A|B)⟩</td><td>必背</td></tr>"
            "<tr><td>展示</td><td>⟪|x|⟫</td><td>常考</td></tr></table>",
            id="SN-001 a pipe in a formula in a table",
        ),
        pytest.param(
            "由定义：\n$$\na_1 \\\\ b_1\n$$\n可得。\n\n- 第一步：\n  $$\n  x_1 = 1\n  $$",
            "由定义：\n⟪a_1 \\\\ b_1⟫\n可得。<ul><li>第一步：\n⟪x_1 = 1⟫</li></ul>",
            id="SN-020 display formulas without blank lines",
        ),
        pytest.param("```math\nx\n```", "⟪x⟫", id="a fence of math"),
        pytest.param("> 引$x$\n>\n> $$\n> y + z\n> $$", "<blockquote>引⟨x⟩\n⟪y + z⟫</blockquote>", id="in a quotation"),
        pytest.param("若a<b，List<String>与x < y。", "若a<b，List<String>与x < y。", id="SN-077 a less-than sign"),
        pytest.param("一<br>二<br/>三", "一<br>二<br>三", id="a line break"),
        pytest.param("2^10，10~20题，H~2~O，(c) 1/2 -->", "2^10，10~20题，H~2~O，(c) 1/2 -->", id="SN-013 14 16"),
        pytest.param(
            "**注意：**下列。\n\n1. **（重点）**必背",
            "<strong>注意：</strong>下列。<ol><li><strong>（重点）</strong>必背</li></ol>",
            id="SN-010 bold that ends in a full-width mark",
        ),
        pytest.param("3*3*3与`a*b`", "3*3*3与a*b", id="products"),
        pytest.param("甲<!-- 一 -->乙\n\n<!-- 二\n三 -->\n丙", "甲乙\n丙", id="comments go"),
        pytest.param("- 甲\n<!-- 校 -->\n- 乙", "<ul><li>甲</li><li>乙</li></ul>", id="a comment does not part a list"),
        pytest.param("`<!-- x -->`\n\n```\n<!-- y -->\n```", "<!-- x --><pre><!-- y --></pre>", id="in code they stay"),
        pytest.param("all_reduce_sum与snake_case_", "all_reduce_sum与snake_case_", id="underscores"),
        pytest.param("#标签 不是标题", "#标签 不是标题", id="a mark without a space is no heading"),
    ],
)  # fmt: skip
def test_text_stays_what_was_typed(text: str, outline: str) -> None:
    assert str(rendered(text)) == outline


@pytest.mark.parametrize(
    "target", ["a_b_c*d*e", "x%20y/(z)", "?a=1&b=2", "第1章.md#定义a", "a$b$c", "?p=$5&q=$6", "~x~^y^"]
)
def test_the_target_of_a_link_keeps_every_byte(target: str) -> None:
    assert rendered(f"见[第1章](https://example.com/{target})和$x$。").links == [f"https://example.com/{target}"]
    assert rendered(f"![图](img/{target})").links == [f"img/{target}"]
    assert rendered(f"见[第1章][a]。\n\n[a]: https://example.com/{target}").links == [f"https://example.com/{target}"]


def test_a_title_is_one_line_with_its_formulas_as_tokens() -> None:
    x = token(Tex("x", False, Place("", 0)).key)
    assert inline(" 设$x$<y的`$z$`\n与 ") == f"设{x}&lt;y的`$z$` 与"


LINES = [
    *("", "", "正文。", "续", "- 甲", "* 乙", "+ 丙", "1. 丁", "2) 戊", "10. 己", "-", "# 章", "## 节", "#标签", "---"),
    *("* * *", "  - 子", "    - 孙", "   1. 子", "\t- 表", "    四格", "  两格", "> 引", "> - 引项", ">> 双引"),
    *("| a | b |", "| - | - |", "```", "```py", "~~~", "  ```", "`c`", "$x$与$y$", "$$", "$$z$$", "  $$", "$5和$6"),
    *("$", "\\$", "a<b", "<br>", "<!-- 注 -->", "<!--", "-->", "**重**点", "a*b*c", "\\\\", "[链](a$b$c)", "==="),
]


@given(st.lists(st.sampled_from(LINES), max_size=14))
@example(["``", "> 引", "$x$", "``"])
@example(["$5和$6", "$x$与$y$", "`$c$`"])
def test_preparing_twice_changes_nothing(lines: list[str]) -> None:
    text = "\n".join(lines)
    assume(not any(span.kind == "stray" for span in scan(text)))  # what is opened in vain stops the build
    once = prepare(text)
    assert prepare(once) == once


@given(
    st.lists(st.text(alphabet="ab_*<>$~#-+ 甲\\", max_size=9).map(lambda line: line.rstrip()), min_size=1, max_size=6)
)
def test_code_keeps_every_byte(lines: list[str]) -> None:
    code = "\n".join(lines)
    assert f"````py\n{code}\n````" in prepare(f"甲\n\n````py\n{code}\n````\n\n乙")
    word = "".join(lines)
    if word.strip() == word and "`" not in word and word:
        assert f"甲`{word}`乙" in prepare(f"甲`{word}`乙")


@given(
    st.text(alphabet="abN_^{}\\*<>|=+-() ", min_size=1, max_size=20).filter(
        lambda tex: tex.strip("\\ ") == tex and tex.strip("> ") != ""
    )
)
def test_a_formula_keeps_every_byte(tex: str) -> None:
    page = parse.page("c.md", f"甲${tex}$乙\n\n$$\n{tex}\n$$\n")
    assert [formula.tex for formula in page.formulas] == [tex, tex]
    assert prepare(f"甲${tex}$乙") == f"甲{token(page.formulas[0].key)}乙"
