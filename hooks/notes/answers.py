"""An answer after Python-Markdown has rendered it, once, in its page: what search, print and export read."""

from __future__ import annotations

import copy
import html
import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit, urlunsplit
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.treeprocessors import UnescapeTreeprocessor
from markdown.util import HTML_PLACEHOLDER_RE, AtomicString

from notes.katex import Typeset

BLOCKS = {"p", "li", "ol", "ul", "pre", "table", "tr", "div", "blockquote", "h4", "h5", "h6", "figure", "dt", "dd"}
UNSEEN = {"svg", "button"}
LINES = re.compile(r"\s*\n\s*")


@dataclass(frozen=True)
class Answer:
    """What a reader sees as the answer of one question."""

    title: str
    """The question, as plain text."""
    tree: Element = field(compare=False)
    """The markup, without ids, its links counted from the docs folder; formulas are `tex-math` elements that hold
    their text."""
    text: str
    """Plain text, a line for each paragraph, point, table row or line of code; formulas as text."""
    points: tuple[str, ...]
    """Text of the top-level list items (采分点), in order."""
    formulas: tuple[str, ...]
    """TeX, in order, each once; the list of a formula's symbols does not count."""
    short: Element | None = field(default=None, compare=False)
    """The form for the cheat sheet, where the author gives one."""

    def brief(self) -> Iterator[Element]:
        """Fresh copies of what the cheat sheet shows: the short form, or the answer without the asides."""
        for part in self.short if self.short is not None else self.tree:
            if "aside" not in part.get("class", "").split():
                yield _said_already(copy.deepcopy(part))


def _said_already(tree: Element) -> Element:
    """The tree with its text as it is: another page does not read it as Markdown, nor as entities."""
    for part in tree.iter():
        part.text = part.text and AtomicString(html.escape(part.text, quote=False))
        part.tail = part.tail and AtomicString(html.escape(part.tail, quote=False))
    return tree


def take(uri: str, title: Element, rendered: Element, page: Markdown, formulas: Mapping[str, Typeset]) -> Answer:
    """Copies an answer out of its page, the file `uri` under docs, and takes the short form away from it."""
    short = next((part for part in rendered if "aside-short" in part.get("class", "").split()), None)
    if short is not None:
        rendered.remove(short)
        short.remove(short[0])  # its label
    tree = _copy(uri, rendered, page)
    items = [item for part in tree if part.tag in ("ol", "ul") for item in part if item.tag == "li"]
    return Answer(
        plain(_copy(uri, title, page)),
        tree,
        plain(tree),
        tuple(plain(item) for item in items),
        tuple(dict.fromkeys(formulas[key].tex for key in _formulas(tree))),
        None if short is None else _copy(uri, short, page),
    )


def _formulas(element: Element) -> Iterator[str]:
    """Keys of the formulas in an element."""
    if "symbols" in element.get("class", ""):
        return
    if element.tag == "tex-math":
        yield element.get("key", "")
    for child in element:
        yield from _formulas(child)


def plain(element: Element) -> str:
    """Text of an element as it is read: one line for each block, none for drawings."""
    return "\n".join(line for line in LINES.split("".join(_pieces(element))) if line)


def _pieces(element: Element) -> Iterator[str]:
    if element.tag in UNSEEN:
        return
    block = element.tag in BLOCKS
    if block:
        yield "\n"
    yield element.text or ""
    for child in element:
        if child.tag == "br":
            yield "\n"
        if child.tag in ("td", "th"):
            yield " "
        yield from _pieces(child)
        yield child.tail or ""
    if block:
        yield "\n"


def _copy(uri: str, element: Element, page: Markdown) -> Element:
    """A copy that stands alone: what Python-Markdown has put aside is back in its place."""
    twin = copy.deepcopy(element)
    twin.attrib.pop("id", None)
    unescape = UnescapeTreeprocessor(page).unescape
    for part in list(twin.iter()):
        part.attrib.pop("id", None)
        for name in ("href", "src"):
            if name in part.attrib:
                part.set(name, _from_docs(uri, part.attrib[name]))
        _restore(part, page)
        if part.tag == "code" and not len(part):
            part.text = html.unescape(part.text or "")  # Python-Markdown escapes inline code where it reads it
        part.text = part.text and unescape(part.text)
        part.tail = part.tail and unescape(part.tail)
    return twin


def _from_docs(uri: str, link: str) -> str:
    """An address in the file `uri`, counted from the docs folder, so that it can stand on any page."""
    address = urlsplit(link)
    if address.scheme or address.netloc or address.path.startswith("/"):
        return link
    path = posixpath.normpath(posixpath.join(posixpath.dirname(uri), address.path)) if address.path else uri
    return urlunsplit(address._replace(path=f"/{path}"))


def _restore(parent: Element, page: Markdown) -> None:
    """Puts stashed markup (highlighted code, entities, line breaks) back into a parent's text and tails."""
    stash = page.htmlStash.rawHtmlBlocks
    found = HTML_PLACEHOLDER_RE.fullmatch((parent.text or "").strip())
    code = _element(stash[int(found[1])]) if found else None
    if code is not None:
        parent.text = ""
        parent.tag = "div" if parent.tag == "p" else parent.tag
        parent.insert(0, code)
        return
    parent.text = parent.text and HTML_PLACEHOLDER_RE.sub(lambda match: _said(stash[int(match[1])]), parent.text)
    for child in parent:
        child.tail = child.tail and HTML_PLACEHOLDER_RE.sub(lambda match: _said(stash[int(match[1])]), child.tail)


def _element(markup: str | Element) -> Element | None:
    """A stashed block as a tree; nothing for a lone tag or entity."""
    try:
        return markup if isinstance(markup, Element) else ElementTree.fromstring(markup)
    except ElementTree.ParseError:
        return None


def _said(markup: str | Element) -> str:
    """Text of a stashed entity or tag."""
    if isinstance(markup, Element):
        return plain(markup)
    return "\n" if markup.startswith("<br") else html.unescape(re.sub(r"<[^>]*>", "", markup))
