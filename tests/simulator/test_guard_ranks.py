"""Two ranks: a fault on one of them stops both at the same step, and both name the rank where it arose."""

from __future__ import annotations

import json
from pathlib import Path

import sim_card
import simulated_run

RANKS = """
import json, os
import torch.distributed as dist
sys.path.insert(0, os.path.join(str(sim_card.ROOT), "python"))
import guarded
dist.init_process_group("cpu:gloo,%s:%s" % (device, dist.get_default_backend_for_device(device)))
card = f"{device}:{os.environ['LOCAL_RANK']}"
getattr(torch, device).set_device(card)
told = guarded.outcome({"ranks": 2, "optimizer": "adamw-fused"}, card)
with open(f"told{dist.get_rank()}.json", "w") as file:
    json.dump(told, file)
"""
PLAN = '[[fault]]\nkind = "nan"\noperator = "{}"\ncall = {}\nphase = "{}"\nrank = 1\ndeterministic = true\n'


def outcomes(plan: str, folder: Path) -> list[dict[str, object]]:
    simulated_run.need_simulator()
    path = folder / "faults.toml"
    path.write_text(plan, encoding="utf-8")
    launcher = ("-m", "torch.distributed.run", f"--master-port={sim_card.free_port()}", "--nproc-per-node=2")
    done = sim_card.run(RANKS, folder, launcher=launcher, faults=str(path))
    assert done.returncode == 0, done.stderr
    return [json.loads((folder / f"told{rank}.json").read_text(encoding="utf-8")) for rank in (0, 1)]


def test_a_backward_fault_of_one_rank_stops_both_before_the_write(tmp_path: Path) -> None:
    told = outcomes(PLAN.format("aten::mm", 13, "backward"), tmp_path)
    for one in told:
        report = one["report"]
        assert (report["step"], report["ranks"], one["kept"]) == (2, 2, True)
        assert report["boundary"] == "backward divergence"
        assert [(p["rank"], p["operator"], p["module"]) for p in report["producer_ranks"]] == [(1, "aten::mm", "2")]
    assert "operator" not in (told[0]["report"]["producer"] or {}), "there it came in by the all-reduce"
    assert "arose on rank 1: aten::mm in 2" in told[0]["text"]


def test_a_fault_of_one_optimizer_stops_both_after_the_write(tmp_path: Path) -> None:
    told = outcomes(PLAN.format("aten::_fused_adamw_", 3, "optimizer"), tmp_path)
    for one in told:
        report = one["report"]
        assert (report["step"], report["boundary"], one["kept"]) == (2, "optimizer state", True)
        assert [(p["rank"], p["operator"]) for p in report["producer_ranks"]] == [(1, "aten::_fused_adamw_")]
