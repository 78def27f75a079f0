"""Every torch name that the data suggests exists in torch, with the keywords it is called with."""

from __future__ import annotations

import ast
import builtins
import importlib
import inspect
import os
import re
import warnings
from typing import Any

import pytest
from knowledge import DATA, PLATFORMS, read_toml, read_tsv

warnings.filterwarnings("ignore")
try:
    import torch
except ImportError:
    pytest.skip("TORCH IS NOT INSTALLED: no suggested torch name was checked", allow_module_level=True)

INSTALLED = tuple(int(part) for part in torch.__version__.split("+")[0].split(".")[:2])

# What a name in the tables stands for where it is no module.
ROOTS: dict[str, Any] = {
    "torch": torch,
    "Tensor": torch.Tensor,
    "Module": torch.nn.Module,
    "UntypedStorage": torch.UntypedStorage,
    "os": os,
}
TENSORS = {"t", "x", "y", "q", "k", "v"}
DEVICES = {"d", "device", "acc"}
# Free names and packages whose members are not ours to check.
FREE = set(
    "f i n s prof data size shape dtype params path name op eps states state backends dataset model qualname".split()
)
FREE |= {"triton", "safetensors", "accelerate", "deepspeed"}

# Members whose class annotation does not tell their type.
MEMBERS = {"torch.Tensor.device": torch.device, "torch.UntypedStorage.device": torch.device}

# CUDA-side names that torch 2.13 without CUDA lacks, and why they stay in the tables.
GONE = {
    "torch.cuda.MemPoolContext": "removed; programs for torch 2.5 to 2.7 use it",
    "torch.cuda.profiler.init": "removed; old programs call it",
    "torch.cuda.Stream.cuda_stream": "in CUDA builds only",
    "torch.cuda.Stream.priority_range": "in CUDA builds only",
    "torch.cuda.Event.cuda_event": "in CUDA builds only",
    "torch._C._cuda_getCurrentRawStream": "in CUDA builds only",
    "torch.distributed.ProcessGroupNCCL": "in CUDA builds only",
    "torch.distributed.ProcessGroupNCCL.Options": "in CUDA builds only",
}


class Missing(Exception):
    pass


def attribute(owner: Any, path: str, name: str) -> Any:
    try:
        return inspect.getattr_static(owner, name) if inspect.isclass(owner) else getattr(owner, name)
    except AttributeError:
        pass
    try:
        return importlib.import_module(f"{path}.{name}")
    except ImportError as error:
        raise Missing(f"{path}.{name}") from error


OPAQUE = object()


def resolve(node: ast.expr) -> tuple[Any, str]:
    """The object a chain names, or OPAQUE after a call whose result is not known here."""
    if isinstance(node, ast.Name):
        if node.id in ROOTS:
            return ROOTS[node.id], node.id
        if node.id in TENSORS:
            return torch.Tensor, "torch.Tensor"
        if node.id in DEVICES:
            return torch.device, "torch.device"
        if node.id in FREE or hasattr(builtins, node.id):
            return OPAQUE, node.id
        raise Missing(f"free name {node.id}")
    if isinstance(node, ast.Call):
        owner, path = resolve(node.func)
        if path == "torch.get_device_module":
            return torch.cuda, "torch.cuda"
        check_keywords(owner, path, node)
        return OPAQUE, f"{path}()"
    if isinstance(node, ast.Attribute):
        owner, path = resolve(node.value)
        if owner is OPAQUE:
            return OPAQUE, f"{path}.{node.attr}"
        found = attribute(owner, path, node.attr)
        path = f"{path}.{node.attr}"
        return MEMBERS.get(path, found), path
    return OPAQUE, ""


def check_keywords(callee: Any, path: str, call: ast.Call) -> None:
    """A keyword argument must be one of the function's own."""
    if callee is OPAQUE or not call.keywords:
        return
    try:
        parameters = inspect.signature(callee).parameters
    except (TypeError, ValueError):
        return
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        return
    for keyword in call.keywords:
        if keyword.arg not in parameters:
            raise Missing(f"{path}({keyword.arg}=)")


def problems(expression: str) -> list[str]:
    """The names of an expression that torch does not have."""
    found = []
    for node in ast.walk(ast.parse(expression, mode="eval")):
        if isinstance(node, ast.Attribute | ast.Call | ast.Name):
            try:
                resolve(node)
            except Missing as error:
                found.append(str(error))
    return sorted(set(found))


def since(row: dict[str, str]) -> tuple[int, ...]:
    return tuple(int(part) for part in row["neutral_since"].split(".")) if row["neutral_since"] else (0, 0)


