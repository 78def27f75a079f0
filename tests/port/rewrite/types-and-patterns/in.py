from typing import Literal
import torch
Kind = Literal["cpu", "cuda"]
def f(kind: Literal["cuda"], stream: "torch.cuda.Stream", event: torch.cuda.Event) -> torch.cuda.Stream:
    match kind:
        case "cuda":
            return torch.cuda.Stream()
