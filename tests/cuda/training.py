"""Training programs before and after their port: the exact losses of both."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PROGRAM = os.environ.get("ACCELPORT_PROGRAM", str(ROOT / "build/bin/accelport"))
# What cuBLAS needs to give the same bits twice.
DETERMINISTIC = {"CUBLAS_WORKSPACE_CONFIG": ":4096:8", "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
FEWEST_LOSSES = 10


@dataclass(frozen=True)
class Training:
    """A program in a tree of this repository."""

    name: str
    tree: Path
    command: tuple[str, ...]
    on_cpu: tuple[str, ...] = ()  # further arguments without a card


TRAININGS = (
    Training("lm-trainer", ROOT / "examples/lm-trainer", ("train.py", "--config", "configs/tiny.yaml")),
    Training("vision-ext", ROOT / "examples/vision-ext", ("train_detector.py", "--steps", "40"), ("--no-cuda",)),
    Training("amp_cnn", HERE / "models", ("amp_cnn.py",), ("--cpu",)),
    Training("rnn", HERE / "models", ("rnn.py",)),
)


def has_torch() -> bool:
    return all(importlib.util.find_spec(name) is not None for name in ("torch", "numpy", "yaml"))


def has_card() -> bool:
    """Whether a real CUDA card computes here."""
    if not has_torch():
        return False
    import torch

    return torch.version.cuda is not None and torch.cuda.is_available()


def copied(training: Training, target: Path, *, ported: bool) -> Path:
    shutil.copytree(training.tree, target)
    if ported:
        command = [PROGRAM, "port", str(target), "--to", "musa", "--write", "-q"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode in (0, 1), done.stderr
    return target


def losses(training: Training, tree: Path, *, cpu: bool) -> list[str]:
    """Every loss of a run, as hexadecimal numbers; the run must end well."""
    file = tree / "losses.txt"
    program = [*training.command, *(training.on_cpu if cpu else ())]
    environment = {**os.environ, **DETERMINISTIC, **({"CUDA_VISIBLE_DEVICES": ""} if cpu else {})}
    command = [sys.executable, str(HERE / "watch.py"), str(file), *program]
    done = subprocess.run(
        command, cwd=tree, env=environment, capture_output=True, text=True, timeout=900, check=False
    )  # fmt: skip
    assert done.returncode == 0, f"{training.name}: {done.stderr[-2000:]}"
    found = file.read_text().splitlines()
    assert len(found) >= FEWEST_LOSSES, f"{training.name}: only {len(found)} losses"
    return found
