"""Faults that others have met in headings and front matter: ids, titles, values that YAML reads as something else."""

from __future__ import annotations

import pytest

from conftest import Build, Builder, find, question, read, tree

ABOVE = "## 新加的一节\n"
SAME = "# 集合\n## 集合\n### 例题\n## 映射\n### 例题\n"
BRACES = ["集合 {1, 2}", "代码块 { x y }", "空集 {}", "公式 {a, b}"]
FORMULAS = (
    "# 质能方程 $E=mc^2$\n\n## 系数 $\\alpha_1$ 的含义\n\n## `code` 与 $\\beta$\n\n## 价格 \\$5 与 3*3*3 与 <T>\n"
)
PLAIN = ["系数 α₁ 的含义", "code 与 β", "价格 $5 与 3*3*3 与 <T>"]
ASKED = {
    "mixed": ("`code` 与 $\\beta$ 与 <T>", "code 与 ⟦\\beta⟧ 与 <T>", "code 与 β 与 <T>"),
    "products": ("3*3卷积与5*5卷积", "3*3卷积与5*5卷积", "3*3卷积与5*5卷积"),
    "code": ("`std::vector<int>`与\\$5", "std::vector<int>与$5", "std::vector<int>与$5"),
}
TYPED = ["12:30", "no", "1.10", "2024", "2024-01-02", "2024-99-99", "~", "on", "null", "0x1F", "1e3", "第1章：集合"]
WRONG = {
    "sn-040": ("title: 第1章: 集合\npriority: 高\ntags:\n  - 集合\n", ["2: front matter: ", "quote a value"]),
    "sn-041-a-comment": ("title: 更新 #2 集合\n", ["2: front matter: ' #' begins a comment", "quote the value"]),
    "sn-041-a-list": ("title: [集合]\n", ["2: 'title' is quoted text"]),
    "sn-044-text": ("tags: 集合\n", ["2: unknown front matter field 'tags'"]),
    "sn-044-mixed": ("tags: [2024, no, on, ~, 第一章, 第 一 章]\n", ["2: unknown front matter field 'tags'"]),
    "sn-044-nothing": ("description: 集合\ntags:\n", ["3: unknown front matter field 'tags'"]),
    "twice": ("title: 甲\ntitle: 乙\n", ["3: front matter: 'title' is given twice"]),
}


def titles(name: str) -> list[str]:
    """A plain page and a chapter that hold the same headings."""
    return [f"{name}.md", f"chapters/{name}.md"]


@pytest.fixture(scope="module")
def built(build: Builder) -> Build:
    braces = "# 题\n" + "".join(f"## {title}\n" for title in [*BRACES[:3], "公式 $\\{a,b\\}$"])
    texts = {"22-braces": braces, "23-formulas": FORMULAS, "24-tcp": "TCP: 三次握手\n===\n\n正文\n", "25-same": SAME}
    files: dict[str, str | bytes] = {uri: text for name, text in texts.items() for uri in titles(name)}
    files |= {
        "before.md": "# 第二章\n## 集合\n## Windows 集合\n",
        "after.md": f"# 第二章\n{ABOVE}## 集合\n## Windows 集合\n",
    }
    files |= {f"typed/{n}.md": f"---\ntitle: {value}\n---\n正文\n" for n, value in enumerate(TYPED)}
    asked = [question(title, "答。", name) for name, (title, _, _) in ASKED.items()]
    files["chapters/26-question.md"] = "# 章\n\n" + "".join(asked)
    done = build(files)
    assert done.code == 0, done.output
    return done


@pytest.fixture(scope="module")
def refused(build: Builder) -> Build:
    files: dict[str, str | bytes] = {f"{name}.md": f"---\n{yaml}---\n# 集合\n" for name, (yaml, _) in WRONG.items()}
    return build({**files, "open.md": "---\ntitle: 集合\n\n# 集合\n", "late.md": "\n---\ntitle: 集合\n---\n# 集合\n"})


def contents(built: Build, uri: str) -> list[str]:
    """The table of contents of a page."""
    links = find(built.page(uri), "a.md-nav__link")
    return list(dict.fromkeys(read(link) for link in links if link.get("href", "").startswith("#")))


def searched(built: Build, uri: str) -> list[str]:
    """The titles under which search lists a page, as they are read."""
    url = uri.removesuffix(".md") + "/"
    return [read(tree(row["title"])) for row in built.index() if row["location"].startswith(url)]


def ids(built: Build, uri: str) -> dict[str, str]:
    return {
        read(heading): heading.get("id", "") for heading in find(built.page(uri), "h2") if heading.get("id") != "keys-t"
    }


