from .layers import make
