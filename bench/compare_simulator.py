#!/usr/bin/env python3
"""What the simulated card costs beside the CPU's eager mode, with equal threads on both sides.

usage: compare_simulator.py [--threads N] [--seconds 8] [--build]

Both sides take turns in one process, so that whatever else the machine does hits both; what is compared are the best
times of each. --build also builds the extension from nothing, without ccache. Ends with 1 if a bound is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "simulator"))

import sim_card  # noqa: E402
import torch  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional  # noqa: E402

Step = Callable[[], object]
missed: list[str] = []


def show(what: str, ours: float, theirs: float, bound: float, unit: float, name: str) -> None:
    ratio = ours / theirs
    verdict = "" if ratio <= bound else "  MISSED"
    if verdict:
        missed.append(what)
    print(
        f"{what:46} {ours / unit:9.3f} {theirs / unit:9.3f} {name:3} {ratio:6.2f} (at most {bound}){verdict}",
        flush=True,
    )


def show_seconds(what: str, seconds: float, bound: float) -> None:
    verdict = "" if seconds <= bound else "  MISSED"
    if verdict:
        missed.append(what)
    print(f"{what:46} {seconds:9.4f} s (at most {bound}){verdict}", flush=True)


def best_in_turns(steps: list[Step], seconds: float, most: int = 100_000) -> list[float]:
    """The best time of each, measured in turns."""
    best = [float("inf")] * len(steps)
    end = time.perf_counter() + seconds
    turns = 0
    while (time.perf_counter() < end and turns < most) or turns < 5:
        for index, step in enumerate(steps):
            start = time.perf_counter()
            step()
            best[index] = min(best[index], time.perf_counter() - start)
        turns += 1
    return best


class LanguageModel(nn.Module):
    def __init__(self, width: int, layers: int, words: int = 256) -> None:
        super().__init__()
        self.words = nn.Embedding(words, width)
        layer = [
            nn.TransformerEncoderLayer(width, 4, 4 * width, 0.1, batch_first=True, norm_first=True)
            for _ in range(layers)
        ]
        self.layers = nn.ModuleList(layer)
        self.head = nn.Linear(width, words)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1], device=x.device)
        out = self.words(x)
        for layer in self.layers:
            out = layer(out, src_mask=mask, is_causal=True)
        return self.head(out)


def training_step(device: str, width: int, layers: int, batch: int, length: int) -> Step:
    torch.manual_seed(0)
    model = LanguageModel(width, layers).to(device)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3, foreach=True)
    x = torch.randint(256, (batch, length + 1)).to(device)

    def step() -> None:
        opt.zero_grad()
        out = model(x[:, :-1])
        functional.cross_entropy(out.flatten(0, 1), x[:, 1:].flatten()).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()

    return step


def small_operator(device: str) -> Step:
    a, b = torch.ones(64, device=device), torch.ones(64, device=device)

    def step(count: range = range(2000)) -> None:
        for _ in count:
            torch.add(a, b)

    return step


def measure_registration() -> float:
    text = (
        f"import sys, time; sys.path.insert(0, {str(ROOT / 'tests' / 'simulator')!r}); import torch, sim_card\n"
        f"sys.path.insert(0, {str(ROOT / 'python')!r})\n"
        "from accelport.simulator.extension import load_extension; from pathlib import Path\n"
        "e = load_extension(sim_card.BINARIES); e.read_platform(str(sim_card.PLATFORM)); e.configure(1, 1 << 30, 'strict', True)\n"
        "start = time.perf_counter(); e.register_table(str(sim_card.PLATFORM / 'operators.tsv'))\n"
        "print(time.perf_counter() - start)"
    )
    return min(float(subprocess.check_output([sys.executable, "-c", text])) for _ in range(3))


def measure_import() -> float:
    """How much longer torch and the card take than torch alone, start of the interpreter included."""
    plain = "import torch"
    ours = f"import sys; sys.path.insert(0, {str(ROOT / 'tests' / 'simulator')!r}); import torch, sim_card; sim_card.start()"

    def start(text: str) -> Step:
        return lambda: subprocess.run([sys.executable, "-c", text], check=True)

    mine, theirs = best_in_turns([start(ours), start(plain)], 0, 5)
    return mine - theirs


RANKS = """
import json, os, sys, time
sys.path[:0] = [%r, %r]
import torch, sim_card, torch.distributed as dist
torch.set_num_threads(1)
device = sim_card.start()
import compare_simulator as bench
from torch.nn.parallel import DistributedDataParallel as DDP
dist.init_process_group("cpu:gloo,%%s:%%s" %% (device, dist.get_default_backend_for_device(device)))
inner = bench.LanguageModel
bench.LanguageModel = lambda *given: type("", (), {"to": lambda self, where: DDP(inner(*given).to(where))})()
card = f"{device}:{os.environ['LOCAL_RANK']}"
steps = [bench.training_step(where, 128, 2, 4, 64) for where in (card, "cpu")]
best = [float("inf")] * 2
for _ in range(30):
    for index, step in enumerate(steps):
        dist.barrier()
        start = time.perf_counter()
        step()
        best[index] = min(best[index], time.perf_counter() - start)
if dist.get_rank() == 0:
    print(json.dumps(best))
dist.destroy_process_group()
"""


def measure_ranks() -> list[float]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ranks.py"
        path.write_text(RANKS % (str(ROOT / "tests" / "simulator"), str(ROOT / "bench")), encoding="utf-8")
        command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", str(path)]
        environment = {k: v for k, v in os.environ.items() if k != "ACCELPORT_SIM"}
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
        return json.loads(done.stdout.splitlines()[-1])


def measure_build() -> float:
    with tempfile.TemporaryDirectory() as folder:
        configure = ["cmake", "-S", str(ROOT / "runtime" / "torch"), "-B", folder, "-G", "Ninja"]
        subprocess.run([*configure, f"-DPython3_EXECUTABLE={sys.executable}"], check=True, capture_output=True)
        environment = {**os.environ, "CCACHE_DISABLE": "1"}
        target = ["cmake", "--build", folder, "-j2"]
        start = time.perf_counter()
        subprocess.run(target, check=True, capture_output=True, env=environment)
        return time.perf_counter() - start


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--build", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    registration, import_cost = measure_registration(), measure_import()
    device = sim_card.start()
    print(f"{options.threads} threads; load {os.getloadavg()[0]:.1f}\n{'':46} {'card':>9} {'CPU':>9}     ratio")
    rows = [("step of a language model, long", (128, 4, 8, 64), 1.10), ("the same, short", (32, 1, 2, 16), 1.25)]
    for what, shape, bound in rows:
        mine, theirs = best_in_turns([training_step(device, *shape), training_step("cpu", *shape)], options.seconds)
        show(what, mine, theirs, bound, 1e-3, "ms")
    mine, theirs = best_in_turns([small_operator(device), small_operator("cpu")], options.seconds / 2)
    show("add of 64 floats", mine / 2000, theirs / 2000, 1.6, 1e-6, "us")
    mine, theirs = measure_ranks()
    show("DDP step on two ranks", mine, theirs, 1.2, 1e-3, "ms")
    show_seconds("registration of the platform's operators", registration, 0.010)
    show_seconds("import, over torch's own", import_cost, 0.3)
    if options.build:
        show_seconds("the extension from nothing, two cores", measure_build(), 120)
    print("all within their bounds" if not missed else f"missed: {', '.join(missed)}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
