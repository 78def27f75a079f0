"""The rendered helper on stubs of torch, old and new, with and without cards and plug-ins; and on the real torch."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from render import FUNCTIONS, GOLDEN, PROFILES, closure, render

PROFILE = next(p for p in PROFILES if p["torch"]["device_type"] not in {"cuda", "xpu"})
DEVICE = PROFILE["torch"]["device_type"]
PLUG_IN = PROFILE["torch"]["import"]
PUBLIC = [name for name, row in FUNCTIONS.items() if row["kind"] != "private"]

# A torch that writes down each call of a device module. What each layout has beyond it is in LAYOUTS.
TORCH = """
import os, sys, types
CALLS = []

class device:
    def __init__(self, type, index=None):
        if isinstance(type, device):
            type, index = type.type, type.index
        elif isinstance(type, str) and ":" in type:
            type, index = type.split(":")[0], int(type.split(":")[1])
        self.type, self.index = type, index
    def __repr__(self):
        return f"device({self.type!r}, {self.index!r})"

def make_module(name, cards):
    module = types.ModuleType("torch." + name)
    answers = {"is_available": cards > 0, "device_count": cards, "current_device": 0, "set_device": None,
               "synchronize": None, "empty_cache": None, "get_device_capability": (9, 0)}
    def make(function, answer):
        def call(*args, **kwargs):
            CALLS.append([f"{name}.{function}", list(map(repr, args)), sorted(kwargs)])
            return answer
        return call
    for function, answer in answers.items():
        setattr(module, function, make(function, answer))
    sys.modules["torch." + name] = module
    return module

def nccl_version():
    CALLS.append(["cuda.nccl.version", [], []])
    return (2, 27, 3)

cuda = make_module("cuda", int(os.environ["CUDA_CARDS"]))
cuda.nccl = types.SimpleNamespace(version=nccl_version)
import torch.version as version
from . import nn, profiler
"""
LAYOUTS = {
    "1.13": {"activities": ("CPU", "CUDA"), "version": "cuda = {cuda!r}\nhip = None\n"},
    "2.x": {
        "activities": ("CPU", "CUDA", "XPU", "MTIA", "PrivateUse1"),
        "version": "from typing import Optional\n__version__ = '2.9.0'\ncuda: Optional[str] = {cuda!r}\nhip: Optional[str] = None\n",
    },
}
# name: (torch is built for CUDA, cards of NVIDIA's, the plug-in is there, its cards)
MACHINES = {
    "cuda": (True, 2, False, 0),
    "platform": (False, 0, True, 4),
    "both": (True, 2, True, 4),
    "none": (False, 0, False, 0),
    "idle-plug-in": (False, 0, True, 0),
}
# Each call of the helper beside the expression that it took the place of.
OLD = {
    "accelerator_type()": '"cuda"',
    "accelerator_module()": "torch.cuda",
    "accelerator_device()": 'torch.device("cuda")',
    "accelerator_device(1)": 'torch.device("cuda", 1)',
    'accelerator_device("cuda:1")': 'torch.device("cuda:1")',
    "configured_device(1)": "1",
    "configured_device(None)": "None",
    "configured_device('cpu')": "'cpu'",
    "configured_device('cuda')": "'cuda'",
    "configured_device('cuda:1')": "'cuda:1'",
    "configured_device(torch.device('cuda', 1))": "torch.device('cuda', 1)",
    "configured_device(torch.device('cpu'))": "torch.device('cpu')",
    "load_location()": "None",
    "set_accelerator_device(1)": "torch.cuda.set_device(1)",
    "set_accelerator_device(device=1)": "torch.cuda.set_device(device=1)",
    "is_available()": "torch.cuda.is_available()",
    "device_count()": "torch.cuda.device_count()",
    "current_device()": "torch.cuda.current_device()",
    "synchronize()": "torch.cuda.synchronize()",
    "synchronize(1)": "torch.cuda.synchronize(1)",
    "synchronize(device=1)": "torch.cuda.synchronize(device=1)",
    "empty_cache()": "torch.cuda.empty_cache()",
    "is_accelerator(Tensor('cuda'))": "Tensor('cuda').is_cuda",
    "is_accelerator(Tensor('cpu'))": "Tensor('cpu').is_cuda",
    "nvidia_capability()": "torch.cuda.get_device_capability()",
    "nvidia_capability(device=0)": "torch.cuda.get_device_capability(device=0)",
    "nccl_version()": "torch.cuda.nccl.version()",
    'configured_device("cuda")': '"cuda"',
    'configured_device("cuda:1")': '"cuda:1"',
    'configured_device(torch.device("cuda"))': 'torch.device("cuda")',
    'configured_device(torch.device("cuda:1"))': 'torch.device("cuda:1")',
    'configured_device(torch.device("cpu"))': 'torch.device("cpu")',
    'configured_device("cpu")': '"cpu"',
    'configured_device("cudax")': '"cudax"',
    "configured_device(0)": "0",
    'configured_backend("nccl")': '"nccl"',
    'configured_backend("NCCL")': '"NCCL"',
    'configured_backend("cpu:gloo,cuda:nccl")': '"cpu:gloo,cuda:nccl"',
    'configured_backend("gloo")': '"gloo"',
    'configured_backend("MPI, gloo")': '"MPI, gloo"',
    "configured_backend(None)": "None",
    "distributed_backend()": '"nccl"',
    "visible_devices_variable()": '"CUDA_VISIBLE_DEVICES"',
    'distributed_variable("DEBUG")': '"NCCL_DEBUG"',
    "profiler_activity()": "torch.profiler.ProfilerActivity.CUDA",
}
PROBE = """
import json, sys
import accelerator
expressions = json.loads(sys.argv[1])
before = "torch" in sys.modules
early = [eval("accelerator." + e) for e in ("visible_devices_variable()", 'distributed_variable("X")')]
loaded = "torch" in sys.modules
import torch

