#!/usr/bin/env python3
"""The audit against the lines that people labelled by reading; see tests/labels/README.md."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from support import PROGRAM, ROOT, repository, skip


def available(labels: Path) -> bool:
    """True if every repository that a file of labels names can be had."""
    rows = [json.loads(row) for row in labels.read_text(encoding="utf-8").splitlines()]
    return all(repository(*key) for key in sorted({(row["repository"], row["commit"]) for row in rows}))


def main() -> None:
    files = [file for file in sorted((ROOT / "tests/labels").glob("*.jsonl")) if available(file)]
    if not files:
        skip("no labelled repository can be had: no network, and ACCELPORT_MIRROR names no mirror")
    command = [sys.executable, str(ROOT / "tools/check_labels.py"), "--wrong", "--program", PROGRAM]
    sys.exit(subprocess.run([*command, *map(str, files)], check=False).returncode)


if __name__ == "__main__":
    main()
