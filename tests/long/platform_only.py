#!/usr/bin/env python3
"""The examples and programs of the ten repositories where only a platform's card is there: ported, they make no call of
torch.cuda, but for a question that the port leaves in front of a tool of NVIDIA's own; as they were, they do.

The torch is real, the card is made up (platform_only/card.py): real numbers are computed. What runs is data:
platform_only/programs.toml.

usage: platform_only.py [--only NAME]... [--python PROGRAM]"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import tomllib
from collections import Counter
from pathlib import Path

from own_tests import HERE as OWN_TESTS
from own_tests import call, environment, missing
from support import ROOT, finish, skip
from support.ported import PLATFORM, WorkTree, table

HERE = Path(__file__).resolve().parent / "platform_only"
GUARD = "guards a tool"
QUESTION = "torch.cuda.is_available"


def profile() -> dict:
    return tomllib.loads((ROOT / f"data/platforms/{PLATFORM}/profile.toml").read_text())["torch"]


def work_tree(program: dict, target: Path) -> WorkTree | None:
    if "tree" in program:
        return WorkTree.copied(ROOT / program["tree"], target)
    return WorkTree.of(program["repository"], dict(table())[program["repository"]], target)


def calls(program: dict, tree: WorkTree, python: str) -> tuple[Counter[str], str]:
    """The calls of torch.cuda, and what went wrong."""
    folder = tree.root / program.get("folder", ".")
    variables = environment({**program, "shim": True}, tree.root)
    if "files" in program:
        call([python, str(OWN_TESTS / program["files"])], tree.root, variables)
    if "script" in program:
        shutil.copy(HERE / program["script"], folder)
    log = tree.root.parent / "calls.txt"
    log.unlink(missing_ok=True)
    names = [str(log), profile()["device_type"], profile()["import"]]
    code, text = call([python, str(HERE / "card.py"), *names, *program["command"]], folder, variables)
    found = Counter(log.read_text().splitlines() if log.exists() else [])
    return found, "" if code == 0 else f"exit code {code}: {text[-1200:]}"


def check(program: dict, python: str, target: Path) -> tuple[str, list[str]]:
    title = f"{program.get('tree') or program['repository']} {program['command'][0]}"
    tree = work_tree(program, target)
    if tree is None:
        return f"| {title} | cannot be had | | |", []
    before, _ = calls(program, tree, python)
    tree.git("clean", "-fdxq")
    plan = tree.port("--write")
    guards = {u["path"] for u in plan["unchanged"] if GUARD in u["reason"]}
    after, problem = calls(program, tree, python)
    asked = sum(
        n for place, n in after.items() if place.startswith(QUESTION) and place.split(" at ")[1].split(":")[0] in guards
    )
    wrong = {
        place: n
        for place, n in after.items()
        if not (place.startswith(QUESTION) and place.split(" at ")[1].split(":")[0] in guards)
    }
    problems = [f"{title}: {problem}"] if problem else []
    problems += [f"{title}: {n} x {place}" for place, n in wrong.items()]
    if not before:
        problems.append(f"{title}: as it was it made no call of torch.cuda, so this shows nothing")
    row = (
        f"| {title} | {sum(before.values())} | {sum(wrong.values())} | {asked} | {'runs' if not problem else 'fails'} |"
    )
    return row, problems


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", default=[], help="a part of the tree's or repository's name")
    parser.add_argument("--python", default=os.environ.get("ACCELPORT_OWN_TESTS_PYTHON", sys.executable))
    arguments = parser.parse_args()
    problems: list[str] = []
    done = 0
    print(
        "| program | torch.cuda calls as it was | ported | guards of NVIDIA's tools | |\n|---|--:|--:|--:|---|",
        flush=True,
    )
    for program in tomllib.loads((HERE / "programs.toml").read_text())["program"]:
        title = program.get("tree") or program["repository"]
        if arguments.only and not any(part in title for part in arguments.only):
            continue
        if lacking := missing(arguments.python, program["needs"]):
            print(f"| {title} | SKIPPED: {', '.join(lacking)} not installed | | | |", flush=True)
            continue
        with tempfile.TemporaryDirectory() as folder:
            row, found = check(program, arguments.python, Path(folder) / "tree")
        print(row, flush=True)
        problems += found
        done += 1
    if done == 0:
        skip("torch and what the programs need is not installed")
    finish(problems)


if __name__ == "__main__":
    main()
