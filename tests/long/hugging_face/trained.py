"""transformers' Trainer over a tiny GPT-2 in fp32, and `generate` after it. Prints what it found as JSON.

usage: trained.py FOLDER [cpu]"""

import json
import os
import sys

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, set_seed


def main() -> None:
    set_seed(3)
    config = GPT2Config(
        vocab_size=64, n_positions=32, n_embd=32, n_layer=2, n_head=4, bos_token_id=0, eos_token_id=0, pad_token_id=0
    )
    model = GPT2LMHeadModel(config)
    tokens = torch.randint(1, 64, (32, 16), generator=torch.Generator().manual_seed(5))
    data = [{"input_ids": row, "labels": row} for row in tokens]
    # Without a card, ranks are joined only if they are told how.
    on_cpu = sys.argv[2:] == ["cpu"]
    told = {"use_cpu": on_cpu, **({"ddp_backend": "gloo"} if on_cpu and "WORLD_SIZE" in os.environ else {})}
    arguments = TrainingArguments(
        output_dir=sys.argv[1], max_steps=6, per_device_train_batch_size=2, learning_rate=1e-2, logging_steps=1,
        save_strategy="steps", save_steps=3, report_to=[], disable_tqdm=True, seed=3, dataloader_pin_memory=False,
        optim="adamw_torch", **told,
    )  # fmt: skip
    trainer = Trainer(model=model, args=arguments, train_dataset=data)
    trainer.train()
    model = trainer.accelerator.unwrap_model(trainer.model).eval()
    start = tokens[:2, :4].to(model.device)
    torch.manual_seed(11)
    found = {
        "device": str(model.device),
        "ranks": trainer.args.world_size,
        "losses": [row["loss"] for row in trainer.state.log_history if "loss" in row],
        "norms": [row["grad_norm"] for row in trainer.state.log_history if "grad_norm" in row],
        "parameters": [parameter.sum().item().hex() for parameter in model.parameters()],
        "greedy": model.generate(start, max_new_tokens=12, do_sample=False).tolist(),
        "sampled": model.generate(start, max_new_tokens=12, do_sample=True, top_k=8).tolist(),
    }
    if trainer.is_world_process_zero():
        print(json.dumps(found))


if __name__ == "__main__":
    main()
