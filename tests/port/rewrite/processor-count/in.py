import torch

sms = torch.cuda.get_device_properties("cuda").multi_processor_count
warp = torch.cuda.get_device_properties(0).warp_size
