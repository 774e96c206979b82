"""What README and 如何写笔记 say is what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from notes import course, page, parse, question
from notes.model import Series

PROJECT = Path(__file__).parents[1]
WRITE = (PROJECT / "docs/write.md").read_text("utf-8")
README = (PROJECT / "README.md").read_text("utf-8")


def table(heading: str) -> list[list[str]]:
    """Rows of the first table below a heading, without its head."""
    below = WRITE.split(f"## {heading}\n", 1)[1].split("\n## ")[0]
    rows = [line for line in below.split("\n") if line.startswith("|")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]] for row in rows[2:]]


def test_the_field_table_is_the_parser_s() -> None:
    rows = {cells[0].strip("`"): cells[1] for cells in table("字段")}
    assert list(rows) == list(question.FIELDS)
    assert tuple(name for name, required in rows.items() if required == "是") == question.REQUIRED


def test_the_block_table_is_the_parser_s() -> None:
    said = [re.match(r"`/// (\w+)", cells[0]) for cells in table("答案里的块")]
    assert tuple(found[1] for found in said if found) == question.INNER_BLOCKS


def test_the_front_matter_table_is_the_parser_s() -> None:
    assert tuple(cells[0].strip("`") for cells in table("页首设置")) == page.FRONT_MATTER_FIELDS


def test_the_course_s_own_files_are_there() -> None:
    names = [cells[0].strip("`") for cells in table("课程自己的文件")]
    assert sorted(names) == sorted(
        path.name for path in (PROJECT / "docs").iterdir() if path.suffix in (".yml", ".txt")
    )


def test_the_example_of_a_question_is_read_without_a_problem() -> None:
    found = re.search(r"````text\n(.*?)````", WRITE, re.DOTALL)
    assert found is not None
    files = {path.name: path.read_text("utf-8") for path in (PROJECT / "docs").iterdir() if path.is_file()}
    settings = course.read(files, "docs").course.settings
    text = f"# 章\n\n导言。\n\n{found[1]}"
    series = Series("chapters", "章节")
    read, found_page = parse.chapter("write.md", text, uri="write.md", series=series, number=1, settings=settings)
    assert found_page.problems == []
    assert len(read.questions) == 1
    assert read.questions[0].formulas[0].name == "每个节点发送的数据量"


def test_the_map_names_every_module_and_nothing_else() -> None:
    found = re.search(r"## Map\n\n```\n(.*?)```", README, re.DOTALL)
    assert found is not None
    named = set(re.findall(r"[\w-]+\.(?:py|cjs)", found[1]))
    there = {path.name for path in (PROJECT / "hooks").rglob("*") if path.suffix in (".py", ".cjs")}
    pages = {path.name for path in (PROJECT / "hooks/notes/pages").iterdir()}
    figures = {path.name for path in (PROJECT / "hooks/figures").iterdir()}
    assert named == there - pages - figures - {"__init__.py"}
    for module in pages - {"__init__.py", "common.py", "__pycache__"}:
        assert module.removesuffix(".py") in found[1]
    for folder in re.findall(r"^(\w+)/ ", found[1], re.MULTILINE):
        assert (PROJECT / folder).is_dir()


@pytest.mark.parametrize("target", sorted(set(re.findall(r"`?make (\w+)", README))))
def test_every_make_target_of_the_readme_exists(target: str) -> None:
    assert re.search(rf"^{target}:", (PROJECT / "Makefile").read_text("utf-8"), re.MULTILINE)


def test_the_readme_opens_in_chinese_and_leads_to_how_to_write() -> None:
    first, second = README.split("\n")[:2]
    assert re.search("[\u4e00-\u9fff]", first)
    assert "docs/write.md" in second
