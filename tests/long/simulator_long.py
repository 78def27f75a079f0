#!/usr/bin/env python3
"""What takes long on the simulated card: 10,000 steps in constant memory, and the collectives on eight ranks.

usage: simulator_long.py [--steps 10000] [--ranks 8]
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "simulator"))

import sim_card  # noqa: E402
import sim_ranks  # noqa: E402

# A language model of two layers with dropout, mixed precision, copies on another stream and events.
STEPS = """
import gc, json, resource, sys
import sim_models
from torch import nn
torch.set_num_threads(1)
steps = int(sys.argv[1])
what = sim_models.CASES["transformer-dropout"]
model = what.make().to(device)
opt = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
card = getattr(torch, device)
side = card.Stream()
words, labels = what.inputs().pin_memory(), what.labels().pin_memory()
seen = []
for step in range(steps):
    with card.stream(side):
        x, y = words.to(device, non_blocking=True), labels.to(device, non_blocking=True)
    card.current_stream().wait_event(side.record_event())
    opt.zero_grad()
    with torch.autocast(device, dtype=torch.bfloat16):
        loss = what.loss(model, x, y)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    if step in (steps // 10, steps - 1):
        gc.collect()
        process = int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()
        seen.append([card.memory_allocated(), card.memory_reserved(), card.max_memory_allocated(), process])
print(json.dumps({"seen": seen, "loss": loss.item()}))
"""
MOST_GROWTH = 1.05  # of the process, whose own allocator may keep pages


def constant_memory(steps: int) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        done = sim_card.run(STEPS, Path(folder), (str(steps),), timeout=7200)
    if done.returncode != 0:
        print(done.stderr, file=sys.stderr)
        return False
    (early, late), loss = json.loads(done.stdout)["seen"], json.loads(done.stdout)["loss"]
    print(f"{steps} steps: card {early[0]} and {late[0]} bytes, peak {early[2]} and {late[2]},")
    print(f"  process {early[3] >> 20} and {late[3] >> 20} MiB, loss {loss:.3f}")
    return early[:3] == late[:3] and late[3] <= early[3] * MOST_GROWTH


def collectives(ranks: int) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        launcher = ("-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={ranks}")
        text = "import sim_ranks; sim_ranks.main()"
        tasks = tuple(name for name in sim_ranks.TASKS if name != sim_ranks.RECURRENT)  # it says why
        done = sim_card.run(text, Path(folder), tasks, launcher=launcher, devices=ranks, memory=1 << 30, timeout=3600)
    if done.returncode != 0:
        print(done.stderr[-4000:], file=sys.stderr)
        return False
    found = json.loads(done.stdout.splitlines()[-1])
    bad = {name: differences for name, differences in found.items() if differences}
    print(f"{ranks} ranks: {len(found)} results compared with gloo on the CPU, {len(bad)} differ")
    for name, differences in bad.items():
        print(f"  {name}: {differences[0]}")
    return not bad


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=10_000)
    parser.add_argument("--ranks", type=int, default=8)
    options = parser.parse_args()
    good = [constant_memory(options.steps), collectives(options.ranks)]
    print(f"most memory of a process here: {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10} MiB")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
