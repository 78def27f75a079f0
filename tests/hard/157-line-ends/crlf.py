import torch
if True:
	x.cuda()
y = x.cuda()