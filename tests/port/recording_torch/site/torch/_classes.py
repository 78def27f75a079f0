"""The classes that programs derive from or whose several spellings mean one thing; every other class is made when it is
asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torch._calls import DEVICE_TYPE, STATE, Value, answer, card, move, record


class device:
    """`torch.device`: a real value."""

    def __init__(self, type: Any, index: Any = None) -> None:
        if isinstance(type, device):
            type, index = type.type, type.index
        elif isinstance(type, str):
            type, colon, number = type.partition(":")
            if colon and index is not None:
                raise RuntimeError("type (string) must not include an index because index was passed explicitly")
            if colon and not (number.isdigit() or number.startswith("<")):
                raise RuntimeError(f"Invalid device string: '{type}:{number}'")
            index = int(number) if number.isdigit() else number or index
            if type not in {"cpu", "cuda", "meta", "mps", "xpu", DEVICE_TYPE} and not type.startswith("<"):
                raise RuntimeError(f"Expected one of cpu, cuda … device type at start of device string: {type}")
        else:
            type, index = DEVICE_TYPE, type
        self.type, self.index = type, index

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, str(self.index)))

    def __repr__(self) -> str:
        return f"device({self.type!r}, {self.index!r})"

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __enter__(self) -> device:
        record("torch.device.__enter__", (self,))
        return self

    def __exit__(self, *problem: object) -> None:
        record("torch.device.__exit__", (self,))


class Recorded(type):
    """A class of torch: asking it for a name gives what an instance's unknown name gives."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        child = Value(f"{cls.__dict__.get('path', cls.__name__)}.{name}")
        setattr(cls, name, child)
        return child

    def __setattr__(cls, name: str, value: Any) -> None:
        super().__setattr__(name, value)

    def __getitem__(cls, key: Any) -> Value:
        return Value(f"{cls.__name__}[{key!r}]")

    def __or__(cls, other: Any) -> Any:
        return object

    def __ror__(cls, other: Any) -> Any:
        return object

    def __iter__(cls) -> Iterator[Any]:
        return iter([Value(f"{cls.__name__}.member")])


class Made(Value, metaclass=Recorded):
    """Base of the classes that are made when asked for."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        result = record(f"{type(self).path}.__init__", arguments, keywords)
        super().__init__(Value.recorded_label(result))

    def __init_subclass__(cls, **keywords: Any) -> None:
        cls.path = cls.__dict__.get("path", cls.__name__)

    def __class_getitem__(cls, key: Any) -> type:
        return cls


class TensorMeta(Recorded):
    """Every unknown value may be a tensor."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Value) and not isinstance(instance, Module)


class Tensor(Made, metaclass=TensorMeta):
    path = "torch.Tensor"


class Module(Made):
    """`torch.nn.Module`."""

    path = "torch.nn.Module"

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        if type(self).__dict__.get("own") or arguments or keywords:
            record(f"{type(self).path}.__init__", arguments, keywords)
        self.__dict__["recorded"] = type(self).__name__
        self.__dict__["training"] = True

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not (type(self).__dict__.get("own") or name in METHODS):
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return super().__getattr__(name)

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        forward = getattr(type(self), "forward", None)
        if callable(forward) and not isinstance(forward, Value):
            return forward(self, *arguments, **keywords)
        return record(f"{self.recorded_label()}.forward", arguments, keywords)

    def cuda(self, device: Any = None) -> Any:
        move(self, (card(device),), {})
        return self

    def to(self, *arguments: Any, **keywords: Any) -> Any:
        move(self, arguments, keywords)
        return self

    def train(self, mode: bool = True) -> Any:
        record(f"{self.recorded_label()}.train", (mode,))
        self.__dict__["training"] = mode
        return self

    def eval(self) -> Any:
        return self.train(False)

    def parameters(self, recurse: bool = True) -> Iterator[Value]:
        return iter([Value(f"{self.recorded_label()}.parameter")])

    def named_parameters(self, *arguments: Any, **keywords: Any) -> Iterator[tuple[str, Value]]:
        return iter([("weight", Value(f"{self.recorded_label()}.parameter"))])

    def __bool__(self) -> bool:
        return True


