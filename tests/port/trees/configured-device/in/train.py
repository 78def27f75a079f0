import argparse

import torch
import torch.distributed as dist
import yaml

parser = argparse.ArgumentParser()
parser.add_argument("--config")
args = parser.parse_args()
config = yaml.safe_load(open(args.config))
cfg = config["train"]

dist.init_process_group(config["distributed"]["backend"], rank=0)
dist.init_process_group(backend=config["distributed"].get("backend"), rank=0)
device = torch.device(config["device"])
device = torch.device(args.device if args.device else "cpu")
model = torch.nn.Linear(1, 1).to(cfg.device)
state = torch.load("x.pt", map_location=config.get("device", "cpu"))
x = torch.zeros(
    1,
    device=cfg["device"],  # the same
)
y = x.to(model.device)
z = x.to(dtype=cfg.dtype)
name = str(cfg.device)
f = lambda device=cfg.device: device
with torch.autocast(cfg.device, enabled=cfg.amp):
    pass
y = x.to(device=self.master_params[p].device)
z = x.to(config.model(x).device)
w = x.to(self.args.train["device"])
v = torch.eye(3, device=opt_u.device)
u = x.to(params.device)
t = x.to(params["device"])
deepspeed.init_distributed(dist_backend=neox_args.backend)
