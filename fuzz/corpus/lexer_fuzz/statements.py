"""Train on CUDA.

Needs nvidia drivers."""
import os, torch
import torch as th
import torch.cuda as tc
from torch import cuda
from torch.cuda.amp import autocast, GradScaler as GS
from mypkg.cuda import CudaTimer
from . import cuda as own_cuda
import torch.distributed as dist
import argparse, logging, importlib
from numba import cuda as ncuda
# a cuda comment
try:
    import flash_attn
    from apex import amp
except ImportError:
    flash_attn = None
HAS_CUDA = torch.cuda.is_available()
device = "cuda" if torch.cuda.is_available() else "cpu"
dev2 = "cpu" if args.cpu or not th.cuda.is_available() else "cuda"
dev3 = "mps" if torch.backends.mps.is_available() else ("cuda" if torch.cuda.is_available() else "cpu")
n = cuda.device_count()
s = tc.Stream()
scaler = GS()
CudaTimer(3)
own_cuda.x()
@ncuda.jit
def kern(a): pass
def f(x, device="cuda", *, cuda=True):
    """doc cuda"""
    if cuda: x = x.cuda(0, non_blocking=True)
    y = x.to(device)
    z = f"cuda:{rank} {torch.cuda.device_count()}"
    x.to(z)
    x.to("cuda:%d" % i); x.to(":".join(["cuda", str(i)]))
    with torch.cuda.amp.autocast(enabled=True, dtype=torch.bfloat16), torch.autocast("cuda"):
        pass
    assert torch.cuda.is_available(), "CUDA is needed"
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"
    if "CUDA_HOME" in os.environ: pass
    os.environ.setdefault("NCCL_P2P", "1")
    env = {**os.environ, "CUDA_VISIBLE_DEVICES": ids}
    print("cuda ready", torch.cuda.get_device_name(0))
    return torch.load("runs/cuda/x.pt", map_location="cuda")
def g(x):
    if not torch.cuda.is_available():
        raise RuntimeError("no cuda")
    if x.device.type == "cuda":
        x.cuda()
    elif x.device.type == "xpu":
        pass
    for i in ["cuda", "cpu"]:
        h(i)
    return x.is_cuda and x.cuda().half()
p = argparse.ArgumentParser()
p.add_argument("--device", default="cuda", choices=["cuda", "cpu"], help="cuda or cpu")
p.add_argument("--no-cuda", dest="use_cuda", action="store_false")
BACKEND = {"cuda": "nccl", "cpu": "gloo"}
dist.init_process_group("nccl", rank=r)
m = importlib.import_module("torch.cuda")
if hasattr(torch.cuda, "memory_summary"): print(torch.cuda.memory_summary())
match x.device.type:
    case "cuda": tile = torch.cuda.get_device_name()
    case "xpu": tile = 1
class Args:
    cuda: bool = True
    """if toggled, cuda will be used"""
    dev: str = "cuda"
    def cuda(self): return self.cuda()
torch.backends.cudnn.benchmark = True
acts = [ProfilerActivity.CPU, ProfilerActivity.CUDA]
AutoModel.from_pretrained(p, device_map="auto")
torch.cuda.get_device_properties(0).major
DataParallel(m); x.to(0)
t = "cu" "da"
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs CUDA")
def test_x():
    torch.cuda.synchronize()
sync = torch.cuda.synchronize
sync()
