#!/usr/bin/env python3
"""Prints the shape of the code and fails where it leaves the bar.

The bar: no file over 700 lines, no function over 80. To aim at: files of 150 lines in the median
and 400 in nine of ten, functions of 8 and 30. Function lengths come from universal-ctags.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MAX_FILE_LINES = 700
MAX_FUNCTION_LINES = 80
WORST = 5
# Groups are judged apart so that small tests do not hide large sources.
GROUPS = {
    "src": ["src/*/*.cc", "src/*/*.h", "runtime/**/*.cc", "runtime/**/*.h"],
    "tests": ["src/*/*_test.cc", "tests/*.cc", "tests/*.h", "fuzz/*.cc", "bench/*.cc"],
    "python": [
        "python/**/*.py",
        "tools/*.py",
        "tests/*.py",
        "tests/*/test_*.py",
        "tests/long/*.py",
    ],
}

Sized = tuple[int, str]


def files_of(group: str) -> list[Path]:
    found = {path for pattern in GROUPS[group] for path in ROOT.glob(pattern)}
    if group == "src":
        found = {path for path in found if not path.name.endswith("_test.cc")}
    return sorted(found)


def functions_of(files: list[Path]) -> list[Sized]:
    command = ["ctags", "--output-format=json", "--fields=+ne", "--languages=C++,Python"]
    # Headers would be taken for C, whose parser knows no methods.
    command += ["--map-C++=+.h", "--kinds-C++=f", "--kinds-Python=fm", "-L", "-", "-f", "-"]
    names = "".join(f"{path.relative_to(ROOT)}\n" for path in files)
    out = subprocess.run(command, input=names, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    functions = []
    for line in out.splitlines():
        tag = json.loads(line)
        if "end" in tag:
            where = f"{tag['path']}:{tag['line']} {tag['name']}"
            functions.append((tag["end"] - tag["line"] + 1, where))
    return functions


def row(title: str, sizes: list[Sized]) -> str:
    lengths = sorted(size for size, _ in sizes) or [0]
    median = lengths[len(lengths) // 2]
    ninth = lengths[len(lengths) * 9 // 10]
    return f"{title:17} {len(sizes):5} of {sum(lengths):6} lines: median {median}, 90 % {ninth}, longest {lengths[-1]}"


def worst(sizes: list[Sized]) -> list[str]:
    return [f"    {size:5}  {where}" for size, where in sorted(sizes, reverse=True)[:WORST]]


def main() -> int:
    if not shutil.which("ctags"):
        print("shape: needs universal-ctags (tools/setup.sh installs it)")
        return 2
    failures = []
    for group in GROUPS:
        paths = files_of(group)
        files = [(len(path.read_bytes().splitlines()), path.relative_to(ROOT).as_posix()) for path in paths]
        functions = functions_of(paths)
        print(row(f"{group} files", files), *worst(files), sep="\n")
        print(row(f"{group} functions", functions), *worst(functions), sep="\n")
        failures += [f"{w}: {n} lines in a file" for n, w in files if n > MAX_FILE_LINES]
        failures += [f"{w}: {n} lines in a function" for n, w in functions if n > MAX_FUNCTION_LINES]
    print("\n".join([*failures, f"shape: {len(failures)} problems"]))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
