#!/usr/bin/env python3
"""Compares the audit with lines that people labelled by reading (tests/labels/*.jsonl).

Every occurrence on a labelled line counts, not the best one: a label without an occurrence is wrong (unless it says
`none`), and so is a reported dependency without a label. Prints the figures and, with --wrong, every difference.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from checkout import CACHE, lay_out

ROOT = Path(__file__).resolve().parent.parent


@dataclass
class Score:
    labels: int = 0
    category: int = 0
    both: int = 0
    certain: int = 0
    certain_right: int = 0
    dependencies: int = 0
    guesses: int = 0
    false_dependencies: int = 0
    wrong: list[str] = field(default_factory=list)


def audit(program: str, folder: Path) -> dict[str, list[dict]]:
    """The audit's occurrences by path."""
    with tempfile.NamedTemporaryFile(suffix=".json") as output:
        code = subprocess.run(
            [program, "audit", str(folder), "--json", "-q", "-o", output.name], check=False
        ).returncode
        if code not in (0, 1):
            raise RuntimeError(f"accelport audit gave {code} on {folder}")
        report = json.loads(Path(output.name).read_text(encoding="utf-8"))
    by_path: dict[str, list[dict]] = collections.defaultdict(list)
    for occurrence in report["occurrences"]:
        by_path[occurrence["path"] if isinstance(occurrence["path"], str) else ""].append(occurrence)
    return by_path


def accepted(label: dict) -> set[tuple[str, str]]:
    answers = {(label["category"], label["decision"])}
    answers.update(tuple(other.split("/", 1)) for other in label.get("also", []))
    return answers


def distance(label: dict, occurrence: dict) -> int:
    """0 if the occurrence holds the label's column, else how far apart they begin."""
    begin = occurrence["column"] if occurrence["line"] == label["line"] else 0
    end = occurrence["end_column"] if occurrence["end_line"] == label["line"] else 1 << 30
    if begin <= label["column"] < end:
        return 0
    return min(abs(begin - label["column"]), abs(end - label["column"]))


def pair(labels: list[dict], occurrences: list[dict]) -> list[tuple[dict | None, dict | None]]:
    """Pairs the labels of a line with its occurrences, nearest first; narrow occurrences before wide ones."""
    candidates = sorted(
        (distance(label, occurrence), occurrence["end_column"] - occurrence["column"], i, j)
        for i, label in enumerate(labels)
        for j, occurrence in enumerate(occurrences)
    )
    pairs: list[tuple[dict | None, dict | None]] = []
    used_labels: set[int] = set()
    used: set[int] = set()
    for far, _, i, j in candidates:
        if far <= 24 and i not in used_labels and j not in used:
            used_labels.add(i)
            used.add(j)
            pairs.append((labels[i], occurrences[j]))
    pairs += [(label, None) for i, label in enumerate(labels) if i not in used_labels]
    pairs += [(None, occurrence) for j, occurrence in enumerate(occurrences) if j not in used]
    return pairs


def judge(label: dict | None, occurrence: dict | None, place: str, score: Score) -> None:
    said = (occurrence["category"], occurrence["decision"]) if occurrence else ("none", "ignore")
    if label is None:
        if said[0] == "none":
            return
        answers = {("none", "ignore")}
    else:
        answers = accepted(label)
    score.labels += 1
    score.category += said[0] in {category for category, _ in answers}
    right = said in answers
    score.both += right
    if occurrence and occurrence["confidence"] == "certain":
        score.certain += 1
        score.certain_right += right
    if said[0] != "none":
        score.dependencies += 1
        score.guesses += occurrence["confidence"] == "guess"
        score.false_dependencies += answers == {("none", "ignore")}
    if not right:
        what = occurrence["text"][:60].replace("\n", "\\n") if occurrence else "(no occurrence)"
        rule = occurrence["rule"] if occurrence else "-"
        wanted = " or ".join("/".join(answer) for answer in sorted(answers))
        why = label["why"] if label else "no label"
        score.wrong.append(f"{place}: {what!r} [{rule}] says {'/'.join(said)}, the label {wanted}: {why}")


def check(files: list[Path], program: str, mirror: Path | None) -> Score:
    score = Score()
    by_checkout: dict[tuple[str, str], list[dict]] = collections.defaultdict(list)
    for file in files:
        for row in file.read_text(encoding="utf-8").splitlines():
            label = json.loads(row)
            by_checkout[label["repository"], label["commit"]].append(label)
    for (repository, commit), labels in sorted(by_checkout.items()):
        reported = audit(program, lay_out(repository, commit, CACHE / "files", mirror))
        lines = collections.defaultdict(list)
        for label in labels:
            lines[label["path"], label["line"]].append(label)
        for (path, line), there in sorted(lines.items()):
            here = [o for o in reported[path] if o["line"] <= line <= o["end_line"]]
            for label, occurrence in pair(there, here):
                column = label["column"] if label else occurrence["column"]
                judge(label, occurrence, f"{repository} {path}:{line}:{column}", score)
    return score


def percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} % ({part} of {whole})" if whole else "none"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("labels", nargs="*", type=Path, help="files of labels; tests/labels/*.jsonl if left out")
    parser.add_argument("--program", default=os.environ.get("ACCELPORT_PROGRAM", str(ROOT / "build/bin/accelport")))
    parser.add_argument("--mirror", type=Path, default=os.environ.get("ACCELPORT_MIRROR"))
    parser.add_argument("--wrong", action="store_true", help="print every difference")
    arguments = parser.parse_args()
    files = arguments.labels or sorted((ROOT / "tests/labels").glob("*.jsonl"))
    score = check(files, arguments.program, Path(arguments.mirror) if arguments.mirror else None)
    if arguments.wrong:
        print("\n".join(score.wrong))
    print("category                 ", percent(score.category, score.labels))
    print("category and decision    ", percent(score.both, score.labels))
    print("certain and right        ", percent(score.certain_right, score.certain))
    print("guesses of dependencies  ", percent(score.guesses, score.dependencies))
    print("reported without a reason", score.false_dependencies)
    passed = score.category >= 0.95 * score.labels and score.both >= 0.90 * score.labels
    sys.exit(0 if passed else 1)


if __name__ == "__main__":
    main()
