"""Choosing and describing cards."""

from __future__ import annotations

from types import TracebackType
from typing import Any, NamedTuple, Union

import torch

from .lazy import lazy_init
from .machine import machine

DeviceLike = Union[torch.device, str, int, None]


def index_of(device: DeviceLike, optional: bool = False) -> int:
    """The index that is meant. None, and a device without index, mean the current one where that is allowed."""
    if isinstance(device, str):
        device = torch.device(device)
    if isinstance(device, torch.device):
        if device.type != machine.name:
            raise ValueError(f"Expected a {machine.name} device, but got: {device}")
        device = device.index
        optional = True
    if device is None:
        if not optional:
            raise ValueError(f"Expected a torch.device with a specified index or an integer, but got: {device}")
        return torch._C._accelerator_getDeviceIndex()
    if not isinstance(device, int):
        raise TypeError(f"Expected a {machine.name} device, but got: {device!r}")
    return device


def is_available() -> bool:
    return machine.devices > 0


def device_count() -> int:
    return machine.devices


def current_device() -> int:
    lazy_init()
    return torch._C._accelerator_getDeviceIndex()


def set_device(device: DeviceLike) -> None:
    index = index_of(device)
    if index >= 0:
        lazy_init()
        torch._C._accelerator_setDeviceIndex(index)


def exchange_device(index: int) -> int:
    return torch._C._accelerator_exchangeDevice(index) if index >= 0 else -1


def maybe_exchange_device(index: int) -> int:
    return torch._C._accelerator_maybeExchangeDevice(index) if index >= 0 else -1


class _DeviceContext:
    def __init__(self, index: int) -> None:
        self.idx = index
        self.prev_idx = -1

    def __enter__(self) -> None:
        self.prev_idx = exchange_device(self.idx)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        maybe_exchange_device(self.prev_idx)
        return False


class device(_DeviceContext):  # noqa: N801 - torch's own name
    """Makes another card the current one while it is entered; nothing for None or a negative index."""

    def __init__(self, device: DeviceLike) -> None:
        super().__init__(index_of(device, optional=True))


class device_of(_DeviceContext):  # noqa: N801 - torch's own name
    """The same for the card of a tensor or storage."""

    def __init__(self, obj: Any) -> None:  # noqa: ANN401 - a tensor or storage
        super().__init__(obj.get_device() if obj.device.type == machine.name else -1)


class DeviceGuard(_DeviceContext):
    """With an index only; compilers use it."""


class DeviceProperties(NamedTuple):
    name: str
    major: int
    minor: int
    is_multi_gpu_board: int
    is_integrated: int
    multi_processor_count: int
    total_memory: int


def get_device_properties(device: DeviceLike) -> DeviceProperties:
    lazy_init()
    index = index_of(device, optional=True)
    if index < 0 or index >= machine.devices:
        raise AssertionError("Invalid device id")
    major, minor = machine.facts["capability"]
    return DeviceProperties(
        name=machine.facts["card"] + " (simulated)",
        major=major,
        minor=minor,
        is_multi_gpu_board=0,
        is_integrated=0,
        multi_processor_count=machine.facts["processors"],
        total_memory=machine.settings.memory,
    )


def get_device_name(device: DeviceLike = None) -> str:
    return get_device_properties(device).name


def get_device_capability(device: DeviceLike = None) -> tuple[int, int]:
    properties = get_device_properties(device)
    return properties.major, properties.minor


def can_device_access_peer(device: DeviceLike, peer_device: DeviceLike) -> bool:
    lazy_init()
    for index, what in ((index_of(device, optional=True), "device"), (index_of(peer_device), "peer device")):
        if index < 0 or index >= machine.devices:
            raise AssertionError(f"Invalid {what} id")
    return index_of(device) != index_of(peer_device)


def get_arch_list() -> list[str]:
    major, minor = machine.facts["capability"]
    return [f"{major}{minor}"] if is_available() else []


def is_bf16_supported(including_emulation: bool = True) -> bool:
    return is_available() and bool(machine.facts["bfloat16"])


def is_tf32_supported() -> bool:
    return is_bf16_supported(including_emulation=False)


def synchronize(device: DeviceLike = None) -> None:
    lazy_init()
    machine.extension.synchronize_device(index_of(device, optional=True))


def sleep(cycles: int) -> None:
    """Kernels take no time here."""


def current_blas_handle() -> int:
    raise NotImplementedError("simulated: the vendor's libraries are not there, so they have no handle")


def get_amp_supported_dtype() -> list[torch.dtype]:
    return [torch.float16, torch.bfloat16] if machine.facts["bfloat16"] else [torch.float16]
