"""The books of a card's memory, and what happens when it is full."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest
import sim_card
import torch

MIB = 1 << 20


@pytest.fixture
def card(device: str) -> ModuleType:
    module = getattr(torch, device)
    torch.ones(1, device=device)
    module.empty_cache()
    module.reset_peak_memory_stats()
    return module


def test_sizes_are_rounded_to_512_bytes(card: ModuleType, device: str) -> None:
    before = card.memory_allocated()
    x = torch.empty(1000, 1000, device=device)
    assert card.memory_allocated() - before == 4_000_256
    y = torch.empty(1, device=device)
    assert card.memory_allocated() - before == 4_000_768
    stats = card.memory_stats()
    assert stats["requested_bytes.all.current"] < stats["allocated_bytes.all.current"]
    del x, y
    assert card.memory_allocated() == before


def test_reserved_memory_stays_until_the_cache_is_emptied(card: ModuleType, device: str) -> None:
    before = card.memory_reserved()
    x = torch.empty(30 * MIB, dtype=torch.uint8, device=device)
    assert card.memory_reserved() - before == 30 * MIB
    del x
    assert card.memory_reserved() - before == 30 * MIB
    card.empty_cache()
    assert card.memory_reserved() == before


def test_a_peak_equals_the_hand_count(card: ModuleType, device: str) -> None:
    """x, then y = x + 1, then z = y * 2 with y freed behind it, then the sum's one element."""
    before = card.memory_allocated()
    card.reset_peak_memory_stats()
    size = 4 * 1024 * 256
    x = torch.zeros(1024, 256, device=device)
    y = x + 1
    z = y * 2
    del y
    s = z.sum()
    assert card.max_memory_allocated() - before == 3 * size
    assert card.memory_allocated() - before == 2 * size + 512
    del x, z, s
    card.reset_peak_memory_stats()
    assert card.max_memory_allocated() == before


def test_temporaries_of_kernels_count(card: ModuleType, device: str) -> None:
    """A product of a transposed batch needs a contiguous copy while it runs."""
    x = torch.randn(64, 3, 64, 64, device=device)
    weight = torch.randn(8, 3, 3, 3, device=device)
    card.reset_peak_memory_stats()
    before = card.memory_allocated()
    out = torch.nn.functional.conv2d(x, weight, padding=1)
    held = card.memory_allocated() - before
    assert card.max_memory_allocated() - before > held >= out.numel() * 4


def test_views_and_in_place_work_cost_nothing(card: ModuleType, device: str) -> None:
    x = torch.zeros(1024, device=device)
    before = card.memory_allocated()
    y = x.view(32, 32).t()[1:]
    y.add_(1)
    x.mul_(2)
    assert card.memory_allocated() == before


def test_training_leaks_nothing(card: ModuleType, device: str) -> None:
    from sim_training import train

    train("transformer", "adamw-fused", device, steps=1)
    before = card.memory_allocated()
    for _ in range(3):
        train("transformer", "adamw-fused", device, steps=2)
    assert card.memory_allocated() == before


def test_statistics_have_all_of_torchs_names(card: ModuleType) -> None:
    stats = card.memory_stats()
    for name in ("allocation.all.current", "segment.large_pool.peak", "inactive_split_bytes.all.freed", "num_ooms"):
        assert name in stats
    free, total = card.mem_get_info()
    assert total == 4 * sim_card.GIB
    assert total - free == card.memory_reserved()
    assert "Allocated memory" in card.memory_summary()
    assert sum(segment["total_size"] for segment in card.memory_snapshot()) >= card.memory_reserved()


FULL = """
module = getattr(torch, device)
held = torch.zeros(24, 1 << 18, device=device)   # 24 MiB of 64
calls = []
try:
    big = torch.empty(48 << 20, dtype=torch.uint8, device=device)
except torch.OutOfMemoryError as error:
    print(error)
# Before the kernel computes: the results of add would be 24 MiB each, the second one does not fit.
one = held + 1
generator = torch.get_rng_state()
try:
    two = torch.rand_like(held)
except torch.OutOfMemoryError:
    print("before it computes", torch.equal(generator, torch.get_rng_state()))
del one
two = held + 1
print(two.sum().item(), module.memory_stats()["num_ooms"])
del two
weight = torch.ones(24, 1 << 18, device=device, requires_grad=True)
try:
    (weight * 2).sum().backward()
except torch.OutOfMemoryError:
    print("in backward", weight.grad)
del weight
module.empty_cache()
print((held + 1).sum().item(), torch.musa.OutOfMemoryError is torch.OutOfMemoryError)
"""


