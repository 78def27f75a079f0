import os
os.environ["CUDA_VISIBLE_DEVICES"] = args.gpus
os.environ["NCCL_DEBUG"] = "INFO"
import torch
