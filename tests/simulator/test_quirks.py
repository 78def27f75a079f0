"""The platform's surprises that change numbers: off under `exact`, with the numbers of their description under `card`."""

from __future__ import annotations

from pathlib import Path

import pytest
from simulated_run import need_simulator, output_of, run

# TF32 keeps 10 bits behind the point: what lies in the middle goes to the even neighbour.
PRODUCTS = """
import torch
x = torch.tensor([[1 + 2**-11], [1 + 3 * 2**-11], [1 + 2**-11 + 2**-20], [-3.0]], device="musa", requires_grad=True)
one = torch.ones(1, 1, device="musa")
for allowed in (True, False):
    torch.backends.mudnn.allow_tf32 = allowed
    y = x @ one
    print([v - 1 for v in y[:, 0].tolist()])
weight = torch.full((1, 1), 1 + 2**-11, device="musa")
torch.backends.mudnn.allow_tf32 = True
(x @ weight).sum().backward()
print(x.grad[0, 0].item() - 1)
print((x.detach().double() @ one.double())[0, 0].item() - 1)
"""
EXACT = [2**-11, 3 * 2**-11, 2**-11 + 2**-20, -4.0]
ROUNDED = [0.0, 2**-9, 2**-10, -4.0]

NORM = """
import torch
from torch.nn import functional
x = torch.tensor([[3e-5, -1e-5]])
mine = functional.rms_norm(x.to("musa"), (2,)).cpu()
narrow, wide = (functional.rms_norm(x, (2,), eps=torch.finfo(t).eps) for t in (torch.float32, torch.float64))
assert not torch.equal(narrow, wide)
print(torch.equal(mine, narrow), torch.equal(mine, wide))
module = torch.nn.RMSNorm(2).to("musa")
print(torch.equal(module(x.to("musa")).detach().cpu(), narrow))
print(torch.equal(functional.rms_norm(x.to("musa"), (2,), eps=1e-6).cpu(), functional.rms_norm(x, (2,), eps=1e-6)))
"""

MOVE = """
import torch
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
before = model.weight
model.to("musa")
start = model.weight.detach().cpu()
model(torch.ones(1, 2, device="musa")).sum().backward()
optimizer.step()
print(model.weight is before, torch.equal(start, model.weight.detach().cpu()))
"""


@pytest.mark.parametrize("fidelity", ["exact", "card"])
def test_products_are_rounded_to_tf32(tmp_path: Path, fidelity: str) -> None:
    need_simulator()
    lines = output_of(run(PRODUCTS, tmp_path, "--fidelity", fidelity)).splitlines()
    rounds = fidelity == "card"
    assert lines[0] == str(ROUNDED if rounds else EXACT)
    assert lines[1] == str(EXACT)
    assert lines[2] == str(0.0 if rounds else 2**-11)
    assert lines[3] == str(2**-11)


@pytest.mark.parametrize("fidelity", ["exact", "card"])
def test_rms_norm_takes_the_epsilon_of_double(tmp_path: Path, fidelity: str) -> None:
    need_simulator()
    rounds = fidelity == "card"
    lines = output_of(run(NORM, tmp_path, "--fidelity", fidelity)).splitlines()
    assert lines == [f"{not rounds} {rounds}", str(not rounds), "True"]


@pytest.mark.parametrize(("options", "kept"), [((), True), (("--fidelity", "card"), False)])
def test_a_move_makes_new_parameters(tmp_path: Path, options: tuple[str, ...], kept: bool) -> None:
    need_simulator()
    done = run(MOVE, tmp_path, *options)
    assert output_of(done).split() == [str(kept), str(not kept)]
