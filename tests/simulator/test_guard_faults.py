"""The guard against the table of faults in guard_faults.toml: it stops where it must, and names what it must."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import sim_card
import simulated_run

HERE = Path(__file__).resolve().parent
TABLE = tomllib.loads((HERE / "guard_faults.toml").read_text(encoding="utf-8"))
BOUNDARY = {
    "forward": "forward divergence",
    "backward": "backward divergence",
    "clip": "clipping or scaling",
    "optimizer": "optimizer state",
}
NUMERIC = [
    {"phase": "forward" if phase == "clip" else phase, **row, "named": phase, "boundary": BOUNDARY[phase]}
    for phase in BOUNDARY
    for row in TABLE[phase]
]
PASSING = [{**row, "once": True} for row in TABLE["passing"]]
QUIET = [{**row, "once": True} for row in TABLE["quiet"]]
SDPA_BACKWARD = "aten::_scaled_dot_product_flash_attention_for_cpu_backward"
EAGER = [{"kind": "nan", "op": SDPA_BACKWARD, "call": 3, "phase": "backward", "model": "language-eager"}]
ROWS = [*NUMERIC, *PASSING, *QUIET, *EAGER]
LEAST_NAMED = 0.95

Outcome = dict[str, Any]


def name_of(row: dict[str, Any]) -> str:
    words = [row["kind"], row["op"], row["phase"], row.get("model", "mlp"), row.get("optimizer", "adamw")]
    return " ".join([*words, row.get("precision", ""), f"call {row['call']}"])


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> list[Outcome]:
    simulated_run.need_simulator()
    rows = tmp_path_factory.mktemp("guard") / "rows.json"
    rows.write_text(json.dumps(ROWS), encoding="utf-8")
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    environment["PYTHONPATH"] = os.pathsep.join([str(HERE), str(sim_card.ROOT / "python")])
    command = [sys.executable, str(HERE / "sim_guard.py"), str(rows)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def of(rows: list[dict[str, Any]], outcomes: list[Outcome]) -> list[tuple[dict[str, Any], Outcome]]:
    return [(row, outcome) for row, outcome in zip(ROWS, outcomes, strict=True) if any(row is one for one in rows)]


def test_there_are_enough_faults_of_every_phase_and_all_fired(outcomes: list[Outcome]) -> None:
    assert len(ROWS) >= 60
    broken = [
        (name_of(row), o.get("error") or o["faults"])
        for row, o in zip(ROWS, outcomes, strict=True)
        if "error" in o or (row not in EAGER and not all(line.endswith(": fired") for line in o["faults"]))
    ]
    assert broken == []


def test_every_step_that_is_not_finite_is_stopped(outcomes: list[Outcome]) -> None:
    missed = [name_of(row) for row, outcome in of([*NUMERIC, *PASSING], outcomes) if outcome["report"] is None]
    late = [
        name_of(row)
        for row, outcome in of([*NUMERIC, *PASSING], outcomes)
        if outcome["report"] and outcome["report"]["step"] != row.get("stops", 2)
    ]
    assert (missed, late) == ([], [])


def test_before_the_write_parameters_are_those_of_before(outcomes: list[Outcome]) -> None:
    """And after a write that is bad, what was kept is there again."""
    pairs = of([*NUMERIC, *PASSING], outcomes)
    told = {name_of(row): (o["kept"], o["report"]["stopped"], o["report"]["state"]) for row, o in pairs}
    early = ("before the optimizer's write", "unchanged")
    late = ("after the optimizer's write, before anything else ran", "restored")
    expected = {name_of(row): (True, *(late if row["phase"] == "optimizer" else early)) for row, _ in pairs}
    assert told == expected


def test_the_boundary_is_named(outcomes: list[Outcome]) -> None:
    pairs = of([*NUMERIC, *PASSING], outcomes)
    wrong = [(name_of(row), o["report"]["boundary"]) for row, o in pairs if o["report"]["boundary"] != row["boundary"]]
    assert len(wrong) <= (1 - LEAST_NAMED) * len(pairs), wrong


def found(outcome: Outcome) -> tuple[object, ...]:
    producer = outcome["report"]["producer"] or {}
    return producer.get("operator"), producer.get("module"), producer.get("phase"), producer.get("kind")


def test_producer_operator_module_and_phase_are_named(outcomes: list[Outcome]) -> None:
    pairs = of(NUMERIC, outcomes)
    expected = [(row.get("seen", row["op"]), row["module"], row["named"], row["kind"]) for row, _ in pairs]
    wrong = [
        (name_of(row), found(o), o["report"]["rerun"])
        for (row, o), right in zip(pairs, expected, strict=True)
        if found(o) != right
    ]
    assert len(wrong) <= (1 - LEAST_NAMED) * len(pairs), wrong


def test_the_element_its_dtype_and_layout_are_named(outcomes: list[Outcome]) -> None:
    for row, outcome in of(NUMERIC, outcomes):
        producer = outcome["report"]["producer"]
        if producer is None or producer.get("operator") != row.get("seen", row["op"]):
            continue
        assert set(producer["index"]) <= {0}, "the fault's element is the first"
        assert len(producer["index"]) == len(producer["shape"]) == len(producer["stride"])
        assert producer["non_finite"] == 1
        half = producer["dtype"] in ("float16", "bfloat16")
        assert half <= producer["autocast"]["enabled"] or producer["phase"] == "backward"


def test_a_fault_that_passes_by_is_said_to_have_passed(outcomes: list[Outcome]) -> None:
    for row, outcome in of(PASSING, outcomes):
        report = outcome["report"]
        assert (report["rerun"]["recurred"], report["producer"]) == (False, None), name_of(row)
        assert "was finite" in outcome["text"]


def test_what_is_finite_or_skipped_by_the_scaler_does_not_stop(outcomes: list[Outcome]) -> None:
    for row, outcome in of(QUIET, outcomes):
        assert outcome["report"] is None, name_of(row)
        assert outcome["finite"]
        assert outcome["summary"]["skipped_by_scaler"] == row.get("skips", 0)
        assert any("finite" in line for line in outcome["summary"]["not_shown"])


def test_the_attention_case_is_found_eager_passes_and_the_advice_keeps_its_scope(outcomes: list[Outcome]) -> None:
    ((_, found_one),) = of([row for row in NUMERIC if row["op"] == SDPA_BACKWARD], outcomes)
    ((_, eager),) = of(EAGER, outcomes)
    (advice,) = found_one["report"]["advice"]
    assert "BEFORE the model is constructed" in advice["text"]
    for word in ("S5000", "MUSA 5.2", "torch 2.9.1", "Qwen3.5-2B"):
        assert word in advice["scope"]
    assert advice["claim"].startswith("no statement about other")
    assert (eager["report"], eager["finite"]) == (None, True)
    others = [o for row, o in of(NUMERIC, outcomes) if "attention" not in row["op"]]
    assert all(o["report"]["advice"] == [] for o in others)
