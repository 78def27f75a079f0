# SPDX-License-Identifier: 0BSD
"""The accelerator that this program runs on: an NVIDIA card, or Moore Threads MUSA.

Every function answers for the machine it is called on. Where NVIDIA's card is used, and where there is no accelerator,
the answer is what plain CUDA code would have written in its place: `accelerator_type()` is "cuda",
`accelerator_module()` is `torch.cuda`, and so on. Nothing is remembered between calls, and torch is imported by the
first call that needs it, so that the variable which selects the visible cards can be set before.
"""

import ctypes
import importlib
import importlib.util
import os
import sys
import warnings
from typing import Any, List, NamedTuple, Optional, Tuple


class _Platform(NamedTuple):
    """What differs from one accelerator to the next."""

    device_type: str  # as in torch.device("...:0"); torch has a module of this name
    plug_in: str  # the package that adds it to torch
    backend: str  # of torch.distributed
    visible_devices: str  # the variable that selects cards
    collective_prefix: str  # of the variables that set up its collectives
    activity: str  # the member of torch.profiler.ProfilerActivity


# Asked in this order, after NVIDIA's.
_PLATFORMS: Tuple[_Platform, ...] = (
    _Platform("musa", "torch_musa", "mccl", "MUSA_VISIBLE_DEVICES", "MCCL_", "MUSA"),
)


def _installed() -> List[_Platform]:
    """The platforms whose plug-in is installed; nothing is imported to find out."""
    return [p for p in _PLATFORMS if p.plug_in in sys.modules or importlib.util.find_spec(p.plug_in) is not None]


def _platform() -> Optional[_Platform]:
    """The platform in use; None where torch.cuda answers, be it for a card or for a machine without one."""
    candidates = _installed()
    if not candidates:
        return None
    import torch

    built_for_cuda = torch.version.cuda is not None or getattr(torch.version, "hip", None) is not None
    if built_for_cuda and torch.cuda.is_available():
        return None
    for platform in candidates:
        try:
            importlib.import_module(platform.plug_in)
        except (ImportError, OSError, RuntimeError) as error:
            warnings.warn(f"{platform.plug_in} is installed but cannot be imported: {error}", stacklevel=3)
            continue
        module = getattr(torch, platform.device_type, None)
        if module is not None and module.is_available():
            return platform
    return None


def _platform_without_torch() -> Optional[_Platform]:
    """The platform whose variables count. Importing torch could already count the cards, so only what is installed is
    looked at: a torch built for CUDA beside NVIDIA's driver means CUDA, else an installed plug-in means its platform.
    """
    candidates = _installed()
    if not candidates:
        return None
    torch_spec = importlib.util.find_spec("torch")
    if torch_spec is not None and torch_spec.origin is not None:
        path = os.path.join(os.path.dirname(torch_spec.origin), "version.py")
        version_spec = importlib.util.spec_from_file_location("_torch_version", path)
        if version_spec is not None and version_spec.loader is not None and os.path.exists(path):
            version = importlib.util.module_from_spec(version_spec)
            version_spec.loader.exec_module(version)
            if getattr(version, "hip", None) is not None:
                return None
            if getattr(version, "cuda", None) is not None:
                try:
                    ctypes.CDLL("nvcuda.dll" if os.name == "nt" else "libcuda.so.1")
                    return None
                except OSError:
                    pass
    return candidates[0]


def accelerator_type() -> str:
    """The device type, as in `torch.device(accelerator_type(), 0)`.

    On CUDA, and without an accelerator: "cuda". Elsewhere the platform's own type.
    """
    platform = _platform()
    return "cuda" if platform is None else platform.device_type


def accelerator_module() -> Any:
    """The module of torch that drives the accelerator: streams, events, memory, random numbers ...

    On CUDA, and without an accelerator: `torch.cuda` itself. Elsewhere the platform's module, whose functions have the
    names that `torch.cuda` has.
    """
    import torch

    return getattr(torch, accelerator_type())


