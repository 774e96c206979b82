"""The programs of the notes that need PyTorch, run as they stand on the page.

What each must print or satisfy comes from the course's editorial report, where every one was run first.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch.autograd import gradcheck
from torch.utils.data.distributed import DistributedSampler

import listings

FILES = listings.read()
TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2"]


def write(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).write_text(FILES[name], "utf-8")


def run(folder: Path, *command: str, **variables: str) -> str:
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **variables}, capture_output=True, text=True, timeout=900, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def python(folder: Path, name: str, *arguments: str) -> str:
    write(folder, name)
    return run(folder, sys.executable, name, *arguments)


def test_the_profile_lists_ten_operations_and_the_throughput_grows_with_the_batch(tmp_path: Path) -> None:
    said = python(tmp_path, "profile_train.py")
    assert all(column in said for column in ("Self CPU", "CPU total", "# of Calls"))
    rule = re.compile(r"^(?:-{4,} +)+-*$", re.MULTILINE)
    body = rule.split(said)[2]
    assert len(body.strip().split("\n")) == 10
    assert "has conv / optimizer / dataloader / forward: True True True True" in said
    throughput = {int(size): float(rate) for size, rate in re.findall(r"batch= *(\d+) throughput= *(\d+)", said)}
    assert list(throughput) == [1, 16, 64, 256]
    assert throughput[64] > 2 * throughput[1]


def test_the_linear_function_passes_gradcheck_and_equals_the_library_s(tmp_path: Path) -> None:
    said = python(tmp_path, "linear_function.py")
    assert "gradcheck (no bias): True" in said
    assert "gradcheck (bias): True" in said
    assert "shapes: (4, 3) [(4, 5), (3, 5), (3,)]" in said
    assert "max abs diff vs F.linear < 1e-12: True" in said
    assert "module grads: torch.Size([3, 5]) [2.0, 2.0, 2.0]" in said


def test_a_wrong_backward_would_be_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check itself can fail: the weight's gradient of another sign is refused."""
    wrong = FILES["linear_function.py"].replace("grad_w = grad_y.t() @ x", "grad_w = -grad_y.t() @ x")
    assert wrong != FILES["linear_function.py"]
    (tmp_path / "wrong_linear.py").write_text(wrong, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    from wrong_linear import MyLinearFunction  # type: ignore[import-not-found]  # noqa: PLC0415

    inputs = tuple(torch.randn(size, dtype=torch.double, requires_grad=True) for size in ((4, 5), (3, 5)))
    assert not gradcheck(MyLinearFunction.apply, inputs, raise_exception=False)


def test_the_extension_compiles_and_passes_gradcheck(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    write(source, "mylinear.cpp", "setup.py")
    target = tmp_path / "installed"
    run(source, sys.executable, "-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-deps",
        "--target", str(target), ".")  # fmt: skip
    write(tmp_path, "check.py")
    said = run(tmp_path, sys.executable, "check.py", PYTHONPATH=str(target))
    assert "gradcheck: True" in said
    assert "forward equal: True" in said
    alone = [sys.executable, "-c", "import mylinear_cpp"]
    path = {**os.environ, "PYTHONPATH": str(target)}
    without = subprocess.run(alone, cwd=tmp_path, env=path, capture_output=True, text=True, check=False)
    assert "ImportError" in without.stderr  # torch must be imported first


def test_two_processes_hold_the_same_model_after_training(tmp_path: Path) -> None:
    write(tmp_path, "ddp_min.py")
    said = run(tmp_path, *TORCHRUN, "ddp_min.py", OMP_NUM_THREADS="1")
    assert "samples per rank: 32 steps per epoch: 4" in said
    assert "replicas identical: True" in said


EQUAL = """
import torch, torch.distributed as dist, torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
torch.manual_seed(0)
x, y = torch.randn(32, 8, dtype=torch.double), torch.randn(32, 1, dtype=torch.double)
def steps(model, x, y):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(5):
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
    return [p.detach().clone() for p in model.parameters()]
def build():
    torch.manual_seed(1)
    return nn.Linear(8, 1).double()
alone = steps(build(), x, y)
shared = steps(DDP(build()), x[rank::world], y[rank::world])
same = all(torch.allclose(a, b, atol=1e-12) for a, b in zip(alone, shared))
print(f"equal: {same}\\n", end="")  # in one piece, for the other process writes too
dist.destroy_process_group()
"""


def test_data_parallel_training_equals_training_in_one_process(tmp_path: Path) -> None:
    """The notes say that the average of the processes' gradients is the gradient of the whole batch."""
    (tmp_path / "equal.py").write_text(EQUAL, "utf-8")
    said = run(tmp_path, *TORCHRUN, "equal.py", OMP_NUM_THREADS="1")
    assert said.count("equal: True") == 2


def test_the_sampler_pads_or_drops_as_the_notes_say() -> None:
    data = list(range(10))
    padded = [i for rank in range(4) for i in DistributedSampler(data, num_replicas=4, rank=rank, shuffle=False)]
    assert (len(padded), len(set(padded))) == (12, 10)
    dropped = [
        i
        for rank in range(4)
        for i in DistributedSampler(data, num_replicas=4, rank=rank, shuffle=False, drop_last=True)
    ]
    assert (len(dropped), len(set(dropped))) == (8, 8)


def test_the_share_of_communication_falls_as_the_batch_grows(tmp_path: Path) -> None:
    write(tmp_path, "ddp_comm.py")
    row = re.compile(r"^ *(\d+) +(\d+) +(\d+) +([\d.]+) +([\d.]+) +(-?[\d.]+)%$", re.MULTILINE)
    for _ in range(3):  # times are of this machine and noisy
        rows = row.findall(run(tmp_path, *TORCHRUN, "ddp_comm.py", OMP_NUM_THREADS="1"))
        assert len(rows) == 9
        assert all(int(parameters) == 2 * int(width) ** 2 + 2 * int(width) for width, _, parameters, *_ in rows)
        share = {(int(width), int(batch)): float(percent) for width, batch, _, _, _, percent in rows}
        if all(share[width, 512] < share[width, 8] for width in (256, 1024, 2048)):
            return
    pytest.fail(f"three runs, the last: {share}")


def test_the_training_script_of_the_image_learns(tmp_path: Path) -> None:
    said = python(tmp_path, "train_mnist.py", "--synthetic")
    accuracy = re.search(r"epoch 1 loss [\d.]+ acc ([\d.]+)", said)
    assert accuracy is not None
    assert float(accuracy[1]) > 0.9
    assert (tmp_path / "mnist_cnn.pt").exists()


def test_the_model_is_archived_and_its_handler_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "model.py", "handler.py")
    (tmp_path / "store").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    from handler import MnistHandler  # type: ignore[import-not-found]  # noqa: PLC0415
    from model import MnistNet  # type: ignore[import-not-found]  # noqa: PLC0415

    net = MnistNet()
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.zero_()
        net.net[1].bias[7] = 1.0
    torch.save(net.state_dict(), tmp_path / "mnist.pt")
    run(tmp_path, str(Path(sys.executable).with_name("torch-model-archiver")), "--model-name", "mnist",
        "--version", "1.0", "--model-file", "model.py", "--serialized-file", "mnist.pt", "--handler", "handler.py",
        "--export-path", "store")  # fmt: skip
    assert (tmp_path / "store/mnist.mar").exists()
    handler = MnistHandler()
    handler.model, handler.device = net.eval(), torch.device("cpu")
    picture = json.dumps([[0.0] * 28] * 28).encode()
    with torch.no_grad():
        assert handler.postprocess(net(handler.preprocess([{"body": picture}, {"data": picture}]))) == [7, 7]


def test_the_attacks_do_what_the_notes_say(tmp_path: Path) -> None:
    said = python(tmp_path, "fgsm.py")
    clean = re.search(r"clean accuracy ([\d.]+)", said)
    assert clean is not None
    assert float(clean[1]) > 0.93
    numbers = [[float(word) for word in line.split()] for line in said.split("\n") if re.match(r"^ +\d\.\d\d ", line)]
    rows = {row[0]: row[1:] for row in numbers}
    assert list(rows) == [0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8]
    fgsm = [row[0] for row in rows.values()]
    assert fgsm == sorted(fgsm, reverse=True)
    assert fgsm[-1] < fgsm[0] / 2
    assert rows[0.1][1] <= rows[0.1][0]  # BIM, FGSM
    assert rows[0.8][3] < rows[0.3][3]  # FGSM towards a target: a larger step is not always better
    assert rows[0.3][4] > 0.95  # BIM towards a target


def test_fgsm_raises_the_loss(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "fgsm.py")
    monkeypatch.syspath_prepend(tmp_path)
    from fgsm import fgsm  # type: ignore[import-not-found]  # noqa: PLC0415

    torch.manual_seed(0)
    model = torch.nn.Linear(20, 4)
    x, y = torch.rand(64, 20), torch.randint(0, 4, (64,))
    loss = torch.nn.functional.cross_entropy
    for epsilon in (0.01, 0.1):
        assert loss(model(fgsm(model, x, y, epsilon)), y) > loss(model(x), y)
        assert loss(model(fgsm(model, x, y, epsilon, targeted=True)), y) < loss(model(x), y)
