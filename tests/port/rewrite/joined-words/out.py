import torch
import accelerator
def f(x):
    assert x.device.type in("cpu",accelerator.accelerator_type())
    return accelerator.accelerator_type() if accelerator.is_available()else"cpu"
