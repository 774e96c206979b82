"""TeX -> markup at build time, by KaTeX in one Node process; results are kept on disk by their content."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from notes import fonts
from notes.mathtext import plain
from notes.model import Place, Problem, Tex

SCRIPT = Path(__file__).with_name("katex.cjs")
STYLE = "katex.min.css"
FONTS = (
    ("Main-Regular", {"katex"}),
    ("Main-Bold", {"mathbf"}),
    ("Main-Italic", {"mathit"}),
    ("Math-Italic", {"mathnormal"}),
    ("Math-BoldItalic", {"boldsymbol"}),
    ("AMS-Regular", {"amsrm"}),
    ("AMS-Regular", {"mathbb"}),
    ("Caligraphic-Regular", {"mathcal"}),
    ("Size1-Regular", {"delimsizing", "size1"}),
    ("Size1-Regular", {"small-op"}),
    ("Size2-Regular", {"delimsizing", "size2"}),
    ("Size2-Regular", {"large-op"}),
    ("Size3-Regular", {"delimsizing", "size3"}),
    ("Size4-Regular", {"delimsizing", "size4"}),
)
"""Of each font the classes that ask for it, as in KaTeX's style sheet; one that is not here comes late."""
CLASSES = re.compile(r'class="([^"]*)"')


class Unavailable(RuntimeError):
    """KaTeX or Node.js is not there; the message says what to do."""


@dataclass(frozen=True)
class Typeset:
    """A formula as the reader gets it."""

    tex: str
    html: str
    """Visible boxes, hidden from screen readers, and MathML, hidden from sight."""
    text: str
    """The formula in plain characters, for titles, search and export."""

    @cached_property
    def fonts(self) -> set[str]:
        """The fonts that it needs, so that a page can ask for them before its style sheet does."""
        classes = [set(found.split()) for found in set(CLASSES.findall(self.html))]
        return {font for font, wanted in FONTS if any(wanted <= given for given in classes)}


@dataclass(frozen=True)
class Engine:
    """KaTeX of one npm package: renderer, style sheet and fonts of one version."""

    package: Path
    cache: Path

    @property
    def version(self) -> str:
        try:
            return str(json.loads((self.package / "package.json").read_text("utf-8"))["version"])
        except OSError as error:
            raise Unavailable("KaTeX is not installed: run 'make site', or 'npm ci --omit=dev'") from error

    def assets(self, formulas: Iterable[Typeset]) -> Iterator[tuple[str, bytes]]:
        """The files that a page with formulas needs: name under `assets/katex`, and what is in it."""
        shown = fonts.characters(formula.html for formula in formulas)
        dist = self.package / "dist"
        yield STYLE, (dist / STYLE).read_bytes()
        for path in sorted(dist.glob("fonts/*.woff2")):
            family = path.stem.removeprefix("KaTeX_").split("-")[0]
            whole = path.read_bytes()
            yield f"fonts/{path.name}", self._cut(path.stem, whole, shown[family]) if family in shown else whole

    def _cut(self, name: str, font: bytes, text: str) -> bytes:
        """Kept on disk by its characters: cutting takes longer than all else in a warm build."""
        made_of = font + text.encode() + Path(fonts.__file__).read_bytes()
        kept = self.cache / f"{name}-{hashlib.sha1(made_of).hexdigest()[:12]}.woff2"
        if not kept.exists():
            self._replace(kept, fonts.cut(font, text))
        return kept.read_bytes()

    def typeset(self, formulas: Iterable[Tex]) -> tuple[Mapping[str, Typeset], list[Problem]]:
        """Every formula by its key; what KaTeX rejects or warns about is a problem, all of them at once."""
        wanted = list(formulas)
        stored = self._load()
        kept = {tex.key: stored[tex.key] for tex in wanted if tex.key in stored}
        new = {tex.key: tex for tex in wanted if tex.key not in kept}
        results = _run(self.package, list(new.values())) if new else {}
        made = {
            key: Typeset(new[key].tex, result["html"], plain(result["html"]))
            for key, result in results.items()
            if not result["faults"]
        }
        if made:
            self._store({**stored, **made})
        problems = [
            Problem(_spot(tex, fault.get("position")), _message(tex, fault["message"]))
            for tex in wanted
            if tex.key in results
            for fault in results[tex.key]["faults"]
        ]
        return {**kept, **made}, problems

    def _file(self) -> Path:
        script = hashlib.sha1(SCRIPT.read_bytes()).hexdigest()[:8]
        return self.cache / f"katex-{self.version}-{script}.json"

    def _load(self) -> dict[str, Typeset]:
        try:
            return {key: Typeset(**value) for key, value in json.loads(self._file().read_text("utf-8")).items()}
        except (OSError, ValueError, TypeError):
            return {}

    def _store(self, formulas: Mapping[str, Typeset]) -> None:
        kept = {key: asdict(value) for key, value in formulas.items()}
        self._replace(self._file(), json.dumps(kept, ensure_ascii=False).encode())

    def _replace(self, file: Path, content: bytes) -> None:
        """Whole or not at all: another build may read at the same time."""
        self.cache.mkdir(parents=True, exist_ok=True)
        draft = file.with_suffix(f".{os.getpid()}")
        draft.write_bytes(content)
        draft.replace(file)


def _run(package: Path, formulas: list[Tex]) -> dict[str, dict[str, Any]]:
    """What `katex.cjs` says of each formula, by its key."""
    requests = "\n".join(json.dumps({"key": tex.key, "tex": tex.tex, "display": tex.display}) for tex in formulas)
    node = find_node()
    if node is None:
        raise Unavailable("Node.js 20 or newer is needed to typeset new formulas: run 'make site', which brings it")
    try:
        command = [node, str(SCRIPT), str(package)]
        done = subprocess.run(command, input=requests.encode(), stdout=subprocess.PIPE, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise Unavailable(f"Node.js could not typeset the formulas: {error}") from error
    results = (json.loads(line) for line in done.stdout.decode("utf-8").split("\n") if line)
    return {result["key"]: result for result in results}


def find_node() -> str | None:
    """Node of this virtual environment, else of the system."""
    here = Path(sys.executable).parent
    return shutil.which("node", path=str(here)) or shutil.which("node")


def _spot(tex: Tex, position: object) -> Place:
    """Line and column in the author's file of a position, counted from 0, in the formula."""
    start = tex.begins or tex.place
    if not isinstance(position, int):
        return start
    before = tex.tex[:position]
    column = position - before.rfind("\n") if "\n" in before else start.column + position
    return Place(start.path, start.line + before.count("\n"), column)


def _message(tex: Tex, message: object) -> str:
    where = f" in the question “{tex.inside}”" if tex.inside else ""
    return f"{message}; formula {tex.tex!r}{where}"
