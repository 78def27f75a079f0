#!/usr/bin/env python3
"""`port --write` and `port --revert` where the disk is full, for more and more free room, and where nothing may be written:
a clear error, and every byte is as it was; with room enough again, the same call does its work. Needs the right to mount."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support import PROGRAM, skip

SIZE = 16 << 20
TEXT = "import torch\n\nx = torch.zeros(1).cuda()\nd = 'cuda'\n"


@contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        skip("a small file system cannot be mounted here (root is needed)")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def contents(tree: Path) -> dict[str, str]:
    files = (p for p in tree.rglob("*") if p.is_file() and ".accelport" not in p.parts)
    return {str(p.relative_to(tree)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


def port(tree: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(PROGRAM), "port", str(tree), "--to", "musa", "--quiet", "-o", "/dev/null", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def make_tree(tree: Path) -> None:
    for number in range(60):
        file = tree / f"d{number % 5}" / f"f{number}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(TEXT * (number + 1))


def fill(disk: Path, leave: int) -> Path:
    """Fills the disk but for `leave` bytes."""
    filler = disk / "filler"
    free = shutil.disk_usage(disk).free
    filler.write_bytes(b"\0" * max(0, free - leave))
    return filler


def with_little_room(disk: Path, start: Path, arguments: list[str], leave: int) -> tuple[str, list[str]]:
    """How the call ended, and what was wrong with that."""
    tree = disk / "tree"
    shutil.copytree(start, tree)
    before = contents(tree)
    filler = fill(disk, leave)
    result = port(tree, *arguments)
    filler.unlink()
    done = contents(tree) != before
    where = f"{' '.join(arguments)} with {leave} bytes free"
    problems = []
    if result.returncode in (0, 1):
        if not done:
            problems.append(f"{where}: exit code {result.returncode}, and nothing has changed")
    else:
        if "No space left" not in result.stderr:
            problems.append(f"{where}: the error does not say what is wrong: {result.stderr.strip()}")
        if done:
            problems.append(f"{where}: failed with changes")
        if port(tree, *arguments).returncode not in (0, 1) or contents(tree) == before:
            problems.append(f"{where}: does not work with room enough either")
    shutil.rmtree(tree)
    return ("done" if result.returncode in (0, 1) else "refused"), problems


def without_rights(disk: Path, start: Path, arguments: list[str]) -> list[str]:
    tree = disk / "tree"
    shutil.copytree(start, tree)
    before = contents(tree)
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    result = port(tree, *arguments)
    subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)
    problems = []
    if result.returncode in (0, 1) or "Read-only file system" not in result.stderr:
        problems.append(f"{arguments} on a read-only disk: exit code {result.returncode}: {result.stderr.strip()}")
    if contents(tree) != before:
        problems.append(f"{arguments} on a read-only disk: changes")
    shutil.rmtree(tree)
    return problems


def main() -> int:
    problems: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        disk, original, ported = folder / "disk", folder / "original", folder / "ported"
        disk.mkdir()
        make_tree(original)
        shutil.copytree(original, ported)
        port(ported, "--write")
        with small_disk(disk):
            for arguments, start in ((["--write"], original), (["--revert"], ported)):
                ends: list[str] = []
                for leave in range(0, 4 << 20, 64 << 10):
                    end, wrong = with_little_room(disk, start, arguments, leave)
                    ends.append(end)
                    problems += wrong
                if "done" not in ends:
                    problems.append(f"{arguments[0]}: refused with {4 << 20} bytes free, too")
                problems += without_rights(disk, start, arguments)
                print(f"{arguments[0]}: {len(ends)} sizes, {ends.count('refused')} refused, {ends.count('done')} done",
                      flush=True)  # fmt: skip
    for problem in problems:
        print(f"FAILED: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
