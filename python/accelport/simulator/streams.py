"""Streams and events under the vendor's names."""

from __future__ import annotations

from types import TracebackType
from typing import Any

import torch

from .device import DeviceLike, index_of
from .lazy import lazy_init
from .machine import machine

_DEVICE_TYPE = int(torch._C._autograd.DeviceType.PrivateUse1)


class Stream(torch.Stream):
    """A queue of a card's work."""

    def __new__(cls, device: DeviceLike = None, priority: int = 0, **given: Any) -> Stream:  # noqa: ANN401
        lazy_init()
        if "stream_id" in given:
            return super().__new__(cls, priority=priority, **given)
        index = index_of(device, optional=True)
        return super().__new__(cls, device=torch.device(machine.name, index), priority=priority)

    @staticmethod
    def priority_range() -> tuple[int, int]:
        return 0, -1

    def record_event(self, event: torch.Event | None = None) -> torch.Event:
        event = event if event is not None else Event()
        event.record(self)
        return event

    def __repr__(self) -> str:
        return f"<torch.{machine.name}.Stream device={self.device} stream={self.stream_id:#x}>"


def _handle(self: torch.Stream) -> int:
    return self.stream_id


class ExternalStream(Stream):
    """A stream that another library made: its handle is the stream's number."""

    def __new__(cls, stream_ptr: int, device: DeviceLike = None) -> ExternalStream:
        return super().__new__(
            cls, stream_id=stream_ptr, device_index=index_of(device, optional=True), device_type=_DEVICE_TYPE
        )


class Event(torch.Event):
    """A mark in a stream's work."""

    def __new__(cls, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False) -> Event:
        made = super().__new__(
            cls, device=machine.name, enable_timing=enable_timing, blocking=blocking, interprocess=interprocess
        )
        made._timing = enable_timing
        return made

    def elapsed_time(self, end_event: torch.Event) -> float:
        """In milliseconds. torch's own refuses an event whose class is derived from its class."""
        if not (self._timing and getattr(end_event, "_timing", True)):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if not (self.event_id and end_event.event_id):
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        if not (self.query() and end_event.query()):
            raise RuntimeError("Both events must be completed before calculating elapsed time.")
        return machine.extension.milliseconds_between(self.event_id, end_event.event_id)

    def __repr__(self) -> str:
        return f"<torch.{machine.name}.Event {self.event_id:#x}>"


def _event_handle(self: torch.Event) -> int:
    return self.event_id


def name_handles(stream_handle: str, event_handle: str) -> None:
    """The raw handles have names of the vendor's own."""
    setattr(Stream, stream_handle, property(_handle))
    setattr(Event, event_handle, property(_event_handle))


def _as_stream(stream: torch.Stream) -> Stream:
    return Stream(stream_id=stream.stream_id, device_index=stream.device_index, device_type=_DEVICE_TYPE)


def current_stream(device: DeviceLike = None) -> Stream:
    lazy_init()
    return _as_stream(torch._C._accelerator_getStream(index_of(device, optional=True)))


def default_stream(device: DeviceLike = None) -> Stream:
    lazy_init()
    return Stream(stream_id=0, device_index=index_of(device, optional=True), device_type=_DEVICE_TYPE)


def set_stream(stream: torch.Stream | None) -> None:
    if stream is not None:
        torch._C._accelerator_setStream(stream)


def set_stream_by_id(stream_id: int, device_index: int, device_type: int) -> None:
    torch._C._accelerator_setStream(torch.Stream(stream_id, device_index, device_type))


class StreamContext:
    """Makes a stream, and its card, the current one while it is entered."""

    def __init__(self, stream: torch.Stream | None) -> None:
        self.stream = stream
        self._before: tuple[int, torch.Stream, torch.Stream] | None = None

    def __enter__(self) -> None:
        if self.stream is None:
            return
        index = torch._C._accelerator_getDeviceIndex()
        mine = torch._C._accelerator_getStream(index)
        theirs = torch._C._accelerator_getStream(self.stream.device_index)
        self._before = (index, mine, theirs)
        torch._C._accelerator_setStream(self.stream)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._before is None:
            return
        index, mine, theirs = self._before
        torch._C._accelerator_setStream(theirs)
        torch._C._accelerator_setDeviceIndex(index)
        torch._C._accelerator_setStream(mine)


def stream(stream: torch.Stream | None) -> StreamContext:
    return StreamContext(stream)
