"""Runs the program on small trees made for each test."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from program import PROGRAM, TRAINER, Run


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """`run("audit", ".")` in the test's folder; standard input is closed, nothing is a terminal."""

    def call(
        *arguments: str, env: dict[str, str] | None = None, cwd: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [PROGRAM, *arguments],
            cwd=cwd or tmp_path,
            env={**os.environ, **(env or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="surrogateescape",
            timeout=120,
            check=False,
        )

    return call


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A small repository: a trainer, a launcher, a page."""
    (tmp_path / "train.py").write_text(TRAINER)
    (tmp_path / "run.sh").write_text("#!/bin/sh\nCUDA_VISIBLE_DEVICES=0 python train.py\n")
    (tmp_path / "README.md").write_text("# Trainer\n\nSome people spell it cuda.\n")
    return tmp_path
