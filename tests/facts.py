"""What every answer must say: the terms of its key facts, kept beside the notes so that no edit loses one.

`tests/facts/<chapter>.yml` maps each question's id to its facts, and each fact to terms that must all stand in the
answer; `a|b` is satisfied by either. `python tests/facts.py` prints a table of all questions.
"""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).with_name("facts")
Facts = Mapping[str, Mapping[str, list[str]]]


def read() -> Facts:
    """By question id: each fact and its terms."""
    found: dict[str, dict[str, list[str]]] = {}
    for path in sorted(FOLDER.glob("*.yml")):
        for question, facts in (yaml.load(path.read_text("utf-8"), yaml.BaseLoader) or {}).items():
            assert question not in found, f"{path.name}: {question} stands twice"
            found[question] = facts
    return found


def folded(text: str) -> str:
    """What counts of a text: not its width, case, spaces or kind of minus and quote."""
    text = unicodedata.normalize("NFKC", text).casefold().replace("−", "-").replace("–", "-")
    return re.sub(r"[\s\u200b\u2061-\u2064]+", "", text)


def missing(facts: Mapping[str, list[str]], answer: str) -> Iterator[str]:
    """Facts with the terms that an answer lacks."""
    said = folded(answer)
    for fact, terms in facts.items():
        if lost := [term for term in terms if not any(folded(either) in said for either in term.split("|"))]:
            yield f"{fact}: {', '.join(lost)}"


def whole(row: Mapping[str, Any]) -> str:
    """Everything that a row of questions.json says."""
    return "\n".join([row["answer"], *row["formulas"]])


def table(rows: list[dict[str, Any]]) -> Iterator[str]:
    """One line a question: facts present, points, characters, sources, trust."""
    facts = read()
    yield f"{'number':8}{'id':46}{'facts      points   chars  cites':>30}  trust"
    for row in rows:
        kept = facts.get(row["id"], {})
        present = len(kept) - len(list(missing(kept, whole(row))))
        length = len(re.sub(r"\s", "", row["answer"]))
        counts = f"{present}/{len(kept):<4}{row['points']:>6}{length:>8}{len(row['cites']):>7}"
        yield f"{row['number']:8}{row['id']:46}{counts:>30}  {row['trust']}"
    total = sum(map(len, facts.values()))
    yield f"{len(rows)} questions, {total} facts, {sum(len(row['cites']) for row in rows)} sources"


if __name__ == "__main__":
    print("\n".join(table(json.loads(Path(sys.argv[1]).read_text("utf-8")))))
