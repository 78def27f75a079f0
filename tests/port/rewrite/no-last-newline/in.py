import torch
x.cuda()