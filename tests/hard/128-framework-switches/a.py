from pytorch_lightning import Trainer

t = Trainer(accelerator='gpu', devices=2)
t = Trainer(gpus=args.device)              # old Lightning
