"""A small network for images on a card, with the spellings that people use: .cuda(), autocast, a scaler, streams, events."""

import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=20)
parser.add_argument("--cpu", action="store_true")
args = parser.parse_args()

use_cuda = torch.cuda.is_available() and not args.cpu
device = torch.device("cuda:0" if use_cuda else "cpu")
torch.manual_seed(7)
if use_cuda:
    torch.cuda.manual_seed_all(7)
    torch.cuda.set_device(device)

model = nn.Sequential(
    nn.Conv2d(1, 8, 3, padding=1),
    nn.BatchNorm2d(8),
    nn.ReLU(),
    nn.Conv2d(8, 16, 3, stride=2),
    nn.ReLU(),
    nn.Flatten(),
    nn.Dropout(0.1),
    nn.Linear(16 * 7 * 7, 10),
)
if use_cuda:
    model = model.cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
scaler = torch.cuda.amp.GradScaler(enabled=use_cuda)
generator = torch.Generator().manual_seed(3)
stream = torch.cuda.Stream() if use_cuda else None

for step in range(args.steps):
    images = torch.randn(16, 1, 16, 16, generator=generator)
    labels = torch.randint(10, (16,), generator=generator)
    if use_cuda:
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            images, labels = images.cuda(non_blocking=True), labels.cuda(non_blocking=True)
        torch.cuda.current_stream().wait_stream(stream)
    optimizer.zero_grad(set_to_none=True)
    with torch.cuda.amp.autocast(enabled=images.is_cuda):
        loss = F.cross_entropy(model(images), labels)
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    print(f"step {step} loss {loss.item():.6f}")

if use_cuda:
    torch.cuda.synchronize()
    print(f"{torch.cuda.max_memory_allocated() > 0}")
