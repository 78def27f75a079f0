"""Runs a program with the recording torch:

python -m tests.port.recording_torch --mode platform [--log FILE] [--fake PACKAGE] PROGRAM ARGUMENTS

Ends with the program's code, or with 3 if it made calls that are wrong without a card of NVIDIA's."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from . import FIRST, PROFILES, environment

WRONG = 3


def report(log: Path) -> Counter[str]:
    """The violations in the log, by what and where."""
    found: Counter[str] = Counter()
    calls = 0
    for line in log.read_text().splitlines() if log.exists() else []:
        call = json.loads(line)
        calls += 1
        if "violation" in call:
            found[f"{call['violation']}: {call['call']} at {call['at']}"] += 1
    print(f"recording torch: {calls} calls, {sum(found.values())} of them wrong without NVIDIA's card", file=sys.stderr)
    for text, count in found.most_common():
        print(f"  {count} x {text}", file=sys.stderr)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(prog="recording_torch", description=__doc__)
    parser.add_argument("--mode", choices=["cuda", "platform"], required=True)
    parser.add_argument("--platform", choices=[p["torch"]["device_type"] for p in PROFILES], default=FIRST)
    parser.add_argument("--log", type=Path, help="JSON Lines, one call each; appended to")
    parser.add_argument("--choice", type=int, default=0, help="0: unknown values are true; 1: false; else either")
    parser.add_argument("--fake", action="append", default=[], help="a package to stand in for; '*': all missing ones")
    parser.add_argument("program", help="a script, or -m for a module")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        log = options.log or Path(folder) / "calls.jsonl"
        variables = environment(
            options.mode,
            Path(folder) / "plug-in",
            platform=options.platform,
            log=log.absolute(),
            choice=options.choice,
            fake=tuple(options.fake),
        )
        command = [sys.executable, options.program, *options.arguments]
        code = subprocess.run(command, env=variables, check=False).returncode
        wrong = report(log)
    return code if code != 0 else WRONG if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
