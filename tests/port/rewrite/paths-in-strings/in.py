import importlib
from unittest.mock import patch
m = importlib.import_module("torch.cuda")
@patch("torch.cuda.is_available", return_value=True)
def test(available):
    pass
