#!/usr/bin/env python3
"""How fast and how large an audit is, beside ripgrep and a name-resolving peer, in one run.

usage: compare_audit.py CORPUS [--pairs 7] [--peer-seconds 120]

Audit and ripgrep run in turn over the same files with a warm page cache; the figures are medians of the paired ratios of
wall time. ripgrep counts the same terms (`--count-matches -F`), once as they are spelled and once ignoring case, which is what
the audit does. The peer is TorchFix (LibCST with qualified names), on as many of the files as it reads in its time.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("ACCELPORT_PROGRAM", str(ROOT / "build/bin/accelport"))


def timed(command: list[str]) -> float:
    """Wall seconds of a command whose output is thrown away; its exit code must be 0 or 1."""
    start = time.perf_counter()
    code = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False).returncode
    seconds = time.perf_counter() - start
    if code not in (0, 1):
        raise RuntimeError(f"{command[0]} gave {code}")
    return seconds


def peak_megabytes(command: list[str]) -> float:
    """Largest resident set of a command, in MB."""
    script = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    out = subprocess.run([sys.executable, "-c", script, *command], capture_output=True, text=True, check=True).stdout
    return int(out) / 1024


def terms_of(report: dict) -> list[str]:
    return [row["term"] for row in report["terms"]]


def line_count(files: list[Path]) -> int:
    return sum(file.read_bytes().count(b"\n") for file in files)


def peer_speed(corpus: Path, seconds: float) -> float | None:
    """Lines a second of TorchFix on a random sample of files that name cuda, or None if it is not installed."""
    peer = Path(sys.executable).parent / "torchfix"
    if not peer.exists():
        return None
    files = [file for file in sorted(corpus.rglob("*.py")) if b"cuda" in file.read_bytes()]
    random.Random(1).shuffle(files)
    done, start = 0, time.perf_counter()
    with tempfile.TemporaryDirectory() as empty:
        for begin in range(0, len(files), 8):
            batch = files[begin : begin + 8]
            command = [str(peer), "--select", "ALL", *map(str, batch)]
            subprocess.run(command, cwd=empty, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            done += line_count(batch)
            if time.perf_counter() - start > seconds:
                break
    return done / (time.perf_counter() - start)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--peer-seconds", type=float, default=60)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "audit.json"
        audit = [PROGRAM, "audit", str(arguments.corpus), "-q", "--json", "--fail-on", "none", "-o", str(output)]
        subprocess.run(audit, check=True)
        report = json.loads(output.read_text(encoding="utf-8"))
        patterns = Path(folder) / "terms.txt"
        patterns.write_text("".join(f"{term}\n" for term in terms_of(report)))
        search = ["rg", "--count-matches", "--no-ignore", "--hidden", "-F", "-f", str(patterns), str(arguments.corpus)]
        folded = [*search[:2], "-i", *search[2:]]
        timed(search)
        rows = [(timed(audit), timed(search), timed(folded)) for _ in range(arguments.pairs)]
        lines = report["files"]["lines"]
        wall = statistics.median(row[0] for row in rows)
        print(f"corpus: {report['files']['scanned']} files, {lines} lines, {report['files']['bytes'] / 1e6:.0f} MB")
        print(f"found: {report['summary']['occurrences']} occurrences; {output.stat().st_size / 1e6:.0f} MB of JSON")
        print(f"audit: {wall:.3f} s (median of {arguments.pairs}), {lines / wall / 1e6:.2f} million lines/s")
        print(
            f"x rg --count-matches:    {statistics.median(a / s for a, s, _ in rows):.2f}  (rg {statistics.median(s for _, s, _ in rows):.3f} s)"
        )
        print(
            f"x rg --count-matches -i: {statistics.median(a / f for a, _, f in rows):.2f}  (rg {statistics.median(f for _, _, f in rows):.3f} s)"
        )
        print(f"peak memory: {peak_megabytes(audit):.0f} MB")
        speed = peer_speed(arguments.corpus, arguments.peer_seconds)
        if speed is None:
            print("peer: TorchFix is not installed (pip install torchfix): not compared")
        else:
            print(f"peer: TorchFix {speed:.0f} lines/s, so the audit is {lines / wall / speed:.0f} x")


if __name__ == "__main__":
    main()
