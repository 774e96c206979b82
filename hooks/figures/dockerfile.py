"""A Dockerfile read by its grammar: its instructions, and what a container started from it runs.

Source: the Dockerfile reference, for the instructions, for comments and continued lines, for the exec form (a JSON list
of strings), and for how ENTRYPOINT, CMD and the arguments of docker run go together.
"""

from __future__ import annotations

import argparse
import difflib
import json
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from figures import command_lines
from figures.parameters import only, said
from figures.writing import paragraphs, table

MEANINGS: Mapping[str, str] = {
    "FROM": "基础镜像",
    "RUN": "构建时执行，提交一层",
    "CMD": "默认的命令",
    "ENTRYPOINT": "容器启动的主程序",
    "COPY": "从构建上下文复制，提交一层",
    "ADD": "复制，解开本地的tar包，提交一层",
    "ENV": "环境变量，构建与运行都有效",
    "ARG": "只在构建时有效的变量",
    "WORKDIR": "工作目录，不存在就创建",
    "EXPOSE": "声明端口，不发布",
    "VOLUME": "挂载点",
    "USER": "之后用的用户",
    "LABEL": "元数据",
    "HEALTHCHECK": "健康检查",
    "SHELL": "shell形式用的shell",
    "STOPSIGNAL": "停止容器的信号",
    "ONBUILD": "作为基础镜像时才执行",
    "MAINTAINER": "作者，已弃用",
}
EXEC = ("RUN", "CMD", "ENTRYPOINT", "SHELL")
"""Instructions that take an exec form."""


@dataclass(frozen=True)
class Instruction:
    name: str
    value: str
    line: int
    """In the Dockerfile, from 1."""
    words: tuple[str, ...] | None
    """Of the exec form; None for the shell form and where there are no forms."""


def parse(text: str) -> list[Instruction]:
    """Instructions in order. Raises ValueError, naming the line of the Dockerfile, for what is none."""
    if re.match(r"(\s*#\s*\w+\s*=.*\n)*\s*#\s*escape\s*=", text, re.IGNORECASE):
        raise ValueError("'file' begins with '# escape': other signs than the backslash are not read; take it out")
    found = [_instruction(line, number) for line, number in _joined(text)]
    first = next((instruction for instruction in found if instruction.name != "ARG"), None)
    if first is None or first.name != "FROM":
        line = first.line if first else 1
        raise ValueError(f"line {line} of 'file': a Dockerfile begins with FROM, only ARG may stand before it")
    return found


def _joined(text: str) -> Iterator[tuple[str, int]]:
    """Continued lines as one, with the number of the first; a comment or a free line may stand between them."""
    pending, start = "", 0
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        start = start or number
        pending += line.rstrip().removesuffix("\\")
        if not line.rstrip().endswith("\\"):
            yield pending, start
            pending, start = "", 0
    if start:
        raise ValueError(f"line {start} of 'file': the last line ends with a backslash; take it out")


def _instruction(line: str, number: int) -> Instruction:
    name, value = (*line.split(maxsplit=1), "")[:2]
    name = name.upper()
    if name not in MEANINGS:
        near = difflib.get_close_matches(name, MEANINGS, 1)
        cure = f", did you mean '{near[0]}'?" if near else f"; known are {', '.join(MEANINGS)}"
        raise ValueError(f"line {number} of 'file': unknown instruction '{name}'{cure}")
    if not value:
        raise ValueError(f"line {number} of 'file': '{name}' needs a value")
    if name in ("RUN", "COPY", "ADD") and re.search(r"(?<!<)<<-?['\"]?\w", value):
        raise ValueError(f"line {number} of 'file': here-documents are not read; join the commands with '&&'")
    return Instruction(name, value, number, _words(name, value, number))


def _words(name: str, value: str, number: int) -> tuple[str, ...] | None:
    """Docker itself takes a broken list for the shell form, and the container then fails."""
    listed = re.match(r"\[\s*['\"]" if name == "RUN" else r"\[", value)  # RUN [ -f x ] is a test of the shell
    if name not in EXEC or (not listed and name != "SHELL"):
        return None
    try:
        words = json.loads(value)
    except json.JSONDecodeError:
        words = None
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise ValueError(f'line {number} of \'file\': the exec form is a JSON list: {name} ["python", "train.py"]')
    return tuple(words)


