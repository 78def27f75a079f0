"""`accelport env` on scripted machines: every program that a probe runs is a small real one on a private PATH.

A machine is a folder with machine.toml: what each probe's program answers (those of `base` otherwise), the facts that
Python's script prints, variables, programs that are absent, and what must be found, written by hand: exactly these errors and
warnings, at least these notes and facts.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import tomllib
from collections import defaultdict
from pathlib import Path

import jsonschema
import pytest
from program import PROGRAM, ROOT

MACHINES = ROOT / "tests/machines"
NAMES = sorted(path.parent.name for path in MACHINES.glob("*/machine.toml"))
PROBES = [
    probe
    for file in ("data/probes.toml", "data/platforms/musa/probes.toml")
    for probe in tomllib.loads((ROOT / file).read_text())["probe"]
]
SCHEMA = json.loads((ROOT / "docs/schemas/env.schema.json").read_text())


def read_machine(name: str) -> dict:
    """The machine with what it takes over from its base."""
    machine = tomllib.loads((MACHINES / name / "machine.toml").read_text())
    if "base" in machine:
        base = read_machine(machine["base"])
        machine["answers"] = {**base["answers"], **machine.get("answers", {})}
        machine["torch"] = {**base["torch"], **machine.get("torch", {})}
    return machine


def name_of(probe: dict) -> str:
    candidates = probe["program"] if isinstance(probe["program"], list) else [probe["program"]]
    return next(word for word in candidates if "/" not in word)


def mark_of(probe: dict, siblings: list[dict]) -> str:
    """An argument that tells a probe from the others of its program."""
    others = [argument for other in siblings if other is not probe for argument in other.get("arguments", [])]
    return next((word for word in probe.get("arguments", []) if not set(word) & set("{$") and word not in others), "")


def answers_of(machine: dict) -> dict[str, dict]:
    answers = dict(machine["answers"])
    torch = dict(answers.get("torch", {}))
    facts = "".join(f"{name}={value}\n" for name, value in machine["torch"].items() if value)
    answers["torch"] = {"output": facts, **torch}
    return answers


def write_programs(machine: dict, folder: Path) -> None:
    answers = answers_of(machine)
    by_name = defaultdict(list)
    for probe in PROBES:
        by_name[name_of(probe)].append(probe)
    for name, probes in by_name.items():
        if name in machine.get("absent", []):
            continue
        lines = ["#!/bin/sh", 'case " $* " in']
        for probe in probes:
            answer = answers.get(probe["id"], {})
            for kind in ("output", "error"):
                (folder / f"{probe['id']}.{kind}").write_text(answer.get(kind, ""))
            ending = "exec /bin/sleep 90" if answer.get("exit") == "hangs" else f"exit {answer.get('exit', 0)}"
            show = f"/bin/cat {folder}/{probe['id']}.output; /bin/cat {folder}/{probe['id']}.error >&2; {ending}"
            mark = mark_of(probe, probes)
            lines.append(f"*{shlex.quote(f' {mark} ') if mark else ''}*) {show} ;;")
        program = folder / "bin" / name
        program.write_text("\n".join([*lines, "esac", ""]))
        program.chmod(0o755)


def examine(machine: dict, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    (folder / "bin").mkdir()
    write_programs(machine, folder)
    return subprocess.run(
        [PROGRAM, "env", "--on", "musa", *arguments],
        cwd=folder,
        env={"PATH": str(folder / "bin"), "TMPDIR": str(folder), **machine.get("variables", {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("name", NAMES)
def test_machine(name: str, tmp_path: Path) -> None:
    machine = read_machine(name)
    done = examine(machine, tmp_path, "--json")
    report = json.loads(done.stdout)
    jsonschema.validate(report, SCHEMA)
    found = sorted(finding["id"] for finding in report["findings"] if finding["weight"] != "note")
    notes = {finding["id"] for finding in report["findings"] if finding["weight"] == "note"}
    assert found == machine["expect"]["findings"]
    assert set(machine["expect"].get("notes", [])) <= notes
    facts = machine["expect"].get("facts", {})
    assert {fact: report["facts"].get(fact) for fact in facts} == facts
    assert done.returncode == (1 if found else 0)
    assert done.stderr == ""
    assert not list(tmp_path.glob("accelport-env-*")), "the probes' folder is still there"


def test_every_installation_fact_is_recognised() -> None:
    """Each of the platform's facts A1 to A28 belongs to a row that some machine here must show."""
    rows = tomllib.loads((ROOT / "data/platforms/musa/diagnosis.toml").read_text())["diagnosis"]
    shown = set()
    for name in NAMES:
        expect = read_machine(name)["expect"]
        shown |= set(expect["findings"]) | set(expect.get("notes", []))
    recognised = {fact for row in rows if row["id"] in shown for fact in row.get("facts", [])}
    facts = tomllib.loads((ROOT / "data/platforms/musa/semantics.toml").read_text())["fact"]
    assert {fact["id"] for fact in facts if fact["id"].startswith("A")} - recognised == set()


def test_every_row_of_the_diagnosis_names_facts_that_exist() -> None:
    facts = tomllib.loads((ROOT / "data/platforms/musa/semantics.toml").read_text())["fact"]
    known = {fact["id"] for fact in facts}
    for row in tomllib.loads((ROOT / "data/platforms/musa/diagnosis.toml").read_text())["diagnosis"]:
        assert set(row.get("facts", [])) <= known, row["id"]
        assert row["source"], row["id"]


# musa-deploy 0.7.0, test/check/: the tests that script a machine, by file.
VENDOR_TESTS = {
    "container_toolkits": 4, "driver": 10, "host": 22, "ib": 2, "mtlink": 3, "musa": 4, "smartio": 2, "torch_musa": 4,
    "vllm": 2,
}  # fmt: skip


def test_every_machine_of_the_vendors_check_is_here() -> None:
    covered = defaultdict(set)
    for name in NAMES:
        for test in read_machine(name).get("covers", []):
            file, _, function = test.partition(".py::")
            covered[file.removeprefix("test_check_")].add(function)
    assert {name: len(covered[name]) for name in VENDOR_TESTS} == VENDOR_TESTS


def test_text_says_what_mends_it(tmp_path: Path) -> None:
    done = examine(read_machine("no-card-cpu-torch"), tmp_path)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[0] == "Moore Threads MUSA: this machine cannot run a job for it; 2 things to mend"
    assert "  1. this machine has no Moore Threads card: nothing written for the card can run here" in lines
    assert "accelport run --on sim:musa:1 -- train.py" in done.stdout
    assert "torch is a build for the CPU" in done.stdout


def test_control_characters_are_escaped(tmp_path: Path) -> None:
    done = examine(read_machine("garbage-output"), tmp_path)
    assert "\x1b" not in done.stdout and "\x07" not in done.stdout
    assert "\\x1B[2J" in done.stdout
