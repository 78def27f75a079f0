import torch
if (
    x  # a comment
    .float()
    .is_cuda
):
    y = (model
         .module.weight
         .is_cuda)
