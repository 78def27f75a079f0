import torch

use_gpu = True
device = 'cuda' if torch.cuda.is_available() else 'cpu'
device = torch.device("cuda:0" if use_gpu and torch.cuda.is_available() else "cpu")
device = ("cuda"
          if torch.cuda.is_available() else "cpu")
