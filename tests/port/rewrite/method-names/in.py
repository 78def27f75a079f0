import torch

_wrapped = ["to", "cuda", "npu", "xpu"]
_accelerate_added_attributes = ("to", "cuda", "npu", "xpu", "mlu")
for name in ["cuda", "cpu", "to"]:
    setattr(model, name, refuse(name))
x.to("cuda")
