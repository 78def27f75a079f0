"""Runs Python programs by `accelport run`, as a user does."""

from __future__ import annotations

import functools
import importlib.metadata
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("ACCELPORT_PROGRAM", str(ROOT / "build/bin/accelport"))
BINARIES = Path(os.environ.get("ACCELPORT_SIMULATOR", ROOT / "build/simulator"))
NAME = "musa"  # the platform of the tests; the invented one has a file of its own
CARD = f"sim:{NAME}:1"


@functools.cache
def why_not() -> str | None:
    """Why nothing can be simulated here, or None."""
    try:
        minor = ".".join(importlib.metadata.version("torch").split(".")[:2])
    except importlib.metadata.PackageNotFoundError:
        return "torch is not installed"
    if not list(BINARIES.glob(f"torch-{minor}/*.so")):
        return f"no extension is built for torch {minor} (tools/simulator.sh)"
    return None


def need_simulator() -> None:
    reason = why_not()
    if reason is not None:
        pytest.skip(reason)


def accelport(
    *words: str, cwd: Path, environment: dict[str, str] | None = None, timeout: float = 120
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [PROGRAM, *words],
        cwd=cwd,
        env={**os.environ, "OMP_NUM_THREADS": "1", "ACCELPORT_SIMULATOR": str(BINARIES), **(environment or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def run(
    text: str,
    folder: Path,
    *options: str,
    on: str = CARD,
    launcher: tuple[str, ...] = (),
    arguments: tuple[str, ...] = (),
    environment: dict[str, str] | None = None,
    timeout: float = 120,
) -> subprocess.CompletedProcess[str]:
    """The text as program.py in the folder, with this Python."""
    (folder / "program.py").write_text(text, encoding="utf-8")
    words = ("run", "--on", on, *options, "--", sys.executable, *launcher, "program.py", *arguments)
    return accelport(*words, cwd=folder, environment=environment, timeout=timeout)


def output_of(done: subprocess.CompletedProcess[str]) -> str:
    """What a program printed that had to end well."""
    assert done.returncode == 0, f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout
