import argparse

import torch
import torch.distributed as dist
import yaml
import accelerator

parser = argparse.ArgumentParser()
parser.add_argument("--config")
args = parser.parse_args()
config = yaml.safe_load(open(args.config))
cfg = config["train"]

dist.init_process_group(accelerator.configured_backend(config["distributed"]["backend"]), rank=0)
dist.init_process_group(backend=accelerator.configured_backend(config["distributed"].get("backend")), rank=0)
device = torch.device(accelerator.configured_device(config["device"]))
device = torch.device(accelerator.configured_device(args.device) if args.device else "cpu")
model = torch.nn.Linear(1, 1).to(accelerator.configured_device(cfg.device))
state = torch.load("x.pt", map_location=accelerator.configured_device(config.get("device", "cpu")))
x = torch.zeros(
    1,
    device=accelerator.configured_device(cfg["device"]),  # the same
)
y = x.to(model.device)
z = x.to(dtype=cfg.dtype)
name = str(cfg.device)
f = lambda device=cfg.device: device
with torch.autocast(accelerator.configured_device(cfg.device), enabled=cfg.amp):
    pass
y = x.to(device=self.master_params[p].device)
z = x.to(config.model(x).device)
w = x.to(accelerator.configured_device(self.args.train["device"]))
v = torch.eye(3, device=opt_u.device)
u = x.to(params.device)
t = x.to(accelerator.configured_device(params["device"]))
deepspeed.init_distributed(dist_backend=accelerator.configured_backend(neox_args.backend))
