import torch
from torch.cuda.amp import autocast, GradScaler
if torch.cuda.is_available():
	x = x.cuda(0)  # tab
