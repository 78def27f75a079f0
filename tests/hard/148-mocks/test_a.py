from unittest.mock import patch

import torch


@patch("torch.cuda.is_available", return_value=True)
def test_device(mock, monkeypatch):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
