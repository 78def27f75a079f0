import torch


def build():
    net = torch.nn.Linear(1, 1)
    return net.to("cuda") if torch.cuda.is_available() else net
