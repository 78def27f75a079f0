import os

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "0")
env = {**os.environ, "CUDA_VISIBLE_DEVICES": ids}
os.environ.pop("CUDA_VISIBLE_DEVICES", None)
