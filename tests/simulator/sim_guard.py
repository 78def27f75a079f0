"""Each row of a list of guarded trainings with a fault, in a process of its own that is forked from this one, so that
torch is loaded once. Reads the rows from the file that the first word names and prints the outcomes as JSON."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import sim_card
import torch
import torch._dynamo  # which optimizers load, and takes its time


def plan_of(row: dict[str, Any]) -> str:
    """The row's fault, and its repetitions `again` at distances of so many calls."""
    head = f'[[fault]]\noperator = "{row["op"]}"\nkind = "{row["kind"]}"\nphase = "{row["phase"]}"\n'
    head += "" if row.get("once") else "deterministic = true\n"
    calls = [row["call"] + turn * row.get("distance", 0) for turn in range(row.get("again", 0) + 1)]
    return "".join(f"{head}call = {call}\n" for call in calls)


def run_alone(row: dict[str, Any], results: Path) -> None:
    """In the forked process. The cards come up here: faults are planned for a whole process."""
    plan = results.with_suffix(".toml")
    plan.write_text(plan_of(row), encoding="utf-8")
    device = sim_card.start(faults=str(plan))
    import guarded

    told = guarded.outcome(row, device, row.get("steps", guarded.STEPS))
    told["faults"] = list(sim_card.extension().fault_summary())
    results.write_text(json.dumps(told), encoding="utf-8")


def outcome_of(row: dict[str, Any], results: Path) -> dict[str, Any]:
    child = os.fork()
    if child == 0:
        code = 1
        try:
            run_alone(row, results)
            code = 0
        except BaseException as error:
            results.write_text(json.dumps({"error": f"{type(error).__name__}: {error}"}), encoding="utf-8")
        os._exit(code)
    os.waitpid(child, 0)
    return json.loads(results.read_text(encoding="utf-8")) if results.exists() else {"error": "it died"}


def main() -> None:
    torch.set_num_threads(1)
    rows = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        told = [outcome_of(row, Path(folder) / f"{index}.json") for index, row in enumerate(rows)]
    print(json.dumps(told))


if __name__ == "__main__":
    main()
