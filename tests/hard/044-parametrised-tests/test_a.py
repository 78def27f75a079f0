import pytest
import torch
from parameterized import parameterized


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_add(device):
    assert torch.ones(2, device=device).sum() == 2


class TestMul:
    @parameterized.expand([("cuda", torch.float16)])
    def test_mul(self, device, dtype):
        torch.ones(2, device=device, dtype=dtype).mul_(2)
