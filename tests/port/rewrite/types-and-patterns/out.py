from typing import Literal
import torch
import accelerator
Kind = Literal["cpu", "cuda"]
def f(kind: Literal["cuda"], stream: "torch.cuda.Stream", event: torch.cuda.Event) -> torch.cuda.Stream:
    match kind:
        case "cuda":
            return accelerator.accelerator_module().Stream()
