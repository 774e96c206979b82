"""The Markdown extension: frames around the author's text, formulas, lines of Chinese, and the answers handed over."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from markdown import Extension, Markdown
from markdown.blockprocessors import BlockProcessor
from markdown.inlinepatterns import InlineProcessor
from markdown.treeprocessors import Treeprocessor
from markdown.util import AMP_SUBSTITUTE, AtomicString

from notes.answers import Answer, take
from notes.dialect import TOKEN
from notes.frames import MARK, SEPARATOR, START
from notes.katex import Typeset
from notes.model import Course

Frame = Callable[..., Element | Iterable[Element] | tuple[Element, Element]]
"""Makes an element, several, or a pair: an element and the one in it that takes what stands inside the frame."""

WIDE = re.compile("[\u2e80-\u303f\u3041-\u33ff\u3400-\u9fff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef]")
"""Han and the marks that stand with it; Korean is written with spaces."""
HAN = re.compile("[\u3400-\u9fff]")
LINE_END = re.compile(r"[ \t]*\n[ \t]*")
RUNS = re.compile(r"(?:javascript|vbscript|data):", re.IGNORECASE)
REMOTE = re.compile(r"//|[a-z][a-z+.-]*:", re.IGNORECASE)
VERBATIM = {"pre", "code", "tex-math", "svg"}
FLOW = {"p", "li", "td", "th", "h1", "h2", "h3", "h4", "h5", "h6", "div", "blockquote", "summary", "dt", "dd"}


@dataclass
class NotesExtension(Extension):
    """Reads what `pages` and `dialect` wrote. One instance serves every page of a build."""

    course: Course
    formulas: Mapping[str, Typeset]
    frames: Mapping[str, Frame] = field(default_factory=dict)
    answers: dict[str, Answer] = field(default_factory=dict)
    """By question id; filled while the pages are rendered."""

    def extendMarkdown(self, md: Markdown) -> None:
        md.preprocessors.deregister("html_block")  # the author's text holds no HTML, and this costs a pass
        md.parser.blockprocessors.deregister("code")  # code is fenced; an indented line is text
        md.parser.blockprocessors.register(FrameReader(md, self.frames), "frame", 200)
        md.inlinePatterns.register(FormulaReader(self.formulas, md), "formula", 200)
        md.treeprocessors.register(Finish(md, self), "notes", 6)  # before toc (5) reads the headings


class FrameReader(BlockProcessor):
    """Builds a frame where its mark stands and parses what follows, up to its end, inside it."""

    def __init__(self, md: Markdown, frames: Mapping[str, Frame]) -> None:
        super().__init__(md.parser)
        self.frames = frames

    def test(self, parent: Element, block: str) -> bool:
        return block.lstrip("\n").startswith(START)

    def run(self, parent: Element, blocks: list[str]) -> None:
        mark = MARK.match(blocks.pop(0).strip())
        assert mark is not None  # only `frames` writes them
        made = self.frames[mark["name"]](*mark["words"].split(SEPARATOR)[1:])
        content = list(_up_to_close(blocks))
        if isinstance(made, Element):
            made = (made, made)
        if isinstance(made, tuple):
            parent.append(made[0])
            self.parser.parseBlocks(made[1], content)
        else:
            parent.extend(list(made))


def _up_to_close(blocks: list[str]) -> Iterator[str]:
    depth = 1
    while blocks:
        block = blocks.pop(0)
        if mark := MARK.match(block.strip()):
            depth += 1 if mark["name"] else -1
        if not depth:
            return
        yield block


class FormulaReader(InlineProcessor):
    """A token -> `<tex-math>` with the formula's text; its markup is set in when the page is written."""

    def __init__(self, formulas: Mapping[str, Typeset], md: Markdown) -> None:
        super().__init__(TOKEN.pattern, md)
        self.formulas = formulas

    def handleMatch(self, m: re.Match[str], data: str) -> tuple[Element, int, int]:  # type: ignore[override]
        element = Element("tex-math", {"key": m[1]})
        gap = "l" * bool(HAN.match(data[: m.start(0)][-1:])) + "r" * bool(HAN.match(data[m.end(0) :]))
        if gap:
            element.set("gap", gap)
        element.text = AtomicString(self.formulas[m[1]].text)
        return element, m.start(0), m.end(0)


class Finish(Treeprocessor):
    """Last touches on a page, and copies of its answers."""

    def __init__(self, md: Markdown, extension: NotesExtension) -> None:
        super().__init__(md)
        self.extension = extension

    def run(self, root: Element) -> None:
        for element in root.iter():
            if element.tag in FLOW and (len(element) or "\n" in (element.text or "")):
                join_lines(element)
            if element.tag == "img":
                element.set("alt", TOKEN.sub(self._text, element.get("alt", "")))
                _keep_address(element, element.get("src", ""), REMOTE)
            if element.tag == "a":
                _keep_address(element, element.get("href", ""), RUNS)
        for section in root.iter("section"):
            if name := section.get("data-q"):
                uri = self.extension.course.questions[name].uri
                title = next(section.iter("h3"))
                answer = next(part for part in section.iter("div") if part.get("id") == name)
                self.extension.answers[name] = take(uri, title, answer, self.md, self.extension.formulas)

    def _text(self, token: re.Match[str]) -> str:
        return self.extension.formulas[token[1]].text


def _keep_address(element: Element, address: str, refused: re.Pattern[str]) -> None:
    """Leaves only the text of an address that runs or loads what it may not, in a spelling that `parse` did not see."""
    said = html.unescape(address.replace(AMP_SUBSTITUTE, "&")) if "&" in address or "\x02" in address else address
    if refused.match("".join(character for character in said if character > " ")):
        element.tag, element.text = "span", element.text or element.get("alt")
        element.attrib.clear()


def join_lines(block: Element) -> None:
    """A line end beside Chinese is not a space; between two words it is one."""
    runs = list(_runs(block))
    for position, (owner, name, text) in enumerate(runs):
        if "\n" not in text or not name:
            continue
        before = next((said for _, _, other in reversed(runs[:position]) if (said := other[-1:])), "")
        after = next((said for _, _, other in runs[position + 1 :] if (said := other[:1])), "")
        joined = LINE_END.sub(_seam, f"{before}{text}{after}")
        setattr(owner, name, joined[len(before) : len(joined) - len(after)])


def _seam(end: re.Match[str]) -> str:
    left, right = end.string[: end.start()][-1:], end.string[end.end() :][:1]
    return "" if WIDE.match(left) or WIDE.match(right) else "\n"


def _runs(element: Element) -> Iterator[tuple[Element, str, str]]:
    """Stretches of text in one line of thought: `(owner, "text" or "tail", text)`; code and formulas without a name."""
    if element.text:
        yield element, "text", element.text
    for child in element:
        if child.tag in VERBATIM:
            yield child, "", child.text or "x"
        elif child.tag not in FLOW and child.tag not in ("ul", "ol", "table", "br"):
            yield from _runs(child)
        if child.tail:
            yield child, "tail", child.tail
