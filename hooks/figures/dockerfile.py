"""A Dockerfile read by its grammar: its instructions, and what a container started from it runs.

Source: the Dockerfile reference, for the instructions, for comments and continued lines, for the exec form (a JSON list
of strings), and for how ENTRYPOINT, CMD and the arguments of docker run go together.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from figures.parameters import only, said
from figures.writing import paragraphs, table

MEANINGS: Mapping[str, str] = {
    "FROM": "基础镜像",
    "RUN": "构建时执行，提交一层",
    "CMD": "默认的命令或参数",
    "ENTRYPOINT": "容器启动的主程序",
    "COPY": "从构建上下文复制",
    "ADD": "复制，解开本地的tar包",
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
}
EXEC = ("CMD", "ENTRYPOINT")
IMAGE = re.compile(r"[a-z0-9][\w./:@-]*")


@dataclass(frozen=True)
class Instruction:
    name: str
    value: str
    line: int
    """In the Dockerfile, from 1."""

    @property
    def words(self) -> list[str]:
        """What a CMD or ENTRYPOINT runs; the shell form runs through /bin/sh -c."""
        if self.value.startswith("["):
            return list(json.loads(self.value))
        return ["/bin/sh", "-c", self.value]


def parse(text: str) -> list[Instruction]:
    """Instructions in order. Raises ValueError, naming the line of the Dockerfile, for what is none."""
    found = list(_instructions(text))
    first = next((instruction for instruction in found if instruction.name != "ARG"), None)
    if first is None or first.name != "FROM":
        line = first.line if first else 1
        raise ValueError(f"line {line} of 'file': a Dockerfile begins with FROM, only ARG may stand before it")
    return found


def _instructions(text: str) -> Iterator[Instruction]:
    pending, start = "", 0
    for number, line in enumerate(text.split("\n"), 1):
        bare = line.strip()
        if not bare or bare.startswith("#"):  # also between continued lines
            continue
        start = start or number
        pending += bare.removesuffix("\\")
        if not bare.endswith("\\"):
            yield _instruction(pending, start)
            pending, start = "", 0
    if pending:
        raise ValueError(f"line {start} of 'file': the last line ends with a backslash; take it out")


def _instruction(line: str, number: int) -> Instruction:
    name, _, value = line.partition(" ")
    name, value = name.upper(), value.strip()
    if name not in MEANINGS:
        raise ValueError(f"line {number} of 'file': unknown instruction '{name}'")
    if not value:
        raise ValueError(f"line {number} of 'file': '{name}' needs a value")
    if name in EXEC and value.startswith("["):
        try:
            words = json.loads(value)
        except json.JSONDecodeError:
            words = None
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise ValueError(f'line {number} of \'file\': the exec form is a JSON list: {name} ["python", "train.py"]')
    return Instruction(name, value, number)


def runs(instructions: list[Instruction], options: str) -> list[str]:
    """The program and arguments of `docker run <options>`, where options are `[--entrypoint X] image [argument …]`."""
    given = {instruction.name: instruction for instruction in instructions if instruction.name in EXEC}  # last ones
    words = shlex.split(options)
    entrypoint = given["ENTRYPOINT"].words if "ENTRYPOINT" in given else []
    default = given["CMD"].words if "CMD" in given else []
    if words[:1] == ["--entrypoint"] and len(words) > 2:
        return [words[1], *words[3:]]  # and the image's CMD does not count
    if not words or not IMAGE.fullmatch(words[0]):
        raise ValueError(f"'run' lists 'image argument …', or '--entrypoint program image', not '{options}'")
    if "ENTRYPOINT" in given and not given["ENTRYPOINT"].value.startswith("["):
        return entrypoint  # the shell form takes no arguments
    return [*entrypoint, *(words[1:] or default)]


def example(parameters: Mapping[str, str]) -> str:
    only(parameters, "file", "run")
    text = said(parameters, "file")
    instructions = parse(text)
    lines = [[f"`{one.name}`", f"`{one.value}`", MEANINGS[one.name]] for one in instructions]
    started = [
        [f"`docker run {options}`", f"`{' '.join(runs(instructions, options))}`"]
        for options in said(parameters, "run").split(", ")
    ]
    return paragraphs(
        f"```dockerfile\n{text}\n```",
        table(["指令", "值", "作用"], lines),
        "启动容器时实际执行的命令（`img`是镜像名）：",
        table(["命令", "容器里执行"], started),
    )
