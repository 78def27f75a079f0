#!/usr/bin/env python3
"""Our port beside ports that people made: what becomes of every line that they changed and of every place where they
added something. The table of all differences is docs/ports-by-people.md; `--write` makes the pages anew.

people_ports.toml names the ports and holds what only a reader can say: whether a line that we leave is left rightly.
A line that nobody has judged counts against us.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import json
import os
import re
import subprocess
import tempfile
import tomllib
from collections import Counter
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from shutil import copytree

from support import PROGRAM, ROOT, audit, checkout, finish, repository, skip

DATA = Path(__file__).with_name("people_ports.toml")
WANTED_SHARE = 0.85
UNJUDGED = "nobody has judged this line"
HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
OTHER_ACCELERATOR = re.compile(r"\b(mps|xpu|npu|mlu|macOS)\b|[-_](mps|xpu|npu|mlu)\b", re.IGNORECASE)
CUDA = re.compile(r"cuda|nccl|nvidia|gpu", re.IGNORECASE)
VERDICTS = {"changed": "changed", "right": "left, rightly", "person": "left to a person", "missed": "**missed**"}


@dataclass
class Unit:
    """A line that people changed or removed, or the place behind which they added something."""

    path: str
    line: int
    old: str  # empty for an addition
    new: list[str]
    ours: str = ""
    verdict: str = ""
    why: str = ""

    @property
    def added(self) -> bool:
        return not self.old


@dataclass
class OurPort:
    """What our port does to a tree: edits and decisions by path and line."""

    edits: dict[str, list[dict]] = field(default_factory=dict)
    left: dict[tuple[str, int], list[dict]] = field(default_factory=dict)
    decided: dict[tuple[str, int], list[dict]] = field(default_factory=dict)

    @staticmethod
    def of(tree: Path) -> OurPort:
        with tempfile.NamedTemporaryFile(suffix=".json") as output:
            command = [PROGRAM, "port", str(tree), "--to", "musa", "--json", "-q", "-o", output.name]
            if subprocess.run(command, check=False).returncode not in (0, 1):
                raise RuntimeError(f"the port of {tree} failed")
            report = json.loads(Path(output.name).read_bytes())
        port = OurPort()
        for file in report["files"]:
            if not file["created"] and isinstance(file["path"], str):
                port.edits[file["path"]] = [edit for edit in file["edits"] if edit["ids"]]
        for row in report["unchanged"]:
            port.left.setdefault((str(row["path"]), row["line"]), []).append(row)
        for row in json.loads(audit(tree, "--to", "musa"))["occurrences"]:
            if isinstance(row["path"], str):
                for line in range(row["line"], row["end_line"] + 1):
                    port.decided.setdefault((row["path"], line), []).append(row)
        return port

    def edits_in(self, path: str, first: int, last: int) -> list[dict]:
        return [e for e in self.edits.get(path, []) if e["line"] <= last and e["end_line"] >= first]

    def words(self, path: str, first: int, last: int) -> tuple[str, bool]:
        """What we do to these lines, in words, and whether we change them."""
        edits = self.edits_in(path, first, last)
        parts = [f"{code(e['before']) if e['before'] else 'new:'} → {code(e['after'])}" for e in edits]
        for line in range(first, last + 1):
            left = {row["id"]: row["reason"] for row in self.left.get((path, line), [])}
            rows = self.decided.get((path, line), [])
            serious = [row for row in rows if row["decision"] != "ignore"] or rows
            for row in serious:
                if any(row["id"] in edit["ids"] for edit in edits):
                    continue
                reason = left.get(row["id"], row["reason"])
                parts.append(f"{code(row['text'])} {row['decision']}: {reason}")
        return "; ".join(dict.fromkeys(parts)), bool(edits)


def code(text: str) -> str:
    """Text as code in a cell of a table."""
    text = " ".join(text.split())
    text = text if len(text) <= 110 else text[:107] + "…"
    fence = "``" if "`" in text else "`"
    return fence + text.replace("|", "\\|") + fence


def differences(git_dir: Path, before: str, after: str) -> list[Unit]:
    """The units of a commit, by path and line of the tree before it."""
    command = ["diff-tree", "-p", "-U0", "-r", "--no-renames", "--no-ext-diff", "--no-textconv", before, after]
    text = checkout.git(git_dir, *command).decode("utf-8", "replace")
    units: list[Unit] = []
    path, created = "", False
    rows = text.split("\n")
    for at, row in enumerate(rows):
        if row.startswith("--- "):
            created = row == "--- /dev/null"
            path = (rows[at + 1] if created else row)[6:].split("\t")[0]
        elif match := HUNK.match(row):
            first, removed, added = int(match[1]), int(match[2] or 1), int(match[4] or 1)
            body = [r for r in rows[at + 1 : at + 4 + removed + added] if not r.startswith("\\")][: removed + added]
            new = [r[1:] for r in body[removed:]]
            if not removed and not created:
                units.append(Unit(path, first, "", new))
            units += [Unit(path, first + i, row[1:] or " ", new) for i, row in enumerate(body[:removed])]
    return units


def anchor(tree: Path, unit: Unit) -> tuple[int, int] | None:
    """The lines of the smallest piece of Python (an `if` with all its branches, a list, a call) that an addition joins."""
    if not unit.path.endswith(".py") or not (tree / unit.path).exists():
        return None
    module = ast.parse((tree / unit.path).read_text(encoding="utf-8"))
    best: tuple[int, int] | None = None
    nodes = [module]
    while nodes:
        node = nodes.pop()
        for child in ast.iter_child_nodes(node):
            if getattr(child, "lineno", None) is None:
                nodes.append(child)
                continue
            first, last = child.lineno, child.end_lineno or child.lineno
            if first <= unit.line < last:
                nodes.append(child)
                chained = isinstance(node, ast.If) and node.orelse == [child] and isinstance(child, ast.If)
                if isinstance(child, ast.FunctionDef | ast.ClassDef | ast.With | ast.For | ast.Try):
                    best = None
                elif not (chained and best):
                    best = (first, last)
    return best


def is_renamed(unit: Unit, renames: list[list[str]]) -> bool:
    text = unit.old
    for old, new in renames:
        text = re.sub(rf"\b{old}\b", new, text)
    return text != unit.old and "".join(text.split()) in "".join("".join(unit.new).split())


def find_row(unit: Unit, rows: list[dict]) -> dict | None:
    """The first row about the unit; it is marked as used."""
    text = unit.old if not unit.added else "\n".join(unit.new)
    for row in rows:
        if not fnmatch(unit.path, row.get("path", "*")) or row.get("added", unit.added) != unit.added:
            continue
        if unit.line in row.get("lines", []) or ("match" in row and re.search(row["match"], text)):
            row["used"] = True
            return row
    return None


def by_rule(unit: Unit, port: dict) -> tuple[str, str] | None:
    """The verdict on a changed line that needs no reader."""
    if not (unit.old + "".join(unit.new)).strip() or (not unit.added and not unit.old.strip()):
        return "apart", "a blank line"
    if unit.added:
        return None
    if is_renamed(unit, port.get("renames", [])):
        return "apart", "renames a name of the project's own"
    if OTHER_ACCELERATOR.search(unit.old) and not CUDA.search(
        unit.old.replace("macOS GPU", "").replace("GPU on macOS", "")
    ):
        return "apart", "names only another accelerator"
    return None


def judge(unit: Unit, port: dict, rules: list[dict], ours: OurPort, tree: Path) -> None:
    row = find_row(unit, port.get("row", []))
    place = (unit.line, unit.line) if not unit.added else (row or {}).get("at") or anchor(tree, unit)
    changed = False
    if place:
        unit.ours, changed = ours.words(unit.path, *place)
    if changed and not unit.added and not (row or {}).get("force"):
        unit.verdict = "changed"
        return
    verdict = (row["verdict"], row["why"]) if row else by_rule(unit, port)
    if verdict is None and (rule := find_row(unit, rules)):
        verdict = rule["verdict"], rule["why"]
    unit.verdict, unit.why = verdict or ("missed", UNJUDGED)


def problems_with(tree: Path, port: dict) -> list[str]:
    """What is wrong with the port once it is written: files that no longer parse, or a second run that changes more."""
    problems = []
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / "tree"
        copytree(tree, copy)
        command = [PROGRAM, "port", str(copy), "--to", "musa", "--json", "-q", "-o", f"{scratch}/port.json"]
        subprocess.run([*command, "--write", "--allow-dirty"], check=False)
        for file in json.loads(Path(f"{scratch}/port.json").read_bytes())["files"]:
            if not str(file["path"]).endswith(".py"):
                continue
            try:
                ast.parse((copy / file["path"]).read_bytes())
            except SyntaxError as error:
                problems.append(f"{port['name']}: {file['path']} does not parse after the port: {error}")
        subprocess.run(command, check=False)
        again = json.loads(Path(f"{scratch}/port.json").read_bytes())["summary"]["edits"]
        if again:
            problems.append(f"{port['name']}: a second run makes {again} more edits")
    return problems


def counts(units: list[Unit], added: bool) -> Counter[str]:
    return Counter(unit.verdict for unit in units if unit.added == added)


def share(count: Counter[str], *verdicts: str) -> float:
    """The part of the lines that are a matter of the device for which one of the verdicts holds."""
    return sum(count[v] for v in verdicts) / max(1, sum(count.values()) - count["apart"])


def percent(count: Counter[str], *verdicts: str) -> str:
    return f"{100 * share(count, *verdicts):.1f} %"


def theirs(unit: Unit) -> str:
    if unit.added:
        return "added: " + code(" ⏎ ".join(line.strip() for line in unit.new if line.strip()))
    close = difflib.get_close_matches(unit.old, unit.new, 1, 0.5)
    return f"{code(unit.old)} → {code(close[0])}" if close else f"{code(unit.old)} removed"


def table_of(port: dict, units: list[Unit]) -> list[str]:
    commits = f"{port['before'][:9]} → {port['after'][:9]}"
    rows = [f"## {port['name']}", "", f"`{port['repository']}`, {commits}. {port.get('note', '')}".strip(), ""]
    rows += ["| where | what they did | what we do | |", "|---|---|---|---|"]
    for unit in units:
        if unit.verdict == "apart":
            continue
        place = f"{unit.path}:{unit.line}" + (" +" if unit.added else "")
        word = VERDICTS[unit.verdict] + (f": {unit.why}" if unit.why else "")
        rows.append(f"| {place} | {theirs(unit)} | {unit.ours or 'nothing: not an occurrence'} | {word} |")
    apart: dict[tuple[str, str], list[str]] = {}
    for unit in units:
        if unit.verdict == "apart":
            apart.setdefault((unit.why, unit.path), []).append(f"{unit.line}" + ("+" if unit.added else ""))
    if apart:
        rows += ["", "Not a matter of the device:", ""]
        rows += [f"- {why}: {path}:{', '.join(lines)}" for (why, path), lines in apart.items()]
    return [*rows, ""]


def summary(ports: list[tuple[dict, list[Unit]]], words: dict[str, str]) -> list[str]:
    """A table of counts, in the language of `words`."""
    verdicts = ("changed", "right", "person", "missed", "apart")
    head = [words[word] for word in ("port", "what", *verdicts)]
    rows = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    every = [unit for _, units in ports for unit in units]
    for name, units in [*((port["name"], units) for port, units in ports), (words["all"], every)]:
        for added, kind in ((False, words["lines"]), (True, words["places"])):
            count = counts(units, added)
            if count:
                rows.append("| " + " | ".join([name, kind, *(str(count[v]) for v in verdicts)]) + " |")
    return rows


def pages(ports: list[tuple[dict, list[Unit]]], texts: list[dict]) -> dict[Path, str]:
    """The pages by their paths."""
    every = [unit for _, units in ports for unit in units]
    figures = {}
    for name, added in (("changed", False), ("added", True)):
        figures[name] = percent(counts(every, added), "changed", "right")
        figures[f"{name}_or_person"] = percent(counts(every, added), "changed", "right", "person")
    result = {}
    for page in texts:
        lines = [page["text"].format(**figures), *summary(ports, page["words"]), ""]
        for port, units in ports if page["tables"] else []:
            lines += table_of(port, units)
        result[ROOT / page["path"]] = "\n".join(lines).rstrip() + "\n"
    return result


def compare(port: dict, rules: list[dict]) -> tuple[list[Unit], list[str]] | None:
    """The units of a port, and what is wrong with ours; nothing if the repository cannot be had."""
    tree = repository(port["repository"], port["before"])
    if tree is None:
        return None
    mirror = os.environ.get("ACCELPORT_MIRROR")
    git_dir = checkout.find_repository(port["repository"], Path(mirror) if mirror else None)
    ours = OurPort.of(tree)
    units = differences(git_dir, port["before"], port["after"])
    for unit in units:
        judge(unit, port, rules, ours, tree)
    problems = problems_with(tree, port)
    problems += [f"{port['name']}: {u.path}:{u.line}: {u.why}" for u in units if u.why == UNJUDGED]
    problems += [f"{port['name']}: no line fits {row}" for row in port.get("row", []) if "used" not in row]
    return units, problems


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the pages in docs/")
    arguments = parser.parse_args()
    data = tomllib.loads(DATA.read_text(encoding="utf-8"))
    ports, problems = [], []
    for port in data["port"]:
        if (result := compare(port, data["rule"])) is None:
            continue
        ports.append((port, result[0]))
        problems += result[1]
        count = counts(result[0], False)
        print(
            f"{port['name']}: {percent(count, 'changed', 'right')} of {sum(count.values()) - count['apart']} lines",
            flush=True,
        )
    if not ports:
        skip("none of the repositories can be had: no network, and ACCELPORT_MIRROR names no mirror")
    changed = counts([unit for _, units in ports for unit in units], False)
    print(
        f"all: {percent(changed, 'changed', 'right')}, with those left to a person {percent(changed, 'changed', 'right', 'person')}"
    )
    if share(changed, "changed", "right") < WANTED_SHARE:
        problems.append("fewer lines than wanted are changed or left rightly")
    if len(ports) == len(data["port"]):
        for page, text in pages(ports, data["page"]).items():
            if arguments.write:
                page.write_text(text, encoding="utf-8")
            elif not page.exists() or page.read_text(encoding="utf-8") != text:
                problems.append(
                    f"{page.relative_to(ROOT)} is not what the ports give now; run {Path(__file__).name} --write"
                )
    finish(problems)


if __name__ == "__main__":
    main()