def accelerator_device(index: Any = None) -> Any:
    """The `torch.device` to move something to: `x.to(accelerator_device(i))` is what `x.cuda(i)` was.

    `index` is the card's number, a device or its name, or None for the current card. On CUDA, and without an
    accelerator, the device is of type "cuda"; elsewhere of the platform's type. A device of another type is refused, as
    `x.cuda()` refuses it.
    """
    import torch

    device_type = accelerator_type()
    if index is None:
        return torch.device(device_type)
    if not isinstance(index, (str, torch.device)):
        return torch.device(device_type, index)
    device = torch.device(index)
    if device.type != device_type:
        raise RuntimeError(f"Invalid device, must be {device_type} device")
    return device


def load_location() -> Any:
    """For `torch.load(..., map_location=load_location())`: where tensors go that were saved on a card.

    On CUDA, and without an accelerator: None, which is torch's default, so every tensor returns to the device that it
    was saved on. Elsewhere tensors saved on a CUDA card go to the platform's card of the same number.
    """
    import torch

    platform = _platform()
    if platform is None:
        return None

    def locate(storage: Any, location: str) -> Any:
        if not location.startswith("cuda"):
            return None
        return torch.serialization.default_restore_location(storage, platform.device_type + location[len("cuda") :])

    return locate


def set_accelerator_device(*args: Any, **kwargs: Any) -> None:
    """Makes a card the current one; the argument is `device`: a number, a name or a `torch.device`.

    On CUDA, and without an accelerator: `torch.cuda.set_device`. Elsewhere the same function of the platform's module.
    """
    accelerator_module().set_device(*args, **kwargs)


def is_available() -> bool:
    """Whether there is an accelerator that can be used.

    On CUDA: `torch.cuda.is_available()`. Elsewhere the answer of the platform's module; False without an accelerator.
    """
    return accelerator_module().is_available()


def device_count() -> int:
    """How many cards this process can see.

    On CUDA: `torch.cuda.device_count()`. Elsewhere the answer of the platform's module; 0 without an accelerator.
    """
    return accelerator_module().device_count()


def current_device() -> int:
    """The number of the current card.

    On CUDA, and without an accelerator: `torch.cuda.current_device()`. Elsewhere the answer of the platform's module.
    A bare number means a card of the accelerator that torch was built for; `accelerator_device(n)` names its type too.
    """
    return accelerator_module().current_device()


def synchronize(*args: Any, **kwargs: Any) -> None:
    """Waits until the card has done all work; the argument is `device`, the current card if left out.

    On CUDA, and without an accelerator: `torch.cuda.synchronize`. Elsewhere the same function of the platform's module.
    """
    accelerator_module().synchronize(*args, **kwargs)


def empty_cache() -> None:
    """Gives memory that the allocator keeps but nobody uses back to the card.

    On CUDA, and without an accelerator: `torch.cuda.empty_cache()`. Elsewhere the same function of the platform's
    module.
    """
    accelerator_module().empty_cache()


def is_accelerator(value: Any) -> bool:
    """Whether a tensor, storage, packed sequence, module or device is on the accelerator.

    On CUDA, and without an accelerator: `value.is_cuda`, as it stands. Elsewhere whether the value's device, or that of
    a module's first parameter, is of the platform's type. A `torch.device` has no `is_cuda`; its type is compared.
    """
    import torch

    platform = _platform()
    if isinstance(value, torch.device):
        return value.type == ("cuda" if platform is None else platform.device_type)
    if platform is None:
        return value.is_cuda
    if isinstance(value, torch.nn.Module):
        return any(p.device.type == platform.device_type for p in list(value.parameters())[:1])
    device = getattr(value, "device", None)
    if device is None:
        device = value.data.device  # a packed sequence
    return device.type == platform.device_type


def configured_device(device: Any) -> Any:
    """The device that a configuration, the command line or a bare number names, on the accelerator in use.

    On CUDA, and without an accelerator: `device`, whatever it is. Elsewhere "cuda", "cuda:1", a `torch.device` of that
    type and a card's number become the platform's; everything else ("cpu", None, another object) is returned as it is.
    """
    import torch

    platform = _platform()
    if platform is None:
        return device
    if isinstance(device, int) and not isinstance(device, bool):
        return torch.device(platform.device_type, device)
    if isinstance(device, torch.device) and device.type == "cuda":
        return torch.device(platform.device_type if device.index is None else f"{platform.device_type}:{device.index}")
    if isinstance(device, str) and device.partition(":")[0] == "cuda":
        return platform.device_type + device[len("cuda") :]
    return device


