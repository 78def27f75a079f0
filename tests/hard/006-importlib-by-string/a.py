import importlib
import importlib.util
m = importlib.import_module("torch.cuda")
ok = importlib.util.find_spec("torch.cuda.nccl") is not None
