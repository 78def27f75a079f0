#!/usr/bin/env python3
"""Hugging Face's accelerate and transformers, unmodified from the package index, on simulated cards: accelerate picks the card,
trains a tiny Llama in bf16, saves, and a fresh process goes on from there with the same losses; transformers' Trainer on one
and on two ranks has the CPU's losses, and `generate` the CPU's tokens.

They are installed into build/hugging-face, with the torch of this Python."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from support import finish, skip

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent / "hugging_face"
PROGRAM = os.environ.get("ACCELPORT_PROGRAM", str(ROOT / "build/bin/accelport"))
PACKAGES = ["accelerate==1.15.0", "transformers==5.24.0"]
NAME = "musa"


def environment() -> Path:
    """A virtual environment with the packages, beside what this Python has; made once."""
    folder = ROOT / "build" / "hugging-face"
    python = folder / "bin" / "python"
    stamp = folder / "packages"
    if stamp.is_file() and stamp.read_text().split() == PACKAGES:
        return python
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
    shared = [path for path in sys.path if path.endswith("site-packages")]
    own = Path(sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)}))
    (own / "shared.pth").write_text("".join(f"{path}\n" for path in shared))
    words = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1", *PACKAGES]
    if subprocess.run(words, check=False).returncode != 0:
        skip(f"{' and '.join(PACKAGES)} cannot be installed here")
    stamp.write_text("\n".join(PACKAGES))
    return python


def run(python: Path, where: str, ranks: int, *words: str) -> dict:
    launcher = ["-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={ranks}"] if ranks > 1 else []
    command = [PROGRAM, "run", "--on", where, "--", str(python), *launcher, *words]
    offline = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_VERBOSITY": "error", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        command, env={**os.environ, **offline}, capture_output=True, text=True, timeout=900, check=False
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith('{"device"')]
    if done.returncode != 0 or not lines:
        print(done.stdout[-2000:], done.stderr[-4000:], sep="\n")
        return {}
    return json.loads(lines[-1])


def accelerated(python: Path, folder: Path, ranks: int) -> list[str]:
    """What is wrong."""
    script = str(HERE / "accelerated.py")
    where = f"sim:{NAME}:{ranks}"
    trained = run(python, where, ranks, script, "train", str(folder / f"state-{ranks}"))
    resumed = run(python, where, ranks, script, "resume", str(folder / f"state-{ranks}"))
    if not trained or not resumed:
        return ["accelerate: the run failed"]
    problems = []
    if trained["device"] != NAME:
        problems.append(f"accelerate picked {trained['device']}")
    if ranks > 1 and (trained["kind"], trained["backend"]) != (f"MULTI_{NAME.upper()}", "mccl"):
        problems.append(f"accelerate took {trained['kind']} and {trained['backend']}")
    losses = [float.fromhex(loss) for loss in trained["losses"]]
    if not losses[-1] < losses[0]:
        problems.append(f"accelerate: the loss does not fall: {losses}")
    if resumed["losses"] != trained["losses"][3:]:
        problems.append(f"accelerate: resumed {resumed['losses']} instead of {trained['losses'][3:]}")
    print(f"accelerate, {ranks} ranks: {trained['kind']}, losses {losses[0]:.4f} to {losses[-1]:.4f}, resumed the same")
    return problems


def trainer(python: Path, folder: Path, ranks: int) -> list[str]:
    script = str(HERE / "trained.py")
    card = run(python, f"sim:{NAME}:{ranks}", ranks, script, str(folder / f"card-{ranks}"))
    processor = run(python, "cpu", ranks, script, str(folder / f"cpu-{ranks}"), "cpu")
    if not card or not processor:
        return ["Trainer: the run failed"]
    problems = [
        f"Trainer, {ranks} ranks: {key} is {card[key]} on the card, {processor[key]} on the CPU"
        for key in processor
        if key != "device" and card[key] != processor[key]
    ]
    if card["device"] != f"{NAME}:0" or processor["device"] != "cpu":
        problems.append(f"Trainer ran on {card['device']} and {processor['device']}")
    print(f"Trainer, {card['ranks']} ranks: {len(card['losses'])} losses, generated tokens, parameters compared")
    return problems


def main() -> None:
    python = environment()
    problems = []
    with tempfile.TemporaryDirectory() as name:
        for ranks in (1, 2):
            problems += accelerated(python, Path(name), ranks)
            problems += trainer(python, Path(name), ranks)
    finish(problems)


if __name__ == "__main__":
    main()
