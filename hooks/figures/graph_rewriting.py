"""Rewriting of a computational graph: constants folded, common subexpressions shared, operators fused.

Expressions are read by Python's own parser; only + - * on names and whole numbers are known.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from fractions import Fraction
from xml.etree.ElementTree import Element

from figures import svg
from figures.parameters import only, said, whole
from figures.writing import grouped, paragraphs, percent, table

KNOWN = (ast.Add, ast.Sub, ast.Mult)


def expression(text: str, name: str = "expression") -> ast.expr:
    """The tree of an expression, the parameter `name`. Raises ValueError where more than + - * stands in it."""
    try:
        tree = ast.parse(text, mode="eval").body
    except SyntaxError:
        raise ValueError(f"'{name}' is an expression such as (a+b)*c, not '{text}'") from None
    for node in ast.walk(tree):
        known = isinstance(node, ast.BinOp | ast.Name | ast.operator | ast.expr_context)
        if not known and not (isinstance(node, ast.Constant) and type(node.value) is int):
            raise ValueError(f"'{name}' holds only + - * on names and whole numbers, not '{text}'")
        if isinstance(node, ast.BinOp) and not isinstance(node.op, KNOWN):
            raise ValueError(f"'{name}' holds only + - * on names and whole numbers, not '{text}'")
    return tree


def operations(tree: ast.expr) -> list[ast.BinOp]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.BinOp)]


def shared(first: ast.expr, second: ast.expr) -> list[str]:
    """Subexpressions with an operation that stand in both, the largest of each."""
    in_second = {ast.unparse(node) for node in operations(second)}
    found: list[ast.BinOp] = []
    for node in operations(first):  # from the root down, so the largest come first
        inside = any(node is part for whole in found for part in ast.walk(whole))
        if ast.unparse(node) in in_second and not inside:
            found.append(node)
    return list(dict.fromkeys(ast.unparse(node) for node in found))


def folded(tree: ast.expr) -> Iterator[ast.expr]:
    """The expression after each step: a constant part computed, or + 0, * 1 taken out."""
    step = _step(tree)
    while step is not None:
        yield step
        step = _step(step)


def _step(tree: ast.expr) -> ast.expr | None:
    if not isinstance(tree, ast.BinOp):
        return None
    left, right = tree.left, tree.right
    if (inner := _step(left)) is not None:
        return ast.BinOp(inner, tree.op, right)
    if (inner := _step(right)) is not None:
        return ast.BinOp(left, tree.op, inner)
    if isinstance(left, ast.Constant) and isinstance(right, ast.Constant):
        a, b = Fraction(str(left.value)), Fraction(str(right.value))
        value = {ast.Add: a + b, ast.Sub: a - b, ast.Mult: a * b}[type(tree.op)]
        return ast.Constant(int(value))
    return _neutral(tree.op, left, right)


def _neutral(operator: ast.operator, left: ast.expr, right: ast.expr) -> ast.expr | None:
    if isinstance(operator, ast.Mult):
        pairs = [(left, right, 1), (right, left, 1)]
    elif isinstance(operator, ast.Add):
        pairs = [(left, right, 0), (right, left, 0)]
    else:
        pairs = [(left, right, 0)]
    for kept, other, neutral in pairs:
        if isinstance(other, ast.Constant) and other.value == neutral:
            return kept
    return None


def _code(tree: ast.expr | str) -> str:
    return f"`{tree if isinstance(tree, str) else ast.unparse(tree)}`".replace(" ", "")


def common_subexpressions(parameters: Mapping[str, str]) -> str:
    only(parameters, "u", "v")
    u, v = (expression(said(parameters, name), name) for name in "uv")
    names = shared(u, v)
    if not names:
        raise ValueError("'u' and 'v' share no subexpression; choose two that do")
    parts = {name: f"t{number}" if len(names) > 1 else "t" for number, name in enumerate(names, 1)}
    before = len(operations(u)) + len(operations(v))
    spared = sum(len(operations(expression(name))) for name in names)
    after = [
        *(f"{t}={name}" for name, t in parts.items()),
        *(f"{n}={_with(e, parts)}" for n, e in (("u", u), ("v", v))),
    ]
    return table(
        ["优化", "语句", "运算次数"],
        [
            ["之前", f"{_code('u=' + ast.unparse(u))}；{_code('v=' + ast.unparse(v))}", str(before)],
            ["之后", "；".join(_code(statement) for statement in after), str(before - spared)],
        ],
    )


def _with(tree: ast.expr, parts: Mapping[str, str]) -> str:
    return ast.unparse(_named(tree, parts))


def _named(tree: ast.expr, parts: Mapping[str, str]) -> ast.expr:
    """The expression with the name of each shared part in its place."""
    if (name := parts.get(ast.unparse(tree))) is not None:
        return ast.Name(name)
    if isinstance(tree, ast.BinOp):
        return ast.BinOp(_named(tree.left, parts), tree.op, _named(tree.right, parts))
    return tree


def constant_folding(parameters: Mapping[str, str]) -> str:
    only(parameters, "expression")
    tree = expression(said(parameters, "expression"))
    steps = list(folded(tree))
    if not steps:
        raise ValueError("'expression' has no constant part to fold; write something like x*(2*3)+0")
    return f"常量传播与化简：{_code(tree)}" + "".join(f" → {_code(step)}" for step in steps) + "。"


def operator_fusion(parameters: Mapping[str, str]) -> str:
    """Memory traffic of y = x0·x1 + x2, two kernels against one."""
    only(parameters, "elements")
    count = whole(parameters, "elements", 1, 10**12)
    apart, fused = traffic()
    return paragraphs(
        f"$y=x_0x_1+x_2$，每个张量$N={grouped(count).replace(',', '{,}')}$个元素：",
        table(
            ["做法", "读", "写", "合计", "kernel"],
            [
                ["乘", "$2N$", "$N$", "$3N$", "1"],
                ["加", "$2N$", "$N$", "$3N$", "1"],
                ["融合前", "$4N$", "$2N$", f"${apart}N$，{grouped(apart * count)}", "2"],
                ["融合后", "$3N$", "$N$", f"${fused}N$，{grouped(fused * count)}", "1"],
            ],
        ),
        f"读写省了{percent(Fraction(apart - fused, apart), 0)}。",
    )


def traffic() -> tuple[int, int]:
    """Tensors read and written by a multiplication and an addition apart, and by both in one kernel."""
    multiplication, addition = 2 + 1, 2 + 1
    return multiplication + addition, 3 + 1


def figure(parameters: Mapping[str, str]) -> Element:
    """Above two kernels with the intermediate in memory, below one."""
    only(parameters)
    apart, fused = traffic()
    alt = (
        f"算子融合：融合前乘法把中间结果写入显存，加法再读出，读写共{apart}N，两个kernel；"
        f"融合后一个乘加kernel读三个输入、写一个输出，读写共{fused}N。"
    )
    return svg.drawing(
        480, 330, alt,
        svg.text(8, 22, f"融合前：2个kernel，读写{apart}N", "title", "start"),
        _memory(34, ("x₀", "x₁", "t", "x₂", "y")),
        svg.labelled(102, 106, 88, 38, "乘", "a"), svg.labelled(290, 106, 88, 38, "加", "a"),
        svg.arrow((60, 70), (114, 104)), svg.arrow((146, 70), (146, 104)), svg.arrow((178, 104), (228, 71)),
        svg.arrow((252, 70), (302, 104)), svg.arrow((334, 70), (334, 104)), svg.arrow((366, 104), (420, 71)),
        svg.text(240, 130, "写出再读回", "note"),
        svg.text(8, 186, f"融合后：1个kernel，读写{fused}N", "title", "start"),
        _memory(198, ("x₀", "x₁", "x₂", "", "y")),
        svg.labelled(62, 264, 168, 36, "乘加（t在寄存器里）", "b"),
        svg.arrow((60, 234), (92, 262)), svg.arrow((146, 234), (146, 262)), svg.arrow((232, 234), (200, 262)),
        svg.arrow((232, 282), (428, 282), (428, 235)),
        svg.text(240, 322, "上排是显存里的张量，每个N个元素；下排是kernel", "note"),
    )  # fmt: skip


def _memory(y: float, names: tuple[str, ...]) -> Iterator[svg.Part]:
    for position, name in enumerate(names):
        if name:
            yield svg.labelled(16 + 94 * position, y, 72, 34, name, "soft")
