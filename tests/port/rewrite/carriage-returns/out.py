import torch
import accelerator
autocast = accelerator.accelerator_module().amp.autocast
GradScaler = accelerator.accelerator_module().amp.GradScaler
if accelerator.is_available():
	x = x.to(accelerator.accelerator_device(0))  # tab
