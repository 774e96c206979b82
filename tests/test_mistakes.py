"""One run names every mistake with its line, and the site of before stays until a new one is whole."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

from conftest import SMALL, Build, Builder, question

FIRST = """# 第一章

//// question | 一？
    id: first
    kind: 简答
    priority: 必背
    topcis: [topic]
    topics: [topic]

成本$x元
////

//// question | 二？
    id: first
    kind: 简达
    priority: 必背
    topics: [topic, topik]

答。
////
"""
SECOND = '# 第二章\n\n$\\frac{1}{2$\n\n/// formula | 甲\nx\n///\n\n??? question "三？"\n    答\n'
PAGE = "---\ntitel: 甲\n---\n# 页\n\n```\nx\n"
TOPICS = """- {slug: topic, name: 考点, english: Topic, aliases: [], area: 框架}
- {slug: lone, name: 一, english: L, aliases: [], area: 框架训练流程}
"""
MISTAKES = {
    "chapters/01-first.md": FIRST,
    "chapters/02-second.md": SECOND,
    "page.md": PAGE,
    "topics.yml": TOPICS,
}
LINES = [
    ("chapters/01-first.md:7: ", "unknown field 'topcis', did you mean 'topics'?"),
    ("chapters/01-first.md:10:3: ", "a single $ opens a formula that is never closed"),
    ("chapters/01-first.md:13: ", "the id 'first' is taken at docs/chapters/01-first.md:3"),
    ("chapters/01-first.md:13: ", "unknown topic 'topik', did you mean 'topic'?"),
    ("chapters/01-first.md:15: ", "unknown kind '简达'"),
    ("chapters/02-second.md:3:", "Unexpected end of input"),
    ("chapters/02-second.md:5: ", "unknown block 'formula'"),
    ("chapters/02-second.md:9: ", "'???' blocks are not read here"),
    ("page.md:2: ", "unknown front matter field 'titel', did you mean 'title'?"),
    ("page.md:6:1: ", "code opened with ``` is never closed"),
    ("topics.yml:1: ", "unknown area '框架'"),
    ("topics.yml:2: ", "no question has the topic 'lone'"),
]


@pytest.fixture(scope="module")
def before(build: Builder) -> Build:
    done = build({**SMALL, "old.md": "# 旧页\n"}, "--strict")
    assert done.code == 0, done.output
    return done


def again(build: Builder, before: Build, files: dict[str, str | bytes], *flags: str) -> Build:
    """Builds over the site of before and checks that no byte of it has changed."""
    kept = before.files()
    done = build(files, *flags, folder=before.folder)
    assert done.code == 1
    assert done.files() == kept
    assert sorted(path.name for path in before.folder.iterdir()) == [
        ".cache",
        "docs",
        "mkdocs.yml",
        "node_modules",
        "site",
    ]
    return done


def test_every_mistake_of_a_course_is_one_line_of_one_run(build: Builder, before: Build) -> None:
    done = again(build, before, {**MISTAKES})
    *lines, last = done.logged("ERROR")
    assert last == "Mistakes: 12, in files: 4. The site was not built"
    for line, (place, message) in zip(lines, LINES, strict=True):
        assert line.startswith(f"docs/{place}"), line
        assert message in line


@pytest.mark.parametrize(
    "link", ["[x](没有.md)", "[x](index.md#没有)", "![x](没有.png)", "[x](/chapters/01-first.md#gone)"]
)
def test_a_broken_link_fails_a_strict_build(build: Builder, before: Build, link: str) -> None:
    done = again(build, before, {"page.md": f"# 页\n\n{link}\n"}, "--strict")
    assert len(done.logged("WARNING")) == 1
    assert "'page.md'" in done.logged("WARNING")[0]


def test_an_address_that_cannot_be_read_leaves_no_trace(build: Builder) -> None:
    done = build({"page.md": "# 页\n\n[文档](http://[内网地址]/x)\n"})
    assert "Traceback" not in done.output
    assert done.code == 0 or "page.md" in done.output


def test_an_interrupted_build_publishes_nothing(build: Builder) -> None:
    """Ctrl+C while pages are written: the site of before is whole and still there."""
    before = build({f"page{number}.md": f"# 页{number}\n" for number in range(60)})
    old, draft = before.files(), before.folder / "site.new"
    command = [sys.executable, "-m", "mkdocs", "build", "-q", "-f", str(before.folder / "mkdocs.yml")]
    process = subprocess.Popen(command, cwd=before.folder, stderr=subprocess.DEVNULL)
    while not draft.exists() and process.poll() is None:
        time.sleep(0.001)
    process.send_signal(signal.SIGINT)
    assert process.wait(30) != 0
    assert before.files() == old
    assert not draft.exists()


def test_a_mistake_fails_a_build_that_is_not_strict_and_leaves_nothing(build: Builder) -> None:
    done = build({"page.md": "# 页\n\n<div>\n"})
    assert done.code == 1
    assert sorted(path.name for path in done.folder.iterdir()) == [".cache", "docs", "mkdocs.yml", "node_modules"]


def test_a_good_build_takes_the_place_of_the_one_before_whole(build: Builder, before: Build) -> None:
    """Runs last: a page that is gone from the notes is gone from the site."""
    done = build({"new.md": "# 新页\n"}, "--strict", folder=before.folder)
    assert done.code == 0
    assert (done.site / "new/index.html").is_file()
    assert not (done.site / "old").exists()
    assert not done.site.with_name("site.new").exists()


def test_the_same_notes_give_the_same_bytes(build: Builder) -> None:
    files = {"chapters/02-b.md": "# 二\n\n" + question("$x$？", "$y$与`z`", "second")}
    one, other = build(files), build(files)
    same = [{name: raw for name, raw in done.files().items() if not name.endswith(".gz")} for done in (one, other)]
    assert same[0] == same[1]
