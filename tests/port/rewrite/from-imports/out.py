import torch
import accelerator
autocast = accelerator.accelerator_module().amp.autocast
Scaler = accelerator.accelerator_module().amp.GradScaler  # mixed precision
Event = accelerator.accelerator_module().Event

scaler = Scaler(enabled=Event().query())
with autocast():
    pass
