import torch
import accelerator

sms = accelerator.accelerator_module().get_device_properties(accelerator.accelerator_type()).multi_processor_count
warp = torch.cuda.get_device_properties(0).warp_size
