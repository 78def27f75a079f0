"""Sample text from a checkpoint: `python -m lmtrain.generate runs/tiny`."""
import argparse
import os

import torch

from . import checkpoint
from .config import config_from_dict
from .data import CharTokenizer
from .model import GPT


def load_model(out_dir: str, device: str = "cuda"):
    directory = checkpoint.latest(out_dir) or out_dir
    state = checkpoint.load_weights(directory, device)
    config = config_from_dict(state["meta"]["config"])
    model = GPT(config.model)
    model.load_state_dict(state["model"])
    if device == "cuda":
        model = model.cuda()
        if torch.cuda.get_device_capability() >= (8, 0):
            model = model.bfloat16()
    return model.eval(), CharTokenizer(state["meta"]["alphabet"])


def sample(model: GPT, tokenizer: CharTokenizer, prompt: str, count: int, seed: int, **options) -> str:
    torch.manual_seed(seed)
    if torch.cuda.is_available():
        torch.cuda.manual_seed(seed)
    ids = torch.tensor([tokenizer.encode(prompt)], dtype=torch.long)
    return tokenizer.decode(model.generate(ids, count, **options)[0].tolist())


def main(argv=None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out_dir", help="output directory of a run")
    parser.add_argument("--prompt", default="the ")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--temperature", type=float, default=0.8)
    parser.add_argument("--top-k", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    parser.add_argument("--gpu", default=None, help="index of the GPU to use, e.g. 0")
    args = parser.parse_args(argv)

    if args.gpu is not None:
        os.environ["CUDA_VISIBLE_DEVICES"] = args.gpu
    device = args.device if torch.cuda.is_available() else "cpu"
    model, tokenizer = load_model(args.out_dir, device)
    print(sample(model, tokenizer, args.prompt, args.count, args.seed,
                 temperature=args.temperature, top_k=args.top_k))


if __name__ == "__main__":
    main()
