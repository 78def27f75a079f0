#!/usr/bin/env python3
"""The program itself under kill -9: `port --write` and `port --revert` of a tree of 60 files are killed at moments drawn by
chance until 200 of each died while they ran; the next `port` must leave the whole port or none of it. A kill counts as one
in the middle if it left files of both kinds, or a journal that is not settled."""

from __future__ import annotations

import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from support import PROGRAM

KILLS = 200
TEXT = "import torch\n\nx = torch.zeros(1).cuda()\nd = 'cuda'\n"


def contents(tree: Path) -> dict[str, bytes]:
    files = (p for p in tree.rglob("*") if p.is_file() and ".accelport" not in p.parts)
    return {str(p.relative_to(tree)): p.read_bytes() for p in files}


def command(tree: Path, *arguments: str) -> list[str]:
    return [str(PROGRAM), "port", str(tree), "--to", "musa", "--quiet", "-o", "/dev/null", *arguments]


def port(tree: Path, *arguments: str) -> int:
    return subprocess.run(command(tree, *arguments), capture_output=True, check=False).returncode


def changes_begun(tree: Path, known: set[str]) -> bool:
    """Whether the journal has a port that was not there before, or one whose state has changed."""
    return {str(p) for p in (tree / ".accelport/journal").glob("*/*")} != known


def killed(tree: Path, arguments: list[str], moment: float, *, from_journal: bool) -> bool:
    """Whether the run was still there to be killed, `moment` after its start or after its first word in the journal."""
    known = {str(p) for p in (tree / ".accelport/journal").glob("*/*")}
    with subprocess.Popen(command(tree, *arguments), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while from_journal and process.poll() is None and not changes_begun(tree, known):
            pass
        time.sleep(moment)
        process.kill()
    return process.returncode == -signal.SIGKILL


def durations(start: Path, arguments: list[str], folder: Path) -> tuple[float, float]:
    """Seconds of a whole run, and of what comes behind its first word in the journal."""
    whole, journal = [], []
    for number in range(5):
        tree = folder / f"timed{number}"
        shutil.copytree(start, tree)
        known = {str(p) for p in (tree / ".accelport/journal").glob("*/*")}
        began = first = time.monotonic()
        with subprocess.Popen(command(tree, *arguments), stdout=subprocess.DEVNULL) as process:
            while process.poll() is None and not changes_begun(tree, known):
                first = time.monotonic()
        whole.append(time.monotonic() - began)
        journal.append(time.monotonic() - first)
        shutil.rmtree(tree)
    return statistics.median(whole), statistics.median(journal)


@dataclass
class Count:
    runs: int = 0
    died: int = 0
    middle: int = 0
    half: int = 0


def attack(original: Path, ported: Path, arguments: list[str], start: Path, folder: Path) -> Count:
    before, after = contents(original), contents(ported)
    whole, journal = durations(start, arguments, folder)
    rng = random.Random(f"4 {arguments}")
    count = Count()
    while count.died < KILLS and count.runs < 10 * KILLS:
        tree = folder / f"{arguments[0]}{count.runs}"
        shutil.copytree(start, tree)
        count.runs += 1
        late = bool(count.runs % 2)  # every other one only once it has begun to change something
        if killed(tree, arguments, rng.uniform(0, journal if late else whole), from_journal=late):
            count.died += 1
            states = {p.name for p in (tree / ".accelport/journal").glob("*/*")}
            count.middle += bool(states & {"apply", "undo"}) or contents(tree) not in (before, after)
            port(tree)
            count.half += contents(tree) not in (before, after)
        shutil.rmtree(tree)
    return count


def main() -> int:
    bad = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        original, ported = folder / "original", folder / "ported"
        for number in range(60):
            file = original / f"d{number % 5}" / f"f{number}.py"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(TEXT * (number + 1))
        shutil.copytree(original, ported)
        port(ported, "--write")
        for arguments, start in ((["--write"], original), (["--revert"], ported)):
            count = attack(original, ported, arguments, start, folder)
            print(f"{arguments[0]}: {count.runs} runs, {count.died} died, {count.middle} of them in the middle, "
                  f"{count.half} left a half port", flush=True)  # fmt: skip
            bad += count.half + (count.died < KILLS)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
