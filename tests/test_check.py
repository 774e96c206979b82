"""Rules over the whole course: a wrong reference, id, number or setting is named with its place and its cure."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from notes import check, course
from notes.model import Place, Problem, Tex
from notes.words import WORDS

FILLED = {"done": "'{done}/{total}'", "selftest-seen": "'看过{seen}/{total}'"}
SETTINGS = """
series:
  - {folder: chapters, name: 章节, colours: [3]}
  - {folder: exam, name: 综合, prefix: 综, running: true}
kinds: [简答, 判断]
priorities: [必背, 了解]
areas: {并行: 1}
forecast: [易考]
seals: {verified: 核 已核实}
words:
""" + "".join(f"  {word}: {FILLED.get(word, word)}\n" for word in WORDS)
TOPICS = "- {slug: t, name: 甲, english: T, aliases: [x], area: 并行}\n"


def question(name: str, more: str = "", topics: str = "[t]") -> str:
    fields = f"id: {name}, kind: 简答, priority: 必背, topics: {topics}{more and ', '}{more}"
    return f"\n//// question | {name}？\n    {{{fields}}}\n\n答。\n////\n"


def files(**more: str) -> dict[str, str]:
    """A course without a mistake but for what `more` changes; `chapters__01` stands for chapters/01.md."""
    whole = {"chapters/01.md": f"# 章\n{question('a')}", "course.yml": SETTINGS, "topics.yml": TOPICS}
    places = {"topics": "topics.yml", "settings": "course.yml", "tasks": "priorities.yml", "ids": "ids.txt"}
    return whole | {places.get(name, name.replace("__", "/") + ".md"): text for name, text in more.items()}


def problems(given: Mapping[str, str]) -> list[str]:
    notes = course.read(given, "docs")
    return sorted(f"{problem}" for problem in (*notes.problems, *check.course(notes.course)) if not problem.notice)


def test_a_course_without_a_mistake_has_no_problem() -> None:
    assert problems(files()) == []


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(
            {"chapters__02": "# 乙\n" + question("a")},
            ["docs/chapters/02.md:3: the id 'a' is taken at docs/chapters/01.md:3; choose another"],
            id="an id is taken",
        ),
        pytest.param(
            {"chapters__01": "# 甲\n" + question("a", topics="[t, tt]")},
            ["docs/chapters/01.md:3: unknown topic 'tt', did you mean 't'?; topics stand in topics.yml"],
            id="a topic is unknown",
        ),
        pytest.param(
            {"chapters__01": "# 甲\n" + question("ring-steps", "related: [ring-stpes, ring-steps]")},
            [
                "docs/chapters/01.md:3: the question is related to itself; remove it from 'related'",
                "docs/chapters/01.md:3: unknown related question 'ring-stpes', did you mean 'ring-steps'?",
            ],
            id="a related question is unknown or the same",
        ),
        pytest.param(
            {"chapters__01": "# 甲\n" + question("a", "source: ch1-q1") + question("b", "source: ch1-q1")},
            ["docs/chapters/01.md:9: the source 'ch1-q1' is taken at docs/chapters/01.md:3"],
            id="a source is taken",
        ),
        pytest.param(
            {"ids": "a\nold-a\n\nold-b\n", "chapters__01": "# 甲\n" + question("a", "formerly: [old-a]")},
            [
                "docs/ids.txt:4: the published id 'old-b' is gone; "
                "add 'formerly: [old-b]' to the question that replaces it"
            ],
            id="a published id is gone",
        ),
        pytest.param(
            {"chapters__01": "# 甲\n" + question("a", "formerly: [b, c]") + question("b", "formerly: [c]")},
            [
                "docs/chapters/01.md:3: 'b' in 'formerly' is the id of a question at docs/chapters/01.md:9",
                "docs/chapters/01.md:9: 'c' stands in 'formerly' at docs/chapters/01.md:3 too; keep one of them",
            ],
            id="a former id is taken",
        ),
        pytest.param(
            {"chapters__1-b": "# 乙\n" + question("b")},
            [
                "docs/chapters/1-b.md:1: the number 1 is taken by docs/chapters/01.md; "
                "begin the file's name with another"
            ],
            id="a chapter's number is taken",
        ),
        pytest.param(
            {"topics": TOPICS + TOPICS + "- {slug: u, name: 乙, english: U, aliases: [], area: 井行}\n"},
            [
                "docs/topics.yml:2: the topic 't' stands 2 times",
                "docs/topics.yml:3: no question has the topic 'u'; use it or remove it",
                "docs/topics.yml:3: unknown area '井行'; areas stand in course.yml",
            ],
            id="topics are doubled, unused or in no area",
        ),
        pytest.param(
            {"tasks": 2 * "- {slug: s, text: 事, editorial: false, questions: [a, a, aa]}\n"},
            [
                "docs/priorities.yml:1: the item 's' has the question 'a' 2 times",
                "docs/priorities.yml:1: the item 's' stands 2 times",
                "docs/priorities.yml:1: unknown question 'aa', did you mean 'a'?",
                "docs/priorities.yml:2: the item 's' has the question 'a' 2 times",
                "docs/priorities.yml:2: unknown question 'aa', did you mean 'a'?",
            ],
            id="a task is doubled or has an unknown question",
        ),
        pytest.param(
            {"tasks": "- {slug: s, text: 事, editorial: yes, questions: [a]}\n- 一句\n"},
            ["docs/priorities.yml:2: expected '- key: value'"],
            id="a task is no mapping",
        ),
        pytest.param(
            {"tasks": "- {slug: s, txt: 事, editorial: yes, questions: [a]}\n"},
            [
                "docs/priorities.yml:1: 'editorial' is true or false",
                "docs/priorities.yml:1: text missing here",
                "docs/priorities.yml:1: unknown field 'txt', did you mean 'text'?",
            ],
            id="a task has a wrong field",
        ),
        pytest.param(
            {"topics": TOPICS + "slug: t\n"},
            ["docs/chapters/01.md:3: unknown topic 't'; topics stand in topics.yml", "docs/topics.yml:2"],
            id="the topics cannot be read",
        ),
        pytest.param(
            {"tasks": "- {slug: s, text: '$x$与$y%$', editorial: true, questions: [a]}\n"},
            ["docs/priorities.yml:1: % hides the rest of the formula 'y%'; write \\%"],
            id="a task holds a wrong formula",
        ),
        pytest.param(
            {"write": question("b")},
            ["docs/write.md:2: 'question' blocks stand only in the files of a series in course.yml"],
            id="a question stands in no series",
        ),
    ],
)
def test_a_mistake_in_the_course_is_named(given: Mapping[str, str], expected: list[str]) -> None:
    found = problems(files(**given))
    assert len(found) == len(expected)
    assert all(problem.startswith(start) for problem, start in zip(found, expected, strict=True)), found


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("kinds: [简答, 判断]", "kind: [简答]", "5: unknown field 'kind', did you mean 'kinds'?"),
        ("forecast: [易考]\n", "", "1: forecast missing here"),
        ("name: 章节", "title: 章节", "2: 'series' takes folder, name, prefix, running, colours for each folder"),
        ("running: true", "running: yes", "2: 'series' is true or false"),
        ("colours: [3]", "colours: [11]", "2: 'series' takes colours by their numbers, 1 to 10"),
        ("colours: [3]", "colours: [²]", "2: 'series' takes colours by their numbers, 1 to 10"),
        ("priorities: [必背, 了解]", "priorities: {必背: 1}", "6: 'priorities' is a list: [a, b]"),
        ("areas: {并行: 1}", "areas: [并行]", "7: 'areas' is a list of 'name: text' lines"),
        ("  home: home\n", "", "10: 'words' lacks home"),
        ("  keys:", "  kesy: x\n  keys:", "10: 'words' has 'kesy', which no page shows, did you mean 'keys'?"),
        ("{seen}", "{n}", "10: 'words' has {n} in 'selftest-seen'; filled in are {count}, {total}, {done}, {seen}"),
        ("{done}/", "", "10: 'words' needs {done} once in 'done'"),
        ("kinds: [简答", "kinds: [简答: ]]", "5: "),
        ("priorities: [必背, 了解]", "priorities: []", "6: 'priorities' is a list, the most important first"),
    ],
)  # fmt: skip
def test_a_wrong_setting_is_named(old: str, new: str, expected: str) -> None:
    assert old in SETTINGS
    found = problems(files(settings=SETTINGS.replace(old, new)))
    assert [problem for problem in found if problem.startswith(f"docs/course.yml:{expected}")], found


@pytest.mark.parametrize("settings", ["series: ]", "", "- 一"])
def test_settings_that_cannot_be_read_are_the_only_problem(settings: str) -> None:
    found = problems(files(settings=settings, ids="gone\n"))
    assert len(found) == 1
    assert found[0].startswith("docs/course.yml:1: ")


def test_missing_settings_are_the_only_problem() -> None:
    given = files()
    del given["course.yml"]
    assert problems(given) == [
        "docs/course.yml:1: missing; it holds series, kinds, priorities, areas, forecast, seals, words"
    ]


def test_new_ids_are_a_notice_once_there_are_published_ones() -> None:
    new = "# 章\n" + question("a") + question("b") + question("c")
    for ids, expected in (("", []), ("a\n", [9])):
        notes = course.read(files(ids=ids, chapters__01=new), "docs")
        notices = [problem for problem in check.course(notes.course) if problem.notice]
        assert [problem.place.line for problem in notices] == expected
        assert all(problem.message.endswith("published: b, c") for problem in notices)


def test_the_same_heading_twice_is_a_notice() -> None:
    notes = course.read(files(chapters__01="# 章\n\n## 例\n\n一。\n\n## 例\n" + question("a")), "docs")
    message = "the heading '例' stands twice on this page; a link leads to the first"
    assert [problem for problem in notes.problems if problem.notice] == [
        Problem(Place("docs/chapters/01.md", 7), message, notice=True)
    ]


def test_what_readers_see_of_a_formula_is_typeset_wherever_it_stands() -> None:
    fields = "examined: '考$e$', cites: ['$c$'], also: ['$no$']"
    body = "\n//// question | $q$？\n    {id: a, kind: 简答, priority: 必背, topics: [t], " + fields + "}\n\n答$a$。\n"
    body += "\n/// formula | 名$n$\n    symbols: {s: 含$m$}\nf\n///\n////\n"
    topics = TOPICS.replace("甲", "'$t$'").replace("[x]", "['$no$']")
    notes = course.read(
        files(
            chapters__01="# $h$\n\n$l$\n\n## $k$\n" + body,
            index="首页$i$",
            topics=topics,
            tasks="- {slug: s, text: '$p$', editorial: true, questions: [a]}",
        ),
        "docs",
    )
    assert notes.problems == ()
    assert sorted(tex.tex for tex in notes.formulas) == sorted("hlkqaecnsmfitp")


def test_chapters_stand_in_the_order_of_their_numbers_and_numbers_run_through_a_running_series() -> None:
    more = {f"chapters/{name}.md": f"# 章\n{question('c' + name)}" for name in ("10", "2-b")}
    more |= {f"exam/{name}.md": f"# 题\n{question(f'e{name}')}{question(f'f{name}')}" for name in ("b", "a")}
    notes = course.read(files() | more, "docs")
    numbers = {name: question.number for name, question in notes.course.questions.items()}
    assert list(numbers.items()) == [
        ("a", "1.1"), ("c2-b", "2.1"), ("c10", "10.1"), ("ea", "综1"), ("fa", "综2"), ("eb", "综3"), ("fb", "综4"),
    ]  # fmt: skip
    assert [chapter.colour for chapter in notes.course.chapters] == [3, 2, 10, 1, 2]


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["a.md", "b/a.md"], []),
        (["a.md", "A.md"], ["docs/a.md:1: would be the same page as docs/A.md; rename one of them"]),
        (["README.md", "index.md"], ["docs/index.md:1: would be the same page as docs/README.md; rename one of them"]),
        (["topics.md"], ["docs/topics.md:1: a generated page has this name; rename the file"]),
        (["readme.md", "myreadme.md"], []),
    ],
)  # fmt: skip
def test_two_files_for_one_address_are_a_mistake(paths: list[str], expected: list[str]) -> None:
    assert [str(problem) for problem in check.files(paths, "docs", ["topics.md"])] == expected


def test_an_equation_number_stands_once_in_the_course() -> None:
    formulas = [
        Tex(rf"x \tag{{{tag}}}", True, Place("a.md", line))
        for line, tag in enumerate(["1", "2", "1", "式一", "式一"], 1)
    ]
    assert [str(problem) for problem in check.tags(formulas)] == [
        "a.md:3: the equation number (1) is taken at a.md:1; choose another",
        "a.md:5: the equation number (式一) is taken at a.md:4; choose another",
    ]


def test_an_example_and_a_figure_are_known_by_name() -> None:
    body = "# 章\n" + question("a").replace("答。", "/// example | rnig\n///\n\n/// figure | ring\n///\n")
    notes = course.read(files(chapters__01=body), "docs")
    assert [str(problem) for problem in check.drawn(notes.course, ["ring"], ["tree"])] == [
        "docs/chapters/01.md:6: unknown example 'rnig', did you mean 'ring'?",
        "docs/chapters/01.md:9: unknown figure 'ring'",
    ]
