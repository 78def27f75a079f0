"""Train a character language model: `python train.py --config configs/tiny.yaml`."""
import argparse

from lmtrain.config import load_config
from lmtrain.engine import Trainer


def parse_args(argv=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", required=True, help="YAML file, see configs/")
    parser.add_argument("--device", default=None, choices=["cuda", "cpu"],
                        help="overrides train.device of the config (default: cuda)")
    parser.add_argument("--steps", type=int, default=None, help="overrides train.steps")
    parser.add_argument("--out-dir", default=None, help="overrides train.out_dir")
    parser.add_argument("--resume", action="store_true", help="continue from the newest checkpoint in out_dir")
    parser.add_argument("--set", nargs="*", default=[], metavar="SECTION.KEY=VALUE",
                        help="any other override, e.g. optim.lr=1e-3")
    return parser.parse_args(argv)


def main(argv=None):
    args = parse_args(argv)
    overrides = list(args.set)
    for key in ("device", "steps", "out_dir"):
        value = getattr(args, key)
        if value is not None:
            overrides.append(f"train.{key}={value}")
    config = load_config(args.config, overrides)
    with Trainer(config) as trainer:
        if args.resume:
            trainer.resume()
        trainer.fit()


if __name__ == "__main__":
    main()