METHODS = [
    "add_module",
    "apply",
    "bfloat16",
    "buffers",
    "children",
    "compile",
    "double",
    "float",
    "get_parameter",
    "half",
    "load_state_dict",
    "modules",
    "named_buffers",
    "named_children",
    "named_modules",
    "parameters",
    "register_buffer",
    "register_forward_hook",
    "register_module",
    "register_parameter",
    "requires_grad_",
    "share_memory",
    "state_dict",
    "type",
    "zero_grad",
]


class Container(Module):
    """`Sequential`, `ModuleList`: hold what they are given."""

    path = "torch.nn.Sequential"
    own = True

    def __init__(self, *items: Any) -> None:
        super().__init__(*items)
        if len(items) == 1 and isinstance(items[0], list | tuple):
            items = tuple(items[0])
        self.__dict__["items"] = list(items)

    def append(self, item: Any) -> Any:
        self.__dict__["items"].append(item)
        return self

    def __iter__(self) -> Iterator[Any]:
        return iter(self.__dict__["items"])

    def __len__(self) -> int:
        return len(self.__dict__["items"])

    def __getitem__(self, key: Any) -> Any:
        return self.__dict__["items"][key]


class autocast(Value):
    """`torch.autocast`, under any of its names: what counts is what it ends up with."""

    def __init__(self, device_type: Any, dtype: Any = None, enabled: Any = True, cache_enabled: Any = None) -> None:
        if dtype is None:
            dtype = Value("torch.bfloat16" if device_type == "cpu" else "torch.float16")
        cache_enabled = True if cache_enabled is None else cache_enabled
        result = record("torch.autocast", (device_type, dtype, enabled, cache_enabled))
        super().__init__(Value.recorded_label(result))

    def __call__(self, function: Any) -> Any:
        record(f"{self.recorded_label()}.decorate", (function,))
        return function


class OldAutocast(autocast):
    device_type = "cuda"

    def __init__(self, enabled: Any = True, dtype: Any = None, cache_enabled: Any = True) -> None:
        super().__init__(self.device_type, dtype=dtype, enabled=enabled, cache_enabled=cache_enabled)


class GradScaler(Value):
    """`torch.amp.GradScaler`."""

    def __init__(
        self,
        device: Any = "cuda",
        init_scale: Any = 2.0**16,
        growth_factor: Any = 2.0,
        backoff_factor: Any = 0.5,
        growth_interval: Any = 2000,
        enabled: Any = True,
    ) -> None:
        settings = (device, init_scale, growth_factor, backoff_factor, growth_interval, enabled)
        super().__init__(Value.recorded_label(record("torch.amp.GradScaler", settings)))


class OldGradScaler(GradScaler):
    device_type = "cuda"

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(self.device_type, *arguments, **keywords)


def custom_fwd(fwd: Any = None, *, device_type: str, cast_inputs: Any = None) -> Any:
    """`torch.amp.custom_fwd`."""
    record("torch.amp.custom_fwd", (device_type, cast_inputs))
    return fwd if fwd is not None else lambda function: function


def custom_bwd(bwd: Any = None, *, device_type: str) -> Any:
    """`torch.amp.custom_bwd`."""
    record("torch.amp.custom_bwd", (device_type,))
    return bwd if bwd is not None else lambda function: function


def set_device_of(kind: str) -> Any:
    def set_device(device: Any) -> None:
        record(f"torch.{kind}.set_device", (device,))
        index = getattr(device, "index", device)
        if kind == DEVICE_TYPE:
            STATE.current = index if isinstance(index, int) else 0

    return set_device


def init_process_group(backend: Any = None, *arguments: Any, **keywords: Any) -> None:
    """Remembers the back end."""
    from torch._calls import ANSWERS

    record("torch.distributed.init_process_group", (backend, *arguments), keywords)
    ANSWERS["torch.distributed.get_backend"] = backend
    ANSWERS["torch.distributed.is_initialized"] = True


def save(value: Any, where: Any, *arguments: Any, **keywords: Any) -> None:
    record("torch.save", (value, str(where), *arguments), keywords)


class OutOfMemoryError(RuntimeError):
    """Can be caught."""


class Future(Exception):
    """Base of the other errors that torch names."""


__all__ = ["answer"]
