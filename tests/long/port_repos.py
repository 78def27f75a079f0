#!/usr/bin/env python3
"""Ten public repositories, ported: how much of their Python is rewritten and what is left for which reason; every file that
could be parsed can be parsed afterwards; `prove` finds CUDA unchanged; a second run changes nothing; `--revert` gives every
byte back. The table is Markdown.

usage: port_repos.py [--only NAME]... [--reasons] [--keep FOLDER]
"""

from __future__ import annotations

import argparse
import ast
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from support import finish, skip
from support.ported import WorkTree, table

SHARE = 0.90  # of the Python occurrences that are to be changed
TO_CHANGE = ("abstract", "replace")
# What prove cannot call identical, and why that is so; anything else is a failure.
UNDERSTOOD: dict[tuple[str, str], str] = {}
HEAD = (
    "| repository | commit | Python occurrences to change | rewritten | share | left, with a reason | edits | files "
    "| lines + / - | parse | prove: identical / not | again | reverted |"
)
RULE = "|---|---|--:|--:|--:|--:|--:|--:|--:|---|---|---|---|"


@dataclass
class Row:
    name: str
    commit: str
    to_change: int = 0
    rewritten: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    left: list[dict] = field(default_factory=list)
    edits: int = 0
    files: int = 0
    added: int = 0
    removed: int = 0
    parsed: int = 0
    not_parsed: int = 0
    identical: int = 0
    excepted: list[str] = field(default_factory=list)
    again: bool = False
    reverted: bool = False
    problems: list[str] = field(default_factory=list)

    @property
    def share(self) -> float:
        return self.rewritten / self.to_change if self.to_change else 1.0

    def problem(self, text: str) -> None:
        self.problems.append(f"{self.name}: {text}")

    def markdown(self) -> str:
        parse = f"{self.parsed}" if not self.not_parsed else f"{self.parsed}, **{self.not_parsed} not**"
        cells = [
            self.name, self.commit[:8], self.to_change, self.rewritten, f"{self.share:.1%}", sum(self.reasons.values()),
            self.edits, self.files, f"+{self.added} -{self.removed}", parse, f"{self.identical} / {len(self.excepted)}",
            "nothing" if self.again else "**changes**", "equal" if self.reverted else "**differs**",
        ]  # fmt: skip
        return "| " + " | ".join(map(str, cells)) + " |"


def is_python(path: object) -> bool:
    return isinstance(path, str) and path.endswith((".py", ".pyi"))


