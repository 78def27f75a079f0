import torch

if torch.cuda.get_device_properties(0).major != 8:
    use_v1()
fast = "h100" in torch.cuda.get_device_name(0).lower()
