"""Run by torchrun: does the same collectives and trainings on simulated cards and on the CPU, and prints what differs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from datetime import timedelta

import sim_card
import torch
import torch.distributed as dist
from sim_models import CASES
from sim_training import Trained, _tensors, differences
from torch import Tensor, nn
from torch.distributed._functional_collectives import all_reduce as functional_all_reduce
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel

STEPS = 3
# A recurrent layer is one node of the card's graph: its gradients are ready together and lie in other buckets than on the
# CPU. With more than two ranks gloo then adds in another order.
RECURRENT = "ddp-recurrent"


def _own(device: str, dtype: torch.dtype = torch.float32) -> Tensor:
    return (torch.arange(12, dtype=torch.float32) * (dist.get_rank() + 1.5)).to(dtype).to(device)


def reductions(device: str) -> dict[str, Tensor]:
    out: dict[str, Tensor] = {}
    for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.float16, torch.int64):
        for op in ("SUM", "MAX", "MIN", "PRODUCT"):
            x = _own(device, dtype)
            dist.all_reduce(x, op=getattr(dist.ReduceOp, op))
            out[f"all_reduce {dtype} {op}"] = x
    x = _own(device)
    dist.all_reduce(x, op=dist.ReduceOp.AVG)
    out["average"] = x
    x = _own(device)
    dist.reduce(x, dst=0)
    if dist.get_rank() == 0:
        out["reduce"] = x
    x = _own(device).view(3, 4).t().contiguous()[1:]
    dist.all_reduce(x)
    out["view"] = x
    out["functional"] = functional_all_reduce(_own(device), "sum", dist.group.WORLD) + 0
    return out


def gathers(device: str) -> dict[str, Tensor]:
    world, rank, x = dist.get_world_size(), dist.get_rank(), _own(device)
    out: dict[str, Tensor] = {}
    parts = [torch.empty_like(x) for _ in range(world)]
    dist.all_gather(parts, x)
    out["all_gather"] = torch.stack(parts)
    whole = torch.empty(world * 12, device=device)
    dist.all_gather_into_tensor(whole, x)
    out["into_tensor"] = whole
    in_place = torch.zeros(world * 12, device=device)
    in_place[rank * 12 : (rank + 1) * 12] = x
    dist.all_gather_into_tensor(in_place, in_place[rank * 12 : (rank + 1) * 12])
    out["in place"] = in_place
    parts = [torch.empty_like(x) for _ in range(world)] if rank == 0 else None
    dist.gather(x, parts, dst=0)
    if parts:
        out["gather"] = torch.stack(parts)
    mine = torch.empty(12, device=device)
    dist.scatter(mine, [x + i for i in range(world)] if rank == 0 else None, src=0)
    out["scatter"] = mine
    return out


def exchanges(device: str) -> dict[str, Tensor]:
    world, rank = dist.get_world_size(), dist.get_rank()
    out: dict[str, Tensor] = {}
    long = torch.arange(world * 3.0, device=device) * (rank + 1)
    short = torch.empty(3, device=device)
    dist.reduce_scatter_tensor(short, long)
    out["reduce_scatter_tensor"] = short
    short = torch.empty(3, device=device)
    dist.reduce_scatter(short, list(long.view(world, 3).unbind()))
    out["reduce_scatter"] = short
    swapped = torch.empty_like(long)
    dist.all_to_all_single(swapped, long)
    out["all_to_all_single"] = swapped
    right, left = (rank + 1) % world, (rank - 1) % world
    got = torch.empty(12, device=device)
    works = dist.batch_isend_irecv([dist.P2POp(dist.isend, _own(device), right), dist.P2POp(dist.irecv, got, left)])
    for work in works:
        work.wait()
    out["ring"] = got
    got = torch.empty(12, device=device)
    if rank == 0:
        dist.send(_own(device), 1)
    elif rank == 1:
        dist.recv(got, 0)
        out["recv"] = got
    return out


def broadcasts(device: str) -> dict[str, Tensor]:
    x = _own(device)
    dist.broadcast(x, src=1)
    empty = torch.empty(0, device=device)
    dist.broadcast(empty, src=0)
    dist.barrier()
    few = dist.new_group([0, 1])
    y = _own(device)
    if dist.get_rank() < 2:
        dist.all_reduce(y, group=few)
    return {"broadcast": x, "empty": empty, "group": y}


def objects(device: str) -> dict[str, Tensor]:
    world, rank = dist.get_world_size(), dist.get_rank()
    mine = {"rank": rank, "tensor": torch.ones(2) * rank}
    everyone: list[object] = [None] * world
    dist.all_gather_object(everyone, mine)
    sent: list[object] = [{"from": 0}] if rank == 0 else [None]
    dist.broadcast_object_list(sent, src=0, device=torch.device(device))
    got: list[object] = [None]
    dist.scatter_object_list(got, [f"for {i}" for i in range(world)] if rank == 0 else None, src=0)
    good = [one["rank"] for one in everyone] == list(range(world)) and sent == [{"from": 0}] and got == [f"for {rank}"]
    return {"objects": torch.tensor(int(good))}


def works(device: str) -> dict[str, Tensor]:
    x, y = _own(device), _own(device)
    work = dist.all_reduce(x, async_op=True)
    future = dist.all_reduce(y, async_op=True).get_future()
    doubled = future.then(lambda done: done.value()[0] * 2)
    work.wait()
    assert work.is_completed()
    z = _own(device)
    unwaited = dist.all_reduce(z, async_op=True)
    if device != "cpu":
        # On the CPU the bytes may or may not have come: here they have not.
        assert torch.equal(z, _own(device)), "a work that nobody waited for"
    unwaited.wait()
    unwaited.wait()
    return {"wait": x, "then": doubled.wait(), "late": z}


def on_another_stream(device: str) -> dict[str, Tensor]:
    if device == "cpu":
        x = _own(device) * 2
        dist.all_reduce(x)
        return {"stream": x}
    card = getattr(torch, device)
    side = card.Stream()
    with card.stream(side):
        x = _own(device) * 2
        dist.all_reduce(x)
    early = torch.nan_to_num(x, nan=-1.0).clone()
    assert (early == -1).all().item(), "the default stream has not waited"
    card.current_stream().wait_stream(side)
    return {"stream": x}


def _batch(case: str) -> tuple[Tensor, Tensor]:
    torch.manual_seed(dist.get_rank())
    return CASES[case].inputs(), CASES[case].labels()


def _data_parallel(case: str, device: str, **options: object) -> Trained:
    hook, accumulate = options.pop("hook", None), options.pop("accumulate", False)
    torch.manual_seed(7)
    model = DistributedDataParallel(CASES[case].make().to(device), **options)
    if hook is not None:
        model.register_comm_hook(None, hook)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-2, foreach=True)
    x, y = (t.to(device) for t in _batch(case))
    trained: Trained = {}
    for step in range(STEPS):
        if accumulate:
            with model.no_sync():
                CASES[case].loss(model, x, y).backward()
        loss = CASES[case].loss(model, x, y)
        loss.backward()
        opt.step()
        _tensors(trained, f"step {step}", {"loss": loss, **{n: p.grad for n, p in model.named_parameters()}})
        opt.zero_grad()
    _tensors(trained, "model", dict(model.state_dict()))
    _tensors(trained, "optimizer", opt.state_dict()["state"])
    return trained


def _sharded(case: str, device: str, **options: object) -> Trained:
    torch.manual_seed(7)
    model = CASES[case].make().to(device)
    mesh = dist.device_mesh.init_device_mesh(device, (dist.get_world_size(),), mesh_dim_names=("data",))
    for block in [m for m in model.modules() if isinstance(m, nn.TransformerEncoderLayer)]:
        fully_shard(block, mesh=mesh, **options)
    fully_shard(model, mesh=mesh, **options)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-2)
    x, y = (t.to(device) for t in _batch(case))
    trained: Trained = {}
    for step in range(STEPS):
        loss = CASES[case].loss(model, x, y)
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        grads = {name: p.grad.full_tensor() for name, p in model.named_parameters()}
        _tensors(trained, f"step {step}", {"loss": loss, "norm": norm.full_tensor(), **grads})
        opt.zero_grad()
    _tensors(trained, "model", {name: value.full_tensor() for name, value in model.state_dict().items()})
    return trained


TASKS: dict[str, Callable[[str], Trained]] = {
    "reductions": reductions,
    "gathers": gathers,
    "exchanges": exchanges,
    "broadcasts": broadcasts,
    "objects": objects,
    "works": works,
    "stream": on_another_stream,
    "ddp": lambda device: _data_parallel("convnet", device),
    "ddp-accumulate": lambda device: _data_parallel("transformer", device, accumulate=True),
    "ddp-views": lambda device: _data_parallel("encoder", device, gradient_as_bucket_view=True, static_graph=True),
    RECURRENT: lambda device: _data_parallel("lstm", device, gradient_as_bucket_view=True),
    "ddp-hook": lambda device: _data_parallel("diffusion", device, hook=default_hooks.fp16_compress_hook),
    "ddp-buckets": lambda device: _data_parallel("transformer", device, bucket_cap_mb=0.01),
    "fsdp2": lambda device: _sharded("encoder", device),
    "fsdp2-keep": lambda device: _sharded("encoder", device, reshard_after_forward=False),
}


def _ranks_agree(trained: Trained) -> list[str]:
    """Parameters and moments are the same on every rank."""
    out = []
    for name, value in trained.items():
        if not name.startswith(("model", "optimizer")) or "running" in name:
            continue
        first = value.clone()
        dist.broadcast(first, src=0)
        if not torch.equal(first, value):
            out.append(f"{name} is not that of rank 0")
    return out


def main() -> None:
    device = sim_card.start()
    torch.set_num_threads(1)
    getattr(torch, device).set_device(int(os.environ["LOCAL_RANK"]) % torch.accelerator.device_count())
    backend = f"cpu:gloo,{device}:{dist.get_default_backend_for_device(device)}"
    dist.init_process_group(backend, timeout=timedelta(seconds=60))
    found: dict[str, list[str]] = {}
    for name in sys.argv[1:] or TASKS:
        mine = {key: value.cpu() for key, value in TASKS[name](device).items()}
        found[name] = differences(mine, TASKS[name]("cpu")) + _ranks_agree(mine)
        assert mine
    gathered: list[object] = [None] * dist.get_world_size()
    dist.all_gather_object(gathered, found)
    if dist.get_rank() == 0:
        print(
            json.dumps({f"rank {rank} {name}": d[:3] for rank, one in enumerate(gathered) for name, d in one.items()})
        )
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