def test_a_full_card_raises_the_platforms_error_and_can_be_used_on(tmp_path: Path) -> None:
    done = sim_card.run(FULL, tmp_path, memory=64 * MIB)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith(
        "MUSA out of memory. Tried to allocate 48.00 MiB. GPU 0 has a total capacity of 64.00 MiB of which 40.00 MiB is free."
    )
    total = 24.0 * (1 << 18)
    assert lines[1:] == [
        "before it computes True",
        f"{total} 2",
        "in backward None",
        f"{total} True",
    ]


def test_fragments_can_fill_a_card(tmp_path: Path) -> None:
    text = """
pieces = [torch.empty(2 << 20, dtype=torch.uint8, device=device) for _ in range(10)]   # one segment of 20 MiB
del pieces[::2]
try:
    torch.empty(15 << 20, dtype=torch.uint8, device=device)
    print("fits")
except torch.OutOfMemoryError as error:
    print("10.00 MiB is reserved by PyTorch but unallocated" in str(error))
del pieces[:]
torch.empty(30 << 20, dtype=torch.uint8, device=device)
print("after the cache was given up")
"""
    done = sim_card.run(text, tmp_path, memory=32 * MIB)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["True", "after the cache was given up"]


ERRORS = {
    "fork": (
        "import os, sys\ntorch.ones(1, device=device)\npid = os.fork()\nif pid == 0:\n    try:\n"
        "        torch.ones(1, device=device)\n    except RuntimeError as error:\n        print(error, flush=True)\n"
        "    os._exit(0)\nos.waitpid(pid, 0)",
        "Cannot re-initialize MUSA in forked subprocess",
    ),
    "operator": (
        "try:\n    torch.linalg.matrix_exp(torch.eye(2, device=device))\nexcept NotImplementedError as error:\n    print(error)",
        "Could not run 'aten::linalg_matrix_exp' with arguments from the 'musa' backend",
    ),
    "devices": (
        "try:\n    torch.ones(2, device=device) + torch.ones(2)\nexcept RuntimeError as error:\n    print(error)",
        "Expected all tensors to be on the same device, but found at least two devices, musa:0 and cpu!",
    ),
    "cards": (
        "try:\n    torch.ones(2, device=device) + torch.ones(2, device=device + ':1')\nexcept RuntimeError as error:\n    print(error)",
        "Expected all tensors to be on the same device, but found at least two devices, musa:0 and musa:1!",
    ),
    "ordinal": (
        "try:\n    torch.ones(2, device=device + ':7')\nexcept RuntimeError as error:\n    print(error)",
        "MUSA error: invalid device ordinal",
    ),
    "numpy": (
        "try:\n    torch.ones(2, device=device).numpy()\nexcept TypeError as error:\n    print(error)",
        "can't convert musa:0 device type tensor to numpy",
    ),
    "dtype": (
        "try:\n    torch.ones(2, dtype=torch.uint16, device=device)\nexcept RuntimeError as error:\n    print(error)",
        "SetMUTensorDType Unsupported tensor dtype: UInt16",
    ),
    "complex": (
        "a = torch.ones(2, dtype=torch.complex64, device=device)\ntry:\n"
        "    a.scatter_add_(0, torch.zeros(2, dtype=torch.long, device=device), a.clone())\n"
        "except RuntimeError as error:\n    print(error)",
        "scatter unsupported complex tensor dtype",
    ),
}


@pytest.mark.parametrize("what", ERRORS)
def test_the_platforms_error(what: str, tmp_path: Path) -> None:
    text, expected = ERRORS[what]
    done = sim_card.run(text, tmp_path)
    assert done.returncode == 0, done.stderr
    assert expected in done.stdout


def test_what_is_missing_can_be_let_through_and_is_counted(tmp_path: Path) -> None:
    text = "print(torch.linalg.matrix_exp(torch.zeros(2, 2, device=device)).sum().item())"
    done = sim_card.run(text, tmp_path, strictness="warn")
    assert done.stdout.strip() == "2.0", done.stderr
    assert "has no" in done.stderr
    (report,) = sim_card.reports(tmp_path)
    assert report["missing"] == {"aten::linalg_matrix_exp": 1}
