import torch
import accelerator
x.to(accelerator.accelerator_device())