def test_an_id_is_made_from_the_heading_and_stays_when_a_section_is_added_above(built: Build) -> None:
    """SN-034"""
    assert ids(built, "before.md") == {"集合": "集合", "Windows 集合": "windows-集合"}
    assert ids(built, "after.md") == {"新加的一节": "新加的一节", "集合": "集合", "Windows 集合": "windows-集合"}


@pytest.mark.parametrize("uri", titles("25-same"))
def test_headings_of_one_name_have_ids_of_their_own(built: Build, uri: str) -> None:
    """SN-035"""
    found = [element.get("id") for element in find(built.page(uri), "article")[0].iter() if element.get("id")]
    assert len(found) == len(set(found)) >= 5


def test_headings_of_one_name_are_noticed(built: Build) -> None:
    """SN-035"""
    notices = [line for line in built.logged("INFO") if line.startswith("docs/chapters/25-same.md:")]
    assert any("'例题' stands twice" in line for line in notices)


@pytest.mark.parametrize("uri", titles("22-braces"))
def test_braces_in_a_heading_are_text(built: Build, uri: str) -> None:
    """SN-037: on the page, in the contents and in search."""
    headings = [heading for heading in find(built.page(uri), "h2") if heading.get("id") != "keys-t"]
    assert [read(heading) for heading in headings] == [*BRACES[:3], "公式 ⟦\\{a,b\\}⟧"]
    assert {name for heading in headings for name in heading.attrib} == {"id"}
    assert contents(built, uri) == BRACES
    assert set(BRACES) <= set(searched(built, uri))


@pytest.mark.parametrize("uri", titles("23-formulas"))
def test_a_formula_in_a_heading_is_read_once_everywhere(built: Build, uri: str) -> None:
    """SN-038: contents, navigation, window title and search."""
    number = "23 " if uri.startswith("chapters/") else ""
    whole = f"{number}质能方程 E = mc²"
    page = built.page(uri)
    assert contents(built, uri) == PLAIN
    assert read(find(page, "title")[0]) == f"{whole} - 小课程"
    assert whole in [read(link) for link in find(built.page("index.md"), "a.md-nav__link")]
    assert {whole, *PLAIN} <= set(searched(built, uri))
    assert read(find(page, "h1")[0]) == "质能方程 ⟦E=mc^2⟧"


@pytest.mark.parametrize("name", ASKED)
def test_the_title_of_a_question_is_the_same_in_every_list(built: Build, name: str) -> None:
    """SN-038: and so are the titles that an export and search read."""
    _, shown, plain = ASKED[name]
    assert shown in [read(title) for title in find(built.page("chapters/26-question.md"), ".q-t")]
    for uri in ("topics.md", "cheatsheet.md"):
        assert shown in read(find(built.page(uri), "article")[0]), uri
    assert next(row["title"] for row in built.questions() if row["id"] == name) == plain
    assert plain in searched(built, "chapters/26-question.md")


@pytest.mark.parametrize("uri", titles("24-tcp"))
def test_an_underlined_title_with_a_colon_is_the_title(built: Build, uri: str) -> None:
    """SN-043"""
    article = find(built.page(uri), "article")[0]
    assert [read(heading) for heading in find(article, "h1")] == ["TCP: 三次握手"]
    assert "===" not in read(article)
    number = "24 " if uri.startswith("chapters/") else ""
    assert f"{number}TCP: 三次握手" in [read(link) for link in find(built.page("index.md"), "a.md-nav__link")]


@pytest.mark.parametrize("value", TYPED)
def test_a_title_in_front_matter_is_shown_as_it_was_typed(built: Build, value: str) -> None:
    """SN-040, SN-041"""
    uri = f"typed/{TYPED.index(value)}.md"
    page = built.page(uri)
    assert read(find(page, "title")[0]) == f"{value} - 小课程"
    assert read(find(page, "article")[0]) == f"{value} 正文"
    assert value in [read(link) for link in find(built.page("index.md"), "a.md-nav__link")]
    assert searched(built, uri) == [value]


@pytest.mark.parametrize("case", WRONG)
def test_front_matter_that_would_be_misread_is_reported_with_its_line(refused: Build, case: str) -> None:
    problems = refused.problems(f"{case}.md")
    assert len(problems) == 1
    assert problems[0].startswith(WRONG[case][1][0])
    assert all(word in problems[0] for word in WRONG[case][1])


@pytest.mark.parametrize(("uri", "line"), [("open.md", "1:"), ("late.md", "2:")])
def test_front_matter_that_is_no_front_matter_is_reported(refused: Build, uri: str, line: str) -> None:
    """SN-040: left open, or not at the very top, it would be printed on the page."""
    assert [problem[: len(line)] for problem in refused.problems(uri)] == [line]
