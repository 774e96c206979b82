"""Whatever an author types is shown as text: no page of the site runs it or loads anything from elsewhere."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator

import pytest

from conftest import Build, Builder, find, question, read, tree

EVIL = "\"'><x-y onclick=pwn()>泛型<T></title>"  # tags that are not refused but read as text
QUOTED = "答：`<style onload=pwn()></style>` 与\n```html\n<img src=x onerror=pwn()> &lt; **粗**\n```"
GENERIC = "返回 List<String> 与 Map<K,V>，要求 <必填>，a < b 且 c>d。"
CODE = "<img src=x onerror=pwn()> &lt; **粗**\n"
LINKS = {
    "plain": "[x](javascript:pwn())",
    "brackets": "[x](<javascript:pwn()>)",
    "capitals": "[x]( JaVaScript:pwn())",
    "over-two-lines": "[x\ny](javascript:pwn())",
    "around-code": "[`x`](javascript:pwn())",
    "data": "[x](data:text/html;base64,AAAA)",
    "vbscript": "[x](vbscript:pwn())",
    "image": "![x](javascript:pwn())",
    "other-host": "![x](https://e.example/a.png)",
    "other-host-without-scheme": "![x](//e.example/a.png)",
}
DISARMED = {
    "entity": "[x](java&#115;cript:pwn())",
    "first-entity": "[x](&#x6A;avascript:pwn())",
    "named-entity": "[x](javascript&colon;pwn())",
    "line-end": "[x](java\nscript:pwn())",
    "reference": "[x][1]\n\n[1]: javascript:pwn()",
    "other-host-by-reference": "![x][1]\n\n[1]: https://e.example/a.png",
    "other-host-by-entity": "![x](&#104;ttps://e.example/a.png)",
}
RAW = {
    "script": ("<script>window.x=1</script>", ["<script>", "</script>"]),
    "image": ("甲 <img src=x onerror=pwn()> 乙", ["<img src=x onerror=pwn()>"]),
    "block": ("<div>\n\n甲\n\n</div>", ["<div>", "</div>"]),
}
TEX = {
    "href": "\\href{javascript:pwn()}{x}",
    "url": "\\url{javascript:pwn()}",
    "class": "\\htmlClass{md-header}{y}",
    "style": "\\htmlStyle{position:fixed}{y}",
    "id": "\\htmlId{known}{y}",
    "data": "\\htmlData{q=1}{y}",
    "image": "\\includegraphics{http://e.example/a.png}",
    "rule": "\\rule{999em}{999em}",
    "low-rule": "\\rule[-999em]{1em}{1em}",
    "space": "\\hspace{-999em}x",
    "raised": "\\raisebox{999em}{x}",
    "row": "\\begin{matrix}a\\\\[999em]b\\end{matrix}",
    "loop": "\\def\\a{\\a}\\a",
    "growth": "\\def\\a#1{#1#1#1}\\a{\\a{\\a{\\a{\\a{\\a{\\a{x}}}}}}}",
}
TALL = "\\begin{aligned}" + "\\\\".join(f"a_{{{n}}}&=\\frac{{1}}{{{n}}}" for n in range(1, 41)) + "\\end{aligned}"


@pytest.fixture(scope="module")
def built(build: Builder) -> Build:
    """A course that holds markup wherever an author can type a text that readers see."""
    evil = json.dumps(EVIL, ensure_ascii=False)
    fields = f"    examined: {evil}\n    trust: verified\n    cites: [{evil}]\n    also: [{evil}]\n"
    block = f"/// formula | 式{EVIL}\n    symbols: {{x: {evil}}}\nx\n///\n/// short\n{EVIL}\n///"
    chapter = f"# 章{EVIL}\n\n导言{EVIL}\n\n## 节{EVIL}\n\n{EVIL}\n\n"
    chapter += question(f"问{EVIL}", f"{EVIL}\n\n| 表 |\n| - |\n| {EVIL} |\n\n- {EVIL}\n", "evil", fields)
    chapter += question("式", f"{EVIL}\n\n{block}", "formula")
    chapter += question("码", QUOTED, "quoted") + question("型", GENERIC, "generic")
    settings = (build({}).folder / "docs/course.yml").read_text("utf-8").replace("  框架训练流程: 1", f"  {evil}: 1")
    topic = {"slug": "topic", "name": EVIL, "english": f"T{EVIL}", "aliases": [EVIL], "area": EVIL}
    done = build({
        "course.yml": settings,
        "topics.yml": json.dumps([topic]),
        "priorities.yml": json.dumps([{"slug": "task", "text": EVIL, "editorial": "true", "questions": ["evil"]}]),
        "chapters/02-evil.md": chapter,
        "title.md": f"---\ntitle: {evil}\ndescription: {evil}\n---\n正文\n",
        "heading.md": f"# 首{EVIL}\n\n## 次{EVIL}\n",
        **{f"links/{name}.md": f"# 链\n\n{text}\n" for name, text in DISARMED.items()},
        "tall.md": f"# 高\n\n$$\n{TALL}\n$$\n",
    })  # fmt: skip
    assert done.code == 0, done.output[:500]
    return done


@pytest.fixture(scope="module")
def refused(build: Builder) -> Build:
    files: dict[str, str | bytes] = {f"links/{name}.md": f"# 链\n\n{text}\n" for name, text in LINKS.items()}
    files |= {f"raw/{name}.md": f"# 生\n\n{text}\n" for name, (text, _) in RAW.items()}
    files |= {f"tex/{name}.md": f"# 式\n\n甲${text}$乙\n" for name, text in TEX.items()}
    return build(files)


def pages(built: Build) -> Iterator[tuple[str, str]]:
    for path in sorted(built.site.rglob("*.html")):
        yield path.relative_to(built.site).as_posix(), path.read_text("utf-8")


def test_no_page_has_an_element_that_an_author_typed(built: Build) -> None:
    """SN-076, SN-077: in navigation, titles, lists, contents and descriptions."""
    for name, page in pages(built):
        elements = list(tree(page).iter())
        assert {element.tag for element in elements} & {"x-y", "t", "string", "k"} == set(), name
        assert [element.tag for element in elements if any(key.startswith("on") for key in element.attrib)] == [], name


def test_search_reads_no_element_that_an_author_typed(built: Build) -> None:
    """SN-076, SN-079: the theme shows titles and texts of the index as markup."""
    for row in built.index():
        for markup in (row["title"], row["text"]):
            tags = {element.tag for element in tree(markup).iter()}
            assert tags <= {"root", "p", "li", "ul", "ol", "pre", "code", "h1", "h2", "h3", "h4", "mark"}, row[
                "location"
            ]


@pytest.mark.parametrize("uri", ["title.md", "heading.md", "chapters/02-evil.md"])
def test_a_title_is_shown_whole(built: Build, uri: str) -> None:
    """SN-076: in the window, in the navigation of every page and in the links of the footer."""
    page = built.page(uri)
    assert EVIL in read(find(page, "title")[0])
    assert any(EVIL in read(heading) for heading in find(page, "h1"))
    for other in ("index.md", "topics.md"):
        links = [read(link) for link in find(built.page(other), "a.md-nav__link")]
        assert sum(EVIL in link for link in links) >= 3, other


def test_a_description_is_one_attribute(built: Build) -> None:
    """SN-076"""
    described = [
        meta.get("content") for meta in find(built.page("title.md"), "meta") if meta.get("name") == "description"
    ]
    assert described == [EVIL]


@pytest.mark.parametrize(
    ("uri", "times"),
    [
        ("chapters/02-evil.md", 12),
        ("topics.md", 4),
        ("checklist.md", 2),
        ("formulas.md", 3),
        ("cheatsheet.md", 6),
        ("index.md", 2),
    ],
)
def test_what_an_author_typed_is_shown_whole_in_every_list(built: Build, uri: str, times: int) -> None:
    """SN-076"""
    assert read(find(built.page(uri), "article")[0]).count(EVIL) >= times


@pytest.mark.parametrize("name", ["answer", "cheat sheet"])
def test_a_payload_quoted_in_code_is_shown_as_text(built: Build, name: str) -> None:
    """SN-079"""
    page = built.page("chapters/02-evil.md" if name == "answer" else "cheatsheet.md")
    code = ["".join(element.itertext()) for element in find(page, "code")]
    assert "<style onload=pwn()></style>" in code
    assert CODE in code


@pytest.mark.parametrize("name", ["answer", "cheat sheet"])
def test_a_generic_type_is_shown_as_typed(built: Build, name: str) -> None:
    """SN-077"""
    page = built.page("chapters/02-evil.md" if name == "answer" else "cheatsheet.md")
    assert GENERIC in read(find(page, "article")[0])


def test_an_export_holds_the_characters_that_were_typed(built: Build) -> None:
    """SN-079: not their entities."""
    answers = {row["id"]: row["answer"] for row in built.questions()}
    assert answers["quoted"] == f"答：<style onload=pwn()></style> 与\n{CODE.strip()}"
    assert answers["generic"] == GENERIC


def test_a_tall_formula_is_not_too_large(built: Build) -> None:
    """SN-080: forty rows are a derivation, not an attack."""
    assert find(built.page("tall.md"), ".tex")


@pytest.mark.parametrize("case", LINKS)
def test_a_link_that_runs_and_an_image_from_elsewhere_are_reported(refused: Build, case: str) -> None:
    problems = refused.problems(f"links/{case}.md")
    assert [problem for problem in problems if problem[0] in "345"]


@pytest.mark.parametrize("case", DISARMED)
def test_an_address_in_another_spelling_runs_nothing_and_loads_nothing(built: Build, case: str) -> None:
    parts = find(built.page(f"links/{case}.md"), "article")[0].iter()
    addresses = [part.get("href", part.get("src", "")) for part in parts if part.tag in ("a", "img")]
    for address in (re.sub(r"[\s\x00-\x20]", "", html.unescape(address)).lower() for address in addresses):
        assert not re.match(r"(?:javascript|data|vbscript):|(?:https?:)?//e\.", address)


@pytest.mark.parametrize("case", RAW)
def test_raw_html_is_reported_with_its_line(refused: Build, case: str) -> None:
    """SN-077"""
    said = [
        re.match(r"\d+: raw HTML '(.*)' is not read in notes", problem)
        for problem in refused.problems(f"raw/{case}.md")
    ]
    assert sorted(found[1] for found in said if found) == sorted(RAW[case][1])


@pytest.mark.parametrize("case", TEX)
def test_tex_that_reaches_out_or_grows_is_one_located_error(refused: Build, case: str) -> None:
    """SN-080"""
    problems = refused.problems(f"tex/{case}.md")
    assert [re.match(r"3:\d+: ", problem) is not None for problem in problems] == [True]
    assert repr(TEX[case]) in problems[0]
