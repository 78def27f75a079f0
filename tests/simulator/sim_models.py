"""Small models of the kinds that are ported most, each with its data and its loss."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

WORDS = 50
WIDTH = 32


class Attention(nn.Module):
    """Causal self-attention by scaled_dot_product_attention."""

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.inward, self.outward = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.dropout = dropout

    def forward(self, x: Tensor) -> Tensor:
        batch, length, _ = x.shape
        query, key, value = (t.view(batch, length, 2, -1).transpose(1, 2) for t in self.inward(x).chunk(3, -1))
        mixed = functional.scaled_dot_product_attention(
            query, key, value, dropout_p=self.dropout if self.training else 0.0, is_causal=True
        )
        return self.outward(mixed.transpose(1, 2).reshape(batch, length, WIDTH))


class Block(nn.Module):
    def __init__(self, dropout: float, saves_memory: bool) -> None:
        super().__init__()
        self.first, self.second = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.attention = Attention(0.0)
        self.wide = nn.Sequential(
            nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Dropout(dropout), nn.Linear(4 * WIDTH, WIDTH)
        )
        self.saves_memory = saves_memory

    def forward(self, x: Tensor) -> Tensor:
        return checkpoint(self.body, x, use_reentrant=False) if self.saves_memory else self.body(x)

    def body(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.first(x))
        return x + self.wide(self.second(x))


class Transformer(nn.Module):
    """A causal language model; its output layer shares the embedding's weight."""

    def __init__(self, dropout: float = 0.0, saves_memory: bool = False) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(WORDS, WIDTH), nn.Embedding(16, WIDTH)
        self.blocks = nn.Sequential(*(Block(dropout, saves_memory) for _ in range(2)))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WORDS, bias=False)
        self.head.weight = self.words.weight

    def forward(self, x: Tensor) -> Tensor:
        places = torch.arange(x.shape[1], device=x.device)
        return self.head(self.norm(self.blocks(self.words(x) + self.places(places))))


class Encoder(nn.Module):
    """nn.TransformerEncoder, that is MultiheadAttention, with a mask over padding."""

    def __init__(self, dropout: float = 0.0) -> None:
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        layer = nn.TransformerEncoderLayer(WIDTH, 4, 64, dropout, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(WIDTH, WORDS)

    def forward(self, x: Tensor) -> Tensor:
        padding = torch.zeros(x.shape, dtype=torch.bool, device=x.device)
        padding[:, -2:] = True
        return self.head(self.layers(self.words(x), src_key_padding_mask=padding))


class ConvNet(nn.Module):
    def __init__(self, dropout: float = 0.0) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1),
            nn.BatchNorm2d(8),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(2),
            nn.Conv2d(8, 16, 3, groups=4, bias=False),
            nn.BatchNorm2d(16),
            nn.SiLU(),
            nn.AdaptiveAvgPool2d(2),
            nn.Flatten(),
            nn.Dropout(dropout),
        )
        self.head = nn.Linear(64, 10)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.body(x))


class Recurrent(nn.Module):
    """An RNN of two layers in both directions over a batch, or over sequences of different length."""

    def __init__(self, kind: type[nn.RNNBase], dropout: float = 0.0, packed: bool = False, **options: object) -> None:
        super().__init__()
        self.rnn = kind(6, 12, num_layers=2, bidirectional=True, batch_first=True, dropout=dropout, **options)
        self.head = nn.LazyLinear(10)
        self.head(torch.zeros(1, 2 * int(options.get("proj_size", 0) or 12)))
        self.packed = packed

    def forward(self, x: Tensor) -> Tensor:
        if not self.packed:
            return self.head(self.rnn(x)[0].mean(1))
        lengths = torch.tensor([7, 5, 4, 2])
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True)
        out, _ = nn.utils.rnn.pad_packed_sequence(self.rnn(packed)[0], batch_first=True)
        return self.head(out.sum(1))


class Cells(nn.Module):
    """LSTMCell, GRUCell and RNNCell in a loop of the program's own."""

    def __init__(self) -> None:
        super().__init__()
        self.long, self.gated, self.plain = nn.LSTMCell(6, 12), nn.GRUCell(12, 12), nn.RNNCell(12, 12)
        self.head = nn.Linear(12, 10)

    def forward(self, x: Tensor) -> Tensor:
        state, gated, plain = None, None, None
        for step in x.unbind(1):
            state = self.long(step, state)
            gated = self.gated(state[0], gated)
            plain = self.plain(gated, plain)
        return self.head(plain)


