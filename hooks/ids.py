"""`make ids`: records the ids of new questions in docs/ids.txt, which only grows."""

from __future__ import annotations

from pathlib import Path

from notes import course, source

DOCS = Path(__file__).parents[1] / "docs"


def main() -> None:
    files = {
        path.relative_to(DOCS).as_posix(): source.decode(path.read_bytes(), str(path))[0]
        for path in DOCS.rglob("*")
        if path.suffix in (".md", ".yml", ".txt")
    }
    notes = course.read(files, "docs").course
    new = [name for name in notes.questions if name not in notes.published]
    with (DOCS / "ids.txt").open("a", encoding="utf-8", newline="\n") as ids:
        ids.writelines(f"{name}\n" for name in new)
    print(f"{len(new)} new ids")


if __name__ == "__main__":
    main()
