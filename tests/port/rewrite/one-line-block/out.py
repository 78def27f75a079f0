import torch
import accelerator
if fast: amp = accelerator.accelerator_module().amp; Stream = accelerator.accelerator_module().Stream; s = Stream()