class Graph(nn.Module):
    """Two rounds of messages along edges, summed where they arrive by index_add and scatter."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(6, 16), nn.Linear(16, 10)

    def forward(self, x: Tensor) -> Tensor:
        count = x.shape[0]
        start = torch.arange(3 * count, device=x.device) % count
        end = (start * 7 + 3) % count
        degree = torch.zeros(count, device=x.device).scatter_add_(0, end, torch.ones(3 * count, device=x.device))
        message = self.first(x)[start]
        gathered = torch.zeros_like(message[:count]).index_add(0, end, message) / degree.clamp(min=1)[:, None]
        message = self.second(functional.leaky_relu(gathered))[start]
        most = torch.full_like(message[:count], -1e3).scatter_reduce(
            0, end[:, None].expand_as(message), message, "amax", include_self=False
        )
        return most + torch.zeros_like(most).index_put((end,), message, accumulate=True)


class Diffusion(nn.Module):
    """A level of the U-Net of diffusion models: time embedding, GroupNorm, attention, down and up."""

    def __init__(self) -> None:
        super().__init__()
        self.time = nn.Sequential(nn.Linear(8, 16), nn.SiLU(), nn.Linear(16, 16))
        self.inward, self.norm = nn.Conv2d(3, 16, 3, padding=1), nn.GroupNorm(4, 16)
        self.down, self.middle = (
            nn.Conv2d(16, 16, 3, stride=2, padding=1),
            nn.MultiheadAttention(16, 2, batch_first=True),
        )
        self.up, self.smooth = nn.ConvTranspose2d(16, 16, 4, stride=2, padding=1), nn.Conv2d(32, 16, 3, padding=1)
        self.outward = nn.Conv2d(16, 10, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        when = torch.linspace(0, 1, x.shape[0], device=x.device)[:, None] * torch.arange(1, 5, device=x.device)
        shift = self.time(torch.cat([when.sin(), when.cos()], 1))
        high = functional.silu(self.norm(self.inward(x)) + shift[:, :, None, None])
        low = self.down(high)
        rows = low.flatten(2).transpose(1, 2)
        low = low + self.middle(rows, rows, rows, need_weights=False)[0].transpose(1, 2).view_as(low)
        both = self.up(low) + functional.interpolate(low, scale_factor=2, mode="nearest")
        high = functional.silu(
            self.smooth(torch.cat([high, functional.interpolate(both, size=x.shape[2:], mode="bilinear")], 1))
        )
        return self.outward(high).mean((2, 3))


@dataclass(frozen=True)
class Case:
    """What is trained, on what."""

    make: Callable[[], nn.Module]
    inputs: Callable[[], Tensor]
    labels: Callable[[], Tensor]

    def loss(self, model: nn.Module, x: Tensor, y: Tensor) -> Tensor:
        out = model(x)
        return functional.cross_entropy(out.flatten(0, -2).float(), y.flatten())


def _words() -> Tensor:
    return torch.randint(WORDS, (4, 12))


def _images() -> Tensor:
    return torch.randn(4, 3, 16, 16)


def _sequences() -> Tensor:
    return torch.randn(4, 7, 6)


def _nodes() -> Tensor:
    return torch.randn(20, 6)


def _classes() -> Tensor:
    return torch.randint(10, (4,))


def _recurrent(kind: type[nn.RNNBase], **options: object) -> Case:
    return Case(lambda: Recurrent(kind, **options), _sequences, _classes)


CASES = {
    "transformer": Case(Transformer, _words, _words),
    "transformer-dropout": Case(lambda: Transformer(0.1), _words, _words),
    "transformer-checkpoint": Case(lambda: Transformer(0.1, saves_memory=True), _words, _words),
    "encoder": Case(Encoder, _words, _words),
    "encoder-dropout": Case(lambda: Encoder(0.1), _words, _words),
    "convnet": Case(ConvNet, _images, _classes),
    "convnet-dropout": Case(lambda: ConvNet(0.2), _images, _classes),
    "lstm": _recurrent(nn.LSTM),
    "lstm-dropout": _recurrent(nn.LSTM, dropout=0.2),
    "lstm-packed": _recurrent(nn.LSTM, packed=True),
    "lstm-projected": _recurrent(nn.LSTM, proj_size=5),
    "gru": _recurrent(nn.GRU),
    "gru-packed": _recurrent(nn.GRU, packed=True),
    "rnn": _recurrent(nn.RNN),
    "rnn-relu": _recurrent(nn.RNN, nonlinearity="relu"),
    "cells": Case(Cells, _sequences, _classes),
    "graph": Case(Graph, _nodes, lambda: torch.randint(10, (20,))),
    "diffusion": Case(Diffusion, _images, _classes),
}
