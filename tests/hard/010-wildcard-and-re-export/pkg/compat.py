from torch.cuda import *
