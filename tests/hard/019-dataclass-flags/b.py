import torch
import tyro

from a import Args

args = tyro.cli(Args)
device = torch.device("cuda" if args.cuda else "cpu")
