"""Collectives, DDP and FSDP2 on simulated cards, in processes started by torchrun, give gloo's numbers on the CPU."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import sim_card
import sim_ranks

RANKS = 2
TASKS = list(sim_ranks.TASKS)


def torchrun(ranks: int) -> tuple[str, ...]:
    return ("-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={ranks}")


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What every rank found, by task; one start of the processes for all tasks."""
    folder = tmp_path_factory.mktemp("ranks")
    done = sim_card.run("import sim_ranks; sim_ranks.main()", folder, launcher=torchrun(RANKS), timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("task", TASKS)
def test_equals_gloo_on_the_cpu(found: dict[str, list[str]], task: str) -> None:
    assert {rank: found[f"rank {rank} {task}"] for rank in range(RANKS)} == {rank: [] for rank in range(RANKS)}


REDUCE = """
import os, datetime, time, torch.distributed as dist
rank = int(os.environ["RANK"])
dist.init_process_group(timeout=datetime.timedelta(seconds=%d))
x = torch.ones(4, device=f"{device}:{rank}")
start = time.monotonic()
for turn in range(3):
    try:
        dist.all_reduce(x)
    except RuntimeError as error:
        sim_card.say("rank", rank, "turn", turn, type(error).__name__, str(error)[:300].splitlines()[0])
        os._exit(3)
sim_card.say("rank", rank, x[0].item(), time.monotonic() - start > 1.0)
dist.destroy_process_group()
"""


def plan(folder: Path, text: str) -> str:
    path = folder / "faults.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def named(folder: Path, rank: int) -> list[str]:
    return [line for report in sim_card.reports(folder) if report["rank"] == str(rank) for line in report["faults"]]


def lines_of(stdout: str) -> list[str]:
    return sorted(line for line in stdout.splitlines() if line.startswith("rank"))


def test_a_late_rank_is_waited_for(tmp_path: Path) -> None:
    faults = plan(
        tmp_path, '[[fault]]\nkind = "late"\noperator = "allreduce"\ncall = 2\nrank = 1\nmilliseconds = 1500\n'
    )
    done = sim_card.run(REDUCE % 60, tmp_path, launcher=torchrun(2), faults=faults)
    assert done.returncode == 0, done.stderr[-2000:]
    assert lines_of(done.stdout) == ["rank 0 8.0 True", "rank 1 8.0 True"]
    assert named(tmp_path, 1) == ["late at call 2 of allreduce on rank 1: fired"]
    assert named(tmp_path, 0) == ["late at call 2 of allreduce on rank 1: did not fire"]


def test_a_rank_that_hangs_is_found_by_the_others_timeout(tmp_path: Path) -> None:
    faults = plan(tmp_path, '[[fault]]\nkind = "hang"\noperator = "allreduce"\ncall = 2\nrank = 1\n')
    done = sim_card.run(REDUCE % 3, tmp_path, launcher=torchrun(2), faults=faults)
    assert done.returncode != 0
    (line,) = lines_of(done.stdout)
    assert re.match(r"rank 0 turn 1 \w*Error .*[Tt]imed out", line), line
    assert named(tmp_path, 1) == ["hang at call 2 of allreduce on rank 1: fired"], "it was killed, and has told before"


def test_an_error_in_a_collective_is_raised_on_its_rank(tmp_path: Path) -> None:
    faults = plan(tmp_path, '[[fault]]\nkind = "error"\noperator = "allreduce"\ncall = 1\nrank = 0\n')
    done = sim_card.run(REDUCE % 3, tmp_path, launcher=torchrun(2), faults=faults)
    assert done.returncode != 0
    assert "rank 0 turn 0 RuntimeError simulated fault: allreduce failed" in done.stdout
    assert named(tmp_path, 0) == ["error at call 1 of allreduce on rank 0: fired"]


def test_a_rank_that_sends_nan_spoils_all(tmp_path: Path) -> None:
    faults = plan(tmp_path, '[[fault]]\nkind = "nan"\noperator = "allreduce"\ncall = 3\nrank = 1\n')
    done = sim_card.run(REDUCE % 60, tmp_path, launcher=torchrun(2), faults=faults)
    assert done.returncode == 0, done.stderr[-2000:]
    assert [line.split()[2] for line in lines_of(done.stdout)] == ["nan", "nan"]
    assert named(tmp_path, 1) == ["nan at call 3 of allreduce on rank 1: fired"]


SPAWNED = f"""
import os, sys
sys.path.insert(0, {str(sim_card.HERE)!r})
import torch, sim_card, torch.distributed as dist
def main(rank, device):
    assert sim_card.start() == device
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=os.environ["FREE_PORT"])
    dist.init_process_group("mccl", rank=rank, world_size=2)
    x = torch.full((3,), rank + 1.0, device=f"{{device}}:{{rank}}")
    dist.all_reduce(x)
    sim_card.say("rank", rank, dist.get_backend(), x.tolist())
"""


def test_spawned_ranks_see_the_cards(tmp_path: Path) -> None:
    text = """
import os, torch.distributed as dist, torch.multiprocessing as mp
import spawned
if __name__ == "__main__":
    mp.spawn(spawned.main, args=(device,), nprocs=2)
"""
    (tmp_path / "spawned.py").write_text(SPAWNED, encoding="utf-8")
    done = sim_card.run(text, tmp_path, environment={"FREE_PORT": str(sim_card.free_port())})
    assert done.returncode == 0, done.stderr[-2000:]
    assert lines_of(done.stdout) == [f"rank {rank} mccl [3.0, 3.0, 3.0]" for rank in range(2)]
