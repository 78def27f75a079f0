"""A toy detector: where is the shape, and which one is it?"""
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F

from .functional import gaussian_blur, masked_mean
from .modules import RoIPool

CLASSES = ("square", "disc", "cross")
STRIDE = 4


@dataclass
class Batch:
    images: torch.Tensor  # [N, 1, S, S]
    boxes: torch.Tensor  # [N, 4] as x1, y1, x2, y2
    labels: torch.Tensor  # [N]

    def cuda(self, device=None, non_blocking=True):
        return Batch(*(t.cuda(device, non_blocking=non_blocking) for t in (self.images, self.boxes, self.labels)))

    def pin_memory(self):
        return Batch(self.images.pin_memory(), self.boxes.pin_memory(), self.labels.pin_memory())


def make_batch(count: int, size: int = 48, generator: torch.Generator = None) -> Batch:
    """One bright shape on noise in every image."""
    labels = torch.randint(len(CLASSES), (count,), generator=generator)
    radius = torch.randint(6, 11, (count,), generator=generator).float()
    centre = torch.rand((count, 2), generator=generator) * (size - 2 * radius[:, None]) + radius[:, None]
    grid = torch.arange(size) + 0.5
    dx = (grid[None, None, :] - centre[:, 0, None, None]) / radius[:, None, None]
    dy = (grid[None, :, None] - centre[:, 1, None, None]) / radius[:, None, None]
    square = torch.maximum(dx.abs(), dy.abs()) <= 1
    disc = dx**2 + dy**2 <= 1
    cross = square & (torch.minimum(dx.abs(), dy.abs()) <= 0.3)
    shape = torch.stack([square, disc, cross])[labels, torch.arange(count)]
    images = 0.1 * torch.randn((count, size, size), generator=generator) + shape.float()
    boxes = torch.cat([centre - radius[:, None], centre + radius[:, None]], dim=1)
    return Batch(images[:, None], boxes, labels)


class ToyDetector(nn.Module):
    def __init__(self, width: int = 16):
        super().__init__()
        self.backbone = nn.Sequential(
            nn.Conv2d(1, width, 3, stride=2, padding=1),
            nn.BatchNorm2d(width),
            nn.ReLU(inplace=True),
            nn.Conv2d(width, 2 * width, 3, stride=2, padding=1),
            nn.BatchNorm2d(2 * width),
            nn.ReLU(inplace=True),
            nn.Conv2d(2 * width, 2 * width, 3, padding=1),
            nn.ReLU(inplace=True),
        )
        self.centre = nn.Conv2d(2 * width, 1, 1)
        self.pool = RoIPool(5, spatial_scale=1 / STRIDE)
        self.classifier = nn.Sequential(
            nn.Linear(2 * width * 26, 64),
            nn.ReLU(inplace=True),
            nn.Linear(64, len(CLASSES)),
        )

    def forward(self, images, boxes):
        """Heat map of centres and, for one box per image, the class scores."""
        features = self.backbone(images)
        heat = self.centre(features)
        index = torch.arange(len(boxes), device=boxes.device, dtype=boxes.dtype)
        pooled = self.pool(features, torch.cat([index[:, None], boxes], dim=1)).flatten(1)
        background = masked_mean(features, outside(boxes, features.shape[-1]))
        return heat, self.classifier(torch.cat([pooled, background], dim=1))


def outside(boxes: torch.Tensor, size: int) -> torch.Tensor:
    """1 at the cells of the feature map that no box covers."""
    cells = (torch.arange(size, device=boxes.device) + 0.5) * STRIDE
    in_x = (cells >= boxes[:, 0:1]) & (cells <= boxes[:, 2:3])
    in_y = (cells >= boxes[:, 1:2]) & (cells <= boxes[:, 3:4])
    return (~(in_y[:, :, None] & in_x[:, None, :])).float()


def target_heat(boxes: torch.Tensor, size: int) -> torch.Tensor:
    """A blurred dot with peak 1 at every centre."""
    centre = ((boxes[:, :2] + boxes[:, 2:]) / 2 / STRIDE).long().clamp(0, size - 1)
    heat = torch.zeros((len(boxes), 1, size, size), device=boxes.device)
    heat[torch.arange(len(boxes)), 0, centre[:, 1], centre[:, 0]] = 1.0
    heat = gaussian_blur(heat, sigma=1.0)
    return heat / heat.amax((2, 3), keepdim=True)


def detection_loss(heat, scores, batch: Batch):
    wanted = target_heat(batch.boxes, heat.shape[-1])
    return F.mse_loss(heat.float().sigmoid(), wanted) * 10 + F.cross_entropy(scores.float(), batch.labels)
