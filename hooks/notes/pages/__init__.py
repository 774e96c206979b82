"""Course -> pages: one function a page, each yielding its parts in the order in which the reader sees them."""

from notes.pages.chapter import aside, chapter, drawing, formula, markdown, question
from notes.pages.cheatsheet import cheatsheet
from notes.pages.checklist import checklist
from notes.pages.formulas import formulas
from notes.pages.home import home
from notes.pages.topics import topics

__all__ = [
    "aside",
    "chapter",
    "cheatsheet",
    "checklist",
    "drawing",
    "formula",
    "formulas",
    "home",
    "markdown",
    "question",
    "topics",
]
