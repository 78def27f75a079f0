"""A platform that nobody makes, given as a folder of data: the ported example runs on it, under its own names."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from simulated_run import PROGRAM, ROOT, accelport, need_simulator, output_of, run

CARDS = "sim:./nova:2"
PROFILE = """
schema = "accelport.profile/1"
name = "nova"
vendor = "Nova Works"
title = "Nova"

[torch]
device_type = "nova"
device_module = "torch.nova"
package = "torch-nova"
import = "torch_nova"
version_attribute = "torch.version.nova"

[[torch.release]]
package = "9.1"

[distributed]
backend = "novacl"
process_group_class = "torch.distributed.ProcessGroupNova"

[visibility]
process = "NOVA_DEVICES"
"""
SIMULATOR = """
schema = "accelport.simulator/1"

[card]
name = "Nova One"
memory_mib = 2048
capability_major = 1
capability_minor = 0
processors = 4
bfloat16 = false
source = "invented"

[messages]
out_of_memory = "Nova: {requested} do not fit on card {device}"
bad_fork = "Nova: not in a forked process"
source = "invented"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    need_simulator()
    platform = tmp_path / "nova"
    platform.mkdir()
    (platform / "profile.toml").write_text(PROFILE)
    (platform / "simulator.toml").write_text(SIMULATOR)
    operators = (ROOT / "data/platforms/musa/operators.tsv").read_text().splitlines(keepends=True)
    (platform / "operators.tsv").write_text("".join(row for row in operators if row.split("\t")[0] != "relu_"))
    return tmp_path


OWN_NAMES = """
import os, torch, torch_nova
x = torch.ones(2, device="nova:1")
print(torch_nova is torch.nova, torch_nova.__version__, torch.version.nova, torch.nova.get_device_name(), x.device)
print(torch.nova.is_bf16_supported(), torch.nova.device_count(), x.is_nova, hasattr(torch, "musa"))
print(torch.nova.memory_reserved() >= 0, torch.nova.CUDAGraph is not None, torch.distributed.is_novacl_available())
for call in (lambda: torch.empty(3 << 30, dtype=torch.uint8, device="nova"), lambda: torch.relu_(x)):
    try:
        call()
        print("went well")
    except (torch.OutOfMemoryError, NotImplementedError) as error:
        print(type(error).__name__, str(error).splitlines()[0])
if os.fork() == 0:
    try:
        torch.ones(1, device="nova")
    except RuntimeError as error:
        print(error, flush=True)
    os._exit(0)
os.wait()
"""


def test_it_has_its_own_names_and_words(folder: Path) -> None:
    lines = output_of(run(OWN_NAMES, folder, "--memory", "1GiB", on=CARDS)).splitlines()
    missing = lines.pop(4)
    assert missing.startswith("NotImplementedError Could not run 'aten::relu_'")
    assert lines == [
        "True 9.1+simulated 9.1+simulated Nova One (simulated) nova:1",
        "False 2 True False",
        "True True True",
        "OutOfMemoryError Nova: 3.00 GiB do not fit on card 0",
        "Nova: not in a forked process",
    ]


def test_its_variable_chooses_the_cards(folder: Path) -> None:
    text = "import torch\nprint(torch.nova.device_count())\n"
    assert output_of(run(text, folder, on=CARDS, environment={"NOVA_DEVICES": "1"})) == "1\n"


def test_the_ported_example_trains_on_it(folder: Path) -> None:
    """The port is made for a platform that is known; its helper module then gets the other one's names."""
    example = folder / "example"
    shutil.copytree(ROOT / "examples/lm-trainer", example)
    ported = subprocess.run(
        [PROGRAM, "port", ".", "--to", "musa", "--write", "--quiet"],
        cwd=example,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ported.returncode in (0, 1), ported.stderr
    helper = example / "lmtrain/accelerator.py"
    text = helper.read_text()
    for old, new in (("MUSA_VISIBLE_DEVICES", "NOVA_DEVICES"), ("mccl", "novacl"), ("musa", "nova")):
        assert old in text
        text = text.replace(old, new)
    helper.write_text(text)
    training = str(ROOT / "tools/demo_training.py")
    found = {}
    for where in ("sim:../nova:1", "cpu"):
        words = (
            "run",
            "--on",
            where,
            "--",
            sys.executable,
            training,
            "out.txt",
            "train.precision=fp32",
            "train.steps=4",
        )
        output = output_of(accelport(*words, cwd=example))
        assert ("device nova:0 (Nova One (simulated)" in output) == (where != "cpu")
        found[where] = (example / "out.txt").read_text()
        (example / "out.txt").unlink()
    assert found["sim:../nova:1"] == found["cpu"]
    assert found["cpu"].count("loss") == 4