class Tensor:
    def __init__(self, type):
        self.device = torch.device(type)
    @property
    def is_cuda(self):
        return self.device.type == "cuda"

def ask(text):
    torch.CALLS.clear()
    try:
        value = eval(text)
    except Exception as error:
        value = error
    return {"value": repr(value), "type": type(value).__name__, "calls": list(torch.CALLS)}

print(json.dumps({"imported": [before, loaded], "early": early,
                  "answers": {new: [ask("accelerator." + new), ask(old)] for new, old in expressions.items()}}))
"""


def make_machine(folder: Path, layout: str, machine: str) -> dict[str, str]:
    """A folder with a torch and, perhaps, a plug-in; gives the environment to run in."""
    built, cards, plugged, others = MACHINES[machine]
    torch = folder / "torch"
    torch.mkdir()
    (torch / "__init__.py").write_text(TORCH)
    (torch / "version.py").write_text(LAYOUTS[layout]["version"].format(cuda="12.1" if built else None))
    (torch / "nn.py").write_text("class Module:\n    pass\n")
    members = "".join(f"    {name} = {i}\n" for i, name in enumerate(LAYOUTS[layout]["activities"]))
    (torch / "profiler.py").write_text(f"import enum\n\nclass ProfilerActivity(enum.Enum):\n{members}")
    if plugged:
        (folder / f"{PLUG_IN}.py").write_text(
            f"import torch\ntorch.{DEVICE} = torch.make_module({DEVICE!r}, {others})\n"
        )
    (folder / "accelerator.py").write_text(render())
    (folder / "probe.py").write_text(PROBE)
    environment = {**os.environ, "PYTHONPATH": str(folder), "CUDA_CARDS": str(cards)}
    if built and plugged:
        # The driver is what tells which variable counts before torch is imported.
        compiler = shutil.which("cc") or pytest.skip("no C compiler to make a driver's library with")
        library = str(folder / "libcuda.so.1")
        subprocess.run([compiler, "-shared", "-o", library, "-x", "c", os.devnull], check=True)
        environment["LD_LIBRARY_PATH"] = str(folder)
    return environment


def ask(folder: Path, layout: str, machine: str) -> dict:
    environment = make_machine(folder, layout, machine)
    command = [sys.executable, str(folder / "probe.py"), json.dumps(OLD)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_both_renderings_are_the_golden_text() -> None:
    """The program's own test compares its rendering with the same file."""
    assert GOLDEN.read_text() == render()


