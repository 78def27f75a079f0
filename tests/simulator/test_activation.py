"""Which processes of a program see the cards, and what they find under `torch.<name>`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from simulated_run import ROOT, accelport, need_simulator, output_of, run

pytestmark = pytest.mark.usefixtures("simulator")


@pytest.fixture(scope="session")
def simulator() -> None:
    need_simulator()


# --- every process of the program -----------------------------------------------------------------

SPAWN = """
import multiprocessing, os, subprocess, sys
import torch

def work(rank, queue):
    torch.musa.set_device(rank)
    queue.put((rank, str((torch.ones(2, device="musa") * rank).device)))

if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    workers = [context.Process(target=work, args=(rank, queue)) for rank in range(2)]
    for worker in workers:
        worker.start()
    print(sorted(queue.get(timeout=60) for _ in workers))
    for worker in workers:
        worker.join()
    ask = "import torch; print(torch.musa.device_count())"
    few = {name: os.environ[name] for name in ("PATH", "PYTHONPATH")}
    print(subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, env=few).stdout.strip())
"""


def test_spawned_workers_and_subprocesses_see_the_cards(tmp_path: Path) -> None:
    done = run(SPAWN, tmp_path, on="sim:musa:2")
    assert output_of(done).splitlines() == ["[(0, 'musa:0'), (1, 'musa:1')]", "2"]
    assert any("2 processes used the card" in line for line in done.stderr.splitlines())


RANKS = """
import os
import torch
import torch.distributed as dist

rank = int(os.environ["LOCAL_RANK"])
torch.musa.set_device(rank)
dist.init_process_group("mccl")
x = torch.full((2,), rank + 1.0, device="musa")
dist.all_reduce(x)
objects = [None, None]
dist.all_gather_object(objects, {"rank": rank})
if rank == 0:
    print(dist.get_backend(), x.tolist(), x.device, objects)
dist.destroy_process_group()
"""


def test_torchrun_is_used_as_ever(tmp_path: Path) -> None:
    launcher = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2")
    done = run(RANKS, tmp_path, on="sim:musa:2", launcher=launcher)
    assert output_of(done) == "mccl [3.0, 3.0] musa:0 [{'rank': 0}, {'rank': 1}]\n"
    assert any("2 processes used the card" in line for line in done.stderr.splitlines())


VENDOR = """
import torch_musa
import torch, importlib.metadata, importlib.util
print(torch_musa.is_available(), torch_musa is torch.musa)
print(importlib.util.find_spec("torch_musa") is not None, importlib.metadata.version("torch_musa"))
print(torch.tensor([1.0]).musa().is_musa, torch.musa._initialized)
"""


@pytest.mark.parametrize("autoload", ["", "0"])
def test_the_vendors_package_can_be_imported_first(tmp_path: Path, autoload: str) -> None:
    environment = {"TORCH_DEVICE_BACKEND_AUTOLOAD": autoload} if autoload else {}
    lines = output_of(run(VENDOR, tmp_path, environment=environment)).splitlines()
    assert lines[0] == "True True"
    assert lines[1].startswith("True ")
    assert lines[1].endswith("+simulated")
    assert lines[2] == "True True"


def test_the_visibility_variable_is_read_once(tmp_path: Path) -> None:
    text = (
        "import os, torch\nos.environ['MUSA_VISIBLE_DEVICES'] = '0'\n"
        "print(torch.musa.device_count(), torch.musa.is_available())\n"
    )
    for mask, answer in (("", "0 False"), ("2,0,9,1", "2 True")):
        done = run(text, tmp_path, on="sim:musa:3", environment={"MUSA_VISIBLE_DEVICES": mask})
        assert output_of(done) == answer + "\n", mask


FORK = """
import os, torch
torch.ones(1, device="musa")
child = os.fork()
if child == 0:
    try:
        torch.ones(1, device="musa")
        os._exit(0)
    except RuntimeError as error:
        print(error, flush=True)
        os._exit(3)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
print((torch.ones(1, device="musa") + 1).item())
"""


def test_a_fork_after_use_is_refused_in_the_vendors_words(tmp_path: Path) -> None:
    lines = output_of(run(FORK, tmp_path)).splitlines()
    assert lines[0].startswith("Cannot re-initialize MUSA in forked subprocess.")
    assert lines[1:] == ["3", "2.0"]


MIXES = """
import torch
def attempt(call):
    try:
        call()
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0], sep=": ")
    else:
        print("went well")
a, b, c = torch.ones(2, device="musa:0"), torch.ones(2, device="musa:1"), torch.ones(2)
attempt(lambda: a + c)
attempt(lambda: a + b)
attempt(lambda: a + c[0])
attempt(lambda: torch.mm(a[None], c[:, None]))
attempt(lambda: a.numpy())
attempt(lambda: torch.ones(1, device="musa:7"))
attempt(lambda: torch.ones(1, device="cuda"))
"""


def test_mixed_devices_fail_as_on_a_card(tmp_path: Path) -> None:
    lines = output_of(run(MIXES, tmp_path, on="sim:musa:2")).splitlines()
    assert lines[0].startswith("RuntimeError: Expected all tensors to be on the same device")
    assert lines[1].startswith("RuntimeError: Expected all tensors to be on the same device")
    assert lines[2] == "went well"
    assert lines[3].startswith("RuntimeError: Expected all tensors to be on the same device")
    assert lines[4].startswith("TypeError: can't convert musa:0 device type tensor to numpy")
    assert "invalid device ordinal" in lines[5]
    assert "CUDA" in lines[6]


# --- the names ------------------------------------------------------------------------------------

NAMES = """
import json, re, sys, torch
names = json.load(open(sys.argv[1]))
def has(dotted):
    place = torch
    for part in dotted.split(".")[1:]:
        if not hasattr(place, part):
            return False
        place = getattr(place, part)
    return True
