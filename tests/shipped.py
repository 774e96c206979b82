"""The shipped `mkdocs.yml`, for a course or a site in another folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).parents[1]
SECOND: dict[str, Any] = {
    "docs_dir": str(PROJECT / "tests/course"),
    "nav": [
        {"Home": "index.md"},
        {"Lessons": ["lessons/1-dough.md", "lessons/2-fermentation.md", "quiz/mock.md"]},
        {"Exam": ["checklist.md", "topics.md", "formulas.md", "cheatsheet.md", "write.md"]},
    ],
    "site_name": "Bread baking",
    "theme": {"language": "en"},
}
"""The second course, on another subject in another language."""


def configure(folder: Path, *, cache: Path = PROJECT / ".cache", **differs: Any) -> Path:
    """Writes a configuration that differs in these settings alone; KaTeX and the formula cache stand beside it."""
    theme = {"custom_dir": str(PROJECT / "overrides"), **differs.pop("theme", {})}
    settings = {"INHERIT": str(PROJECT / "mkdocs.yml"), "hooks": [str(PROJECT / "hooks" / "main.py")], "watch": []}
    cache.mkdir(exist_ok=True)
    for name, target in (("node_modules", PROJECT / "node_modules"), (".cache", cache)):
        if not (folder / name).exists():
            (folder / name).symlink_to(target, target_is_directory=True)
    file = folder / "mkdocs.yml"
    file.write_text(json.dumps({**settings, **differs, "theme": theme}, ensure_ascii=False), "utf-8")
    return file
