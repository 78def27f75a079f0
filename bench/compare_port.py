#!/usr/bin/env python3
"""How fast a port is written, audit included, beside the vendor's converter on the same files in one run.

usage: compare_port.py CORPUS [--runs 5] [--peer-seconds 60]

Every run ports a fresh copy of the corpus, in memory (/dev/shm) where there is room, outside of git, with `port --write`:
from the start of the program to its end. Wall time depends on what else the machine does, so the best run, the median, the
processor time and the load are shown. The peer is musa-converter of torch_musa, which replaces words in LibCST's trees and
writes the file; it converts a random sample in its time, one file after the other as it does itself, without its start and
its progress bar. We then port the same files, start and audit included
(the best of three runs).
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import checkout  # noqa: E402

PROGRAM = os.environ.get("ACCELPORT_PROGRAM", str(ROOT / "build/bin/accelport"))
PEER = ("MooreThreads/torch_musa", "8b583b3f2fd0d9d3d9e74b9ec588a25d8bed1a30", "torch_musa/utils/musa_converter.py")
SAMPLE_RUNS = 3
WRITES = ["--to", "musa", "--write", "--quiet", "--output", os.devnull]

# Converts the files named on standard input until the time is up; prints what was done as JSON.
DRIVER = """
import json, sys, time
from argparse import Namespace
import musa_converter
converter = musa_converter.AdvancedMUSAConverter(Namespace(root_path=".", launch_path="-", excluded_path=[]))
done, failed, start, cpu = 0, 0, time.perf_counter(), time.process_time()
for file in sys.stdin.read().splitlines():
    if time.perf_counter() - start > float(sys.argv[1]):
        break
    done += 1
    try:
        converter.convert_file(file)
    except Exception:
        failed += 1
print(json.dumps({"done": done, "failed": failed, "wall": time.perf_counter() - start, "cpu": time.process_time() - cpu}))
"""


@dataclass(frozen=True)
class Time:
    wall: float
    cpu: float


def port(tree: Path) -> Time:
    """The time of one `port --write`."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    code = subprocess.run([PROGRAM, "port", str(tree), *WRITES], stderr=subprocess.PIPE, check=False).returncode
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if code not in (0, 1) or not (tree / ".accelport/decisions.jsonl").exists():
        raise RuntimeError(f"the port gave {code}")
    return Time(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def room(corpus: Path) -> Path | None:
    """A folder in memory with room for a copy and its journal; None means the disk."""
    memory = Path("/dev/shm")
    size = sum(file.stat().st_size for file in corpus.rglob("*") if file.is_file())
    return memory if os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 2 * size else None


def line_count(files: list[Path]) -> int:
    return sum(file.read_bytes().count(b"\n") for file in files)


def peer_source(folder: Path) -> bool:
    """Lays the peer's one file into `folder`, with a stand-in for its progress bar."""
    name, commit, path = PEER
    mirror = os.environ.get("ACCELPORT_MIRROR")
    try:
        git_dir = checkout.find_repository(name, Path(mirror) if mirror else None)
        (folder / "musa_converter.py").write_bytes(checkout.git(git_dir, "cat-file", "blob", f"{commit}:{path}"))
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"peer: {name} cannot be had, not compared: {error}")
        return False
    (folder / "tqdm.py").write_text("def tqdm(items):\n    return items\n")
    return True


def compare_with_peer(corpus: Path, seconds: float, where: Path | None) -> None:
    with tempfile.TemporaryDirectory(dir=where) as name:
        folder = Path(name)
        if not peer_source(folder):
            return
        if subprocess.run([sys.executable, "-c", "import libcst"], stderr=subprocess.DEVNULL, check=False).returncode:
            print("peer: LibCST is not installed (pip install libcst): not compared")
            return
        files = sorted(corpus.rglob("*.py"))
        random.Random(1).shuffle(files)
        theirs = folder / "theirs"
        shutil.copytree(corpus, theirs, symlinks=True)
        names = "".join(f"{theirs / file.relative_to(corpus)}\n" for file in files)
        command = [sys.executable, "-c", DRIVER, str(seconds)]
        environment = {**os.environ, "PYTHONPATH": str(folder)}
        out = subprocess.run(
            command,
            input=names,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            check=True,
        )
        peer = json.loads(out.stdout)
        sample = files[: peer["done"]]
        times = []
        for number in range(SAMPLE_RUNS):
            ours = folder / f"ours{number}"
            for file in sample:
                target = ours / file.relative_to(corpus)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, target)
            times.append(port(ours))
        best, lines = min(times, key=lambda t: t.wall), line_count(sample)
        print(f"sample: {len(sample)} files, {lines} lines, the same for both")
        print(
            f"peer: musa-converter {lines / peer['wall']:.0f} lines/s, {peer['cpu']:.1f} s of processor time; it failed on {peer['failed']} files"
        )
        print(f"ours: {lines / best.wall:.0f} lines/s with its start, {best.cpu:.2f} s of processor time")
        print(
            f"x musa-converter: {peer['wall'] / best.wall:.0f} by wall time, {peer['cpu'] / best.cpu:.0f} by processor time"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--peer-seconds", type=float, default=60)
    arguments = parser.parse_args()
    where = room(arguments.corpus)
    files = [file for file in arguments.corpus.rglob("*") if file.is_file()]
    lines, times = line_count(files), []
    print(f"corpus: {len(files)} files, {lines} lines; copies {'in memory' if where else 'on the disk'}")
    for _ in range(arguments.runs):
        with tempfile.TemporaryDirectory(dir=where) as name:
            copy = Path(name) / "tree"
            shutil.copytree(arguments.corpus, copy, symlinks=True)
            times.append(port(copy))
    best, middle = min(t.wall for t in times), statistics.median(t.wall for t in times)
    print(
        f"audit, plan and write: best {best:.2f} s, {lines / best / 1e6:.2f} million lines/s; median of {len(times)} {middle:.2f} s, {lines / middle / 1e6:.2f}"
    )
    print(
        f"processor time: {min(t.cpu for t in times):.2f} s at best; load of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"
    )
    compare_with_peer(arguments.corpus, arguments.peer_seconds, where)


if __name__ == "__main__":
    main()
