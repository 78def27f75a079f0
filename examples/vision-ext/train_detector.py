"""Train the toy detector on one GPU, on all of them (--distributed), or on the CPU."""
import argparse
import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn as nn

from visionext import has_cuda_kernels
from visionext.detector import ToyDetector, detection_loss, make_batch


def parse_args(argv=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--batch-size", type=int, default=32, help="per GPU")
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--gpu", type=int, default=0, help="index of the CUDA device")
    parser.add_argument("--no-cuda", action="store_true", help="train on the CPU")
    parser.add_argument("--amp", action="store_true", help="fp16 autocast, CUDA only")
    parser.add_argument("--distributed", action="store_true", help="one process per GPU")
    parser.add_argument("--checkpoint", default="runs/detector.pt")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--log-every", type=int, default=20)
    args = parser.parse_args(argv)
    args.cuda = torch.cuda.is_available() and not args.no_cuda
    return args


def build_model(args, rank, device):
    torch.manual_seed(args.seed)
    model = ToyDetector()
    if args.cuda:
        model = model.cuda(device)
    if not args.distributed:
        return model
    if not args.cuda:
        return nn.parallel.DistributedDataParallel(model)
    model = nn.SyncBatchNorm.convert_sync_batchnorm(model)
    return nn.parallel.DistributedDataParallel(model, device_ids=[rank])


def unwrap(model):
    return model.module if hasattr(model, "module") else model


def train(rank, world_size, args):
    device = torch.device("cpu")
    if args.cuda:
        torch.cuda.set_device(rank if args.distributed else args.gpu)
        device = torch.device("cuda", torch.cuda.current_device())
        torch.backends.cudnn.benchmark = True
    if args.distributed:
        os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
        os.environ.setdefault("MASTER_PORT", "29531")
        dist.init_process_group("nccl" if args.cuda else "gloo", rank=rank, world_size=world_size)

    model = build_model(args, rank, device)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    scaler = torch.cuda.amp.GradScaler(enabled=args.amp and args.cuda)
    start = 0
    if args.resume:
        state = torch.load(args.checkpoint, map_location="cuda:%d" % device.index if args.cuda else "cpu")
        unwrap(model).load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        start = state["step"]

    losses = []
    model.train()
    for step in range(start, args.steps):
        generator = torch.Generator().manual_seed(args.seed + 7919 * (step * world_size + rank))
        batch = make_batch(args.batch_size, generator=generator)
        if args.cuda:
            batch = batch.pin_memory().cuda(device)
        optimizer.zero_grad()
        with torch.cuda.amp.autocast(enabled=args.amp and args.cuda):
            heat, scores = model(batch.images, batch.boxes)
            loss = detection_loss(heat, scores, batch)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.item())
        if rank == 0 and (step + 1) % args.log_every == 0:
            right = (scores.argmax(1) == batch.labels).float().mean().item()
            memory = torch.cuda.max_memory_allocated() / 2**20 if args.cuda else 0
            print(f"step {step + 1:4d} | loss {losses[-1]:.6f} | accuracy {right:.2f} | {memory:.0f} MiB", flush=True)

    if rank == 0:
        os.makedirs(os.path.dirname(args.checkpoint) or ".", exist_ok=True)
        torch.save({"model": unwrap(model).state_dict(), "optimizer": optimizer.state_dict(), "step": args.steps},
                   args.checkpoint)
    if args.distributed:
        dist.destroy_process_group()
    return losses


def main(argv=None):
    args = parse_args(argv)
    where = torch.cuda.get_device_name(args.gpu) if args.cuda else "the CPU"
    print(f"training on {where}, CUDA kernels: {has_cuda_kernels()}", flush=True)
    if not args.distributed:
        return train(0, 1, args)
    world_size = torch.cuda.device_count() if args.cuda else 2
    mp.spawn(train, nprocs=world_size, args=(world_size, args))
    return None


if __name__ == "__main__":
    main()
