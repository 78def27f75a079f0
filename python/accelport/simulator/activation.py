"""Sets everything up, once in a process."""

from __future__ import annotations

import importlib.machinery
import os
import sys
from pathlib import Path
from types import ModuleType

import torch

from . import ending, report
from . import machine as machine_module
from .extension import load_extension
from .machine import Machine
from .settings import Refusal, Settings, read_settings

EXIT_OWN_FAILURE = 125
_state = {"done": False}


def activate() -> None:
    """Called at the end of `import torch`, or by the stand-in of the vendor's package. Ends the process with
    125 if the card cannot be simulated: a program that went on would silently use the CPU."""
    if _state["done"]:
        return
    _state["done"] = True
    here = Path(__file__).resolve().parent.parent
    settings = None
    try:
        settings = read_settings(here)
        _activate(settings, here)
    except Refusal as refusal:
        print(f"accelport: simulated: {refusal}", file=sys.stderr, flush=True)
        if settings is not None:
            report.refuse(settings, str(refusal))
        raise SystemExit(EXIT_OWN_FAILURE) from None


def _activate(settings: Settings, here: Path) -> None:
    extension = load_extension(settings.binaries)
    try:
        facts = extension.read_platform(str(settings.platform))
    except ValueError as error:
        raise Refusal(str(error)) from error
    _refuse_beside_vendor(facts["import_name"], here)

    ending.register()  # first, so that it is called last
    machine = Machine(extension, facts, settings)
    machine_module.machine = machine
    extension.configure(machine.devices, settings.memory, settings.strictness, not machine.has_own_random_stream)
    extension.set_quirks(machine.quirks)
    if settings.faults:
        try:
            extension.plan_faults(settings.faults, int(os.environ.get("RANK") or 0))
        except ValueError as error:
            raise Refusal(str(error)) from error

    # These take the machine at import.
    from . import absence, collectives, compiling, faults, quirks, surface

    absence.hide_origin()
    torch.utils.rename_privateuse1_backend(machine.name)
    module = surface.make_module(machine)
    torch._register_device_module(machine.name, module)
    _install_vendor_name(module, facts, here)
    torch.utils.generate_methods_for_privateuse1_backend(
        for_tensor=True, for_module=True, for_packed_sequence=True, for_storage=True
    )
    surface.patch_torch(machine, module)
    extension.register_table(str(settings.platform / "operators.tsv"))
    collectives.register(machine)
    compiling.register(machine, module)
    quirks.register(machine)
    faults.register(machine)
    report.start(machine)


def _search(name: str, folders: list[str]) -> importlib.machinery.ModuleSpec | None:
    return importlib.machinery.PathFinder.find_spec(name, folders)


def _refuse_beside_vendor(name: str, here: Path) -> None:
    others = [folder for folder in sys.path if Path(folder or ".").resolve() != here]
    found = _search(name, others)
    if found is not None and found.origin is not None:
        raise Refusal(
            f"the vendor's package {name} is installed ({found.origin}); both would claim the same device of torch. "
            f"Use another virtual environment, or run on the card itself"
        )
    if torch._C._get_privateuse1_backend_name() != "privateuseone":
        raise Refusal(f"another package has already named torch's device {torch._C._get_privateuse1_backend_name()}")


def _install_vendor_name(module: ModuleType, facts: dict, here: Path) -> None:
    """On the card, the device module and the vendor's package are one object."""
    name = facts["import_name"]
    spec = _search(name, [str(here)])
    module.__version__ = facts["package_version"] + "+simulated"
    if spec is not None:
        module.__spec__ = spec
        module.__path__ = list(spec.submodule_search_locations or [])
        module.__file__ = spec.origin
    sys.modules[name] = module
