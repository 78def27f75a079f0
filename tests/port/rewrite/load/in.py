import torch


def restore(model, path, options):
    model.load_state_dict(torch.load(path))
    a = torch.load(path, weights_only=True)
    b = torch.load(
        open(path, "rb"),  # closed by nobody
    )
    c = torch.load(path, map_location="cpu")
    d = torch.load(path, "cpu")
    e = torch.load(path, **options)
    f = torch.load(*options)
    return a, b, c, d, e, f
