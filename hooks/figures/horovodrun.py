"""Which controller a horovodrun command asks for.

Source: horovod/runner/launch.py, whose options these are: --gloo, --mpi and --jsrun exclude each other, -H is localhost
with as many slots as processes unless given, and what follows the options is the command (argparse.REMAINDER). The
README: MPI is the default where it was built in.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from figures import command_lines
from figures.parameters import only, said
from figures.writing import paragraphs, table

SWITCHES = (
    *("--disable-cache", "--verbose", "--hierarchical-allreduce", "--no-hierarchical-allreduce", "--tcp"),
    *("--hierarchical-allgather", "--no-hierarchical-allgather", "--torus-allreduce", "--no-torus-allreduce"),
    *("--autotune", "--no-autotune", "--timeline-mark-cycles", "--no-timeline-mark-cycles", "--stall-check"),
    *("--no-stall-check", "--mpi-threads-disable", "--no-mpi-threads-disable", "--log-with-timestamp"),
    *("--log-without-timestamp", "-prefix-timestamp --prefix-output-with-timestamp"),
    *("--log-hide-timestamp", "--no-log-hide-timestamp"),
)
VALUED = (
    *("--start-timeout", "--network-interfaces", "--network-interface", "--output-filename", "--config-file"),
    *("-p --ssh-port", "-i --ssh-identity-file", "--fusion-threshold-mb", "--cycle-time-ms", "--cache-capacity"),
    *("--autotune-log-file", "--autotune-warmup-samples", "--autotune-steps-per-sample"),
    *("--autotune-bayes-opt-max-samples", "--autotune-gaussian-process-noise", "--min-np --min-num-proc"),
    *("--max-np --max-num-proc", "--slots-per-host", "--elastic-timeout", "--reset-limit", "--timeline-filename"),
    *("--stall-check-warning-time-seconds", "--stall-check-shutdown-time-seconds", "--mpi-args", "--binding-args"),
    *("--num-nccl-streams", "--thread-affinity", "--gloo-timeout-seconds", "--log-level"),
)
CONTROLLERS = ("gloo", "mpi", "jsrun")


@dataclass(frozen=True)
class Launch:
    """What a command starts: `controller` is one of CONTROLLERS, or empty where the command leaves it to Horovod."""

    processes: int
    hosts: str
    controller: str
    command: tuple[str, ...]


def parse(line: str) -> Launch:
    """A command line as horovodrun reads it."""
    name, _, rest = line.partition(" ")
    if name != "horovodrun":
        raise ValueError(f"'commands' lists horovodrun commands with ', ' between them, not '{line}'")
    try:
        given = _parser().parse_args(shlex.split(rest))
        if not given.command:
            raise ValueError("it names no program")
    except ValueError as refused:
        raise ValueError(f"'commands' holds '{line}', which horovodrun refuses: {refused}") from refused
    controller = next((name for name in CONTROLLERS if getattr(given, name)), "")
    hosts = given.hosts or given.hostfile or given.host_discovery_script or f"localhost:{given.num_proc}"
    return Launch(given.num_proc, hosts, controller, tuple(given.command))


def _parser() -> command_lines.Parser:
    parser = command_lines.parser(SWITCHES, VALUED)
    parser.add_argument("-np", "--num-proc", type=int, required=True)
    parser.add_argument("--blacklist-cooldown-range", nargs=2)
    hosts = parser.add_mutually_exclusive_group()
    for names in ("-H --hosts", "-hostfile --hostfile", "--host-discovery-script"):
        hosts.add_argument(*names.split())
    controllers = parser.add_mutually_exclusive_group()
    for name in CONTROLLERS:
        controllers.add_argument(f"--{name}", action="store_true")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    return parser


def example(parameters: Mapping[str, str]) -> str:
    """The verdict comes first: a phone shows no more than the beginning of a command."""
    only(parameters, "commands")
    launches = {line: parse(line) for line in said(parameters, "commands").split(", ")}
    return paragraphs(
        "选项读到程序名为止，后面的归程序；没有写后端时，装了MPI就默认用MPI：",
        table(
            ["用Gloo吗", "命令", "主机和槽位"],
            [[_verdict(launch), f"`{line}`", f"`{launch.hosts}`"] for line, launch in launches.items()],
        ),
    )


def _verdict(launch: Launch) -> str:
    if launch.controller == "gloo":
        return "是"
    if launch.controller:
        return f"**否**，用{launch.controller}"
    if "--gloo" in launch.command:
        return "**否**，归程序"
    return "**否**，默认MPI"
