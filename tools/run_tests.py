#!/usr/bin/env python3
"""Runs every check of this project and closes with one line: "N passed, N failed", and ", N skipped" if there are any.

A step that crashes, times out or cannot be built counts as failed; the exit code is 0 only if
nothing failed. Logs are kept in build/logs/.

usage: run_tests.py [--jobs N] [--long] [--only STEP]... [--fuzz-seconds N]
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
LOGS = BUILD / "logs"
TAIL_LINES = 60


@dataclass(frozen=True)
class Count:
    """What a step found out."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: Count) -> Count:
        return Count(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)


PASS = Count(passed=1)
FAIL = Count(failed=1)
SKIP = Count(skipped=1)
SKIPPED = 77  # the exit code of a script whose input cannot be had on this machine
FAILED_LINE = re.compile(
    r"(FAILED|ERROR) \S|\[  FAILED  \] \S+\.\S+|SUMMARY: \w+Sanitizer"
)  # pytest, googletest, clang
FAILED_SHOWN = 20  # names of failed tests of one log

failures: list[str] = []  # repeated at the very end: who reads only a log's last lines must see what failed


@dataclass(frozen=True)
class Options:
    jobs: int
    fuzz_seconds: int
    long: bool


def call(log: str, *command: str | Path, timeout: float = 3600, env: dict[str, str] | None = None) -> int:
    """Runs a command with its output in a log, whose end is shown if the command fails."""
    path = LOGS / f"{log}.log"
    with path.open("wb") as out:
        try:
            code = subprocess.run(
                [str(word) for word in command],
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                env={**os.environ, **(env or {})},
                timeout=timeout,
            ).returncode
        except (subprocess.TimeoutExpired, OSError) as error:
            out.write(f"\n{error}\n".encode())
            code = 124
    if code not in (0, SKIPPED):
        lines = path.read_text(errors="replace").splitlines()
        shown = "\n".join(f"  | {line}" for line in lines[-TAIL_LINES:])
        print(f"{shown}\n  {log}: exit code {code}, whole output in {path}", flush=True)
        named = [line.strip() for line in lines if FAILED_LINE.match(line.strip())]
        failures.extend(
            [f"{log}: exit code {code}", *dict.fromkeys(f"  {line[:300]}" for line in named[:FAILED_SHOWN])]
        )
    return code


def check(log: str, *command: str | Path, timeout: float = 3600) -> Count:
    return PASS if call(log, *command, timeout=timeout) == 0 else FAIL


def build(preset: str, options: Options, *settings: str) -> bool:
    return (
        call(f"configure-{preset}", "cmake", "--preset", preset, *settings) == 0
        and call(
            f"build-{preset}",
            "cmake",
            "--build",
            "--preset",
            preset,
            "--parallel",
            str(options.jobs),
        )
        == 0
    )


# --- ctest ------------------------------------------------------------------------------------


def count_program(case: ElementTree.Element, results: Path) -> Count:
    """One test program: the counts it wrote itself, and its exit code as ctest saw it."""
    ok = case.get("status") == "run"
    try:
        report = json.loads((results / f"{case.get('name')}.json").read_text())
    except (OSError, ValueError):
        return PASS if ok else FAIL  # a fuzz target's replay, or a crash before the end
    tests, failed = report["tests"], report["failures"] + report["errors"]
    cases = [case for suite in report["testsuites"] for case in suite["testsuite"]]
    skipped = sum(case["result"] != "COMPLETED" for case in cases)
    crashed = 0 if ok or failed else 1
    return Count(tests - failed - skipped, failed + crashed, skipped)


def ctest(preset: str, options: Options, *extra: str, env: dict[str, str] | None = None) -> Count:
    results = BUILD / preset / "test-results"
    shutil.rmtree(results, ignore_errors=True)
    junit = BUILD / preset / "ctest.xml"
    junit.unlink(missing_ok=True)
    command = ["ctest", "--preset", preset, "--parallel", str(options.jobs), *extra]
    code = call(f"ctest-{preset}", *command, "--output-junit", junit, env=env)
    try:
        cases = ElementTree.parse(junit).getroot().findall("testcase")
    except (OSError, ElementTree.ParseError):
        return FAIL
    total = sum((count_program(case, results) for case in cases), Count())
    return total if code == 0 or total.failed else total + FAIL


