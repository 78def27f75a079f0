"""The old classes of typed tensors and storages, as far as scripts still use them."""

from __future__ import annotations

from typing import Any

import torch

from .machine import machine

_DTYPES = {
    "Double": torch.float64,
    "Float": torch.float32,
    "Half": torch.float16,
    "BFloat16": torch.bfloat16,
    "Long": torch.int64,
    "Int": torch.int32,
    "Short": torch.int16,
    "Char": torch.int8,
    "Byte": torch.uint8,
    "Bool": torch.bool,
}


class _TensorType(type):
    """Calling makes a tensor on the card; isinstance asks for card and dtype."""

    dtype: torch.dtype

    def __instancecheck__(cls, instance: object) -> bool:
        return (
            isinstance(instance, torch.Tensor) and instance.device.type == machine.name and instance.dtype == cls.dtype
        )

    def __call__(cls, *given: Any, **options: Any) -> torch.Tensor:  # noqa: ANN401 - as torch.FloatTensor takes them
        device = options.pop("device", None) or machine.name
        if all(isinstance(size, int) for size in given):
            return torch.empty(given or (0,), dtype=cls.dtype, device=device)
        return torch.as_tensor(*given, dtype=cls.dtype).to(device)


class _StorageType(type):
    dtype: torch.dtype

    def __instancecheck__(cls, instance: object) -> bool:
        return (
            isinstance(instance, torch.storage.TypedStorage)
            and instance.device.type == machine.name
            and instance.dtype == cls.dtype
        )

    def __call__(cls, *given: Any) -> torch.storage.TypedStorage:  # noqa: ANN401
        return torch.storage.TypedStorage(*given, dtype=cls.dtype, device=torch.device(machine.name))


def make_types(module: str) -> dict[str, type]:
    made: dict[str, type] = {}
    for name, dtype in _DTYPES.items():
        for meta, ending in ((_TensorType, "Tensor"), (_StorageType, "Storage")):
            made[name + ending] = meta(name + ending, (), {"dtype": dtype, "__module__": module})
    return made
