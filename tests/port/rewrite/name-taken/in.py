import torch
accelerator = make()
accelerator.prepare(x.cuda())