def neutral_forms() -> list[tuple[str, str]]:
    forms = []
    for platform in PLATFORMS:
        for row in read_tsv(f"platforms/{platform}/python_api.tsv"):
            if since(row) > INSTALLED:
                continue
            forms += [
                (row["cuda"], form)
                for form in row["neutral"].split(" | ")
                if form and not form.startswith(("env:", "cli:"))
            ]
    return forms


def test_the_checker_itself_sees_a_missing_name():
    assert problems("torch.accelerator.mem_get_info(d)") == ["torch.accelerator.mem_get_info"]
    assert problems("torch.get_device_module(d).no_such_thing(1)") == ["torch.cuda.no_such_thing"]
    assert problems("torch.get_device_module(d).get_device_properties(d).name") == []
    assert problems("torch.autograd.profiler.profile(used_device=d.type)") == [
        "torch.autograd.profiler.profile(used_device=)"
    ]
    assert problems("t.device.typo") != []


def test_rows_newer_than_the_installed_torch_are_few_and_known():
    """neutral_since above the installed version is the only way out of the check."""
    newer = [
        row["cuda"]
        for platform in PLATFORMS
        for row in read_tsv(f"platforms/{platform}/python_api.tsv")
        if since(row) > INSTALLED
    ]
    if (2, 13) <= INSTALLED:
        assert newer == []


def test_neutral_forms_exist():
    missing = [(cuda, form, problem) for cuda, form in neutral_forms() for problem in problems(form)]
    assert missing == []


def test_advice_on_packages_names_only_what_exists():
    missing = []
    for package in read_toml("packages.toml")["package"]:
        for word in package["advice"].replace(",", " ").replace(";", " ").split():
            if word.startswith("torch."):
                missing += [(package["name"], problem) for problem in problems(word.rstrip("."))]
    assert missing == []


def strings(value: Any) -> list[str]:
    """Every text of a rule that a person reads or a rewrite writes: all but what it matches and its cases."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [text for entry in value for text in strings(entry)]
    if isinstance(value, dict):
        return [text for key, entry in value.items() if key not in {"match", "case", "when", "triggers"} for text in strings(entry)]
    return []


def test_rules_suggest_only_what_exists():
    missing = []
    for path in sorted((DATA / "rules").rglob("*.toml")):
        rule = str(path.relative_to(DATA))
        for text in strings(read_toml(rule)):
            for name in re.findall(r"(?<!no )(?<![\w.])torch(?:\.\w+)+(?![\w.]*\*)", text):
                if name not in GONE and not any(vendor in name for vendor in PLATFORMS):
                    missing += [(rule, problem) for problem in problems(name)]
    assert missing == []


def vendor_name(name: str) -> bool:
    lowered = name.lower()
    return any(part in lowered for platform in PLATFORMS for part in (platform, "mudnn", "mccl"))


@pytest.mark.parametrize("platform", PLATFORMS)
def test_targets_that_are_torch_names_exist(platform):
    missing = []
    for row in read_tsv(f"platforms/{platform}/python_api.tsv"):
        for name in row["target"].split(" | "):
            if name.startswith("torch.") and not vendor_name(name.split("(")[0]):
                form = name.removesuffix(".*").removesuffix("_*")
                missing += [(row["cuda"], problem) for problem in problems(form) if not vendor_name(problem)]
    assert missing == []


def calls_kept(name: str) -> str:
    """The chain of a name: calls inside it stay, the argument form at its end goes."""
    form = name.removesuffix(".*").split(" == ")[0]
    return re.sub(r"\([^()]*(\([^()]*\)[^()]*)*\)$", "", form)


def cuda_side_names() -> list[tuple[str, str]]:
    names = []
    for platform in PLATFORMS:
        for row in read_tsv(f"platforms/{platform}/python_api.tsv"):
            names += [("python_api.tsv", name) for name in row["cuda"].split(" | ")]
        for fact in read_toml(f"platforms/{platform}/semantics.toml")["fact"]:
            names += [(fact["id"], name) for name in fact["apis"]]
    return [
        (where, name) for where, name in names if name.startswith(("torch.", "Tensor.", "UntypedStorage.", "Module."))
    ]


def test_cuda_side_names_exist_or_are_known_to_be_gone():
    missing = []
    for where, name in cuda_side_names():
        chain = name.removesuffix(".*").replace("()", "").split("(")[0]
        if chain not in GONE and not chain.endswith("_*"):
            missing += [(where, name, problem) for problem in problems(calls_kept(name))]
    assert missing == []


def test_the_list_of_gone_names_is_exact():
    if torch.version.cuda is None and INSTALLED == (2, 13):
        assert [name for name in GONE if not problems(name)] == []
    listed = {name.split("(")[0] for _, name in cuda_side_names()}
    assert [name for name in GONE if name not in listed] == []
