"""questions.json: the notes for whoever wants to build on them."""

from __future__ import annotations

import json
from collections.abc import Mapping

from notes.answers import Answer
from notes.model import Course


def questions(course: Course, answers: Mapping[str, Answer], urls: Mapping[str, str]) -> str:
    """Every question in reading order. `urls` are relative to the site, by page."""
    rows = [
        {
            "id": question.id,
            "number": question.number,
            "source": question.source,
            "title": answers[question.id].title,
            "url": f"{urls[question.uri]}#{question.id}",
            "kind": question.kind,
            "priority": question.priority.name,
            "topics": list(question.topics),
            "trust": question.trust,
            "cites": list(question.cites),
            "points": len(answers[question.id].points),
            "answer": answers[question.id].text,
            "formulas": list(answers[question.id].formulas),
        }
        for question in course.questions.values()
    ]
    return json.dumps(rows, ensure_ascii=False, indent=1) + "\n"
