#!/usr/bin/env python3
"""Compares the simulated card with the CPU over every overload of the vendor's table that this torch knows, with torch's
own samples of operators, and writes docs/simulator-operators.md.

usage: simulator_operators.py [--samples 8] [--types 2] [--check]

--check writes nothing. Ends with 1 if less than 98 % of the overloads are equal to the last bit, or more than 3 % were not
compared.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "simulator"))

import sim_card  # noqa: E402
import sim_opinfo  # noqa: E402
import torch  # noqa: E402
from sim_opinfo import Verdicts  # noqa: E402

HEAD = """# Operators on the simulated card

Written by `tests/long/simulator_operators.py`: torch's own samples of operators (OpInfo), and calls for what they do not
reach, run on the simulated card; every call of an overload of the vendor's table is made a second time on the CPU with the
same bytes, also in place and into given tensors. Equal means equal to the last bit: values, shapes, strides, what was written
into arguments. It says nothing about the kernels of a real card.
"""

MOST_FOREACH = 60  # their overloads lie behind one another in the samples
LEAST_EQUAL, MOST_SKIPPED = 0.98, 0.03
# Why an overload differs or cannot be compared, where that is known. Looked up by its beginning.
KNOWN = {
    "addr": "addr: the vendor's table lacks it; composed of others as on the card, which rounds otherwise than the CPU's kernel",
    "linalg_lstsq": "LAPACK gives other bits for other addresses: on the CPU alone 191 of 200 calls with the same values differed",
    "linalg.lstsq": "linalg.lstsq: LAPACK gives other bits for other addresses: on the CPU alone 191 of 200 calls with the same values differed",
    "tensor_split": "tensor_split: takes its indices from the host only, on every card",
    "_thnn_fused_": "torch has it for cards only; recurrent layers are one operator each under exact fidelity",
    "batch_norm_": "torch has it for cards only (synchronised batch norm)",
    "_flash_attention_": "torch has it for cards only; attention takes the CPU's own flash kernel",
    "_nested_": "nested tensors are not simulated",
    "to_padded_tensor": "nested tensors are not simulated",
    "_to_sparse_csr": "compressed sparse tensors are not simulated",
    "crow_indices": "compressed sparse tensors are not simulated",
    "col_indices": "compressed sparse tensors are not simulated",
}


@dataclass
class Whole:
    """What torch's samples gave, each as a whole."""

    forward: Counter[str] = field(default_factory=Counter)
    gradient: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)

    def add(self, name: str, outcome: sim_opinfo.Outcome) -> None:
        for counter, part in ((self.forward, outcome.forward), (self.gradient, outcome.gradient)):
            for what, count in part.items():
                counter[what.split(" ")[0]] += count
        if outcome.forward["different"] or outcome.gradient["different"] or outcome.forward["error"]:
            self.notes.append(f"{name}: {outcome.first}")


def sweep(device: str, samples: int, types: int) -> tuple[Verdicts, Whole]:
    verdicts, whole = Verdicts(), Whole()
    mode = sim_opinfo.Compare(verdicts, frozenset(sim_opinfo.table_rows()))
    for info in sim_opinfo.operator_infos():
        most = MOST_FOREACH if info.name.startswith("_foreach") else samples
        name = f"{info.name} {info.variant_test_name}".strip()
        try:
            whole.add(name, sim_opinfo.run_info(info, device, most, types))
            sim_opinfo.run_info(info, device, most, types, mode)
        except Exception as error:  # one entry must not end the sweep
            whole.notes.append(f"{name}: {type(error).__name__}: {str(error).splitlines()[0][:120]}")
    sim_opinfo.run_calls(device, mode)
    return verdicts, whole


def reason_for(row: str, otherwise: str) -> str:
    return next((why for begin, why in KNOWN.items() if row.startswith(begin)), otherwise)


@dataclass
class Figures:
    rows: list[str]
    different: dict[str, str]
    equal: list[str]
    skipped: list[str]

    @property
    def share(self) -> float:
        return len(self.equal) / len(self.rows)

    @property
    def missing(self) -> float:
        return len(self.skipped) / len(self.rows)


def figures_of(rows: list[str], verdicts: Verdicts) -> Figures:
    different = {row: why for row, why in verdicts.different.items() if row in rows}
    equal = [row for row in rows if row in verdicts.equal and row not in different]
    skipped = [row for row in rows if row not in verdicts.equal and row not in different]
    return Figures(rows, different, equal, skipped)


def counted(counter: Counter[str]) -> str:
    return ", ".join(f"{count} {what}" for what, count in sorted(counter.items()))


def table_of(found: Figures) -> str:
    whole = sum(1 for line in (sim_card.PLATFORM / "operators.tsv").read_text().splitlines()[1:] if line)
    return f"""| | overloads | share |
|---|---|---|
| in the vendor's table | {whole} | |
| known to this torch | {len(found.rows)} | 100 % |
| equal to the last bit | {len(found.equal)} | {found.share:.1%} |
| different | {len(found.different)} | {len(found.different) / len(found.rows):.1%} |
| not compared | {len(found.skipped)} | {found.missing:.1%} |"""


def page(found: Figures, verdicts: Verdicts, whole: Whole, options: argparse.Namespace) -> str:
    different = [
        f"- `{row}`: {why}; {reason_for(row, 'cause not found')}" for row, why in sorted(found.different.items())
    ]
    reasons = {row: "; ".join(sorted(verdicts.reasons.get(row, {"no sample"}))) for row in sorted(found.skipped)}
    return "\n".join(
        [
            HEAD,
            f"torch {torch.__version__}, platform {sim_card.PLATFORM.name}, {sum(verdicts.equal.values()):,} comparisons of",
            f"overloads, {options.samples} samples of each of {options.types} types of values.\n",
            table_of(found),
            "\nAs a whole, without the second calls between, torch's samples gave "
            f"{counted(whole.forward)} forward and {counted(whole.gradient)} gradients.",
            "*missing*: the vendor's table lacks an operator of it, which fails as on the card.",
            "\n## Different\n",
            *(different or ["None."]),
            "\n## Not compared\n",
            *[f"- `{row}`: {reason_for(row, why)}" for row, why in reasons.items()],
            "\n## Samples that differ as a whole, or raise\n",
            *([f"- {reason_for(note, note)}" for note in sorted(whole.notes)] or ["None."]),
            "",
        ]
    )


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=8)
    parser.add_argument("--types", type=int, default=2)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    start = time.monotonic()
    verdicts, whole = sweep(sim_card.start(), options.samples, options.types)
    found = figures_of(sim_opinfo.table_rows(), verdicts)
    if not options.check:
        text = page(found, verdicts, whole, options)
        (ROOT / "docs" / "simulator-operators.md").write_text(text, encoding="utf-8")
    print(f"simulator operators: {len(found.equal)} of {len(found.rows)} overloads equal ({found.share:.2%}),")
    print(f"  {len(found.different)} different, {len(found.skipped)} not compared ({found.missing:.2%});")
    print(f"  forward {dict(whole.forward)}, gradients {dict(whole.gradient)}; {time.monotonic() - start:.0f} s")
    return 0 if found.share >= LEAST_EQUAL and found.missing <= MOST_SKIPPED else 1


if __name__ == "__main__":
    sys.exit(main())
