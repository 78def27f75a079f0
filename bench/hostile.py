#!/usr/bin/env python3
"""How the time of an audit grows on input made to be slow: twice the input may take 2.5 times as long, ten times the lines 11 times.

usage: hostile.py [--runs N]

Processor time of one thread, so that other load on the machine does not matter; the time of an empty file (start, rules) is taken off;
the least of several runs. Sizes begin where a reviewer would begin and grow until a run costs 40 ms or the file 24 MB.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("ACCELPORT_PROGRAM", str(ROOT / "build/bin/accelport"))
ENOUGH_SECONDS = 0.1
LARGEST = 64 << 20
TWICE, TENFOLD = 2.5, 11.0


def nested_f_strings(depth: int) -> str:
    return "import torch\nx = " + 'f"{' * depth + "'cuda'" + '}"' * depth + "\n"


def brackets(depth: int) -> str:
    return "import torch\nx = " + "(" * depth + "'cuda'" + ")" * depth + "\n"


def bound_names(count: int) -> str:
    lines = [f"d{i} = 'cuda:{i}' if flag else d{i - 1}\nmodel.to(d{i})" for i in range(1, count)]
    return "import torch\nd0 = 'cuda'\n" + "\n".join(lines) + "\n"


# As deep as Python's own parser takes it.
NEST = "".join(" " * i + f"if torch.cuda.is_available() and a{i}:\n" for i in range(99)) + " " * 99 + "m.cuda()\n"

HOSTILE: dict[str, tuple[int, Callable[[int], str]]] = {
    "device strings in one list": (200_000, lambda n: "x = [" + "'cuda', " * n + "]\n"),
    "chained calls": (50_000, lambda n: "import torch\nx = m" + ".cuda()" * n + "\n"),
    "nested f-strings": (100_000, nested_f_strings),
    "names bound to devices": (20_000, bound_names),
    "one name bound again and again": (20_000, lambda n: "d = 'cuda'\n" + "d = f(d, 'cuda')\nm.to(d)\n" * n),
    "dotted names": (100_000, lambda n: "import torch\nx = torch.cuda" + ".a" * n + "\n"),
    "lines of dotted names": (100_000, lambda n: "import torch\n" + "torch.cuda.synchronize()\n" * n),
    "strings joined by +": (50_000, lambda n: "x = 'cuda'" + " + 'cuda'" * n + "\n"),
    "brackets": (100_000, brackets),
    "conditional expressions": (20_000, lambda n: "x = " + "'cuda' if a else " * n + "'cpu'\n"),
    "nested blocks": (200, lambda n: NEST * n),
    "open quotes": (50_000, lambda n: "x = '''cuda\n" * n),
    "opt-out comments": (
        100_000,
        lambda n: "import torch\n" + "x = torch.cuda.current_device()  # accelport: retain -- tested by hand\n" * n,
    ),
    "one endless line": (200_000, lambda n: "# " + "cuda " * n + "\n"),
}


def real_lines(lines: int) -> str:
    """A real program again and again, whole, for about so many lines."""
    text = (ROOT / "examples/lm-trainer/lmtrain/engine.py").read_text(encoding="utf-8")
    return text * (lines // text.count("\n"))


@dataclass(frozen=True)
class Bench:
    folder: Path
    runs: int

    def seconds(self, text: str) -> float:
        """The least processor time of an audit of `text`; the exit code must be one of an audit that was done."""
        file = self.folder / "hostile.py"
        file.write_text(text, encoding="utf-8")
        command = [PROGRAM, "audit", str(file), "-q", "--json", "-j", "1", "-o", str(self.folder / "report.json")]
        best = float("inf")
        for _ in range(self.runs):
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode not in (0, 1):
                raise RuntimeError(f"the audit ended with {process.returncode}")
            best = min(best, usage.ru_utime + usage.ru_stime)
        return best

    def pair(self, make: Callable[[int], str], size: int, factor: int, start: float) -> tuple[int, float, float]:
        """(n, seconds of n, seconds of factor * n), n grown until the smaller run can be measured."""
        while True:
            small = self.seconds(make(size)) - start
            if small >= ENOUGH_SECONDS or len(make(2 * size * factor)) > LARGEST:
                return size, max(small, 1e-4), self.seconds(make(factor * size)) - start
            size *= 2


def report(name: str, size: int, small: float, large: float, limit: float) -> bool:
    # What costs next to nothing cannot grow too fast, however the ratio of two noises turns out.
    passed = large / small <= limit or large < ENOUGH_SECONDS
    print(
        f"{name:<32} {size:>9} {small * 1e3:>9.1f} {large * 1e3:>9.1f} {large / small:>7.2f}  {'' if passed else 'TOO SLOW'}",
        flush=True,
    )
    return passed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", default="", help="inputs whose name holds this")
    arguments = parser.parse_args()
    passed = True
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), arguments.runs)
        start = bench.seconds("")
        print(
            f"{'input':<32} {'n':>9} {'n ms':>9} {'2n ms':>9} {'ratio':>7}  (at most {TWICE}; an empty file: {start * 1e3:.1f} ms)"
        )
        chosen = {name: row for name, row in HOSTILE.items() if arguments.only in name}
        for name, (size, make) in chosen.items():
            try:
                passed &= report(name, *bench.pair(make, size, 2, start), TWICE)
            except RuntimeError as error:
                print(f"{name:<32} FAILED: {error}", flush=True)
                passed = False
        print(f"{'input':<32} {'lines':>9} {'n ms':>9} {'10n ms':>9} {'ratio':>7}  (at most {TENFOLD})")
        passed &= report("a real program, repeated", *bench.pair(real_lines, 20_000, 10, start), TENFOLD)
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