def configured_backend(backend: Any) -> Any:
    """The back end of `torch.distributed` that a configuration or the command line names, on the accelerator in use.

    On CUDA, and without an accelerator: `backend`, whatever it is. Elsewhere "nccl" becomes the platform's own back
    end, also where it is named for devices ("cpu:gloo,cuda:nccl"); everything else is returned as it is.
    """
    platform = _platform()
    if platform is None or not isinstance(backend, str):
        return backend
    parts = [part.strip().lower() for part in backend.split(",")]
    if "nccl" not in parts and "cuda:nccl" not in parts:
        return backend
    own = {"nccl": platform.backend, "cuda:nccl": f"{platform.device_type}:{platform.backend}"}
    return ",".join(own.get(part, part) for part in parts)


def is_nvidia() -> bool:
    """Whether the accelerator is a card of NVIDIA's: for code that only its libraries can run.

    On CUDA: True if a card is available and torch was built for CUDA. Elsewhere, and without an accelerator: False.
    """
    import torch

    return torch.version.cuda is not None and _platform() is None and torch.cuda.is_available()


def nvidia_capability(*args: Any, **kwargs: Any) -> Tuple[int, int]:
    """The compute capability, for gates such as `nvidia_capability() >= (8, 0)`; the argument is `device`, the current
    card if left out.

    On CUDA, and without an accelerator: `torch.cuda.get_device_capability`. Elsewhere (0, 0), so that gates for newer
    cards of NVIDIA's stay shut: the numbers of two vendors cannot be compared.
    """
    import torch

    if _platform() is not None:
        return (0, 0)
    return torch.cuda.get_device_capability(*args, **kwargs)


def nccl_version() -> Any:
    """The version of NCCL, for gates such as `nccl_version() >= (2, 10)`.

    On CUDA, and without an accelerator: `torch.cuda.nccl.version`. Elsewhere (0, 0, 0), so that gates for NCCL stay
    shut: the versions of two vendors' libraries cannot be compared.
    """
    import torch

    if _platform() is not None:
        return (0, 0, 0)
    return torch.cuda.nccl.version()


def distributed_backend() -> str:
    """The back end of `torch.distributed` for tensors on the accelerator.

    On CUDA, and without an accelerator: "nccl". Elsewhere the platform's own.
    """
    platform = _platform()
    return "nccl" if platform is None else platform.backend


def is_distributed_backend_available() -> bool:
    """Whether this torch has the back end that `distributed_backend` names.

    On CUDA, and without an accelerator: `torch.distributed.is_nccl_available()`. Elsewhere whether the platform's
    plug-in has registered its own.
    """
    import torch.distributed

    platform = _platform()
    if platform is None:
        return torch.distributed.is_nccl_available()
    return hasattr(torch.distributed.Backend, platform.backend.upper())


def visible_devices_variable() -> str:
    """The environment variable that selects the cards which the process sees. Torch is not imported to find out, since
    the variable must be set before.

    On CUDA, and without an accelerator: "CUDA_VISIBLE_DEVICES". Elsewhere the platform's own.
    """
    platform = _platform_without_torch()
    return "CUDA_VISIBLE_DEVICES" if platform is None else platform.visible_devices


def distributed_variable(name: str) -> str:
    """The environment variable that sets `name` ("P2P_DISABLE", "DEBUG" ...) of the collectives' library.

    On CUDA, and without an accelerator: "NCCL_" + name. Elsewhere the same with the platform's own prefix.
    """
    platform = _platform_without_torch()
    return ("NCCL_" if platform is None else platform.collective_prefix) + name


def profiler_activity() -> Any:
    """The member of `torch.profiler.ProfilerActivity` that records the accelerator.

    On CUDA, and without an accelerator: `ProfilerActivity.CUDA`. Elsewhere the platform's own member, or the one that
    torch has for all plug-ins; where there is neither, the processor's.
    """
    import torch.profiler

    activities = torch.profiler.ProfilerActivity
    platform = _platform()
    if platform is None:
        return activities.CUDA
    members = (getattr(activities, name, None) for name in (platform.activity, "PrivateUse1", "CPU"))
    return next(member for member in members if member is not None)
