from torch import nn, optim
import torch
import accelerator
amp = accelerator.accelerator_module().amp
def f():
    autocast = accelerator.accelerator_module().amp.autocast
    with autocast(), amp.autocast():
        accelerator.synchronize()