@pytest.mark.parametrize("name", PUBLIC)
def test_each_function_alone_is_a_whole_module(name: str, tmp_path: Path) -> None:
    text = render({name})
    tree = ast.parse(text, feature_version=(3, 8))
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert defined == closure({name})
    assert all(ast.get_docstring(node) for node in tree.body if isinstance(node, ast.FunctionDef))
    (tmp_path / "accelerator.py").write_text(text)
    ruff = Path(sys.executable).with_name("ruff")
    if ruff.exists():
        command = [str(ruff), "check", "--isolated", "--select", "E,F,I,W", "--line-length", "120", "accelerator.py"]
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("machine", ["cuda", "none", "both"])
def test_on_cuda_and_without_a_card_the_old_expression_is_answered(machine: str, layout: str, tmp_path: Path) -> None:
    result = ask(tmp_path, layout, machine)
    plugged = MACHINES[machine][2]
    for expression, (new, old) in result["answers"].items():
        assert (new["value"], new["type"]) == (old["value"], old["type"]), expression
        if not plugged:
            assert new["calls"] == old["calls"], f"{expression}: another device call than before"
    if not plugged:
        assert result["imported"] == [False, False]
        assert result["early"] == ["CUDA_VISIBLE_DEVICES", "NCCL_X"]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_on_the_platform(layout: str, tmp_path: Path) -> None:
    result = ask(tmp_path, layout, "platform")
    values = {expression: new["value"] for expression, (new, _) in result["answers"].items()}
    visible, prefix = PROFILE["visibility"]["process"], PROFILE["distributed"]["variable_prefix"]
    backend = PROFILE["distributed"]["backend"]
    assert result["imported"] == [False, False], "the visibility variable is asked for before torch is imported"
    assert result["early"] == [visible, prefix + "X"]
    activity = "PrivateUse1: 4" if layout == "2.x" else "CPU: 0"
    assert values == {
        **{key: values[key] for key in ("accelerator_module()", 'accelerator_device("cuda:1")', "load_location()")},
        "configured_device(1)": f"device({DEVICE!r}, 1)",
        "configured_device(None)": "None",
        "configured_device('cpu')": "'cpu'",
        "configured_device('cuda')": repr(DEVICE),
        "configured_device('cuda:1')": repr(f"{DEVICE}:1"),
        "configured_device(torch.device('cuda', 1))": f"device({DEVICE!r}, 1)",
        "configured_device(torch.device('cpu'))": "device('cpu', None)",
        "accelerator_type()": repr(DEVICE),
        "accelerator_device()": f"device({DEVICE!r}, None)",
        "accelerator_device(1)": f"device({DEVICE!r}, 1)",
        **dict.fromkeys(
            (
                "set_accelerator_device(1)",
                "set_accelerator_device(device=1)",
                "synchronize()",
                "synchronize(1)",
                "synchronize(device=1)",
                "empty_cache()",
            ),
            "None",
        ),
        "is_available()": "True",
        "device_count()": "4",
        "current_device()": "0",
        "is_accelerator(Tensor('cuda'))": "False",
        "is_accelerator(Tensor('cpu'))": "False",
        "nvidia_capability()": "(0, 0)",
        "nvidia_capability(device=0)": "(0, 0)",
        "nccl_version()": "(0, 0, 0)",
        'configured_device("cuda")': repr(DEVICE),
        'configured_device("cuda:1")': repr(f"{DEVICE}:1"),
        'configured_device(torch.device("cuda"))': f"device({DEVICE!r}, None)",
        'configured_device(torch.device("cuda:1"))': f"device({DEVICE!r}, 1)",
        'configured_device(torch.device("cpu"))': "device('cpu', None)",
        'configured_device("cpu")': "'cpu'",
        'configured_device("cudax")': "'cudax'",
        "configured_device(0)": f"device({DEVICE!r}, 0)",
        'configured_backend("nccl")': repr(backend),
        'configured_backend("NCCL")': repr(backend),
        'configured_backend("cpu:gloo,cuda:nccl")': repr(f"cpu:gloo,{DEVICE}:{backend}"),
        'configured_backend("gloo")': "'gloo'",
        'configured_backend("MPI, gloo")': "'MPI, gloo'",
        "configured_backend(None)": "None",
        "distributed_backend()": repr(backend),
        "visible_devices_variable()": repr(visible),
        'distributed_variable("DEBUG")': repr(prefix + "DEBUG"),
        "profiler_activity()": f"<ProfilerActivity.{activity}>",
    }
    assert f"torch.{DEVICE}" in values["accelerator_module()"]
    assert values['accelerator_device("cuda:1")'].startswith("RuntimeError")
    assert "locate" in values["load_location()"]
    calls = [call for new, _ in result["answers"].values() for call in new["calls"]]
    assert not [call for call in calls if call[0].startswith("cuda.")]


def test_an_installed_plug_in_without_a_card_changes_no_answer_but_the_variables(tmp_path: Path) -> None:
    result = ask(tmp_path, "2.x", "idle-plug-in")
    for expression, (new, old) in result["answers"].items():
        if "variable" not in expression:
            assert (new["value"], new["type"]) == (old["value"], old["type"]), expression


def test_a_broken_plug_in_is_a_warning(tmp_path: Path) -> None:
    environment = make_machine(tmp_path, "2.x", "platform")
    (tmp_path / f"{PLUG_IN}.py").write_text("raise OSError('a library is missing')\n")
    code = "import accelerator; print(accelerator.accelerator_type())"
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "cuda\n"
    assert f"{PLUG_IN} is installed but cannot be imported: a library is missing" in done.stderr


