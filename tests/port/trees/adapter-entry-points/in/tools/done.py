import torchada
import torch

if __name__ == "__main__":
    torch.zeros(1).cuda()
