import torch
x = x.cuda()  # accelport: retain -- measured on this card only
y = y.cuda()
