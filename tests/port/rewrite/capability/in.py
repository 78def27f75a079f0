import torch
if torch.cuda.get_device_capability()[0] >= 8:
    pass
