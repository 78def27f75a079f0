try:
    from torch.cuda.amp import autocast
except ImportError:
    autocast = None
try:
    from torch.cuda.amp import something_new
except ImportError:
    something_new = None