torch.ones(1, device="musa")
print(json.dumps([name for name in names if not has(name)]))
"""


def table_names() -> list[str]:
    """Every name below torch.musa that the table of calls gives as one of the vendor's."""
    rows = (ROOT / "data/platforms/musa/python_api.tsv").read_text(encoding="utf-8").splitlines()[1:]
    cells = [row.split("\t") for row in rows]
    wanted = {row[1] for row in cells if row[4] not in ("missing", "nvidia-only")}
    return sorted(
        name for name in wanted if name.startswith("torch.musa.") and name.replace(".", "").replace("_", "").isalnum()
    )


def test_every_name_of_the_table_is_there(tmp_path: Path) -> None:
    names = table_names()
    assert len(names) > 100
    (tmp_path / "names.json").write_text(json.dumps(names))
    missing = json.loads(output_of(run(NAMES, tmp_path, arguments=("names.json",))))
    assert missing == []


SURFACE = """
import torch
m = torch.musa
print(m.current_device(), m.get_device_name(), m.get_device_capability(0), m.is_bf16_supported())
with m.device(1):
    print(m.current_device(), torch.empty(1, device="musa").device)
s = m.Stream()
with m.stream(s):
    y = torch.ones(4, device="musa") * 2
m.current_stream().wait_stream(s)
e, f = m.Event(enable_timing=True), m.Event(enable_timing=True)
e.record(); f.record(); m.synchronize()
print(y.tolist(), e.elapsed_time(f) >= 0, m.current_stream() == m.default_stream())
m.reset_peak_memory_stats()
before = m.memory_allocated()
x = torch.empty(1000, 1000, device="musa")
print(m.memory_allocated() - before, m.max_memory_allocated() >= before + 4000256, m.memory_reserved() >= m.memory_allocated())
del x
m.empty_cache()
print(m.memory_allocated() - before, sorted(m.mem_get_info())[1] == m.get_device_properties(0).total_memory)
m.manual_seed(7)
state = m.get_rng_state()
a = torch.rand(3, device="musa")
m.set_rng_state(state)
print(torch.equal(a, torch.rand(3, device="musa")))
with torch.autocast("musa", dtype=torch.bfloat16):
    print((torch.ones(2, 2, device="musa") @ torch.ones(2, 2, device="musa")).dtype)
print(type(m.amp.GradScaler()).__mro__[1] is torch.amp.GradScaler, torch.version.musa is not None)
print(torch.nn.Linear(2, 2).musa().weight.device, torch.device(0), torch.accelerator.current_accelerator())
print(torch.ones(2).pin_memory().is_pinned())
print(torch.cuda.is_available(), torch.cuda.device_count(), torch.version.cuda)
print("simulated" in m.get_device_name(), "CUDA" in m.memory_summary())
"""


def test_the_module_answers_as_the_vendors(tmp_path: Path) -> None:
    """Under `card`, because under `exact` the seeds of the cards' generators have no effect."""
    options = ("--memory", "1GiB", "--fidelity", "card")
    lines = output_of(run(SURFACE, tmp_path, *options, on="sim:musa:2")).splitlines()
    assert lines == [
        "0 MTT S5000 (simulated) (3, 1) True",
        "1 musa:1",
        "[2.0, 2.0, 2.0, 2.0] True True",
        "4000256 True True",
        "0 True",
        "True",
        "torch.bfloat16",
        "True True",
        "musa:0 musa:0 musa",
        "True",
        "False 0 None",
        "True False",
    ]


LOADER = """
import torch
from torch.utils.data import DataLoader, TensorDataset
data = TensorDataset(torch.arange(12.0).view(6, 2))
if __name__ == "__main__":
    torch.ones(1, device="musa")
    loader = DataLoader(data, batch_size=2, num_workers=1, pin_memory=True)
    print([batch.to("musa", non_blocking=True).sum().item() for (batch,) in loader])
"""


def test_a_loader_with_workers_and_pinned_memory(tmp_path: Path) -> None:
    assert output_of(run(LOADER, tmp_path)) == "[6.0, 22.0, 38.0]\n"


SAVE = """
import sys, torch
if sys.argv[1] == "save":
    torch.manual_seed(1)
    model = torch.nn.Linear(4, 4).to("musa:1")
    torch.save({"model": model.state_dict(), "rng": torch.musa.get_rng_state()}, "m.pt")
    print(model.weight.sum().item())
else:
    for where in (None, "cpu", "musa:0", {"musa:1": "musa:0"}):
        weight = torch.load("m.pt", map_location=where)["model"]["weight"]
        print(weight.device, weight.sum().item())
"""


def test_what_was_saved_is_loaded_by_a_fresh_process(tmp_path: Path) -> None:
    total = output_of(run(SAVE, tmp_path, on="sim:musa:2", arguments=("save",))).strip()
    lines = output_of(run(SAVE, tmp_path, on="sim:musa:2", arguments=("load",))).splitlines()
    assert lines == [f"{device} {total}" for device in ("musa:1", "cpu", "musa:0", "musa:0")]


def test_other_programs_than_python_are_run_too(tmp_path: Path) -> None:
    script = f"{sys.executable} -c 'import torch; print(torch.musa.device_count())'"
    done = accelport("run", "--on", "sim:musa:2", "--", "sh", "-c", script, cwd=tmp_path)
    assert output_of(done) == "2\n"
