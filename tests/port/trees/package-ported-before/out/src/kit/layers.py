import torch
from .base import Layer
from . import accelerator


def make(n):
    return Layer(n).to(accelerator.accelerator_type())
