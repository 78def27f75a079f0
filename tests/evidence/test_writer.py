"""The evidence writer: lines that the schema admits, on the disk before an attempt begins, whole after a kill."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from accelport.evidence import Attempt, Context, machine_hash, prepare_folder

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "docs/schemas/evidence.schema.json").read_text(encoding="utf-8"))
CONTEXT = Context(
    on="sim:musa:2",
    simulated=True,
    fidelity="exact",
    command=["python", "case.py"],
    state={"tree": "abc", "torch": "2.13.0", "device_count": 2},
)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="ascii").splitlines()]


def test_two_lines_that_the_schema_admits(tmp_path: Path) -> None:
    file = prepare_folder(tmp_path) / "run.jsonl"
    attempt = Attempt(file, "forward", CONTEXT)
    (before,) = lines(file)
    assert before["verdict"] == "unknown"
    assert "end" not in before
    attempt.end("pass", {"loss": float("nan"), "norms": (1.5, float("-inf")), "shape": [2, 3], "by": {1: True}})
    before_again, after = lines(file)
    assert before_again == before
    assert after["attempt"] == before["attempt"]
    assert after["verdict"] == "pass"
    assert after["values"] == {"loss": "nan", "norms": [1.5, "-inf"], "shape": [2, 3], "by": {"1": True}}
    for line in (before, after):
        jsonschema.validate(line, SCHEMA)


def test_another_verdict_is_refused(tmp_path: Path) -> None:
    attempt = Attempt(tmp_path / "e.jsonl", "forward", CONTEXT)
    with pytest.raises(ValueError, match="fine"):
        attempt.end("fine", {})


def test_the_folder_ignores_itself(tmp_path: Path) -> None:
    prepare_folder(tmp_path)
    folder = prepare_folder(tmp_path)
    assert (folder / ".gitignore").read_text() == "*\n"
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    Attempt(folder / "e.jsonl", "forward", CONTEXT)
    seen = subprocess.run(["git", "status", "--porcelain"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert seen.stdout == ""


def test_a_killed_attempt_has_left_its_first_line(tmp_path: Path) -> None:
    program = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from accelport.evidence import Attempt, Context\n"
        "Attempt(Path(sys.argv[1]), 'forward', Context(on='cpu', simulated=False))\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    file = tmp_path / "e.jsonl"
    env = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    done = subprocess.run([sys.executable, "-c", program, file], env=env, check=False)
    assert done.returncode == -signal.SIGKILL
    (line,) = lines(file)
    assert line["verdict"] == "unknown"
    assert "end" not in line


def test_a_line_that_was_cut_off_takes_no_other_with_it(tmp_path: Path) -> None:
    file = tmp_path / "e.jsonl"
    file.write_text('{"schema":"accelport.ev')
    Attempt(file, "forward", CONTEXT)
    damaged, whole = file.read_text().splitlines()
    assert damaged == '{"schema":"accelport.ev'
    jsonschema.validate(json.loads(whole), SCHEMA)


def test_the_machines_name_needs_the_users_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "one"))
    first = machine_hash()
    assert machine_hash() == first
    assert len(first) == 32
    key = tmp_path / "one/accelport/machine.key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "two"))
    assert machine_hash() != first
