"""What the notes mean: frozen values, made by the readers and read by every writer."""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property


@dataclass(frozen=True, order=True)
class Place:
    """A spot in the author's files: path from the project's folder (always `/`), line from 1, column from 1 or 0."""

    path: str
    line: int
    column: int = 0

    def __str__(self) -> str:
        return f"{self.path}:{self.line}" + (f":{self.column}" if self.column else "")


@dataclass(frozen=True, order=True)
class Problem:
    """A mistake of the author's: where it is and how it is cured. A notice does not stop the build."""

    place: Place
    message: str
    notice: bool = False

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of a problem's message that offers the nearest known word, if one is near."""
    close = difflib.get_close_matches(word, list(known), 1)
    return f", did you mean '{close[0]}'?" if close else ""


@dataclass(frozen=True)
class Tex:
    """A formula as the author wrote it, TeX without its delimiters."""

    tex: str
    display: bool
    place: Place
    inside: str = ""
    """Title of the question that holds it, for messages."""
    begins: Place | None = field(default=None, compare=False)
    """Where the TeX begins, behind its delimiter; positions that KaTeX names count from here."""

    @property
    def key(self) -> str:
        """Names the formula by its content, so that equal formulas are typeset once."""
        return hashlib.sha1(f"{self.display}{self.tex}".encode()).hexdigest()[:12]


@dataclass(frozen=True)
class Prose:
    """Ordinary Markdown."""

    text: str
    place: Place


@dataclass(frozen=True)
class Section:
    """A second-level heading of a chapter."""

    title: str
    place: Place


@dataclass(frozen=True)
class Formula:
    """A named formula of an answer; the formula sheet lists it."""

    name: str
    tex: Tex
    symbols: tuple[tuple[Tex, str], ...]
    """Each symbol with its meaning, shape or unit, in the author's order."""
    place: Place


@dataclass(frozen=True)
class Example:
    """A worked example, computed at build time from its parameters by `figures`."""

    name: str
    parameters: Mapping[str, str]
    place: Place


@dataclass(frozen=True)
class Figure:
    """A drawing, made at build time from its parameters by `figures`."""

    name: str
    parameters: Mapping[str, str]
    place: Place


@dataclass(frozen=True)
class Aside:
    """A voice beside the answer: `exam`, `strict`, `fix`, or `short` (the form for the cheat sheet)."""

    voice: str
    text: str
    place: Place


Part = Prose | Formula | Example | Figure | Aside


@dataclass(frozen=True)
class Priority:
    """How much a question matters; rank 0 is the highest. Names stand in `course.yml`."""

    name: str
    rank: int


@dataclass(frozen=True)
class Question:
    """A question with its answer, as the author wrote them."""

    id: str
    """Stable for ever: page anchor, saved progress and flash card hang on it."""
    title: str
    """One line of Markdown; may hold code and formulas."""
    number: str
    """What readers see and say: 6.10, 实6.8, 综3."""
    uri: str
    """The file under `docs` that holds it."""
    kind: str
    priority: Priority
    topics: tuple[str, ...]
    """Slugs, the main one first."""
    parts: tuple[Part, ...]
    place: Place
    source: str = ""
    """Address in the raw notes, such as ch6-q10."""
    section: str = ""
    examined: str = ""
    """What the author says about its part in exams, in the author's words."""
    related: tuple[str, ...] = ()
    formerly: tuple[str, ...] = ()
    """Ids under which it was published before."""
    trust: str = ""
    cites: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    """Other ways to ask it, for search; not shown."""

    @property
    def link(self) -> str:
        """Address inside `docs`, for Markdown links."""
        return f"{self.uri}#{self.id}"

    @property
    def formulas(self) -> tuple[Formula, ...]:
        return tuple(part for part in self.parts if isinstance(part, Formula))


@dataclass(frozen=True)
class Series:
    """A row of chapters that are numbered together: chapters, labs, exam questions."""

    folder: str
    name: str
    prefix: str = ""
    running: bool = False
    """Questions are numbered through the series (综3) and not by chapter (6.10)."""
    colours: tuple[int, ...] = ()
    """Colour 1–10 of each chapter, in order."""


@dataclass(frozen=True)
class Chapter:
    """One Markdown file of the notes."""

    uri: str
    title: str
    lede: str
    """One paragraph of Markdown that says what it covers."""
    number: int
    series: Series
    parts: tuple[Prose | Section | Question, ...]
    place: Place

    @property
    def questions(self) -> tuple[Question, ...]:
        return tuple(part for part in self.parts if isinstance(part, Question))

    @property
    def colour(self) -> int:
        """1–10; a chapter that `course.yml` gives no colour takes the next one round."""
        given = self.series.colours
        return given[self.number - 1] if self.number <= len(given) else (self.number - 1) % 10 + 1

    @property
    def label(self) -> str:
        """6, 实6; nothing where the questions are numbered through the series."""
        return "" if self.series.running else f"{self.series.prefix}{self.number}"


@dataclass(frozen=True)
class Topic:
    """A point of the syllabus under which questions are found."""

    slug: str
    name: str
    english: str
    aliases: tuple[str, ...]
    area: str
    place: Place


@dataclass(frozen=True)
class Task:
    """An item of the checklist and the questions that it covers."""

    slug: str
    """Stable for ever: the saved tick hangs on it."""
    text: str
    editorial: bool
    """Added by the editor and not by the author."""
    questions: tuple[str, ...]
    place: Place


@dataclass(frozen=True)
class Settings:
    """What belongs to this course alone: `course.yml`."""

    series: tuple[Series, ...]
    kinds: tuple[str, ...]
    priorities: Mapping[str, Priority]
    areas: Mapping[str, int]
    """Areas of the topic index in reading order, each with its colour 1–10."""
    forecast: tuple[str, ...]
    """Words in `examined` that tell of a guess, not of an exam that was held."""
    seals: Mapping[str, tuple[str, str]]
    """Of each degree of trust, its seal (one character) and what it says."""
    words: Mapping[str, str]
    """Interface words in the course's language."""


@dataclass(frozen=True)
class Course:
    """Everything the author wrote. Writers read only this, and the answers once they are rendered."""

    settings: Settings
    chapters: tuple[Chapter, ...]
    topics: tuple[Topic, ...] = ()
    tasks: tuple[Task, ...] = ()
    published: Mapping[str, Place] = field(default_factory=dict)
    """Every id that was ever published."""

    @property
    def words(self) -> Mapping[str, str]:
        return self.settings.words

    @cached_property
    def questions(self) -> Mapping[str, Question]:
        """By id, in reading order."""
        return {question.id: question for chapter in self.chapters for question in chapter.questions}

    @cached_property
    def chapter_of(self) -> Mapping[str, Chapter]:
        """By the file that holds it."""
        return {chapter.uri: chapter for chapter in self.chapters}

    @cached_property
    def topic_of(self) -> Mapping[str, Topic]:
        """By slug."""
        return {topic.slug: topic for topic in self.topics}

    @cached_property
    def questions_on(self) -> Mapping[str, tuple[Question, ...]]:
        """By topic slug, in reading order."""
        found: dict[str, list[Question]] = {topic.slug: [] for topic in self.topics}
        for question in self.questions.values():
            for slug in question.topics:
                found.setdefault(slug, []).append(question)
        return {slug: tuple(questions) for slug, questions in found.items()}

    def colour(self, question: Question) -> int:
        return self.chapter_of[question.uri].colour

    def formulas(self) -> Iterator[tuple[Question, Formula]]:
        """Every named formula with the question that holds it, in reading order."""
        for question in self.questions.values():
            for formula in question.formulas:
                yield question, formula
