#!/usr/bin/env python3
"""What the guard costs a training step, beside torch's own anomaly detection, in turns in one process on the CPU.

usage: compare_guard.py [--threads N] [--turns 20] [--tokens 4096]

Each turn runs every way once, in another order; compared are the medians over the turns of the ratio to the unguarded
step of the same turn, and of the best times. Ends with 1 if a bound is missed by both.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "bench")]

import accelport  # noqa: E402
import torch  # noqa: E402
from torch import nn  # noqa: E402

Step = Callable[[], object]
WIDTH = 256


def training(tokens: int, way: str) -> Step:
    """One step of a stack of linear layers on `tokens` rows, with clipping and AdamW."""
    torch.manual_seed(0)
    layers = [m for _ in range(4) for m in (nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))]
    model = nn.Sequential(*layers)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-4, foreach=True)
    x = torch.randn(tokens, WIDTH)

    def step(batch: torch.Tensor) -> None:
        opt.zero_grad()
        model(batch).square().mean().backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()

    if way == "unguarded":
        return lambda: step(x)
    if way == "anomaly":

        def watched() -> None:
            with torch.autograd.detect_anomaly():
                step(x)

        return watched
    options = {"gradients": {"state": False}, "state": {}, "every=4": {"every": 4}}[way]
    guard = accelport.guard(model, opt, **options)
    return lambda: guard.step(step, x)


def timed(step: Step) -> float:
    start = time.perf_counter()
    step()
    return time.perf_counter() - start


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--turns", type=int, default=20)
    parser.add_argument("--tokens", type=int, default=4096)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    bounds = {"unguarded": 9.0, "gradients": 1.01, "state": 1.08, "every=4": 1.08, "anomaly": 9.0}
    steps = {way: training(options.tokens, way) for way in bounds}
    for step in steps.values():
        step()
    times: dict[str, list[float]] = {way: [] for way in steps}
    for turn in range(options.turns):
        ways = list(steps)
        for way in ways[turn % len(ways) :] + ways[: turn % len(ways)]:
            times[way].append(timed(steps[way]))
    print(f"{options.threads} threads; load {os.getloadavg()[0]:.1f}; {options.turns} turns")
    missed = []
    for way, bound in bounds.items():
        paired = statistics.median(a / b for a, b in zip(times[way], times["unguarded"], strict=True))
        best = min(times[way]) / min(times["unguarded"])
        if min(paired, best) > bound:
            missed.append(way)
        limit = f"(at most {bound})" if bound < 9 else ""
        print(f"{way:10} {min(times[way]) * 1e3:8.1f} ms  ratio {paired:.3f}, of the best {best:.3f} {limit}")
    print("all within their bounds" if not missed else f"missed: {', '.join(missed)}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
