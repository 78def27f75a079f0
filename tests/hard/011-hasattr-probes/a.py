import torch

if hasattr(torch.cuda, "memory_summary"):
    print(torch.cuda.memory_summary())
if hasattr(torch, "accelerator"):
    print("new enough")
