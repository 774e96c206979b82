"""The same hooks and the same mkdocs.yml serve a course on another subject in another language."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from shipped import SECOND, configure

GENERATED = ("checklist.md", "topics.md", "formulas.md", "cheatsheet.md")
CHINESE = re.compile("[\u2e80-\u2fff\u3001-\u9fff\uf900-\ufaff\uff01-\uffef]")
FIRST_COURSE = re.compile("AllReduce|PyTorch|Docker|FGSM|Horovod|DistributedSampler", re.IGNORECASE)
SAID = ("title", "alt", "aria-label", "placeholder", "content", "lang")
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


class Reader(HTMLParser):
    """Everything of a page that is read out or shown, and the text of each element by its class."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.said: list[str] = []
        self.by_class: dict[str, list[str]] = {}
        self.tags: set[str] = set()
        self.open: list[tuple[str, list[str]]] = []
        self.feed(markup)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        given = {name: value or "" for name, value in attrs}
        self.said += [given[name] for name in SAID if name in given]
        if tag not in VOID:
            self.open.append((tag, (given.get("class") or "").split()))
            for name in self.open[-1][1]:
                self.by_class.setdefault(name, []).append("")

    def handle_endtag(self, tag: str) -> None:
        while tag not in VOID and self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if any(tag in ("script", "style", "annotation") for tag, _ in self.open):
            return
        self.said.append(data)
        for name in {name for _, names in self.open for name in names}:
            self.by_class[name][-1] += data


def read(site: Path, page: str) -> Reader:
    return Reader((site / page).read_text("utf-8"))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The second course, built by the shipped configuration under `--strict`."""
    folder = tmp_path_factory.mktemp("second")
    config = configure(folder, **SECOND)
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", str(config)],
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONUTF8": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    output = done.stdout.decode("utf-8", "backslashreplace")
    assert done.returncode == 0, output
    assert "9 questions, 6 topics, " in output
    return folder / "site"


@pytest.fixture(scope="module")
def dough(site: Path) -> Reader:
    return read(site, "lessons/1-dough/index.html")


def _texts(site: Path) -> Iterator[tuple[str, str]]:
    """Every page as it is said, and every other text of the site but the theme's own files."""
    for path in sorted(site.rglob("*")):
        name = path.relative_to(site).as_posix()
        if path.suffix == ".html":
            yield name, "\n".join(read(site, name).said)
        elif path.suffix in (".json", ".xml", ".txt") and not name.startswith("assets/"):
            yield name, path.read_text("utf-8")


def test_no_chinese_character_and_nothing_of_the_first_course_is_in_the_site(site: Path) -> None:
    texts = dict(_texts(site))
    assert {"index.html", "404.html", "topics/index.html", "questions.json", "search/search_index.json"} <= set(texts)
    assert {name: CHINESE.findall(text) for name, text in texts.items() if CHINESE.search(text)} == {}
    assert {name: FIRST_COURSE.findall(text) for name, text in texts.items() if FIRST_COURSE.search(text)} == {}


def test_every_page_says_that_it_is_english(site: Path) -> None:
    for page in site.rglob("*.html"):
        assert '<html lang="en"' in page.read_text("utf-8"), page


def test_questions_are_numbered_by_lesson_and_through_the_running_series(site: Path) -> None:
    questions = json.loads((site / "questions.json").read_text("utf-8"))
    assert " ".join(question["number"] for question in questions) == "1.1 1.2 1.3 1.4 2.1 2.2 2.3 Q1 Q2"
    assert questions[0]["url"] == "lessons/1-dough/#bakers-percentage"
    assert read(site, "quiz/mock/index.html").by_class["q-no"] == ["Q1", "Q2"]


@pytest.mark.parametrize(
    ("place", "shown"),
    [
        ("q-no", ["1.1", "1.2", "1.3", "1.4"]),
        ("lede", ["Percentages of flour, hydration and the gluten network."]),
        ("mk-must", ["must know", "must know"]),
        ("mk-exam", ["in an exam", "likely"]),
        ("q-said", ["in the spring exam", "likely"]),
        ("seal", ["✓", "c"]),
        ("aside-exam", ["In the examState that flour is 100 %, then give one example."]),
        ("aside-fix", ["CorrectionIt is not the share of the whole dough."]),
    ],
)
def test_a_field_is_shown_in_its_place(dough: Reader, place: str, shown: list[str]) -> None:
    assert ["".join(text.split("\n")).strip() for text in dough.by_class[place]] == shown


