import torch

match x.device.type:
    case "cuda":
        tile = tile_for(torch.cuda.get_device_name())
    case _:
        tile = 1
