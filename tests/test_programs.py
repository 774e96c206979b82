"""The files and small programs of the notes, as they stand on the page: run, or read by a parser of their kind.

What needs PyTorch, NNI, Horovod or TorchServe is tested by `make test-torch`.
"""

from __future__ import annotations

import ast
import io
import json
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
import yaml
from dockerfile_parse import DockerfileParser

import listings

FILES = listings.read()
FENCE = re.compile(r"^(?P<fence>`{3,}) *(?P<language>\w+)[^\n]*\n(?P<code>.*?)^(?P=fence)$", re.MULTILINE | re.DOTALL)
FENCES = [
    (path.relative_to(listings.DOCS).as_posix(), found["language"], found["code"])
    for path in sorted(listings.DOCS.rglob("*.md"))
    if path.name != "write.md"
    for found in FENCE.finditer(path.read_text("utf-8"))
]


def run(folder: Path, name: str) -> str:
    (folder / name).write_text(FILES[name], "utf-8")
    done = subprocess.run([sys.executable, name], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_deepfool_reaches_the_boundary_in_one_step_on_a_linear_model(tmp_path: Path) -> None:
    assert run(tmp_path, "deepfool.py").count("True") == 3


def test_cells_place_the_job_that_a_quota_cannot(tmp_path: Path) -> None:
    said = run(tmp_path, "hived_toy.py")
    assert "quota: free GPUs = 4 | B 的 4 卡单机作业 -> None" in said
    assert "cell : free GPUs = 4 | B 的 4 卡单机作业 -> n1" in said


def test_the_trial_reports_every_epoch_and_once_at_the_end(tmp_path: Path) -> None:
    """NNI's three calls in its place; without an experiment the library gives no parameters either."""
    (tmp_path / "nni.py").write_text(
        "calls = []\n"
        "def get_next_parameter():\n    calls.append('get'); return {}\n"
        "def report_intermediate_result(value):\n    calls.append('epoch')\n"
        "def report_final_result(value):\n    calls.append('final'); print(' '.join(calls))\n",
        "utf-8",
    )
    assert run(tmp_path, "trial.py").split("\n")[:2] == ["get epoch epoch epoch final", "final 0.9669"]


def test_every_python_listing_is_python() -> None:
    listed = [code for _, language, code in FENCES if language == "python"]
    assert len(listed) >= 10
    for code in listed:
        ast.parse(code)


def test_every_shell_listing_is_read_by_the_shell() -> None:
    listed = [(place, code) for place, language, code in FENCES if language == "bash"]
    assert len(listed) >= 8
    for place, code in listed:
        done = subprocess.run(["sh", "-n"], input=code, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{place}: {done.stderr}"
    assert [place for place, code in listed if "–" in code or "—" in code] == []  # dashes that were copied


def test_the_training_image_is_built_in_the_order_that_the_answer_explains() -> None:
    """The order of the editor's report, read by another parser of Dockerfiles."""
    read = DockerfileParser(fileobj=io.BytesIO(FILES["Dockerfile"].encode())).structure
    names = [one["instruction"] for one in read if one["instruction"] != "COMMENT"]
    assert names == ["FROM", "ENV", "WORKDIR", "COPY", "RUN", "COPY", "ENTRYPOINT", "CMD"]
    exec_forms = {one["instruction"]: one["value"] for one in read if one["instruction"] in ("ENTRYPOINT", "CMD")}
    assert json.loads(exec_forms["ENTRYPOINT"]) == ["python", "train_mnist.py"]
    assert json.loads(exec_forms["CMD"])[::2] == ["--epochs", "--batch-size"]
    assert FILES["requirements.txt"].split() == ["torch", "torchvision"]


def test_the_search_space_has_a_type_and_values_for_each_parameter() -> None:
    space = json.loads(FILES["search_space.json"])
    assert space
    for parameter in space.values():
        assert set(parameter) == {"_type", "_value"}
    low, high = space["learning_rate"]["_value"]
    assert space["learning_rate"]["_type"] == "loguniform"
    assert 0 < low < high


def test_the_experiment_names_its_files_its_tuner_and_its_budget() -> None:
    config = yaml.safe_load(FILES["config.yml"])
    assert config["searchSpaceFile"] in FILES
    assert config["trialCommand"].split()[-1] in FILES
    assert config["tuner"]["name"] == "TPE"
    assert {"trialConcurrency", "maxTrialNumber", "trainingService"} <= set(config)


def test_the_virtual_clusters_ask_for_no_more_machines_than_there_are() -> None:
    config = yaml.safe_load(FILES["hived.yml"])
    physical = config["physicalCluster"]["physicalCells"]
    machines = sum(len(cell["cellChildren"]) for cell in physical)
    asked = [cell for cluster in config["virtualClusters"].values() for cell in cluster["virtualCells"]]
    assert sum(cell["cellNumber"] for cell in asked) == machines == 2
    types = config["physicalCluster"]["cellTypes"]
    for cell in asked:
        chain = cell["cellType"].split(".")
        assert chain[0] in {cell["cellType"] for cell in physical}
        assert all(types[outer]["childCellType"] == inner for outer, inner in pairwise(chain))


WITH_TORCH = [
    "profile_train.py",
    "linear_function.py",
    "mylinear.cpp",
    "setup.py",
    "check.py",
    "ddp_min.py",
    "ddp_comm.py",
    "train_mnist.py",
    "model.py",
    "handler.py",
    "fgsm.py",
]


@pytest.mark.parametrize("name", WITH_TORCH)
def test_every_program_that_needs_pytorch_is_run_by_its_own_tests(name: str) -> None:
    assert name in FILES
    tests = (Path(__file__).parent / "with_torch/test_programs.py").read_text("utf-8")
    assert f'"{name}"' in tests
