"""A loop of accelerate's own shape over a tiny Llama in bf16: six steps with a checkpoint after the third, or the last three from that
checkpoint. Prints what it found as JSON.

usage: accelerated.py train|resume FOLDER"""

import json
import sys

import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader
from transformers import LlamaConfig, LlamaForCausalLM, set_seed

STEPS = 6


def parts(accelerator: Accelerator) -> tuple:
    set_seed(3)
    config = LlamaConfig(
        vocab_size=64, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
        max_position_embeddings=32,
    )  # fmt: skip
    model = LlamaForCausalLM(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)  # before the model is moved, as accelerate's examples do
    tokens = torch.randint(0, 64, (4, 16), generator=torch.Generator().manual_seed(5))
    return accelerator.prepare(model, optimizer, DataLoader(tokens.repeat(2 * STEPS, 1), batch_size=4))


def step(
    accelerator: Accelerator, model: torch.nn.Module, optimizer: torch.optim.Optimizer, batch: torch.Tensor
) -> str:
    loss = model(input_ids=batch, labels=batch).loss
    accelerator.backward(loss)
    accelerator.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
    return accelerator.gather(loss.detach()).mean().item().hex()


def main() -> None:
    task, folder = sys.argv[1:]
    accelerator = Accelerator(mixed_precision="bf16")
    model, optimizer, loader = parts(accelerator)
    batches = list(loader)[:STEPS]
    if task == "train":
        losses = [step(accelerator, model, optimizer, batch) for batch in batches[:3]]
        accelerator.save_state(folder)
    else:
        losses = []
        accelerator.load_state(folder)
    losses += [step(accelerator, model, optimizer, batch) for batch in batches[3:]]
    found = {
        "device": accelerator.device.type,
        "kind": accelerator.state.distributed_type.value,
        "backend": accelerator.state.backend,
        "losses": losses,
    }
    if accelerator.is_main_process:
        print(json.dumps(found))


if __name__ == "__main__":
    main()
