#!/usr/bin/env python3
"""Ten public repositories: every hit that grep counts lies in an occurrence, every file is scanned or skipped, and the
report does not depend on threads or on the order in which files are listed."""

from __future__ import annotations

import base64
import json
import os
import random
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from support import PROGRAM, audit, finish, repository, skip

TABLE = Path(__file__).with_name("repositories.tsv")
LINE = "{:<28} {:<12} {:>7} {:>7} {:>9} {:>11} {:>9} {:>9}  {}"
SMALL_ARGUMENTS = 200  # files for one grep: far below what a command line may hold


@dataclass(frozen=True)
class Tree:
    """What the file system and grep say about a folder, without our program."""

    root: Path
    files: dict[bytes, int]  # path below the root: bytes

    @staticmethod
    def of(root: Path) -> Tree:
        listed = subprocess.run(
            ["find", ".", "-type", "f", "-printf", r"%P\t%s\0"], cwd=root, stdout=subprocess.PIPE, check=True
        ).stdout
        rows = [row.rsplit(b"\t", 1) for row in listed.split(b"\0") if row]
        return Tree(root, {path: int(size) for path, size in rows})

    def without(self, skipped: set[bytes]) -> Tree:
        folders = tuple(path for path in skipped if path.endswith(b"/"))
        kept = {p: s for p, s in self.files.items() if p not in skipped and not p.startswith(folders or (b"\0",))}
        return Tree(self.root, kept)

    def count(self, term: str) -> int:
        paths = [b"./" + path for path in sorted(self.files)]
        command = ["grep", "-o", "-a", "-i", "-F", "-h", "-e", term, "--"]
        total = 0
        for begin in range(0, len(paths), SMALL_ARGUMENTS):
            batch = [*command, *paths[begin : begin + SMALL_ARGUMENTS]]
            out = subprocess.run(batch, cwd=self.root, env={"LC_ALL": "C"}, stdout=subprocess.PIPE, check=False).stdout
            total += out.count(b"\n")
        return total


def path_bytes(path: str | dict[str, str]) -> bytes:
    if isinstance(path, str):
        return path.encode()
    return base64.b64decode(path["bytes"])


def shuffled_copy(tree: Tree, target: Path) -> Path:
    """The same files written in another order: memory file systems list the newest entry first."""
    paths = sorted(tree.files)
    random.Random(20).shuffle(paths)
    for path in paths:
        place = Path(os.fsdecode(os.path.join(os.fsencode(target), path)))  # noqa: PTH118 (bytes)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(os.path.join(os.fsencode(tree.root), path), os.fsencode(place))  # noqa: PTH118 (bytes)
    return target


def check(name: str, commit: str, folder: Path) -> tuple[str, list[str]]:
    tree = Tree.of(folder)
    problems = []
    one = audit(folder, "--jobs", "1")
    report = json.loads(one)
    if audit(folder, "--jobs", "2") != one:
        problems.append(f"{name}: two threads give another report than one")
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as copy:
        if audit(shuffled_copy(tree, Path(copy)), "--jobs", "2") != one:
            problems.append(f"{name}: another order of the files gives another report")

    skipped = {path_bytes(row["path"]) for row in report["files"]["skipped"]}
    scanned = tree.without(skipped)
    if len(scanned.files) != report["files"]["scanned"]:
        problems.append(
            f"{name}: find has {len(scanned.files)} files that are not skipped, {report['files']['scanned']} were scanned"
        )
    if sum(scanned.files.values()) != report["files"]["bytes"]:
        problems.append(f"{name}: the bytes of the scanned files differ")
    counts = {row["term"]: scanned.count(row["term"]) for row in report["terms"]}
    for row in report["terms"]:
        if row["hits"] != counts[row["term"]]:
            problems.append(f"{name}: {row['term']}: {row['hits']} hits, grep counts {counts[row['term']]}")
    hits, grep = sum(row["hits"] for row in report["terms"]), sum(counts.values())
    result = subprocess.run([PROGRAM, "audit", str(folder), "--reconcile"], capture_output=True, text=True, check=False)
    if result.returncode not in (0, 1) or "the totals are equal" not in result.stdout:
        problems.append(f"{name}: --reconcile gives {result.returncode}: {result.stderr[:300]}")
    row = LINE.format(
        name, commit[:12], report["files"]["scanned"], len(tree.files) - len(scanned.files), report["files"]["lines"],
        report["summary"]["occurrences"], hits, grep, "WRONG" if problems else "equal",
    )  # fmt: skip
    return row, problems


def main() -> None:
    print(LINE.format("repository", "commit", "scanned", "skipped", "lines", "occurrences", "hits", "grep", "totals"))
    problems: list[str] = []
    checked = 0
    for name, commit in (row.split("\t") for row in TABLE.read_text().splitlines()[1:]):
        folder = repository(name, commit)
        if folder is None:
            continue
        row, found = check(name, commit, folder)
        print(row, flush=True)
        problems += found
        checked += 1
    if checked == 0:
        skip("none of the repositories can be had: no network, and ACCELPORT_MIRROR names no mirror")
    finish(problems)


if __name__ == "__main__":
    main()
