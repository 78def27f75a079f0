#!/usr/bin/env python3
"""Writes docs/cli.md from the program's help and docs/rules.md from data/rules.

usage: make_docs.py [--check]
With --check nothing is written; the exit code is 1 if a page is not what it would be.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("ACCELPORT_PROGRAM", str(ROOT / "build/bin/accelport"))
VERBS = ("audit", "port", "prove", "env", "run", "explain", "completion")
NOTE = "<!-- Written by tools/make_docs.py; do not edit. -->\n\n"
GROUPS = {
    "torch": "PyTorch's interfaces in Python",
    "strings": "Device and back-end names as values",
    "packages": "Packages: imports and requirements",
    "environment": "Environment variables",
    "shell": "Command lines",
    "files": "Configuration, containers, CI",
    "build": "Build code",
    "cxx": "C++ and device sources",
    "docs": "Documents and notebooks",
    "practice": "Practice: how accelerator code is written, with or without the word cuda",
    "own": "Own names, and what no other rule explains",
}


def help_of(*verb: str) -> str:
    return subprocess.run([PROGRAM, *verb, "--help"], check=True, capture_output=True, text=True).stdout.rstrip()


def cli_page() -> str:
    parts = [NOTE, "# Command line\n\nWhat each verb is for: [guide.md](guide.md).\n"]
    for verb in ((), *((name,) for name in VERBS)):
        parts.append(f"\n## {' '.join(('accelport', *verb))}\n\n```\n{help_of(*verb)}\n```\n")
    return "".join(parts)


def outcomes_of(rule: dict) -> str:
    """The decisions a rule can take, the one without a condition last: "category/decision, …"."""
    rows = []
    for outcome in [*rule.get("outcome", []), {}]:
        row = f"{outcome.get('category', rule['category'])}/{outcome.get('decision', rule['decision'])}"
        if row not in rows:
            rows.append(row)
    return ", ".join(rows)


def cell(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*").replace("<", "&lt;")


def rules_page() -> str:
    folders = sorted((ROOT / "data/rules").iterdir(), key=lambda folder: list(GROUPS).index(folder.name))
    by_folder = {folder: sorted(folder.glob("*.toml")) for folder in folders if folder.is_dir()}
    count = sum(map(len, by_folder.values()))
    parts = [
        NOTE,
        f"# Rules\n\nAll {count} of them. `accelport explain ID` says why a rule decides as it does; how one is written is in\n",
    ]
    parts.append("[rule-format.md](rule-format.md). What the words mean is in [guide.md](guide.md).\n")
    for folder, files in by_folder.items():
        parts.append(f"\n## {GROUPS[folder.name]}\n\n| id | what it finds | decides |\n|---|---|---|\n")
        for file in files:
            rule = tomllib.loads(file.read_text(encoding="utf-8"))
            parts.append(f"| `{file.stem}` | {cell(rule['summary'])} | {outcomes_of(rule)} |\n")
    return "".join(parts)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    stale = []
    for name, page in (("cli.md", cli_page()), ("rules.md", rules_page())):
        path = ROOT / "docs" / name
        if path.exists() and path.read_text(encoding="utf-8") == page:
            continue
        stale.append(f"docs/{name}")
        if not check:
            path.write_text(page, encoding="utf-8")
    if check and stale:
        print(f"{', '.join(stale)}: not as tools/make_docs.py writes it; run it", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
