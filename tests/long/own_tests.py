#!/usr/bin/env python3
"""The ten repositories' own tests and small training runs, on the CPU, before and after their port: every test ends as it
did, every number that is printed is the same. What runs is data: own_tests/checks.toml.

usage: own_tests.py [--only NAME]... [--python PROGRAM]
PROGRAM is a Python in which torch and what the repositories need is installed; what lacks something is skipped, and said."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import xml.etree.ElementTree as ElementTree
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from support import finish, skip
from support.ported import WorkTree, table

HERE = Path(__file__).resolve().parent / "own_tests"
TIMEOUT = 1500
PYTEST = ["-m", "pytest", "-q", "--continue-on-collection-errors", "-p", "no:cacheprovider", "-p", "no:randomly"]


@dataclass(frozen=True)
class Outcome:
    """What a check showed: a value for each test, or the lines that were kept."""

    rows: dict[str, str]
    tail: str

    def counts(self) -> str:
        counts = Counter(self.rows.values())
        if set(counts) <= {"line"}:
            return f"{len(self.rows)} lines"
        return ", ".join(f"{counts[kind]} {kind}" for kind in ("passed", "failed", "skipped") if counts[kind])


def missing(python: str, names: list[str]) -> list[str]:
    code = "import importlib.util as u, sys; print(*[n for n in sys.argv[1:] if u.find_spec(n) is None])"
    result = subprocess.run([python, "-c", code, *names], capture_output=True, text=True, check=True)
    return result.stdout.split()


def environment(check: dict, tree: Path) -> dict[str, str]:
    path = [str(HERE / "site")] if check.get("shim") else []
    path += [str(tree / folder) for folder in check.get("path", [])]
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(path),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "CUDA_VISIBLE_DEVICES": "",
        "PYTHONWARNINGS": "ignore",
        "OMP_NUM_THREADS": "1",
        "HF_HUB_OFFLINE": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        **check.get("environment", {}),
    }


def call(command: list[str], folder: Path, variables: dict[str, str]) -> tuple[int, str]:
    try:
        done = subprocess.run(
            command, cwd=folder, env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace", timeout=TIMEOUT, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        return 124, str(error)
    return done.returncode, done.stdout


def test_outcomes(report: Path) -> dict[str, str]:
    rows: dict[str, str] = {}
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        kinds = {child.tag for child in case}
        kind = "failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"
        key = f"{case.get('classname')}::{case.get('name')}"
        while key in rows:
            key += "'"
        rows[key] = kind
    return rows


def outcome(check: dict, tree: Path, python: str) -> Outcome:
    variables = environment(check, tree)
    if "files" in check:
        code, text = call([python, str(HERE / check["files"])], tree, variables)
        if code != 0:
            raise RuntimeError(f"{check['files']}: {text[-500:]}")
    folder = tree / check.get("folder", ".")
    if "tests" in check:
        report = tree.parent / "junit.xml"
        report.unlink(missing_ok=True)
        code, text = call([python, *PYTEST, f"--junitxml={report}", *check["tests"]], folder, variables)
        if code not in (0, 1, 2) or not report.exists():
            raise RuntimeError(f"pytest ends with {code}: {text[-1500:]}")
        return Outcome(test_outcomes(report), text[-1500:])
    code, text = call([python, *check["command"]], folder, variables)
    if code != 0:
        raise RuntimeError(f"exit code {code}: {text[-1500:]}")
    kept = [line for line in text.splitlines() if re.search(check["keep"], line)]
    drop = check.get("drop", r"(?!)")
    lines = [f"{number}: {re.sub(drop, '', line)}" for number, line in enumerate(kept)]
    return Outcome(dict.fromkeys(lines, "line"), text[-1500:])


def run_check(check: dict, commit: str, python: str) -> tuple[str, list[str]]:
    """The row of the table, and what is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        tree = WorkTree.of(check["repository"], commit, Path(folder) / "tree")
        if tree is None:
            return "cannot be had", []
        before = outcome(check, tree.root, python)
        tree.git("clean", "-fdxq")
        tree.git("checkout", "-q", ".")
        tree.port("--write")
        after = outcome(check, tree.root, python)
    if not before.rows:
        return "nothing", [f"{check['repository']}, {check['name']}: nothing was tested: {before.tail}"]
    differ = sorted(
        f"{key} was {before.rows.get(key, 'not there')}, is {after.rows.get(key, 'not there')}"
        for key in {*before.rows, *after.rows}
        if before.rows.get(key) != after.rows.get(key)
    )
    row = f"{before.counts()} | {after.counts()} | {len(differ)}"
    return row, [f"{check['repository']}, {check['name']}: {text}" for text in differ[:20]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", default=[], help="a part of the repository's or the check's name")
    parser.add_argument("--python", default=os.environ.get("ACCELPORT_OWN_TESTS_PYTHON", sys.executable))
    arguments = parser.parse_args()
    commits = dict(table())
    checks = tomllib.loads((HERE / "checks.toml").read_text())["check"]
    problems: list[str] = []
    done = 0
    print("| repository | check | before | after | differences |\n|---|---|---|---|--:|", flush=True)
    for check in checks:
        title = f"{check['repository']} | {check['name']}"
        if arguments.only and not any(part in title for part in arguments.only):
            continue
        if lacking := missing(arguments.python, check["needs"]):
            print(f"| {title} | SKIPPED: {', '.join(lacking)} not installed | | |", flush=True)
            continue
        try:
            row, found = run_check(check, commits[check["repository"]], arguments.python)
            done += 1
        except (RuntimeError, OSError, subprocess.CalledProcessError) as error:
            row, found = "could not be run | |", [f"{title}: {error}"]
        print(f"| {title} | {row} |", flush=True)
        problems += found
    if done == 0 and not problems:
        skip("nothing of what the repositories need is installed")
    finish(problems)


if __name__ == "__main__":
    main()
