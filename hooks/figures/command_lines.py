"""Command lines read as their programs read them: options up to the first other word, then all the rest."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import NoReturn


class Parser(argparse.ArgumentParser):
    """Raises ValueError instead of ending the process: argparse has no other way."""

    def error(self, message: str) -> NoReturn:
        raise ValueError(message)


def parser(switches: Iterable[str], valued: Iterable[str]) -> Parser:
    """Of options, each with all its names: `--rm` or `-p --publish`."""
    made = Parser(add_help=False)
    for names in switches:
        made.add_argument(*names.split(), action="store_true")
    for names in valued:
        made.add_argument(*names.split())
    return made
