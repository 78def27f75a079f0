"""What the tests of the command line share."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("ACCELPORT_PROGRAM", str(ROOT / "build/bin/accelport"))

Run = Callable[..., subprocess.CompletedProcess[str]]

TRAINER = """import os
import torch
from torch.cuda.amp import autocast

device = "cuda" if torch.cuda.is_available() else "cpu"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"


def train(model, batch):
    model.cuda()
    with autocast():
        return model(batch.to(device))
"""