def test_on_the_installed_torch(tmp_path: Path) -> None:
    """A machine without accelerators: every answer is what the CUDA expression gives there."""
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("this machine has a card")
    (tmp_path / "accelerator.py").write_text(render())
    code = """
import accelerator, torch
x = torch.ones(2)
assert accelerator.accelerator_type() == "cuda" and accelerator.accelerator_module() is torch.cuda
assert accelerator.is_available() is False and accelerator.device_count() == 0
assert accelerator.is_nvidia() is False and accelerator.is_accelerator(x) is False
assert accelerator.accelerator_device(1) == torch.device("cuda", 1)
assert accelerator.accelerator_device(torch.device("cuda:1")) == torch.device("cuda", 1)
assert not accelerator.is_accelerator(torch.device("cpu")) and accelerator.is_accelerator(torch.device("cuda"))
for value in ("cuda", "cuda:1", "cpu", None, 0, torch.device("cuda", 1), "nccl"):
    assert accelerator.configured_device(value) is value and accelerator.configured_backend(value) is value
assert accelerator.profiler_activity() is torch.profiler.ProfilerActivity.CUDA
assert accelerator.distributed_backend() == "nccl" and accelerator.empty_cache() is None
for new, old in ((accelerator.current_device, torch.cuda.current_device), (accelerator.synchronize, torch.cuda.synchronize),
                 (accelerator.nvidia_capability, torch.cuda.get_device_capability),
                 (accelerator.nccl_version, torch.cuda.nccl.version),
                 (lambda: x.to(accelerator.accelerator_device()), x.cuda)):
    errors = []
    for function in (new, old):
        try:
            function()
        except (AssertionError, AttributeError, RuntimeError) as error:
            errors.append((type(error), str(error)))
    assert len(errors) == 2 and errors[0] == errors[1], errors
"""
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, timeout=120)


def test_what_was_saved_on_a_card_of_nvidias_goes_to_the_platforms(tmp_path: Path) -> None:
    """On the installed torch, with a device type that is only a name; None is the default that the keyword has."""
    import inspect

    torch = pytest.importorskip("torch")
    for call in FUNCTIONS["load_location"]["stands_for"]:
        name, _, keyword = call.removesuffix(")").partition("(")
        function = getattr(torch, name.removeprefix("torch."))
        assert inspect.signature(function).parameters[keyword].default is None
    (tmp_path / "accelerator.py").write_text(render({"load_location"}))
    code = """
import accelerator, torch
placed = []
def restore(storage, location):
    if location.startswith("card:"):
        placed.append(location)
        return storage
torch.serialization.register_package(1, lambda storage: "cuda:1" if tagged else None, restore)
tagged = True
torch.save({"x": torch.arange(3)}, "saved")
tagged = False
torch.save({"x": torch.arange(3)}, "plain")
try:
    torch.load("saved", map_location=accelerator.load_location())
    raise SystemExit("there is no such card here")
except RuntimeError:
    pass
accelerator._platform = lambda: accelerator._Platform("card", *[""] * 5)
for name in ("saved", "plain"):
    assert torch.load(name, map_location=accelerator.load_location())["x"].tolist() == [0, 1, 2]
assert placed == ["card:1"], placed
"""
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, timeout=120)


def test_the_call_rows_on_the_installed_torch() -> None:
    """Each pair of spellings makes equal objects; the parameters are those of the old one, in its order."""
    import inspect
    import warnings

    torch = pytest.importorskip("torch")
    from render import TABLE

    def find(path: str) -> object:
        value: object = torch
        for part in path.split(".")[1:]:
            value = getattr(value, part)
        return value

    for row in TABLE["call"]:
        old, new = find(row["old"]), find(row["new"])
        parameters = [name for name in inspect.signature(old).parameters if name != "self"]
        assert parameters == row["parameters"]
        assert set(parameters) <= set(inspect.signature(new).parameters)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            before, after = old(enabled=False), new("cuda", enabled=False)
        for name, value in vars(after).items():
            assert repr(vars(before)[name]) == repr(value), name
    for row in TABLE["same"]:
        assert len({id(find(name)) for name in row["names"]}) == 1
    for name in FUNCTIONS["profiler_activity"]["stands_for"][:2]:
        assert find(name) is torch.profiler.ProfilerActivity.CUDA
    for group in TABLE["present"] + TABLE["loaded"]:
        assert all(find(name) is not None for name in group["names"])
