"""The house rules: who imports whom, what is typed, and that only `figures` knows what the course is about."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]
HOOKS = PROJECT / "hooks"
ALLOWED = {
    "notes.words": "",
    "notes.model": "",
    "notes.spans": "",
    "notes.blocks": "",
    "notes.frames": "",
    "notes.mathtext": "",
    "notes.source": "model",
    "notes.page": "model blocks source spans",
    "notes.question": "model blocks page source",
    "notes.parse": "model blocks page question",
    "notes.check": "model",
    "notes.course": "model page parse source words",
    "notes.dialect": "model spans",
    "notes.elements": "dialect",
    "notes.fonts": "",
    "notes.katex": "fonts model mathtext",
    "notes.answers": "model katex",
    "notes.render": "model answers dialect frames katex",
    # writers
    "notes.export": "model answers",
    "notes.pages": "model answers elements frames pages",
}
"""Of each module of the generator, what it may import of ours: no mkdocs, and no writer another."""
SUBJECT = re.compile(
    r"all-?reduce|pytorch|\btorch\b|cuda|\bgpu|docker|kubernetes|openpai|hived|fgsm|\bddp\b|nccl|horovod|\bnni\b|neural"
    r"|tensor|梯度|深度学习|神经网络|分布式|算子|对抗|量化|编译|容器",
    re.IGNORECASE,
)
HAN = re.compile("[\u4e01-\u9ffe]")
MODULES = sorted(HOOKS.rglob("*.py"))
KNOWS_THE_SUBJECT = HOOKS / "figures"


def name(path: Path) -> str:
    parts = path.relative_to(HOOKS).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def imported(path: Path) -> Iterator[str]:
    """Full names of everything that a module imports, of packages too: `from notes import check` is notes.check."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            inside = node.module in ("notes", "figures")
            yield from (f"{node.module}.{alias.name}" if inside else f"{node.module}" for alias in node.names)


def module_of(path: Path) -> str:
    """notes.pages stands for all of its files."""
    return ".".join(name(path).split(".")[:2])


@pytest.mark.parametrize("path", sorted((HOOKS / "notes").rglob("*.py")), ids=name)
def test_a_module_of_the_generator_imports_only_what_the_table_allows(path: Path) -> None:
    allowed = {f"notes.{short}" for short in ALLOWED[module_of(path)].split()}
    ours = {
        ".".join(full.split(".")[:2]) for full in imported(path) if full.split(".")[0] in ("notes", "figures", "main")
    }
    assert ours <= allowed
    assert not any(full.split(".")[0] in ("mkdocs", "material") for full in imported(path))


def test_the_table_lists_every_module_of_the_generator() -> None:
    assert {module_of(path) for path in (HOOKS / "notes").rglob("*.py")} - {"notes"} == set(ALLOWED)


@pytest.mark.parametrize("path", sorted((HOOKS / "figures").rglob("*.py")), ids=name)
def test_figures_import_nothing_of_ours_but_figures(path: Path) -> None:
    assert not any(full.split(".")[0] in ("notes", "main", "mkdocs", "material") for full in imported(path))


def test_only_main_imports_mkdocs_and_figures() -> None:
    outside = [path for path in MODULES if name(path).split(".")[0] not in ("notes", "figures")]
    users = {name(path) for path in outside for full in imported(path) if full.split(".")[0] in ("mkdocs", "figures")}
    assert users == {"main"}


@pytest.mark.parametrize(
    "path",
    [
        path
        for path in sorted([*HOOKS.rglob("*"), *(PROJECT / "overrides").rglob("*"), PROJECT / "Makefile"])
        if path.suffix in (".py", ".cjs", ".html", ".mjs", ".css", "") and path.is_file()
        if not path.is_relative_to(KNOWS_THE_SUBJECT)
    ],
    ids=lambda path: path.relative_to(PROJECT).as_posix(),
)
def test_only_figures_know_what_the_course_is_about(path: Path) -> None:
    assert [found[0] for found in SUBJECT.finditer(path.read_text("utf-8"))] == []


@pytest.mark.parametrize("path", [path for path in MODULES if not path.is_relative_to(KNOWS_THE_SUBJECT)], ids=name)
def test_no_interface_word_stands_in_the_code(path: Path) -> None:
    module = tree(path)
    sayings = {id(node.value) for node in ast.walk(module) if isinstance(node, ast.Expr)}  # docstrings
    texts = [node for node in ast.walk(module) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    assert [node.value for node in texts if id(node) not in sayings and HAN.search(str(node.value))] == []


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_every_function_and_class_is_typed(path: Path) -> None:
    untyped = []
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
            bare = [arg.arg for arg in given if arg and not arg.annotation and arg.arg not in ("self", "cls")]
            untyped += [f"{node.name}({argument})" for argument in bare]
            untyped += [f"{node.name} ->"] * (node.returns is None)
        elif isinstance(node, ast.ClassDef):
            untyped += [node.name for part in node.body if isinstance(part, ast.Assign)]
    assert untyped == []


def test_no_module_is_named_for_leftovers() -> None:
    leftovers = {"utils", "util", "helpers", "helper", "misc", "common_utils"}
    python = [*MODULES, *(PROJECT / "tests").rglob("*.py")]
    assert [path for path in python if path.stem in leftovers or path.parent.name in leftovers] == []
