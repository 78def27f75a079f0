import torch

p = torch.cuda.get_device_properties(0)
grid = p.multi_processor_count * 2
warp = p.warp_size; uid = p.uuid
