"""Work on another stream than the default one waits until it is asked for: a missing wait reads the old bytes, always."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import ModuleType

import pytest
import sim_card
import torch
from sim_models import CASES
from sim_training import differences, train

TIMES = 5  # what is a race on a card must come out the same each time


@pytest.fixture
def card(device: str) -> Iterator[ModuleType]:
    module = getattr(torch, device)
    yield module
    module.synchronize()
    assert sim_card.extension().pending() == 0


def _doubled_on(card: ModuleType, x: torch.Tensor) -> torch.Stream:
    side = card.Stream()
    side.wait_stream(card.current_stream())
    with card.stream(side):
        x.mul_(2)
    return side


def test_a_missing_wait_reads_the_old_bytes(card: ModuleType, device: str) -> None:
    for _ in range(TIMES):
        x = torch.ones(1000, device=device)
        _doubled_on(card, x)
        assert x.sum().item() == 1000
        card.synchronize()
        assert x.sum().item() == 2000


WAITS: dict[str, Callable[[ModuleType, torch.Stream], object]] = {
    "wait_stream": lambda card, side: card.current_stream().wait_stream(side),
    "wait_event": lambda card, side: card.current_stream().wait_event(side.record_event()),
    "event.wait": lambda card, side: side.record_event().wait(card.current_stream()),
    "event.synchronize": lambda card, side: side.record_event().synchronize(),
    "stream.synchronize": lambda card, side: side.synchronize(),
    "device.synchronize": lambda card, side: card.synchronize(),
    "stream.query": lambda card, side: [side.query() for _ in range(2)],
}


@pytest.mark.parametrize("wait", WAITS)
def test_every_wait_orders(card: ModuleType, device: str, wait: str) -> None:
    for _ in range(TIMES):
        x = torch.ones(1000, device=device)
        side = _doubled_on(card, x)
        WAITS[wait](card, side)
        assert x.sum().item() == 2000


def test_an_event_orders_only_what_was_before_it(card: ModuleType, device: str) -> None:
    for _ in range(TIMES):
        x, y = torch.ones(10, device=device), torch.ones(10, device=device)
        side = _doubled_on(card, x)
        event = side.record_event()
        with card.stream(side):
            y.mul_(3)
        card.current_stream().wait_event(event)
        assert (x.sum().item(), y.sum().item()) == (20, 10)
        side.synchronize()


def test_a_stream_reads_its_own_work_and_that_it_waited_for(card: ModuleType, device: str) -> None:
    for _ in range(TIMES):
        x = torch.ones(10, device=device)
        first, second, third = card.Stream(), card.Stream(), card.Stream()
        with card.stream(first):
            x.add_(1)
            y = x * 10
        second.wait_stream(first)
        with card.stream(second):
            waited = y + 1
        with card.stream(third):
            early = torch.nan_to_num(y, nan=-1.0)
        card.synchronize()
        assert (y[0].item(), waited[0].item(), early[0].item()) == (20, 21, -1)


def test_a_result_that_nobody_waited_for_is_not_there(card: ModuleType, device: str) -> None:
    side = card.Stream()
    with card.stream(side):
        made = torch.arange(4.0, device=device) + 1
    assert made.isnan().all().item()
    side.synchronize()
    assert made.tolist() == [1, 2, 3, 4]


def test_a_copy_to_pinned_memory_is_read_too_early(card: ModuleType, device: str) -> None:
    for _ in range(TIMES):
        x, host = torch.ones(100, device=device), torch.zeros(100).pin_memory()
        side = card.Stream()
        with card.stream(side):
            host.copy_(x, non_blocking=True)
        assert host.sum().item() == 0
        side.synchronize()
        assert host.sum().item() == 100


def test_pinned_memory_that_is_reused_too_early_sends_the_new_bytes(card: ModuleType, device: str) -> None:
    for _ in range(TIMES):
        host, x = torch.ones(100).pin_memory(), torch.zeros(100, device=device)
        side = card.Stream()
        with card.stream(side):
            x.copy_(host, non_blocking=True)
        host.fill_(7)
        side.synchronize()
        assert x.sum().item() == 700


def test_pageable_memory_is_copied_at_once(card: ModuleType, device: str) -> None:
    host, x = torch.ones(100), torch.zeros(100, device=device)
    with card.stream(card.Stream()):
        x.copy_(host, non_blocking=True)
    host.fill_(7)
    card.synchronize()
    assert x.sum().item() == 100


def test_reading_on_the_host_waits_for_its_own_stream_only(card: ModuleType, device: str) -> None:
    x = torch.ones(10, device=device)
    with card.stream(card.Stream()):
        x.mul_(2)
        assert x.sum().item() == 20
        x.mul_(2)
    assert x.sum().item() == 20


def test_the_queue_of_a_stream_is_bounded(card: ModuleType, device: str) -> None:
    x = torch.zeros(4, device=device)
    side = card.Stream()
    with card.stream(side):
        for _ in range(3000):
            x.add_(1)
    assert 0 < sim_card.extension().pending() <= 1024
    side.synchronize()
    assert x[0].item() == 3000


def test_stale_reads_are_counted(card: ModuleType, device: str) -> None:
    x = torch.ones(10, device=device)
    before, _ = sim_card.extension().stale_reads()
    side = _doubled_on(card, x)
    _ = x + 1
    after, _ = sim_card.extension().stale_reads()
    card.current_stream().wait_stream(side)
    _ = x + 1
    assert (after, sim_card.extension().stale_reads()[0]) == (before + 1, before + 1)


def test_events_measure_time_and_tell_what_is_done(card: ModuleType, device: str) -> None:
    start, end = card.Event(enable_timing=True), card.Event(enable_timing=True)
    start.record()
    side = _doubled_on(card, torch.ones(10, device=device))
    end.record(side)
    assert not end.query()
    assert end.query()
    assert start.elapsed_time(end) >= 0


@pytest.mark.parametrize("case", ["transformer-dropout", "convnet", "lstm", "graph"])
def test_training_on_another_stream_equals_the_cpu(card: ModuleType, device: str, case: str) -> None:
    with card.stream(card.Stream()):
        mine = train(case, "adamw", device, steps=2)
    assert differences(mine, train(case, "adamw", "cpu", steps=2)) == []


def test_forward_and_backward_on_different_streams(card: ModuleType, device: str) -> None:
    """autograd runs a node where its forward ran, and orders streams itself."""
    torch.manual_seed(3)
    what = CASES["convnet"]
    model, x, y = what.make(), what.inputs(), what.labels()
    what.loss(model, x, y).backward()
    expected = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    model = model.to(device)
    side = card.Stream()
    side.wait_stream(card.current_stream())
    with card.stream(side):
        loss = what.loss(model, x.to(device), y.to(device))
    loss.backward()
    card.synchronize()
    # The running statistics moved in the first pass; gradients of a batch norm in training do not use them.
    for mine, parameter in zip(expected, model.parameters(), strict=True):
        assert torch.equal(mine, parameter.grad.cpu())
