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
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "simulator"))

import sim_card  # noqa: E402
import torch  # noqa: E402

MOST_FOREACH = 60  # their overloads lie behind one another in the samples
LEAST_EQUAL, MOST_SKIPPED = 0.98, 0.03
# Why an overload differs or cannot be compared, where that is known. Looked up by its beginning.
KNOWN = {
    "_thnn_fused_": "torch has it for cards only; recurrent layers are one operator each under exact fidelity",
    "batch_norm_": "torch has it for cards only (synchronised batch norm)",
    "_flash_attention_": "torch has it for cards only; attention takes the CPU's own flash kernel",
    "_nested_": "nested tensors are not simulated",
    "to_padded_tensor": "nested tensors are not simulated",
    "_to_sparse_csr": "compressed sparse tensors are not simulated",
    "crow_indices": "compressed sparse tensors are not simulated",
    "col_indices": "compressed sparse tensors are not simulated",
}


def sweep(device: str, samples: int, types: int) -> tuple[object, Counter[str], Counter[str], list[str]]:
    import sim_opinfo

    verdicts = sim_opinfo.Verdicts()
    mode = sim_opinfo.Compare(verdicts, frozenset(sim_opinfo.table_rows()))
    forward: Counter[str] = Counter()
    gradient: Counter[str] = Counter()
    notes: list[str] = []
    for info in sim_opinfo.operator_infos():
        most = MOST_FOREACH if info.name.startswith("_foreach") else samples
        try:
            outcome = sim_opinfo.run_info(info, device, most, types)
            sim_opinfo.run_info(info, device, most, types, mode)
        except Exception as error:  # noqa: BLE001 - one entry must not end the sweep
            notes.append(f"{info.name}: {type(error).__name__}: {str(error).splitlines()[0][:120]}")
            continue
        for counter, part in ((forward, outcome.forward), (gradient, outcome.gradient)):
            for what, count in part.items():
                counter[what.split(" ")[0]] += count
        if outcome.forward["different"] or outcome.gradient["different"] or outcome.forward["error"]:
            name = f"{info.name} {info.variant_test_name}".strip()
            notes.append(f"{name}: {outcome.first}")
    sim_opinfo.run_calls(device, mode)
    return verdicts, forward, gradient, notes


def reason_for(row: str, otherwise: str) -> str:
    return next((why for begin, why in KNOWN.items() if row.startswith(begin)), otherwise)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=8)
    parser.add_argument("--types", type=int, default=2)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    device = sim_card.start(memory=4 << 30)
    import sim_opinfo

    start = time.monotonic()
    rows = sim_opinfo.table_rows()
    verdicts, forward, gradient, notes = sweep(device, options.samples, options.types)
    different = {row: why for row, why in verdicts.different.items() if row in rows}
    equal = [row for row in rows if row in verdicts.equal and row not in different]
    skipped = [row for row in rows if row not in verdicts.equal and row not in different]
    share, missing = len(equal) / len(rows), len(skipped) / len(rows)
    whole = sum(1 for line in (sim_card.PLATFORM / "operators.tsv").read_text().splitlines()[1:] if line)
    lines = [
        "# Operators on the simulated card",
        "",
        "Written by `tests/long/simulator_operators.py`: torch's own samples of operators (OpInfo), and calls for what they do",
        "not reach, run on the simulated card; every call of an overload of the vendor's table is made a second time on the CPU",
        "with the same bytes, also in place and into given tensors. Equal means equal to the last bit: values, shapes, strides,",
        "what was written into arguments. It says nothing about the kernels of a real card.",
        "",
        f"torch {torch.__version__}, platform {sim_card.PLATFORM.name}, {sum(verdicts.equal.values()):,} comparisons of overloads,",
        f"{options.samples} samples of each of {options.types} types of values.",
        "",
        "| | overloads | share |",
        "|---|---|---|",
        f"| in the vendor's table | {whole} | |",
        f"| known to this torch | {len(rows)} | 100 % |",
        f"| equal to the last bit | {len(equal)} | {share:.1%} |",
        f"| different | {len(different)} | {len(different) / len(rows):.1%} |",
        f"| not compared | {len(skipped)} | {missing:.1%} |",
        "",
        "As a whole, without the second calls between, torch's samples gave "
        + ", ".join(f"{count} {what}" for what, count in sorted(forward.items()))
        + " forward and "
        + ", ".join(f"{count} {what}" for what, count in sorted(gradient.items()))
        + " gradients. *missing*: the vendor's table lacks an operator of it, which fails as on the card.",
        "",
        "## Different",
        "",
        *([f"- `{row}`: {why}; {reason_for(row, 'cause not found')}" for row, why in sorted(different.items())] or ["None."]),
        "",
        "## Not compared",
        "",
        *[f"- `{row}`: {reason_for(row, '; '.join(sorted(verdicts.reasons.get(row, {'no sample'}))))}" for row in sorted(skipped)],
        "",
        "## Samples that differ as a whole, or raise",
        "",
        *([f"- {note}" for note in sorted(notes)] or ["None."]),
        "",
    ]
    text = "\n".join(lines)
    if not options.check:
        (ROOT / "docs" / "simulator-operators.md").write_text(text, encoding="utf-8")
    print(f"simulator operators: {len(equal)} of {len(rows)} overloads equal ({share:.2%}), {len(different)} different,")
    print(f"  {len(skipped)} not compared ({missing:.2%}); forward {dict(forward)}, gradients {dict(gradient)}")
    print(f"  {time.monotonic() - start:.0f} s")
    return 0 if share >= LEAST_EQUAL and missing <= MOST_SKIPPED else 1


if __name__ == "__main__":
    sys.exit(main())
