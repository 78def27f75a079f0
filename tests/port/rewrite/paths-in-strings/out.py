import importlib
from unittest.mock import patch
import accelerator
m = importlib.import_module(f"torch.{accelerator.accelerator_type()}")
@patch(f"torch.{accelerator.accelerator_type()}.is_available", return_value=True)
def test(available):
    pass
