import torch


def test_loss():
    loss = step(device="cuda")
    assert abs(loss - 2.3025) < 1e-6


def test_out():
    out, ref = run("cuda"), run("cpu")
    torch.testing.assert_close(out, ref, rtol=0, atol=0)
