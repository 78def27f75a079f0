import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")  # chosen once


def wait(card):
    if torch.cuda.is_available() and torch.cuda.device_count() > 1:
        torch.cuda.synchronize(card)
        torch.cuda.synchronize()
        torch.cuda.empty_cache()
        torch.cuda.manual_seed_all(1)
    return torch.cuda.current_device(), torch.cuda.max_memory_allocated(card)
