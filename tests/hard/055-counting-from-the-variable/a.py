import os

n = os.environ.get("CUDA_VISIBLE_DEVICES", "").count(",") + 1