def step_release(options: Options) -> Count:
    if not build("release", options, "-DACCELPORT_TESTS=ON"):
        return FAIL
    link = BUILD / "bin" / "accelport"
    link.parent.mkdir(exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to("../release/bin/accelport")
    return PASS + ctest("release", options)


def step_scalar(options: Options) -> Count:
    """The path of processors without wide vectors, on those that have them."""
    return ctest("release", options, "-L", "data|audit|syntax", env={"ACCELPORT_SCALAR": "1"})


def step_asan(options: Options) -> Count:
    return PASS + ctest("asan", options) if build("asan", options) else FAIL


def step_tsan(options: Options) -> Count:
    return PASS + ctest("tsan", options) if build("tsan", options) else FAIL


def step_lint(options: Options) -> Count:
    if not build("dev", options):
        return FAIL
    sources = r"/(src|fuzz|bench)/.*\.cc$"
    return check("lint", "run-clang-tidy-14", "-quiet", "-p", "build/dev", "-j", str(options.jobs), sources)


# --- fuzzing ----------------------------------------------------------------------------------


def fuzz_one(program: Path, seconds: int) -> Count:
    grown = BUILD / "fuzz-corpus" / program.name
    grown.mkdir(parents=True, exist_ok=True)
    command: list[str | Path] = [
        program,
        f"-max_total_time={seconds}",
        "-timeout=20",
        "-rss_limit_mb=4096",
        f"-artifact_prefix={LOGS}/{program.name}-",
        "-print_final_stats=1",
        grown,
    ]
    seeds = ROOT / "fuzz" / "corpus" / program.name
    words = ROOT / "fuzz" / f"{program.name}.dict"
    command += [seeds] if seeds.is_dir() else []
    command += [f"-dict={words}"] if words.is_file() else []
    count = check(program.name, *command, timeout=seconds + 300)
    for line in (LOGS / f"{program.name}.log").read_text(errors="replace").splitlines():
        if line.startswith(("stat::number_of_executed_units", "stat::average_exec_per_sec")):
            print(f"  {program.name}: {line}", flush=True)
    return count


def step_fuzz(options: Options) -> Count:
    names = sorted(path.stem for path in (ROOT / "fuzz").glob("*_fuzz.cc"))
    preset = "fuzz" if shutil.which("clang++-14") else "release"
    if not build(preset, options):
        return FAIL
    programs = [BUILD / preset / "bin" / name for name in names]
    with ThreadPoolExecutor(options.jobs) as pool:
        counts = pool.map(lambda program: fuzz_one(program, options.fuzz_seconds), programs)
        return sum(counts, PASS)


# --- everything that is one command -----------------------------------------------------------


def own_sources() -> list[str]:
    patterns = [
        "src/**/*.cc",
        "src/**/*.h",
        "runtime/**/*.cc",
        "runtime/**/*.h",
        "fuzz/*.cc",
        "bench/*.cc",
        "tests/*.cc",
        "tests/*.h",
    ]
    return sorted(str(path) for pattern in patterns for path in ROOT.glob(pattern))


def step_checks(_: Options) -> Count:
    tools = Path(sys.executable).parent
    return (
        check("layers", sys.executable, "tools/check_layers.py")
        + check("shape", sys.executable, "tools/shape.py")
        + check("format", "clang-format-14", "--dry-run", "--Werror", *own_sources())
        + check("ruff-format", tools / "ruff", "format", "--check", "--diff")
        + check("ruff", tools / "ruff", "check")
    )


def show_skipped(suites: list[ElementTree.Element]) -> None:
    """Loudly, by reason: a check that was not made must not look like one that passed."""
    reasons: Counter[str] = Counter()
    for suite in suites:
        reasons.update(skip.get("message", "no reason given") for skip in suite.iter("skipped"))
    for reason, count in sorted(reasons.items()):
        print(f"  SKIPPED ({reason}): {count} tests", flush=True)


def step_simulator(options: Options) -> Count:
    """The extension of the simulated card; without torch its tests are skipped, which pytest counts and says."""
    command = ["bash", "-c", 'PYTHON="$0" exec tools/simulator.sh --jobs "$1"', sys.executable, str(options.jobs)]
    code = call("simulator", *command)
    if code == SKIPPED:
        print((LOGS / "simulator.log").read_text(errors="replace"), end="", flush=True)
    return PASS if code == 0 else SKIP if code == SKIPPED else FAIL


def step_python(_: Options) -> Count:
    junit = BUILD / "pytest.xml"
    junit.unlink(missing_ok=True)
    if not any((ROOT / "tests").glob("**/test_*.py")):
        return Count()
    program = {"ACCELPORT_PROGRAM": str(BUILD / "bin" / "accelport")}
    command = [sys.executable, "-m", "pytest", "-q", "tests", f"--junitxml={junit}"]
    code = call("pytest", *command, env=program)
    try:
        suites = list(ElementTree.parse(junit).getroot().iter("testsuite"))
    except (OSError, ElementTree.ParseError):
        return FAIL
    show_skipped(suites)
    total = Count()
    for suite in suites:
        tests, skipped = int(suite.get("tests", 0)), int(suite.get("skipped", 0))
        failed = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
        total += Count(max(0, tests - failed - skipped), failed, skipped)
    return total if code == 0 or total.failed else total + FAIL


def step_scripts(_: Options) -> Count:
    """tests/long/: each prints its figures; they are shown whether it passes or not."""
    total = Count()
    for script in sorted((ROOT / "tests" / "long").glob("*")):
        if script.suffix not in (".sh", ".py"):
            continue
        log = f"long-{script.stem}"
        shell = [sys.executable] if script.suffix == ".py" else ["bash"]
        program = {"ACCELPORT_PROGRAM": str(BUILD / "bin" / "accelport"), "PYTHON": sys.executable}
        code = call(log, *shell, script, timeout=2 * 3600, env=program)
        count = PASS if code == 0 else SKIP if code == SKIPPED else FAIL
        if not count.failed:
            print((LOGS / f"{log}.log").read_text(errors="replace"), end="", flush=True)
        total += count
    return total


Step = Callable[[Options], Count]
QUICK: dict[str, Step] = {
    "checks": step_checks,
    "release": step_release,
    "scalar": step_scalar,
    "simulator": step_simulator,
    "python": step_python,
    "asan": step_asan,
    "fuzz": step_fuzz,
}
LONG: dict[str, Step] = {
    "release": step_release,
    "lint": step_lint,
    "tsan": step_tsan,
    "simulator": step_simulator,
    "scripts": step_scripts,
    "fuzz": step_fuzz,
}


def run_step(name: str, step: Step, options: Options) -> Count:
    start = time.monotonic()
    print(f"== {name}", flush=True)
    try:
        count = step(options)
    except Exception as error:  # a bug in here must not look like success
        print(f"  {name}: {type(error).__name__}: {error}", flush=True)
        count = FAIL
    seconds = time.monotonic() - start
    skipped = f", {count.skipped} skipped" if count.skipped else ""
    print(f"   {count.passed} passed, {count.failed} failed{skipped} ({seconds:.0f} s)", flush=True)
    return count


def main() -> int:
    parser = argparse.ArgumentParser(description="Runs the checks of this project.")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--long", action="store_true", help="what takes longer, instead")
    parser.add_argument("--only", action="append", choices=sorted({*QUICK, *LONG}), default=[])
    parser.add_argument("--fuzz-seconds", type=int, help="for each target (60; with --long 600)")
    arguments = parser.parse_args()
    LOGS.mkdir(parents=True, exist_ok=True)
    options = Options(
        jobs=arguments.jobs,
        fuzz_seconds=arguments.fuzz_seconds or (600 if arguments.long else 60),
        long=arguments.long,
    )
    steps = LONG if arguments.long else QUICK
    if arguments.only:
        steps = {name: step for name, step in {**QUICK, **LONG}.items() if name in arguments.only}
    total = sum((run_step(name, step, options) for name, step in steps.items()), Count())
    skipped = f", {total.skipped} skipped" if total.skipped else ""
    for line in ["what failed:", *failures] if failures else []:
        print(line)
    print(f"{total.passed} passed, {total.failed} failed{skipped}")
    return 0 if total.failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
