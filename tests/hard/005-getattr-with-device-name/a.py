import torch


def pick(device_name, kind):
    mod = getattr(torch, device_name)
    amp = getattr(getattr(torch, kind, None), "amp", None)
    return mod, amp
