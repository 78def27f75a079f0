from . import accelerator
def move_to_cuda(sample, device=None):
    return sample.to(device=accelerator.accelerator_device(device), non_blocking=True)