def test_a_question_names_its_topics_its_relations_and_its_sources(dough: Reader) -> None:
    foot = dough.by_class["q-foot"][0]
    for said in ("Topics", "Baker’s percentages", "Hydration", "See also", "1.2", "Q1", "Hamelman 2013; Calvel, ch. 2"):
        assert said in foot
    assert "checked against the source" in dough.said
    assert "Strictly speaking" in dough.by_class["aside-strict"][0]


def test_the_index_says_what_each_seal_means_and_how_many_questions_bear_it(site: Path) -> None:
    seals = " ".join(read(site, "topics/index.html").by_class["seals"][0].split())
    said = ["How far to trust an answer", "all9", "✓checked against the source1", "?disputed, or without a source1"]
    assert [phrase for phrase in said if phrase not in seals] == []


def test_a_former_id_still_leads_to_its_question(site: Path) -> None:
    page = (site / "lessons/1-dough/index.html").read_text("utf-8")
    assert 'id="bakers-maths"' in page
    assert 'data-formerly="bakers-maths"' in page


def test_the_short_form_stands_on_the_cheat_sheet_alone_and_other_ways_to_ask_are_nowhere_shown(
    site: Path, dough: Reader
) -> None:
    sheet = read(site, "cheatsheet/index.html")
    assert "Weight over weight of flour." in sheet.by_class["c-a"][0]
    assert "aside-short" not in dough.by_class
    assert not any("flour is one hundred" in text for text in (*dough.said, *sheet.said))


def test_the_cheat_sheet_holds_the_two_highest_priorities(site: Path) -> None:
    heads = [" ".join(text.split()) for text in read(site, "cheatsheet/index.html").by_class["c-t"]]
    assert [head.split()[0] for head in heads] == ["1.1", "1.2", "1.3", "2.1", "2.2", "Q1"]


def test_titles_hold_code_and_formulas(site: Path, dough: Reader) -> None:
    titles = dough.by_class["q-t"]
    assert any("What does scale.py print?" in title for title in titles)
    page = (site / "lessons/1-dough/index.html").read_text("utf-8")
    assert "<code>scale.py</code>" in page
    questions = json.loads((site / "questions.json").read_text("utf-8"))
    assert questions[1]["title"] == "Why is hydration h = W/F a ratio and not a weight?"


def test_tables_code_nested_lists_and_display_formulas_are_whole(site: Path, dough: Reader) -> None:
    questions = json.loads((site / "questions.json").read_text("utf-8"))
    answers = {question["id"]: question["answer"] for question in questions}
    assert {"table", "pre", "ol", "ul"} <= dough.tags
    assert "Baguette 0.68" in answers["hydration-ratio"]
    assert "W = hF = 350 g" in answers["hydration-ratio"]
    assert "# //// question | not a question" in answers["scale-recipe"]
    assert "water, often 60–80 %," in answers["bakers-percentage"].split("\n")
    assert "from $1 to $3 a kilo" in answers["salt-and-yeast"]


def test_the_formula_sheet_lists_each_formula_with_its_symbols(site: Path) -> None:
    sheet = read(site, "formulas/index.html")
    assert [" ".join(name.split()) for name in sheet.by_class["f-t"]] == ["Baker’s percentage", "Rise time"]
    for meaning in ("weight of the ingredient", "weight of the flour", "time at temperature "):
        assert any(meaning in text for text in sheet.said)


def test_the_checklist_shows_a_formula_and_code_in_its_items(site: Path) -> None:
    tasks = read(site, "checklist/index.html").by_class["task-t"]
    assert len(tasks) == 3
    assert tasks[0].count("W/F") >= 1
    assert "scale.py" in tasks[2]
    assert "added by the editor" in tasks[2]
    assert "$" not in "".join(tasks)
