import torch
from . import accelerator

KINDS = ("xpu", "npu")


def clear():
    if accelerator.is_available():
        accelerator.empty_cache()
