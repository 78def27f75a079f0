from dataclasses import dataclass


@dataclass
class Args:
    cuda: bool = True
    """if toggled, cuda will be used"""
