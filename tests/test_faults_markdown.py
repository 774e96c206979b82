"""Faults that others have met in blocks and in Chinese text: as prose, in an answer and on the cheat sheet alike."""

from __future__ import annotations

import pytest

from conftest import Build, Builder, chapters, find, outline, question, read

PLACES = ("prose", "answer", "cheat sheet")
SHOWN = {
    "sn-001": (
        "| 概念 | 公式 | 备注 |\n| --- | --- | --- |\n"
        "| 条件概率 | $P(A|B)=\\frac{P(AB)}{P(B)}$ | 必背 |\n| 绝对值 | $|x|\\ge 0$ | 常考 |",
        "<table><tr><th>概念</th><th>公式</th><th>备注</th></tr>"
        "<tr><td>条件概率</td><td>⟦P(A|B)=\\frac{P(AB)}{P(B)}⟧</td><td>必背</td></tr>"
        "<tr><td>绝对值</td><td>⟦|x|\\ge 0⟧</td><td>常考</td></tr></table>",
    ),
    "sn-004": (
        "**考点**如下：\n- 互斥条件\n- 占有且等待\n1. 先判断\n2. 再举例",
        "<p><strong>考点</strong>如下：</p><ul><li>互斥条件</li><li>占有且等待</li></ul>"
        "<ol><li>先判断</li><li>再举例</li></ol>",
    ),
    "sn-004-below-a-paragraph-of-an-item": (
        "- 甲\n\n  又一段\n- 乙\n1) 丙\n2) 丁",
        "<ul><li><p>甲</p><p>又一段</p></li><li><p>乙</p></li></ul><ol><li>丙</li><li>丁</li></ol>",
    ),
    "sn-004-in-a-quotation": (
        "> 考点：\n> - 甲\n>   - 乙\n> 1. 丙",
        "<blockquote><p>考点：</p><ul><li>甲<ul><li>乙</li></ul></li></ul><ol><li>丙</li></ol></blockquote>",
    ),
    "sn-004-around-other-blocks": (
        "- 甲\n### 节\n- 乙\n> 引\n- 丙\n***\n| a | b |\n| - | - |\n| 1 | 2 |\n- 丁",
        "<ul><li>甲</li></ul><h3>节</h3><ul><li>乙</li></ul><blockquote><p>引</p></blockquote><ul><li>丙</li></ul><hr></hr>"
        "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table><ul><li>丁</li></ul>",
    ),
    "sn-005": (
        "- 进程\n  - 状态\n    - 就绪\n    - 阻塞\n- 线程",
        "<ul><li>进程<ul><li>状态<ul><li>就绪</li><li>阻塞</li></ul></li></ul></li><li>线程</li></ul>",
    ),
    "sn-005-by-tabs": (
        "1. 进程\n\t- 状态\n\t\t- 就绪\n2. 线程",
        "<ol><li>进程<ul><li>状态<ul><li>就绪</li></ul></li></ul></li><li>线程</li></ol>",
    ),
    "sn-007": (
        "遍历用 `std::vector<int>::iterator it`，比较用 `a == b`。\n\n问:: 什么是迭代器？ 答:: 指向元素的对象。\n\n"
        "```cpp\nusing ns::f; // Q: 这不是题目 A: 这也不是\n```",
        "<p>遍历用 <code>std::vector<int>::iterator it</code>，比较用 <code>a == b</code>。</p>"
        "<p>问:: 什么是迭代器？ 答:: 指向元素的对象。</p><pre>using ns::f; // Q: 这不是题目 A: 这也不是</pre>",
    ),
    "sn-008-code-between-lines": (
        "前文\n```\nx\n```\n后文\n1. ```\n   y\n   ```\n2. 末",
        "<p>前文</p><pre>x</pre><p>后文</p><ol><li><pre>y</pre></li><li><p>末</p></li></ol>",
    ),
    "sn-010": (
        "**注意：**下列结论只对有限集成立。\n**定理 1.**设 f 连续。\n1. **性质：**若 x>0\n2. **（重点）**必背",
        "<p><strong>注意：</strong>下列结论只对有限集成立。<strong>定理 1.</strong>设 f 连续。</p>"
        "<ol><li><strong>性质：</strong>若 x>0</li><li><strong>（重点）</strong>必背</li></ol>",
    ),
    "sn-011": (
        "操作系统负责管理\n硬件资源，并向 user\nprogram 提供接口；中文，\n后接标点。",
        "<p>操作系统负责管理硬件资源，并向 user program 提供接口；中文，后接标点。</p>",
    ),
    "sn-011-beside-code-and-formulas": (
        "见 user\n$x$ and\n`code`\nword，设\n$y$\n为数，$z$\nword。",
        "<p>见 user ⟦x⟧ and <code>code</code> word，设⟦y⟧为数，⟦z⟧ word。</p>",
    ),
    "sn-013": (
        "每天背 10~20题，周末 30~40题；区间10~20与30~40。水 H~2~O。",
        "<p>每天背 10~20题，周末 30~40题；区间10~20与30~40。水 H~2~O。</p>",
    ),
    "sn-013-products": (
        "卷积核3*3与5*5，张量N*C*H*W，(a)*(b)*(c)。",
        "<p>卷积核3*3与5*5，张量N*C*H*W，(a)*(b)*(c)。</p>",
    ),
    "sn-014": (
        "x^2+y^2=z^2，2^10与2^20 的大小；异或 a^b^c。",
        "<p>x^2+y^2=z^2，2^10与2^20 的大小；异或 a^b^c。</p>",
    ),
    "sn-016": (
        "下列正确的是 (a) 1/2 (b) 3/4 (c) +/-1 (r) 以上都对 (tm)。路由 10.0.0.1/2，A --> B。",
        "<p>下列正确的是 (a) 1/2 (b) 3/4 (c) +/-1 (r) 以上都对 (tm)。路由 10.0.0.1/2，A --> B。</p>",
    ),
    "sn-008-marks": (
        "`**a** [b](c) _d_`与\\*e\\*、\\[f\\](g)、\\`h\\`、&lt;i&gt;、\\<j>",
        "<p><code>**a** [b](c) _d_</code>与*e*、[f](g)、`h`、<i>、<j></p>",
    ),
    "sn-017": (
        "- 【必背】资产$A = 负债$加权益，见[第1章](/第1章.md#定义a)与`变量a`\n\n现金流$CF=收入-支出$为正",
        "<ul><li>【必背】资产⟦A = 负债⟧加权益，见第1章与<code>变量a</code></li></ul><p>现金流⟦CF=收入-支出⟧为正</p>",
    ),
}
VERBATIM = ("sn-008-marks",)
BELOW_THE_TITLE = {
    "below-list": ("- 甲\n- 乙", "<ul><li>甲</li><li>乙</li></ul>"),
    "below-table": ("| a |\n| - |\n| 1 |", "<table><tr><th>a</th></tr><tr><td>1</td></tr></table>"),
    "below-code": ("```\nx\n```", "<pre>x</pre>"),
    "below-quotation": ("> 引", "<blockquote><p>引</p></blockquote>"),
}
CODE = """```python
# 二分

## 不是标题
Q: 不是题目
??? note "也不是折叠"
//// question | 也不是题目
////
---
cost = "$5"
```"""
MISREAD = {
    "sn-002": (
        '??? question "快速排序的最坏复杂度？"\n   O(n²)，出现在基准总取到最值时。\n',
        ["3: '???' blocks are not read"],
    ),
    "sn-008": (
        f'??? question "写出模板"\n{CODE}\n\n    最后一句仍属于答案。\n\n??? question "下一题"\n    有答案\n',
        ["3: '???' blocks are not read", "18: '???' blocks are not read"],
    ),
    "sn-002-an-answer-outside-its-block": (
        "//// question | 空的？\n    {id: empty, kind: 简答, priority: 必背, topics: [topic]}\n////\n\n漏出\n",
        ["3: the answer of '空的？' is empty"],
    ),
}


