"""Ported scripts do what they did: every program that a script of tests/port/trees starts sees the same words and the same
variables of CUDA before and after, and beside each of these the platform's variable with the same value."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

TREES = Path(__file__).with_name("trees")
SCRIPTS = sorted(
    p for p in TREES.glob("*/out/*") if p.suffix in {".sh", ".bash"} and "\r" not in p.read_bytes().decode()
)
PROGRAMS = ("python", "pick_free", "pick", "nvidia-smi", "docker", "srun")
STUB = """#!/bin/bash
call="${0##*/}$(printf ' [%s]' "$@") |"
for name in $(compgen -e | grep -E 'CUDA|NCCL' | sort); do call+=" $name=${!name}"; done
echo "$call" >> "$LOG.cuda"
echo "${MUSA_VISIBLE_DEVICES-unset} ${CUDA_VISIBLE_DEVICES-unset}" >> "$LOG.both"
echo 2
[[ $0 == */pick* ]] || exit 3
"""


def run(script: Path, folder: Path, shell: str) -> tuple[list[str], list[str], int, str]:
    """The calls of programs, the two visibility variables in each, the exit status and what was printed."""
    folder.mkdir()
    programs = folder / "bin"
    programs.mkdir()
    for name in PROGRAMS:
        (programs / name).write_text(STUB)
        (programs / name).chmod(0o755)
    (folder / "sub").mkdir()
    shutil.copy(programs / "python", folder / "sub/run.sh")
    shutil.copy(script, folder / "script.sh")
    environment = {"PATH": f"{programs}:{os.environ['PATH']}", "LOG": str(folder / "log"), "HOME": str(folder)}
    code = "RANDOM=7; i=1; . ./script.sh; echo $? $i $CUDA_VISIBLE_DEVICES; wait"
    done = subprocess.run(
        [shell, "-c", code, "x", "5", "6"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    logs = [(folder / f"log.{kind}") for kind in ("cuda", "both")]
    calls, both = ([*log.read_text().splitlines()] if log.exists() else [] for log in logs)
    return sorted(calls), sorted(both), done.returncode, done.stdout


@pytest.mark.parametrize("shell", ["bash", "dash"])
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda p: f"{p.parents[1].name}/{p.name}")
def test_programs_see_what_they_saw(script: Path, shell: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} here")
    before = run(script.parents[1] / "in" / script.name, tmp_path / "before", shell)
    after = run(script, tmp_path / "after", shell)
    assert (before[0], *before[2:]) == (after[0], *after[2:])


@pytest.mark.parametrize("name", ["shell-prefix/train.sh", "hard-51-to-53/train.sh"])
def test_the_platform_gets_the_same_cards(name: str, tmp_path: Path) -> None:
    tree, file = name.split("/")
    _, both, _, _ = run(TREES / tree / "out" / file, tmp_path / "after", "bash")
    assert both
    for line in both:
        platform, cuda = line.split(" ")
        assert platform == cuda
