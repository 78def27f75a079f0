"""`verify`: the rungs on simulated cards, each failing for a fault made for it, and what a kill leaves behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

pytest.importorskip("torch")

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("ACCELPORT_PROGRAM", str(ROOT / "build/bin/accelport"))
SCHEMA = json.loads((ROOT / "docs/schemas/evidence.schema.json").read_text(encoding="utf-8"))
CASE = """
import os
import torch
from torch import nn
def build():
    return nn.Linear(4, 2)
def batch(step):
    return torch.ones(3, 4) * (step + 1)
def loss(model, batch):
    return model(batch).square().mean()
"""
# rung, what is added to the case, what the reason says
BROKEN = [
    ("forward", "def loss(model, batch): return model(batch).mean() / 0", "the loss is not finite"),
    ("forward", "del batch", "lacks batch"),
    ("backward", "def loss(model, batch): return model(batch * 0).abs().sqrt().sum() * 0 + (model.weight * 0).sqrt().sum()",
     "gradients are not finite: weight"),
    ("backward", "def loss(model, batch): return batch.sum().requires_grad_()", "no parameter has a gradient"),
    ("step", "def loss(model, batch): return (model.weight * 0).sqrt().sum()", "parameters are not finite: weight"),
    ("compare", "def loss(model, batch): return model(batch).square().mean() * (1 if batch.is_cpu else 1.001)",
     "the loss differs from the CPU"),
    ("compare", "class M(nn.Linear):\n    def forward(self, x):\n        self.seen.add_(x.is_cpu + 1)\n        return super().forward(x)\n"
     "def build():\n    model = M(4, 2)\n    model.register_buffer('seen', torch.zeros(1))\n    return model",
     "seen differs from the CPU"),
    ("reload", "class M(nn.Linear):\n    def state_dict(self, *a, **k):\n        out = super().state_dict(*a, **k)\n"
     "        return {n: Odd(t) for n, t in out.items()}\n"
     "class Odd(torch.Tensor):\n    def __reduce_ex__(self, p):\n        return torch.Tensor.__reduce_ex__(self.as_subclass(torch.Tensor).flip(0), p)\n"
     "def build():\n    return M(4, 2)", "loaded otherwise than saved: weight, bias"),
    ("forward", "def build(): os.kill(os.getpid(), 9)", "killed by signal 9"),
    ("reload", "def build():\n    os._exit(3)", "exit code 3 without a verdict"),
]  # fmt: skip


def verify(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    venv = {"VIRTUAL_ENV": str(Path(sys.executable).parent.parent), "XDG_STATE_HOME": str(folder / "state")}
    return subprocess.run(
        [PROGRAM, "verify", *words],
        cwd=folder,
        env={**os.environ, **venv, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def evidence(folder: Path) -> list[dict[str, Any]]:
    (file,) = (folder / ".accelport/evidence").glob("*.jsonl")
    records = [json.loads(line) for line in file.read_text().splitlines()]
    for record in records:
        jsonschema.validate(record, SCHEMA)
    return records


def test_the_built_in_model_passes_on_simulated_cards(tmp_path: Path) -> None:
    done = verify(tmp_path, "--on", "sim:musa:2")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "simulated, says nothing about a card: 10 passed, 0 failed, 11 not known" in done.stdout
    assert done.stdout.count("not shown: ") == 10
    ended = [record for record in evidence(tmp_path) if "end" in record]
    assert [record["verdict"] for record in ended] == ["pass"] * 10
    assert all(record["simulated"] for record in ended)
    assert next(record for record in ended if record["id"] == "compare")["values"]["worst"] == 0


@pytest.mark.parametrize(("rung", "change", "reason"), BROKEN, ids=[f"{r}-{i}" for i, (r, _, _) in enumerate(BROKEN)])
def test_a_rung_fails_for_a_fault_made_for_it(tmp_path: Path, rung: str, change: str, reason: str) -> None:
    (tmp_path / "case.py").write_text(CASE + change + "\n")
    done = verify(tmp_path, "case.py", "--on", "sim:musa:1", "--rungs", rung)
    assert done.returncode == 1, done.stdout + done.stderr
    assert reason in done.stdout
    before, after = evidence(tmp_path)
    assert "end" not in before
    assert after["verdict"] == "fail"
    assert reason in after["values"]["reason"]


def test_the_case_passes_unbroken(tmp_path: Path) -> None:
    (tmp_path / "case.py").write_text(CASE)
    done = verify(tmp_path, "case.py", "--on", "cpu", "--rungs", "forward,backward,step,compare,reload")
    assert done.returncode == 0, done.stdout + done.stderr
    assert not any(record["simulated"] for record in evidence(tmp_path))


@pytest.mark.parametrize(
    ("words", "code"),
    [(("--on", "musa"), 64), (("--on", "cpu", "--rungs", "x"), 64), (("--on", "cpu", "--rungs", "fsdp"), 2)],
)
def test_what_it_does_not_do_is_refused_or_not_known(tmp_path: Path, words: tuple[str, ...], code: int) -> None:
    assert verify(tmp_path, *words).returncode == code
