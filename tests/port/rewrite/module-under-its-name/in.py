import torch.cuda as tc
__all__ = ["tc"]
tc.synchronize()
