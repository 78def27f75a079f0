import os

os.environ["NCCL_P2P_DISABLE"] = "1"
os.environ.setdefault("TORCH_NCCL_ASYNC_ERROR_HANDLING", "1")