@pytest.fixture(scope="module")
def built(build: Builder) -> Build:
    cases = {name: text for name, (text, _) in SHOWN.items()}
    files = {
        "第1章.md": "# 第1章\n\n## 定义a\n",
        "chapters/90-block.md": "# 写出模板\n\n"
        + question("写出模板", f"{CODE}\n\n最后一句仍属于答案。", "template")
        + question("下一题", "有答案", "next"),
        **{
            f"chapters/{91 + n}-{name}.md": f"# 章\n\n{text}\n"
            for n, (name, (text, _)) in enumerate(BELOW_THE_TITLE.items())
        },
    }
    done = build({**chapters(cases), **files})
    assert done.code == 0, done.output
    return done


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("case", SHOWN)
def test_a_case_is_shown_as_its_author_meant_it(built: Build, case: str, place: str) -> None:
    assert outline(built.places(case)[place]) == SHOWN[case][1]


def test_no_mark_of_stress_reaches_a_reader(built: Build) -> None:
    """SN-010: neither on a page nor in what search and export read."""
    assert [case for case in SHOWN if case not in VERBATIM and "**" in read(built.case(case))] == []
    assert [row["location"] for row in built.index() if "**" in row["text"] and "**a**" not in row["text"]] == []
    assert [row["id"] for row in built.questions() if "**" in row["answer"] and row["id"] not in VERBATIM] == []


