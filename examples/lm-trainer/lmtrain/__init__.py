"""A small language-model trainer."""

__version__ = "0.3.0"
