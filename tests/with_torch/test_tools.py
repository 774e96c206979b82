"""The files and commands of the notes, read by the tools for which they are written."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
import yaml
from horovod.runner.launch import parse_args
from nni.common.hpo_utils import validate_search_space
from nni.experiment.config import ExperimentConfig

import listings

FILES = listings.read()
DISTRIBUTED = (listings.DOCS / "chapters/06-distributed.md").read_text("utf-8")
COMMANDS = sorted(set(re.findall(r"horovodrun (?:-|[^\n`\],])*?python test\.py(?: --gloo)?", DISTRIBUTED)))


def test_nni_accepts_the_search_space() -> None:
    assert validate_search_space(json.loads(FILES["search_space.json"]), raise_exception=True)


@pytest.mark.parametrize("space", [[{"lr": [0.1]}], {"lr": {"_type": "loguniform", "_value": [0.0, 5.0]}}])
def test_nni_refuses_what_the_raw_notes_had(space: object) -> None:
    assert not validate_search_space(space, raise_exception=False)


def test_nni_accepts_the_experiment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("config.yml", "search_space.json", "trial.py"):
        (tmp_path / name).write_text(FILES[name], "utf-8")
    monkeypatch.chdir(tmp_path)
    config = ExperimentConfig.load(tmp_path / "config.yml")
    config.validate()
    assert config.tuner.name == "TPE"
    assert yaml.safe_load(FILES["config.yml"])["trialCommand"] == config.trial_command


def test_commands_of_both_kinds_are_found() -> None:
    assert len(COMMANDS) >= 4


@pytest.mark.parametrize("command", COMMANDS)
def test_horovodrun_takes_gloo_only_before_the_program(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", command.split())
    arguments = parse_args()
    before, after = command.split("python test.py")
    assert arguments.use_gloo == ("--gloo" in before)
    assert arguments.num_proc == 4
    assert arguments.command == ["python", "test.py", *after.split()]
