import torch

t = torch.cuda.LongTensor([1])
a = torch.cuda.FloatTensor(3, 4)      # uninitialised 3x4
b = x.type(torch.cuda.FloatTensor)
