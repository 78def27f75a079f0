"""What the long checks share: the program, repositories at pinned commits, the corpus of the benchmarks."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools"))

import checkout  # noqa: E402

PROGRAM = os.environ.get("ACCELPORT_PROGRAM", str(ROOT / "build/bin/accelport"))
SKIPPED = 77  # the exit code by which tools/run_tests.py knows a check that could not be made


def skip(reason: str) -> NoReturn:
    """Ends the script: an input cannot be had on this machine."""
    print(f"SKIPPED: {reason}", flush=True)
    sys.exit(SKIPPED)


def finish(problems: list[str]) -> NoReturn:
    """Ends the script: fine if there are no problems."""
    for problem in problems:
        print(f"FAILED: {problem}", flush=True)
    sys.exit(1 if problems else 0)


def audit(folder: Path, *options: str, env: dict[str, str] | None = None) -> bytes:
    """The JSON report of a folder, byte for byte."""
    with tempfile.NamedTemporaryFile(suffix=".json") as output:
        command = [PROGRAM, "audit", str(folder), "--json", "-q", "--fail-on", "none", "-o", output.name, *options]
        subprocess.run(command, check=True, env={**os.environ, **(env or {})})
        return Path(output.name).read_bytes()


def repository(name: str, commit: str) -> Path | None:
    """The files of a commit, or None if neither a mirror nor the network has it."""
    mirror = os.environ.get("ACCELPORT_MIRROR")
    try:
        return checkout.lay_out(name, commit, checkout.CACHE / "files", Path(mirror) if mirror else None)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"SKIPPED: {name} at {commit[:12]} cannot be had: {error}", flush=True)
        return None


def corpus() -> Path:
    """The sources that the benchmarks read; ends the script if they cannot be had."""
    result = subprocess.run(
        ["bash", str(ROOT / "bench/fetch_corpus.sh")], stdout=subprocess.PIPE, text=True, check=False
    )
    if result.returncode != 0:
        skip("the corpus of the benchmarks cannot be had (see bench/fetch_corpus.sh)")
    return Path(result.stdout.strip())