def test_search_finds_words_across_a_line_end(built: Build) -> None:
    assert any("管理硬件资源，并向" in row["text"] for row in built.index())


def test_only_blocks_become_questions(built: Build) -> None:
    """SN-007, SN-008: no other sign of a question is read, least of all inside code."""
    assert [row["id"] for row in built.questions()] == ["first", *SHOWN, "template", "next"]


def test_code_in_an_answer_is_verbatim_and_the_answer_goes_on_below_it(built: Build) -> None:
    page = built.page("chapters/90-block.md")
    answer = find(page, "#template")[0]
    assert "".join(find(answer, "pre")[0].itertext()) == CODE.removeprefix("```python\n").removesuffix("```")
    assert read(answer).endswith("最后一句仍属于答案。")
    assert not find(answer, ".tex") + find(answer, "details") + find(answer, "hr")
    assert [read(title) for title in find(page, ".q-t")] == ["写出模板", "下一题"]
    assert not find(page, ".md-nav--secondary") or "不是标题" not in read(find(page, ".md-nav--secondary")[0])


def test_the_target_of_a_link_is_left_alone(built: Build) -> None:
    for place, element in built.places("sn-017").items():
        assert [a.get("href", "").rpartition("/")[2] for a in find(element, "a")] == ["#定义a"], place


@pytest.mark.parametrize("name", BELOW_THE_TITLE)
def test_a_block_right_below_the_title_stays_a_block(built: Build, name: str) -> None:
    """SN-004: what follows the title is the lede only if it is a paragraph."""
    assert outline(find(built.case(name), "self-test")[0]).endswith(BELOW_THE_TITLE[name][1])


@pytest.fixture(scope="module")
def refused(build: Builder) -> Build:
    texts = {f"chapters/{n}-{case}.md": f"# 章\n\n{text}" for n, (case, (text, _)) in enumerate(MISREAD.items(), 2)}
    return build(texts)


@pytest.mark.parametrize("case", MISREAD)
def test_a_question_in_another_grammar_is_reported_and_never_half_read(refused: Build, case: str) -> None:
    number = 2 + list(MISREAD).index(case)
    found, expected = refused.problems(f"chapters/{number}-{case}.md"), MISREAD[case][1]
    assert refused.code == 1
    assert [problem[: len(start)] for problem, start in zip(found, expected, strict=True)] == expected
