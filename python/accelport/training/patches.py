"""Where the guard listens: torch's own functions, replaced while it is active and put back afterwards."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn.utils import clip_grad

_ABSENT = object()


class Patches:
    """Replaces attributes, and puts back exactly what was there."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], None]] = []

    def replace(self, owner: Any, name: str, make: Callable[[Any], Any]) -> None:  # noqa: ANN401 - any object
        """`make` gets what is there; an owner without the attribute is left alone."""
        inner = getattr(owner, name, _ABSENT)
        if inner is _ABSENT:
            return
        own = vars(owner).get(name, _ABSENT)
        setattr(owner, name, make(inner))
        self._undo.append(lambda: delattr(owner, name) if own is _ABSENT else setattr(owner, name, own))

    def call(self, undo: Callable[[], None]) -> None:
        """At the end."""
        self._undo.append(undo)

    def end(self) -> None:
        while self._undo:
            self._undo.pop()()


class Listener:
    """What a guard wants to hear. Every method may raise, which ends the user's step there."""

    def on_loss(self, root: Tensor) -> None:
        """A tensor from which a backward begins, before it does."""

    def on_backward(self, running: bool) -> None: ...
    def on_norm(self, norm: Tensor) -> None:
        """The norm of all gradients before they are clipped."""

    def before_step(self, optimizer: torch.optim.Optimizer, given: tuple[Any, ...], options: dict[str, Any]) -> Any: ...  # noqa: ANN401
    def after_step(self, optimizer: torch.optim.Optimizer, given: tuple[Any, ...], options: dict[str, Any]) -> None: ...
    def on_scale(self, loss: Any) -> None: ...  # noqa: ANN401 - a tensor or several
    def scaler_step(self, inner: Callable[[], Any], optimizer: torch.optim.Optimizer) -> Any: ...  # noqa: ANN401
    def before_save(self) -> None: ...


def listen(to: Listener, optimizers: list[torch.optim.Optimizer], scaler: Any) -> Patches:  # noqa: ANN401 - a scaler
    patches = Patches()
    patches.replace(torch.autograd, "backward", lambda inner: _backward(inner, to))
    patches.replace(clip_grad, "_clip_grads_with_norm_", lambda inner: _clip(inner, to))
    patches.replace(torch, "save", lambda inner: _save(inner, to))
    for optimizer in optimizers:
        patches.call(optimizer.register_step_pre_hook(to.before_step).remove)
        patches.call(optimizer.register_step_post_hook(to.after_step).remove)
    if scaler is not None:
        patches.replace(scaler, "scale", lambda inner: _scale(inner, to))
        patches.replace(scaler, "step", lambda inner: _scaler_step(inner, to))
    return patches


def _backward(inner: Callable[..., None], to: Listener) -> Callable[..., None]:
    @functools.wraps(inner)
    def backward(tensors: Any, *given: Any, **options: Any) -> None:  # noqa: ANN401 - passed on
        for root in (tensors,) if isinstance(tensors, Tensor) else tuple(tensors):
            to.on_loss(root)
        to.on_backward(True)
        try:
            inner(tensors, *given, **options)
        finally:
            to.on_backward(False)

    return backward


def _clip(inner: Callable[..., None], to: Listener) -> Callable[..., None]:
    @functools.wraps(inner)
    def clip(parameters: Any, max_norm: float, total_norm: Tensor, *given: Any, **options: Any) -> None:  # noqa: ANN401
        to.on_norm(total_norm)
        inner(parameters, max_norm, total_norm, *given, **options)

    return clip


def _save(inner: Callable[..., None], to: Listener) -> Callable[..., None]:
    @functools.wraps(inner)
    def save(*given: Any, **options: Any) -> None:  # noqa: ANN401 - passed on
        to.before_save()
        inner(*given, **options)

    return save


def _scale(inner: Callable[..., Any], to: Listener) -> Callable[..., Any]:
    @functools.wraps(inner)
    def scale(outputs: Any) -> Any:  # noqa: ANN401 - passed on
        to.on_scale(outputs)
        return inner(outputs)

    return scale


def _scaler_step(inner: Callable[..., Any], to: Listener) -> Callable[..., Any]:
    @functools.wraps(inner)
    def step(optimizer: torch.optim.Optimizer, *given: Any, **options: Any) -> Any:  # noqa: ANN401 - passed on
        return to.scaler_step(lambda: inner(optimizer, *given, **options), optimizer)

    return step
