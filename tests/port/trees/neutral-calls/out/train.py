import torch

device = torch.device(torch.accelerator.current_accelerator().type if torch.accelerator.is_available() else "cpu")  # chosen once


def wait(card):
    if torch.accelerator.is_available() and torch.accelerator.device_count() > 1:
        torch.accelerator.synchronize(card)
        torch.accelerator.synchronize()
        torch.accelerator.memory.empty_cache()
        torch.cuda.manual_seed_all(1)
    return torch.accelerator.current_device_index(), torch.accelerator.memory.max_memory_allocated(card)
