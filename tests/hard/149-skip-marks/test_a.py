import pytest
import torch

pytestmark = pytest.mark.requires_cuda


@pytest.mark.skipif(not torch.cuda.is_available(), reason="CUDA required")
def test_add():
    assert add(1, 1) == 2
