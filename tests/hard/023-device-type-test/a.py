if x.device.type == "cuda":
    y = fast(x)
