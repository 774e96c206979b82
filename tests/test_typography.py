"""Chinese typography of everything that a reader sees: a linter's rules, and one spelling for each term."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import autocorrect_py
import pytest
import yaml

from figures import EXAMPLES, FIGURES
from notes import course
from notes.model import Aside, Course, Example, Figure, Prose, Question

Source = Callable[[Course], Iterator[tuple[str, str]]]
DOCS = Path(__file__).parents[1] / "docs"
TERMS: Mapping[str, list[str]] = yaml.safe_load(Path(__file__).with_name("terms.yml").read_text("utf-8"))
"""The right form of a term, and patterns of its wrong ones."""
RULES = {
    "space-word": 0,  # the style sheet makes the gap between Han and Latin
    "space-punctuation": 0,
    "space-bracket": 0,
    "space-backticks": 0,
    "space-dash": 0,
    "space-dollar": 0,
    "fullwidth": 1,
    "no-space-fullwidth": 1,
    "no-space-fullwidth-quote": 1,
    "halfwidth-word": 1,
    "halfwidth-punctuation": 1,
    "spellcheck": 0,
}
CODE = re.compile(r"^(`{3,}|~{3,}).*?^\1[ \t]*$|<!--.*?-->", re.DOTALL | re.MULTILINE)
QUOTED = re.compile(r"(`+)[^`].*?\1|\$\$.*?\$\$|\$[^$\n]+\$|\]\([^)]*\)", re.DOTALL)
HAN = r"[\u3400-\u9fff]"
GAP = re.compile(rf"{HAN} +[A-Za-z0-9`$]|[A-Za-z0-9`$] +{HAN}")
HALF = re.compile(rf"{HAN}[,;:?!()]|[,;:?!()]{HAN}")
"""What the linter leaves to the author: a half-width sign that touches Han."""


@pytest.fixture(scope="module")
def notes() -> Course:
    paths = [path for path in DOCS.rglob("*") if path.suffix in (".md", ".yml", ".txt")]
    return course.read({path.relative_to(DOCS).as_posix(): path.read_text("utf-8") for path in paths}, "docs").course


def _texts(question: Question) -> Iterator[str]:
    yield question.title
    yield question.examined
    yield from question.cites
    for part in question.parts:
        if isinstance(part, Prose | Aside):
            yield part.text
    for formula in question.formulas:
        yield formula.name
        yield from (meaning for _, meaning in formula.symbols)


def texts(notes: Course) -> Iterator[tuple[str, str]]:
    """Everything that authors wrote for readers, with the place that holds it."""
    for chapter in notes.chapters:
        yield chapter.uri, f"{chapter.title}\n\n{chapter.lede}"
        for part in chapter.parts:
            if isinstance(part, Question):
                yield from ((f"{chapter.uri}#{part.id}", text) for text in _texts(part))
            else:
                yield chapter.uri, part.text if isinstance(part, Prose) else part.title
    for topic in notes.topics:
        yield f"topics.yml {topic.slug}", topic.name
    for task in notes.tasks:
        yield f"priorities.yml {task.slug}", task.text
    for key, word in notes.words.items():
        yield f"course.yml {key}", word
    for name in ("index.md", "write.md"):
        yield name, (DOCS / name).read_text("utf-8")


def drawn(notes: Course) -> Iterator[tuple[str, str]]:
    """What the build writes into examples and figures."""
    for question in notes.questions.values():
        for part in question.parts:
            if isinstance(part, Example):
                yield question.id, EXAMPLES[part.name](part.parameters)
            elif isinstance(part, Figure):
                svg = FIGURES[part.name](part.parameters)
                yield question.id, svg.get("aria-label") or ""
                yield from ((question.id, text.text or "") for text in svg.iter("text"))


def said(text: str) -> str:
    """The text without code, formulas and addresses; what stood there counts as a Latin word."""
    return QUOTED.sub(lambda found: "]" if found[0].startswith("]") else "x", CODE.sub("", text))


def faults(text: str) -> Iterator[str]:
    autocorrect_py.load_config(json.dumps({"rules": RULES}))  # type: ignore[attr-defined]
    for line in autocorrect_py.lint_for(text, "markdown").lines:
        yield f"{line.old} → {line.new}"
    yield from (f"half-width: …{text[max(0, found.start() - 8) : found.end() + 8]}…" for found in HALF.finditer(text))
    yield from (f"space: …{text[max(0, found.start() - 8) : found.end() + 8]}…" for found in GAP.finditer(text))


def misspelt(text: str) -> Iterator[str]:
    for right, patterns in TERMS.items():
        for pattern in patterns:
            yield from (f"{found[0]} → {right}" for found in re.finditer(pattern, text))


@pytest.mark.parametrize("source", [texts, drawn])
def test_no_half_width_sign_and_no_stray_space_stands_in_chinese(source: Source, notes: Course) -> None:
    found = [f"{place}: {fault}" for place, text in source(notes) for fault in faults(said(text))]
    assert found == []


@pytest.mark.parametrize("source", [texts, drawn])
def test_each_term_is_spelt_one_way(source: Source, notes: Course) -> None:
    found = [f"{place}: {fault}" for place, text in source(notes) for fault in misspelt(said(text))]
    assert found == []


def test_the_list_of_terms_is_long_and_refuses_no_right_form() -> None:
    assert len(TERMS) >= 60
    assert [(right, list(misspelt(right))) for right in TERMS if list(misspelt(right))] == []


@pytest.mark.parametrize(
    "wrong",
    ["梯度,权重", "为什么?", "梯度（gradient)", "全角１２３数字", "先 ，后", "用 GPU 训练", "第一;第二", "(编者)"],
)
def test_a_fault_is_found(wrong: str) -> None:
    assert list(faults(said(f"这是{wrong}的例子。")))


@pytest.mark.parametrize(
    "right", ["用`a, b`写。", "公式$f(x, y)$是。", "见[6.10](/a.md#b,c)。", "取Ring AllReduce为例。"]
)
def test_code_formulas_and_addresses_are_left_alone(right: str) -> None:
    assert list(faults(said(right))) == []
