"""The names of the style `neutral` against torch: that they are there, and that they ask what torch.cuda asks."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import reduce
from typing import Any
from unittest import mock

import pytest
import torch
from render import TABLE

NEUTRAL: dict[str, Any] = TABLE["neutral"]
FUNCTIONS: list[dict[str, Any]] = NEUTRAL["function"]
NAMES = [row["cuda"] for row in FUNCTIONS]


def resolved(path: str) -> Callable[..., object]:
    return reduce(getattr, path.split(".")[1:], torch)


def with_cuda() -> AbstractContextManager[object]:
    """torch as it answers where it was built for CUDA."""
    return mock.patch.object(torch._C, "_accelerator_getAccelerator", lambda: torch.device("cuda"))


@pytest.mark.parametrize("row", FUNCTIONS, ids=NAMES)
def test_both_names_are_there_and_take_these_arguments(row: dict[str, Any]) -> None:
    for name in (row["cuda"], row["neutral"]):
        parameters = list(inspect.signature(resolved(name)).parameters.values())
        assert len(parameters) == row["arguments"], name
        assert all(p.default is None for p in parameters), name


def test_the_device_type_is_that_of_cuda() -> None:
    with with_cuda():
        assert eval(NEUTRAL["device_type"]) == "cuda"


@pytest.mark.parametrize("name", [row["cuda"] for row in FUNCTIONS if row.get("question")])
@pytest.mark.parametrize("answer", [0, 1, 2])
def test_questions_ask_the_function_of_cuda(name: str, answer: int) -> None:
    neutral = next(row["neutral"] for row in FUNCTIONS if row["cuda"] == name)
    with with_cuda(), mock.patch.object(torch.cuda, name.rpartition(".")[2], return_value=answer) as old:
        assert resolved(neutral)() is answer
    old.assert_called_once_with()


@pytest.mark.parametrize("name", [row["cuda"] for row in FUNCTIONS if "memory_" in row["cuda"]])
def test_memory_is_read_from_the_same_entry(name: str) -> None:
    neutral = next(row["neutral"] for row in FUNCTIONS if row["cuda"] == name)
    entries = {f"{kind}_bytes.all.{which}": n for n, (kind, which) in enumerate(KINDS)}
    with (
        mock.patch.object(torch.cuda.memory, "memory_stats", lambda device=None: dict(entries)),
        mock.patch.object(torch.accelerator.memory, "memory_stats", lambda device=None: dict(entries)),
    ):
        assert resolved(neutral)(0) == resolved(name)(0)


KINDS = [(kind, which) for kind in ("allocated", "reserved") for which in ("current", "peak")]


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA card")
@pytest.mark.parametrize("row", FUNCTIONS, ids=NAMES)
def test_the_answers_are_the_same_on_a_card(row: dict[str, Any]) -> None:
    torch.zeros(1000, device="cuda")
    for arguments in ([], [0], ["cuda:0"], [torch.device("cuda", 0)], [None])[: 1 + 4 * row["arguments"]]:
        old, new = resolved(row["cuda"])(*arguments), resolved(row["neutral"])(*arguments)
        assert (type(new), new) == (type(old), old)


@pytest.mark.parametrize("name", [name for row in NEUTRAL["stays"] for name in row["cuda"]])
def test_what_stays_is_a_name_of_torch(name: str) -> None:
    assert resolved(name) is not None
