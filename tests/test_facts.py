"""No key fact of an answer is lost by an edit, and nothing that was found to be wrong comes back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

import facts

FACTS = facts.read()
NEVER: Mapping[str, tuple[str, ...]] = {
    "data-augmentation-place": ("翻转、归一化",),
    "simd-vs-mimd": ("这个点在",),
    "sparsity-sources": ("结构化数据本身的稀疏性",),
    "allreduce-implementations": ("大概率是对All-Gather的回忆表述",),
    "horovodrun-gloo-command": ("考试时按老师",),
    "dockerfile-entrypoint": ("设置容器启动时默认执行的命令",),
    "passive-defense": ("在攻击发生后",),
    "fgsm-bim-pgd-deepfool": ("BIM没有投影", "BIM没有裁剪"),
    "linear-gradient-formulas": (r"\frac{\partial L}{\partial X} = \frac",),
}
"""What the editor's report bans from an answer, by question."""


Answers = Mapping[str, Mapping[str, Any]]


@pytest.fixture(scope="module")
def answers(rows: list[dict[str, Any]]) -> Answers:
    """Rows of questions.json by id."""
    return {row["id"]: row for row in rows}


def test_every_question_has_facts_and_every_fact_terms(answers: Answers) -> None:
    assert set(FACTS) == set(answers)
    assert [name for name, kept in FACTS.items() if len(kept) < 2] == []
    assert [fact for kept in FACTS.values() for fact, terms in kept.items() if not terms or not all(terms)] == []


@pytest.mark.parametrize("question", FACTS)
def test_an_answer_states_its_facts(question: str, answers: Answers) -> None:
    assert list(facts.missing(FACTS[question], facts.whole(answers[question]))) == []


@pytest.mark.parametrize("question", NEVER)
def test_what_was_wrong_does_not_come_back(question: str, answers: Answers) -> None:
    said = facts.folded(facts.whole(answers[question]))
    assert [phrase for phrase in NEVER[question] if facts.folded(phrase) in said] == []


def test_a_fact_whose_term_is_gone_is_noticed() -> None:
    kept = {"两个阶段": ["Scatter-Reduce", "All-Gather"], "步数": ["2(N−1)"]}
    assert list(facts.missing(kept, "Ａll-gather… scatter-\nreduce，共 2(N-1) 步")) == []
    assert list(facts.missing(kept, "先scatter-reduce，共2(N-1)步")) == ["两个阶段: All-Gather"]


def test_every_answer_names_a_source_and_how_far_it_can_be_trusted(answers: Answers) -> None:
    assert [name for name, row in answers.items() if not row["cites"] or not row["trust"]] == []
    assert [name for name, row in answers.items() if not row["points"]] == []


def test_the_table_has_a_line_for_every_question_and_no_empty_one(rows: list[dict[str, Any]]) -> None:
    lines = list(facts.table(rows))
    assert len(lines) == len(rows) + 2
    for line in lines[1:-1]:
        present, total = line[54:].split()[0].split("/")
        assert present == total != "0"
