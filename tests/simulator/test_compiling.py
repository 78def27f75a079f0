"""torch.compile on a simulated card: the program is captured, and the graph runs with the numbers of plain execution."""

from __future__ import annotations

from pathlib import Path

import pytest
from simulated_run import need_simulator, output_of, run

PROGRAM = """
import copy, sys
import torch
from torch._dynamo.utils import counters

torch.manual_seed(0)
plain = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.GELU(), torch.nn.Linear(8, 1))
inputs = [torch.randn(n, 8) for n in (4, 4, 6)]


def train(device, compiled):
    model = copy.deepcopy(plain).to(device)
    step = torch.compile(model, **OPTIONS) if compiled else model
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in inputs:
        optimizer.zero_grad()
        step(x.to(device)).square().mean().backward()
        optimizer.step()
    return [p.detach().cpu() for p in model.parameters()]


card, host = train("musa", True), train("cpu", False)
assert counters["stats"]["unique_graphs"] >= 1, counters
assert all(torch.equal(a, b) for a, b in zip(card, host))
made = torch.compile(lambda n: torch.ones(n, device="musa").sum(), **OPTIONS)(3)
assert made.device.type == "musa" and made.item() == 3
print("equal")
"""


@pytest.mark.parametrize("options", ["{}", "{'fullgraph': True, 'dynamic': False}", "{'mode': 'reduce-overhead'}"])
def test_what_is_compiled_runs_as_captured(tmp_path: Path, options: str) -> None:
    need_simulator()
    done = run(f"OPTIONS = {options}\n" + PROGRAM, tmp_path, timeout=300)
    assert output_of(done).split() == ["equal"]
