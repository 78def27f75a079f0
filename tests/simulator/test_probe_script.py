"""The script by which `env` asks Python, against a plug-in that works: the simulated card's."""

from __future__ import annotations

from pathlib import Path

import simulated_run
from simulated_run import ROOT, output_of


def test_the_script_sees_the_card(tmp_path: Path) -> None:
    words = ("plug_in=torch_musa", "device=musa", "backend=mccl", "packages=torch,torch_musa")
    text = (ROOT / "data/probe_torch.py").read_text()
    done = simulated_run.run(text, tmp_path, "--quiet", on="sim:musa:2", arguments=words, timeout=300)
    facts = dict(line.split("=", 1) for line in output_of(done).splitlines())
    wanted = {
        "import.loaded": "yes",
        "plug_in.loaded": "yes",
        "package.torch_musa": "2.7.1+simulated",
        "cuda_available": "no",
        "device": "musa",
        "key": "PrivateUse1",
        "available": "yes",
        "count": "2",
        "backend": "yes",
        "card_sum": "6.0",
        "device_type": "musa",
        "tensor_is_cuda": "no",
        "integer_device": "musa",
        "set_device_of_cuda_error": "ValueError: Expected a musa device, but got: cuda:0",
        "stage": "end",
    }
    assert {name: facts.get(name) for name in wanted} == wanted
    assert float(facts["capability"]) >= 2.1
    assert facts["accelerator_synchronize_error"].startswith("RuntimeError")
    assert "warp_size" not in facts["fields"]
