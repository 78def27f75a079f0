import torch
import accelerator
x = x.cuda()  # accelport: retain -- measured on this card only
y = y.to(accelerator.accelerator_device())
