import torch
x = 1
x.cuda()
y = torch.cuda.is_available()
