"""Saved on a simulated card, loaded in a fresh process: bits, devices and generators come back."""

from __future__ import annotations

from pathlib import Path

import sim_card
import torch

SAVE = """
import sys
import sim_training, sim_models
from torch import nn
half = int(sys.argv[1])

def step(model, opt, what, x, y):
    opt.zero_grad()
    what.loss(model, x, y).backward()
    opt.step()

torch.manual_seed(7)
what = sim_models.CASES["transformer-dropout"]
x, y = what.inputs().to(device), what.labels().to(device)
model = what.make().to(device)
opt = torch.optim.AdamW(model.parameters(), lr=1e-2, fused=True)
for _ in range(half):
    step(model, opt, what, x, y)
module = getattr(torch, device)
if half == 3:
    y_view = y.view(-1)[::2]
    torch.save({"model": model.state_dict(), "opt": opt.state_dict(), "cpu": torch.get_rng_state(),
                "card": module.get_rng_state(), "view": y_view, "second": torch.arange(5, device=f"{device}:1"),
                "bf16": torch.randn(7, device=device).bfloat16(), "x": x, "y": y}, "half.pt")
    for _ in range(3):
        step(model, opt, what, x, y)
state = {"model": model.state_dict(), "opt": opt.state_dict()["state"]}
torch.save(torch.utils._pytree.tree_map(lambda v: v.cpu() if isinstance(v, torch.Tensor) else v, state), sys.argv[2])
"""

RESUME = """
import sim_models
saved = torch.load("half.pt", weights_only=%s, map_location=%s)
assert saved["second"].device == torch.device(%s), saved["second"].device
assert saved["view"].untyped_storage().nbytes() == saved["y"].untyped_storage().nbytes()
assert torch.equal(saved["view"].cpu(), saved["y"].cpu().view(-1)[::2])
what = sim_models.CASES["transformer-dropout"]
model = what.make().to(device)
opt = torch.optim.AdamW(model.parameters(), lr=1e-2, fused=True)
model.load_state_dict(saved["model"])
opt.load_state_dict(saved["opt"])
torch.set_rng_state(saved["cpu"].cpu())
getattr(torch, device).set_rng_state(saved["card"].cpu())
x, y = saved["x"].to(device), saved["y"].to(device)
torch.randn(7, device=device)
for _ in range(3):
    opt.zero_grad()
    what.loss(model, x, y).backward()
    opt.step()
state = {"model": model.state_dict(), "opt": opt.state_dict()["state"]}
torch.save(torch.utils._pytree.tree_map(lambda v: v.cpu() if isinstance(v, torch.Tensor) else v, state), "resumed.pt")
"""


def _leaves(path: Path) -> list[torch.Tensor]:
    return [leaf for leaf in torch.utils._pytree.tree_leaves(torch.load(path)) if isinstance(leaf, torch.Tensor)]


def test_a_fresh_process_goes_on_to_the_same_bits(tmp_path: Path) -> None:
    done = sim_card.run(SAVE, tmp_path, ("3", "straight.pt"))
    assert done.returncode == 0, done.stderr
    ways = [
        ("True", "None", "device + ':1'"),
        ("False", "'cpu'", "'cpu'"),
        ("True", "device + ':1'", "device + ':1'"),
        ("True", "{device + ':1': device + ':0'}", "device + ':0'"),
    ]
    for way in ways:
        done = sim_card.run(RESUME % way, tmp_path)
        assert done.returncode == 0, (way, done.stderr)
        straight, resumed = _leaves(tmp_path / "straight.pt"), _leaves(tmp_path / "resumed.pt")
        assert len(straight) == len(resumed) > 50
        assert all(torch.equal(a, b) for a, b in zip(straight, resumed, strict=True)), way


def test_without_the_card_only_the_cpu_can_be_asked_for(tmp_path: Path) -> None:
    done = sim_card.run("torch.save(torch.arange(5, device=device), 'x.pt')", tmp_path)
    assert done.returncode == 0, done.stderr
    assert torch.load(tmp_path / "x.pt", map_location="cpu").tolist() == [0, 1, 2, 3, 4]


class TestGenerator:
    """Seed and offset, 16 bytes, as on the platform; its own stream under the card's fidelity."""

    def run(self, text: str, folder: Path, fidelity: str = "card") -> list[str]:
        done = sim_card.run(text, folder, fidelity=fidelity)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    def test_state_seed_and_offset(self, tmp_path: Path) -> None:
        text = """
module = getattr(torch, device)
module.manual_seed(5)
state = module.get_rng_state()
print(state.numel(), state.device, int(state.view(torch.int64)[0]), module.initial_seed())
a = torch.rand(3, device=device)
moved = module.get_rng_state()
b = torch.rand(3, device=device)
module.set_rng_state(moved)
print(torch.equal(b, torch.rand(3, device=device)), torch.equal(a, b), int(moved.view(torch.int64)[1]) > 0)
module.manual_seed(5)
print(torch.equal(a, torch.rand(3, device=device)))
before = torch.get_rng_state()
torch.nn.functional.dropout(torch.ones(50, device=device))
print(torch.equal(before, torch.get_rng_state()))
with torch.random.fork_rng():
    torch.manual_seed(9)
    c = torch.rand(3, device=device)
torch.manual_seed(9)
print(torch.equal(c, torch.rand(3, device=device)), torch.equal(torch.rand(2, device=device + ":1").cpu(), torch.rand(2, device=device).cpu()))
"""
        assert self.run(text, tmp_path) == ["16 cpu 5 5", "True False True", "True", "True", "True False"]

    def test_own_generators(self, tmp_path: Path) -> None:
        text = """
g = torch.Generator(device).manual_seed(3)
a = torch.randn(4, device=device, generator=g)
h = torch.Generator(device)
h.set_state(g.get_state())
b = torch.randn(4, device=device, generator=g)
print(torch.equal(b, torch.randn(4, device=device, generator=h)), torch.equal(a, b), g.device.type == device, g.initial_seed())
try:
    torch.randn(4, device=device, generator=torch.Generator())
except RuntimeError as error:
    print("generator" in str(error))
"""
        for fidelity in ("card", "exact"):
            assert self.run(text, tmp_path, fidelity) == ["True False True 3", "True"]

    def test_exact_draws_what_the_cpu_draws(self, tmp_path: Path) -> None:
        text = """
torch.manual_seed(1)
a = torch.randn(4)
torch.manual_seed(1)
print(torch.equal(a, torch.randn(4, device=device).cpu()))
"""
        assert self.run(text, tmp_path, "exact") == ["True"]
        assert self.run(text, tmp_path, "card") == ["False"]

    def test_checkpointed_dropout_depends_on_the_stale_flag(self, tmp_path: Path) -> None:
        """The platform's flag says that the card was never started, so the state is not kept: gradients differ."""
        text = """
from torch.utils.checkpoint import checkpoint
def gradient(keep):
    torch.manual_seed(3)
    x = torch.ones(200, device=device, requires_grad=True)
    f = lambda v: torch.nn.functional.dropout(v * 2)
    (checkpoint(f, x, use_reentrant=False) if keep else f(x)).sum().backward()
    return x.grad.cpu()
print(torch.equal(gradient(True), gradient(False)))
"""
        assert self.run(text, tmp_path, "card") == ["False"]
        assert self.run(text, tmp_path, "exact") == ["True"]
