#!/usr/bin/env python3
"""The program itself under kill -9: `port --write` and `port --revert` of a tree of 60 files die after more and more time,
200 times each; the next `port` must leave the whole port or none of it."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from support import PROGRAM

KILLS = 200
TEXT = "import torch\n\nx = torch.zeros(1).cuda()\nd = 'cuda'\n"


def contents(tree: Path) -> dict[str, bytes]:
    files = (p for p in tree.rglob("*") if p.is_file() and ".accelport" not in p.parts)
    return {str(p.relative_to(tree)): p.read_bytes() for p in files}


def port(tree: Path, *arguments: str, limit: float | None = None) -> int:
    command = [str(PROGRAM), "port", str(tree), "--to", "musa", "--quiet", "-o", "/dev/null", *arguments]
    if limit is not None:
        command = ["timeout", "-s", "KILL", f"{limit:.4f}", *command]
    return subprocess.run(command, capture_output=True, check=False).returncode


def attack(original: Path, ported: Path, arguments: list[str], start: Path, folder: Path) -> tuple[int, int]:
    """How many runs died, and how many left a half port."""
    before, after = contents(original), contents(ported)
    began = time.monotonic()
    shutil.copytree(start, folder / "timed")
    port(folder / "timed", *arguments)
    whole = time.monotonic() - began
    died = half = 0
    for number in range(KILLS):
        tree = folder / f"{arguments[0]}{number}"
        shutil.copytree(start, tree)
        died += port(tree, *arguments, limit=whole * 1.2 * (number + 1) / KILLS) not in (0, 1)
        port(tree)
        half += contents(tree) not in (before, after)
        shutil.rmtree(tree)
    shutil.rmtree(folder / "timed")
    return died, half


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
            died, half = attack(original, ported, arguments, start, folder)
            print(f"{arguments[0]}: {KILLS} runs, {died} died, {half} left a half port")
            bad += half
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
