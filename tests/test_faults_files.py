"""Faults that others have met with files: their names, their encoding, another system's line ends and paths."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from urllib.parse import quote, unquote, urljoin

import pytest

from conftest import SMALL, Build, Builder, find, question

PNG = b"\x89PNG\r\n\x1a\n"
LINKS = (
    "[a](第一章%20集合.md) [b](<第一章 集合.md>) [c](第一章 集合.md) [d](第一章%20集合.md#定义)\n\n"
    "![图](图%20片.png) ![图](<图 片.png>) ![图](图 片.png) [e](</chapters/2-集合论.md#set>)\n"
)
SEVERAL = {
    "第一章 集合.md": "# 集合\n\n## 定义\n",
    "图 片.png": PNG,
    "links.md": f"# 链接\n\n{LINKS}",
    "chapters/2-集合论.md": "# 集合论\n\n"
    + question("什么是集合？", "![图](<../图 片.png>)[b](<../第一章 集合.md#定义>)", "set"),
}
UTF_8 = "save the file as UTF-8"
REFUSED: Mapping[str, tuple[dict[str, str | bytes], list[str]]] = {
    "sn-065": ({"旧笔记.md": bytes.fromhex("C4E3BAC3")}, [f"docs/旧笔记.md:1: not UTF-8 (looks like GBK); {UTF_8}"]),
    "sn-065-utf-16": ({"记.md": "你好".encode("utf-16")}, [f"docs/记.md:1: not UTF-8 (looks like UTF-16); {UTF_8}"]),
    "sn-065-a-table": (
        {"priorities.yml": "# 集合".encode("gbk")},
        [f"docs/priorities.yml:1: not UTF-8 (looks like GBK); {UTF_8}"],
    ),
    "sn-068-readme": (
        {"README.md": "# 二\n"},
        ["docs/index.md:1: would be the same page as docs/README.md; rename one of them"],
    ),
    "sn-068-case": (
        {"Tree.md": "# 一\n", "tree.md": "# 二\n"},
        ["docs/tree.md:1: would be the same page as docs/Tree.md; rename one of them"],
    ),
    "sn-068-folder": (
        {"wood.md": "# 一\n", "wood/index.md": "# 二\n"},
        ["docs/wood/index.md:1: would be the same page as docs/wood.md; rename one of them"],
    ),
    "sn-068-generated": (
        {"checklist.md": "# 一\n"},
        ["docs/checklist.md:1: a generated page has this name; rename the file"],
    ),
    "sn-068-generated-folder": (
        {"topics/index.md": "# 二\n"},
        ["docs/topics/index.md:1: a generated page has this name; rename the file"],
    ),
}
WARNED = {
    "sn-068-case-of-an-image": ("![x](ch1/图.PNG)", "'ch1/图.PNG'"),
    "sn-068-case-of-a-page": ("[x](Index.md)", "'Index.md'"),
    "sn-067-back-slash": ("[x](ch1\\图.png)", "'ch1\\图.png'"),
    "no-such-heading": ("[x](index.md#没有)", "'#没有'"),
}


@pytest.fixture(scope="module")
def built(build: Builder) -> Build:
    """Under a plain locale: whoever opens a file without saying that it is UTF-8 is heard of."""
    plain = {"PYTHONUTF8": "0", "LANG": "C", "PYTHONWARNDEFAULTENCODING": "1", "PYTHONWARNINGS": "default"}
    done = build(SEVERAL, environment=plain)
    assert done.code == 0, done.output
    return done


def targets(built: Build, uri: str) -> dict[str, str]:
    """Where the links and images of a page lead: each address as written, and the file of the site."""
    base = quote(uri.removesuffix(".md")) + "/"
    parts = [part for part in find(built.page(uri), "article")[0].iter() if part.tag in ("a", "img")]
    addresses = [part.get("href") or part.get("src") or "" for part in parts]
    return {address: unquote(urljoin(base, address).partition("#")[0]) for address in addresses if address[:1] != "#"}


@pytest.mark.parametrize("uri", ["links.md", "chapters/2-集合论.md", "topics.md", "cheatsheet.md"])
def test_links_with_chinese_and_spaces_lead_to_their_files(built: Build, uri: str) -> None:
    """SN-064: written by the author or generated, and percent-encoded once."""
    found = targets(built, uri)
    assert found
    for address, path in found.items():
        assert "%25" not in address
        assert re.fullmatch(r"[!-~]+", address.partition("#")[0]), address
        file = built.site / path
        assert (file / "index.html" if path.endswith("/") else file).is_file(), address


def test_every_form_of_a_link_is_read(built: Build) -> None:
    assert sorted(targets(built, "links.md").values()) == sorted(
        ["第一章 集合/"] * 2 + ["图 片.png", "chapters/2-集合论/"]
    )
    assert len(find(find(built.page("links.md"), "article")[0], "img")) == 3


def test_our_code_names_the_encoding_of_every_file_that_it_opens(built: Build) -> None:
    """SN-065"""
    assert [line for line in built.output.splitlines() if "EncodingWarning" in line and f"hooks{os.sep}" in line] == []


def test_the_same_course_with_line_ends_of_windows_is_the_same_site(build: Builder) -> None:
    """SN-067; and SN-017: a build changes no byte of the notes."""
    texts = {**SMALL, **SEVERAL, "crlf.md": "---\ntitle: 甲\n---\n# 乙\n\n```\nx\n\ny\n```\n$$\na\n$$\n- 丙\n  续\n"}
    ends = {uri: text.replace("\n", "\r\n") if isinstance(text, str) else text for uri, text in texts.items()}
    one, other = build(texts), build(ends)
    assert one.code == other.code == 0, other.output
    assert (other.folder / "docs/crlf.md").read_bytes() == str(ends["crlf.md"]).encode()
    as_bytes = [{name: raw for name, raw in done.files().items() if not name.endswith(".gz")} for done in (one, other)]
    assert as_bytes[0] == as_bytes[1]


@pytest.fixture(scope="module")
def refused(build: Builder) -> Build:
    return build({uri: raw for files, _ in REFUSED.values() for uri, raw in files.items()})


@pytest.mark.parametrize("case", REFUSED)
def test_a_file_that_cannot_be_read_or_placed_is_one_line(refused: Build, case: str) -> None:
    files, lines = REFUSED[case]
    said = {line for line in refused.logged("ERROR") for uri in (*files, "index.md") if line.startswith(f"docs/{uri}:")}
    assert sorted(said & set(lines)) == lines
    assert [line for line in said if line not in lines and "docs/index.md" not in line] == []


def test_unreadable_files_stop_the_build_without_a_trace(refused: Build) -> None:
    assert refused.code == 1
    assert "Traceback" not in refused.output
    assert not refused.site.exists()


def test_a_chapter_may_have_a_space_in_its_name(build: Builder) -> None:
    """SN-064"""
    done = build({"chapters/2-集合 论.md": "# 集合论\n\n" + question("什么是集合？", "答。", "set")}, "--strict")
    assert done.code == 0, done.output[:200]
    assert {"../chapters/2-%E9%9B%86%E5%90%88%20%E8%AE%BA/#set"} <= set(targets(done, "topics.md"))


def test_a_message_survives_a_console_that_lacks_its_characters(build: Builder) -> None:
    """SN-065"""
    done = build({"a.md": "# 甲\n\n$✓_1_2$\n"}, environment={"PYTHONUTF8": "0", "PYTHONIOENCODING": "cp936"})
    assert done.code == 1
    assert "Traceback" not in done.output
    assert r"\u2713_1_2" in done.output


@pytest.mark.parametrize("case", WARNED)
def test_a_link_that_works_on_one_system_only_fails_the_build(warned: Build, case: str) -> None:
    """SN-067, SN-068"""
    assert warned.code == 1
    assert [line for line in warned.logged("WARNING") if f"'{case}.md'" in line and WARNED[case][1] in line]


@pytest.fixture(scope="module")
def warned(build: Builder) -> Build:
    files: dict[str, str | bytes] = {f"{case}.md": f"# 甲\n\n{text}\n" for case, (text, _) in WARNED.items()}
    return build({**files, "ch1/图.png": PNG}, "--strict")