@dataclass(frozen=True)
class Image:
    """What starts a container of it: words of ENTRYPOINT and CMD, none where there is no such instruction."""

    entrypoint: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    takes_arguments: bool = True
    """Whether the entrypoint is in exec form; in shell form it takes neither arguments nor CMD."""
    shell: tuple[str, ...] = ("/bin/sh", "-c")
    """What runs the shell form."""


def image(instructions: list[Instruction]) -> Image:
    """Of the last stage: its last ENTRYPOINT and its last CMD count."""
    made = Image()
    for one in instructions:
        words = (*made.shell, one.value) if one.words is None else one.words
        if one.name == "FROM":
            made = Image()
        elif one.name == "SHELL":
            made = replace(made, shell=words)
        elif one.name == "ENTRYPOINT":
            made = replace(made, entrypoint=words, takes_arguments=one.words is not None)
        elif one.name == "CMD":
            made = replace(made, command=words)
    return made


SWITCHES = ("-d --detach", "-i --interactive", "-t --tty", "--rm", "--init", "--privileged")
VALUED = (
    *("-p --publish", "-v --volume", "--mount", "-e --env", "--env-file", "-w --workdir", "-u --user", "--name"),
    *("--gpus", "--network", "--ipc", "--shm-size", "-m --memory", "--cpus", "--restart", "--entrypoint"),
)


def _given(options: str) -> argparse.Namespace:
    """Options, `image` and `arguments` of a docker run."""
    parser = command_lines.parser(SWITCHES, VALUED)
    parser.add_argument("image")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    try:
        given = parser.parse_args(shlex.split(options))
    except ValueError as refused:
        raise ValueError(f"'run' holds '{options}', which docker run refuses: {refused}") from refused
    if not re.fullmatch(r"[a-z0-9][\w./:@-]*", given.image):
        raise ValueError(f"'run' lists what follows docker run: 'img', 'img --epochs 1'; '{given.image}' is no image")
    return given


def runs(image: Image, options: str) -> tuple[list[str], str]:
    """What `docker run <options>` executes, and the rule that says so."""
    given = _given(options)
    arguments: list[str] = given.arguments
    if given.entrypoint is not None:
        return [*filter(None, [given.entrypoint]), *arguments], "换掉ENTRYPOINT，不用CMD"
    if image.entrypoint and not image.takes_arguments:
        return [*image.entrypoint], "shell形式的ENTRYPOINT，不接参数和CMD"
    if image.entrypoint and arguments:
        return [*image.entrypoint, *arguments], "ENTRYPOINT接参数，不用CMD"
    if image.entrypoint:
        return [*image.entrypoint, *image.command], "ENTRYPOINT接CMD" if image.command else "只有ENTRYPOINT"
    if arguments:
        return arguments, "参数换掉整个CMD"
    if image.command:
        return [*image.command], "没有ENTRYPOINT，执行CMD"
    raise ValueError(f"'run' gives '{options}' no command and 'file' has neither ENTRYPOINT nor CMD; write one of them")


def example(parameters: Mapping[str, str]) -> str:
    only(parameters, "file", "run")
    text = said(parameters, "file")
    instructions = parse(text)
    made = image(instructions)
    started = []
    for options in said(parameters, "run").split(", "):
        words, rule = runs(made, options)
        started.append([f"`{options}`", f"`{shlex.join(words)}`", rule])
    return paragraphs(
        f"```dockerfile\n{text}\n```",
        table(["行", "指令", "作用"], [[str(one.line), f"`{one.name}`", _meaning(one, made)] for one in instructions]),
        "`docker run`之后写的，和容器里执行的命令（`img`是镜像名）：",
        table(["写的", "执行的", "规则"], started),
    )


def _meaning(one: Instruction, made: Image) -> str:
    meaning = MEANINGS[one.name]
    if one.name == "CMD" and made.entrypoint and made.takes_arguments:
        meaning = "默认的参数，接在`ENTRYPOINT`之后"
    if one.name not in ("RUN", "CMD", "ENTRYPOINT"):
        return meaning
    return f"{meaning}；{'shell' if one.words is None else 'exec'}形式"
