import torch
import accelerator
if (
    accelerator.is_accelerator(x  # a comment
    .float())
):
    y = (accelerator.is_accelerator(model
         .module.weight))
