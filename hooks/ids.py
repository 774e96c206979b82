"""`make ids`: records the ids of new questions in docs/ids.txt, which only grows."""

from __future__ import annotations

import sys
from pathlib import Path

from notes import course, source

DOCS = Path(__file__).parents[1] / "docs"


def main() -> int:
    files, _ = source.texts(DOCS, "docs")
    notes = course.read(files, "docs")
    if any(not problem.notice for problem in notes.problems):
        print("The notes have mistakes; 'make site' lists them", file=sys.stderr)
        return 1
    recorded = list(notes.course.published)
    new = [name for name in notes.course.questions if name not in recorded]
    lines = "".join(f"{name}\n" for name in (*recorded, *new))
    (DOCS / "ids.txt").write_text(lines, encoding="utf-8", newline="\n")
    print(f"{len(new)} new ids")
    return 0


if __name__ == "__main__":
    sys.exit(main())
