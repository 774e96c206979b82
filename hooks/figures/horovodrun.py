"""Which controller a horovodrun command asks for.

Source: horovod/runner/launch.py: --gloo and --mpi exclude each other, -H is localhost with as many slots as processes
unless given, and what follows the options is the command (argparse.REMAINDER); the README: MPI is the default where
it was built in.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn

from figures.parameters import only, said
from figures.writing import table


class _Parser(argparse.ArgumentParser):
    """Raises instead of ending the process."""

    def error(self, message: str) -> NoReturn:
        raise ValueError(f"'commands' holds a wrong command: {message}")


@dataclass(frozen=True)
class Launch:
    processes: int
    hosts: str
    gloo: bool
    command: str


def parse(line: str) -> Launch:
    """A command line as horovodrun reads it."""
    name, *words = line.split()
    if name != "horovodrun":
        raise ValueError(f"'commands' lists horovodrun commands, not '{line}'")
    parser = _Parser(prog="horovodrun", add_help=False)
    parser.add_argument("-np", "--num-proc", type=int, required=True)
    parser.add_argument("-H", "--hosts")
    controller = parser.add_mutually_exclusive_group()
    controller.add_argument("--gloo", action="store_true")
    controller.add_argument("--mpi", action="store_true")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    given = parser.parse_args(words)
    hosts = given.hosts or f"localhost:{given.num_proc}"
    return Launch(given.num_proc, hosts, given.gloo, " ".join(given.command))


def example(parameters: Mapping[str, str]) -> str:
    only(parameters, "commands")
    lines = []
    for line in said(parameters, "commands").split(", "):
        launch = parse(line)
        behind = "--gloo" in launch.command
        verdict = (
            "用Gloo" if launch.gloo else "**不用**，`--gloo`成了程序的参数" if behind else "**不用**，有MPI时用MPI"
        )
        lines.append([f"`{line}`", verdict, f"`{launch.hosts}`", f"`{launch.command}`"])
    return table(["命令", "用Gloo吗", "主机和槽位", "每个进程运行"], lines)
