import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--device", default=None)
parser.add_argument("--size", type=int, default=3)
args = parser.parse_args()
x = torch.zeros(args.size, device=args.device)