def parses(path: Path) -> bool:
    """By the Python that the file is for: this one, or else the grammar of Python 2."""
    data = path.read_bytes()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(data, str(path), "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
        return True
    except (SyntaxError, ValueError):
        return parses_as_python_2(data)


def parses_as_python_2(data: bytes) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from lib2to3 import pgen2, pygram, pytree
            from lib2to3.pgen2 import driver
    except ImportError:
        return False
    try:
        text = data.decode("utf-8", "surrogateescape")
        driver.Driver(pygram.python_grammar, convert=pytree.convert).parse_string(text + "\n")
        return True
    except (pgen2.parse.ParseError, pgen2.tokenize.TokenError, IndentationError):
        return False


def count_occurrences(row: Row, audited: dict, plan: dict) -> None:
    """Each occurrence that is to be changed is settled by an edit or left with a reason, not both, not neither."""
    wanted = {
        o["id"]: o for o in audited["occurrences"] if is_python(o["path"]) and o["decision"] in TO_CHANGE
    }  # fmt: skip
    settled = {key for file in plan["files"] for edit in file["edits"] for key in edit["ids"]}
    left = {u["id"]: u for u in plan["unchanged"]}
    row.to_change = len(wanted)
    row.rewritten = sum(key in settled for key in wanted)
    for key, occurrence in wanted.items():
        place = f"{occurrence['path']}:{occurrence['line']}"
        if key in settled and key in left:
            row.problem(f"{place} is settled and left")
        if key in settled:
            continue
        reason = left.get(key, {}).get("reason", "")
        if not reason:
            row.problem(f"{place} {occurrence['text']!r} is neither rewritten nor left with a reason")
            continue
        row.reasons[reason] += 1
        row.left.append(left[key])


def check_parsing(row: Row, tree: WorkTree, paths: list[str], could: dict[str, bool]) -> None:
    for path in paths:
        if not is_python(path):
            continue
        if parses(tree.root / path):
            row.parsed += 1
        elif could.get(path, True):
            row.not_parsed += 1
            row.problem(f"{path} cannot be parsed any more")


def check_proof(row: Row, tree: WorkTree) -> None:
    proof = tree.report("prove")
    for file in proof["files"]:
        if file["status"] in ("identical", "helper"):
            row.identical += file["status"] == "identical"
            continue
        row.excepted.append(f"{file['path']}: {file['status']}")
        if (row.name, str(file["path"])) not in UNDERSTOOD and is_python(file["path"]):
            where = "; ".join(str(d) for d in file["differences"][:2])
            row.problem(f"prove: {file['path']} is {file['status']} {where[:300]}")


def check(name: str, commit: str, target: Path) -> Row | None:
    tree = WorkTree.of(name, commit, target)
    if tree is None:
        return None
    row = Row(name, commit)
    before = tree.snapshot()
    audited = tree.report("audit", "--to", "musa", "--fail-on", "none")
    plan = tree.port()
    changed = [str(file["path"]) for file in plan["files"]]
    could = {p: parses(tree.root / p) for p in changed if is_python(p) and (tree.root / p).exists()}
    count_occurrences(row, audited, plan)

    written = tree.port("--write")
    if [f["patch"] for f in written["files"]] != [f["patch"] for f in plan["files"]]:
        row.problem("what was written is not what was shown")
    row.edits, row.files = plan["summary"]["edits"], len(changed)
    tree.git("add", "-A", "-f", "-N", "--", ":!" + ".accelport")
    for line in tree.git("diff", "--numstat").splitlines():
        added, removed, _ = line.split("\t", 2)
        row.added += int(added) if added != "-" else 0
        row.removed += int(removed) if removed != "-" else 0
    check_parsing(row, tree, changed, could)
    check_proof(row, tree)

    row.again = not tree.port()["files"]
    if not row.again:
        row.problem("a second run has more to change")
    ported = tree.snapshot()
    if set(ported) - set(before) != {p for p in changed if p not in before}:
        row.problem("files appeared that the plan does not name")
    tree.revert()
    row.reverted = tree.snapshot() == before
    if not row.reverted:
        row.problem("--revert does not give every byte back")
    return row


def show_reasons(rows: list[Row]) -> None:
    total: Counter[str] = Counter()
    for row in rows:
        total.update(row.reasons)
    print("\n| left | reason |\n|--:|---|")
    for reason, count in total.most_common():
        print(f"| {count} | {reason} |")


def keep(tree: Path, folder: Path, name: str) -> None:
    """The ported work tree, for reading its difference."""
    target = folder / name.replace("/", "+")
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(tree, target, symlinks=True)
    WorkTree(target).port("--write", "--allow-dirty")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", default=[], help="owner/name, or a part of it")
    parser.add_argument("--reasons", action="store_true", help="list every occurrence that is left")
    parser.add_argument("--keep", type=Path, help="leave the ported work trees here")
    arguments = parser.parse_args()
    rows: list[Row] = []
    print(f"{HEAD}\n{RULE}", flush=True)
    for name, commit in table():
        if arguments.only and not any(part in name for part in arguments.only):
            continue
        with tempfile.TemporaryDirectory() as folder:
            tree = Path(folder) / "tree"
            try:
                row = check(name, commit, tree)
            except (RuntimeError, subprocess.CalledProcessError, ValueError) as error:
                row = Row(name, commit, problems=[f"{name}: {error}"])
            if row is None:
                continue
            rows.append(row)
            print(row.markdown(), flush=True)
            if arguments.keep:
                keep(tree, arguments.keep, name)
    if not rows:
        skip("none of the repositories can be had: no network, and ACCELPORT_MIRROR names no mirror")
    wanted, rewritten = sum(row.to_change for row in rows), sum(row.rewritten for row in rows)
    share = rewritten / wanted if wanted else 1.0
    print(f"\n{rewritten} of {wanted} Python occurrences that are to be changed are rewritten: {share:.1%}")
    show_reasons(rows)
    kinds = Counter(
        text.rsplit(": ", 1)[1] + " " + Path(text.rsplit(": ", 1)[0]).suffix for row in rows for text in row.excepted
    )
    print(f"\nnot called identical, all of them no Python: {dict(kinds)}")
    if arguments.reasons:
        for row in rows:
            for u in row.left:
                print(f"{row.name} {u['path']}:{u['line']} {u['text']!r}: {u['reason']}")
    problems = [problem for row in rows for problem in row.problems]
    if share < SHARE and not arguments.only:
        problems.append(f"{share:.1%} of the Python occurrences are rewritten, {SHARE:.0%} are asked for")
    sys.stdout.flush()
    finish(problems)


if __name__ == "__main__":
    main()
