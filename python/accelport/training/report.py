"""What is told of a stopped step: one JSON object (docs/schemas/guard.schema.json), and a few lines of text."""

from __future__ import annotations

import json
import os
import platform
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from . import ranks
from .data import BOUNDARIES, CLIPPING, advice_for, thresholds
from .errors import Trip
from .finite import first_bad, is_finite
from .replay import Rerun

if TYPE_CHECKING:
    from .guard import Guard

Json = dict[str, Any]
SCHEMA = "accelport.guard/1"
FOLDER = Path(".accelport") / "evidence"


def damage(guard: Guard, trip: Trip) -> list[Json]:
    """Which tensors are not finite, as the stop found them: gradients, or parameters and moments."""
    rows = []
    for name, what, tensor in _suspects(guard, trip):
        if not is_finite(tensor):
            rows.append({"parameter": name, "tensor": what, **first_bad(tensor)})
    return rows[: thresholds()["named_parameters"]]


def _suspects(guard: Guard, trip: Trip) -> list[tuple[str, str, Tensor]]:
    named = [(name, p) for p, name in guard.names.parameters.items()]
    if trip.phase == "export":
        return []
    if trip.phase != "optimizer":
        return [(name, "gradient", p.grad) for name, p in named if p.grad is not None]
    found = [(name, "parameter", p) for name, p in named]
    for optimizer in guard.optimizers:
        for name, p in named:
            state = optimizer.state.get(p, {})
            found += [(name, str(key), value) for key, value in state.items() if isinstance(value, Tensor)]
    return found


def not_shown(guard: Guard) -> list[str]:
    """What a guard that stays silent has not proved."""
    lines = ["wrong values that are finite: only NaN and infinities are looked for"]
    if guard.steps.every > 1:
        lines.append(f"steps between the checked ones: one of {guard.steps.every} is checked")
    if not guard.state:
        lines.append("parameters and moments after the step (state=False)")
    return lines


def boundary(trip: Trip, producer: Json | None) -> str:
    """That of the phase in which the first bad value arose, if that is known; otherwise that of the gate."""
    if producer is None or "operator" not in producer:
        return trip.boundary
    if trip.gate == "scaler" and producer["kind"] == "inf":
        return CLIPPING  # an overflow that a smaller scale mends
    return BOUNDARIES.get(producer["phase"], trip.boundary)


def state_after(trip: Trip, rerun: Rerun) -> str:
    if trip.phase == "export":
        return "not touched"
    if trip.phase != "optimizer":
        return "unchanged"
    return "written" if rerun.recurred is None else "restored"


def make(guard: Guard, trip: Trip, rerun: Rerun, bad: list[Json], problem: Json | None) -> Json:
    producer = rerun.producer
    made = {
        "schema": SCHEMA,
        **guard.steps.as_json(),
        "rank": ranks.rank(),
        "ranks": ranks.size(guard.group),
        "gate": trip.gate,
        "detail": trip.detail or None,
        "boundary": boundary(trip, producer),
        "phase": producer["phase"] if producer else trip.phase,
        "stopped": stopped(trip),
        "state": state_after(trip, rerun),
        "tensors": bad,
        "exported": problem,
        "rerun": rerun.as_json(),
        "producer": producer,
        "propagators": {
            "count": rerun.trace.propagated if rerun.trace else 0,
            "first": rerun.trace.propagators if rerun.trace else [],
        },
        "module_level": guard._module_level.finding(),
        "skipped_by_scaler": guard.skips.total,
        "advice": advice_for(producer["operator"], producer["phase"]) if producer and "operator" in producer else [],
        "not_shown": not_shown(guard),
        "versions": {"python": platform.python_version(), "torch": torch.__version__},
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }
    made["producer_ranks"] = producers_of_ranks(guard, made)
    if guard.evidence is not None:
        made["file"] = str(write(made, Path(guard.evidence)))
    return made


def producers_of_ranks(guard: Guard, made: Json) -> list[Json]:
    """Which ranks have seen the bad value arise; the others got it by a collective."""
    own = made["producer"]
    brief = None
    if own is not None and "operator" in own:
        brief = {key: own.get(key) for key in ("operator", "phase", "module", "parameter", "kind", "index")}
        brief["rank"] = made["rank"]
    every = ranks.gathered(brief, guard.group) if made["phase"] != "export" else [brief]
    return [one for one in every if one]


def stopped(trip: Trip) -> str:
    if trip.phase == "export":
        return "at the check of what is exported"
    if trip.phase == "optimizer":
        return "after the optimizer's write, before anything else ran"
    return "before the optimizer's write"


def write(made: Json, folder: Path) -> Path:
    """One file for each stop and rank; it is there whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"guard-step{made['step']}-rank{made['rank']}-{os.getpid()}.json"
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    partial.replace(path)
    return path


def text(made: Json) -> str:
    lines = [
        f"step {made['step']} was stopped {made['stopped']}: {made['gate']} not finite or not sound"
        + (f" ({made['detail']})" if made["detail"] else ""),
        f"boundary: {made['boundary']}",
        _cause(made),
    ]
    lines += [f"  {row['parameter']}.{row['tensor']}: {row['kind']} at {row['index']}" for row in made["tensors"][:3]]
    lines += [f"advice: {row['text']} ({row['scope']}; {row['claim']})" for row in made["advice"]]
    if "file" in made:
        lines.append(f"report: {made['file']}")
    return "\n".join(lines)


def _cause(made: Json) -> str:
    found = made["producer"]
    elsewhere = [one for one in made["producer_ranks"] if one["rank"] != made["rank"]]
    if elsewhere and (found is None or "operator" not in found):
        one = elsewhere[0]
        return f"arose on rank {one['rank']}: {one['operator']} in {one['module'] or 'no module'} ({one['phase']})"
    if found is None:
        rerun = made["rerun"]
        if rerun["recurred"] is False:
            return "the step was run again and was finite: the fault passed by, or hangs on what a second run lacks"
        level = made["module_level"]
        where = f"; first bad: {level['what']} of {level['module']} ({level['module_type']})" if level else ""
        return f"producer not known: {rerun['why_not'] or 'no operator made it from finite values'}{where}"
    if "operator" not in found:
        return f"it came in with {found['arrival']}, read by {found['read_by']} in {found['module'] or 'no module'}"
    place = found["module"] or "no module"
    return (
        f"producer: {found['operator']} in {place} ({found['phase']}): {found['kind']} at {found['index']} of "
        f"{found['dtype']} {found['shape']}" + (f", {found['parameter']}" if found["parameter"] else "")
    )
