import os
import accelerator
os.environ[accelerator.visible_devices_variable()] = args.gpus
os.environ[accelerator.distributed_variable("DEBUG")] = "INFO"
import torch
