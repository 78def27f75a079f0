import torch
import accelerator

device = accelerator.accelerator_type() if accelerator.is_available() else "cpu"
