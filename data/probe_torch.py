"""Says what a Python has of torch and of a platform's plug-in, one `name=value` line for each fact.

Given to `python -I -` by `accelport env`, with `key=value` arguments: the plug-in's module, its package, its device
type, its back end, the packages to look for. Each fact is printed when it is known, and `stage` before every step that
may crash or hang, so that what was found before is not lost.
"""

import importlib
import importlib.metadata
import importlib.util
import multiprocessing
import os
import platform
import site
import sys

WANTED = dict(argument.split("=", 1) for argument in sys.argv[1:] if "=" in argument)
PLUG_IN = WANTED.get("plug_in", "")
DEVICE = WANTED.get("device", "")
LONGEST = 600


def say(name, value):
    if isinstance(value, bool):
        value = "yes" if value else "no"
    text = " ".join(str(value).split())[:LONGEST]
    if text:
        print(f"{name}={text}", flush=True)


def attempt(name, question):
    """The answer as a fact, or the error as NAME_error."""
    try:
        say(name, question())
    except BaseException as error:
        say(f"{name}_error", f"{type(error).__name__}: {error}")


def causes(error):
    """The error and those behind it, the deepest last."""
    chain = []
    while error is not None and len(chain) < 20:
        chain.append(error)
        error = error.__cause__ or error.__context__
    return chain


def add_user_site():
    """`-I` leaves out the user's own packages, which a program started without it would see."""
    if sys.prefix != sys.base_prefix:
        return
    before = list(sys.path)
    site.addsitedir(site.getusersitepackages())
    added = [entry for entry in sys.path if entry not in before]
    first = next((i for i, entry in enumerate(before) if entry.endswith("-packages")), len(before))
    sys.path[:] = before[:first] + added + before[first:]


def python_facts():
    say("python", platform.python_version())
    say("executable", sys.executable)
    say("environment", sys.prefix if sys.prefix != sys.base_prefix else "")
    say("machine", platform.machine())
    attempt("start_method", lambda: multiprocessing.get_start_method(allow_none=True) or default_start_method())


def default_start_method():
    return multiprocessing.get_all_start_methods()[0]


def package_facts():
    nvidia = []
    for distribution in importlib.metadata.distributions():
        name = (distribution.metadata["Name"] or "").lower().replace("_", "-")
        if name.startswith("nvidia-") or name.startswith("cuda-"):
            nvidia.append(name)
    say("nvidia_packages", len(nvidia) or "")
    say("nvidia_package", min(nvidia, default=""))
    for name in WANTED.get("packages", "").split(","):
        try:
            say(f"package.{name}", importlib.metadata.version(name))
        except Exception:
            continue


def entry_points():
    found = importlib.metadata.entry_points()
    group = found.select(group="torch.backends") if hasattr(found, "select") else found.get("torch.backends", ())
    say("backends", ", ".join(sorted({entry.name for entry in group})))


def import_of(module, name):
    """Imports a module; says what went wrong and the deepest cause."""
    say("stage", f"import {module}")
    try:
        found = importlib.import_module(module)
        say(f"{name}.loaded", True)
        return found
    except BaseException as error:
        chain = causes(error)
        say(f"{name}.loaded", False)
        say(f"{name}.error", f"{type(chain[0]).__name__}: {chain[0]}")
        say(f"{name}.cause", f"{type(chain[-1]).__name__}: {chain[-1]}")
        return None


def torch_facts(torch):
    say("version", torch.__version__)
    say("location", os.path.dirname(torch.__file__ or ""))
    for name in ("cuda", "hip", "xpu", "git_version"):
        say(f"built_for.{name}", getattr(torch.version, name, None) or "")
    attempt("new_abi", lambda: torch._C._GLIBCXX_USE_CXX11_ABI)
    attempt("cuda_compiled", lambda: torch.cuda._is_compiled())
    attempt("cuda_available", lambda: torch.cuda.is_available())
    attempt("cuda_count", lambda: torch.cuda.device_count())
    attempt("sum", lambda: float((torch.ones(3) + 1).sum()))


def module_of(function):
    return getattr(function, "__module__", "") or ""


def accelerator_facts(torch):
    wanted = (
        "is_available device_count current_accelerator synchronize device_index empty_cache memory_allocated "
        "max_memory_allocated memory_stats get_memory_info"
    )
    accelerator = getattr(torch, "accelerator", None)
    missing = [name for name in wanted.split() if not hasattr(accelerator, name)]
    say("accelerator_missing", ", ".join(missing))
    if accelerator is None or "is_available" in missing:
        return
    attempt("accelerator", lambda: accelerator.current_accelerator() if accelerator.is_available() else "none")
    if accelerator.is_available():
        attempt("accelerator_synchronize", lambda: accelerator.synchronize() or "works")


def replaced_names(torch):
    """Names of torch that the plug-in has put others in the place of."""
    places = {
        "lazy_init": torch.cuda._lazy_init,
        "fork_rng": torch.random.fork_rng,
        "tensor_to": torch.Tensor.to,
        "pin_memory": torch.Tensor.pin_memory,
    }
    say("replaced", ", ".join(name for name, at in places.items() if module_of(at).split(".")[0] == PLUG_IN))
    interface = sys.modules.get("torch._dynamo.device_interface")
    known = getattr(interface, "device_interfaces", {})
    say("compile_devices", ", ".join(sorted(key for key in map(str, known) if key.split(":")[0] == DEVICE)[:16]))
    inductor = sys.modules.get("torch._inductor.config")
    say("compile_threads", getattr(inductor, "compile_threads", ""))


def device_facts(torch):
    attempt("device", torch._C._get_privateuse1_backend_name)
    say("key", DEVICE.upper() if hasattr(torch._C.DispatchKey, DEVICE.upper()) else "PrivateUse1")
    module = getattr(torch, DEVICE, None)
    if module is None:
        return None
    attempt("available", module.is_available)
    attempt("count", module.device_count)
    attempt("backend", lambda: torch.distributed.is_backend_available(WANTED.get("backend", "")))
    return module


def card_facts(torch, module):
    attempt("capability", lambda: ".".join(map(str, module.get_device_capability(0))))
    attempt("name", lambda: module.get_device_name(0))
    attempt("bfloat16", module.is_bf16_supported)
    attempt("fields", lambda: property_names(module.get_device_properties(0)))
    attempt("memory", lambda: module.get_device_properties(0).total_memory >> 20)
    attempt("reset_peak", lambda: module.reset_max_memory_allocated() or "works")
    attempt("set_device_of_cuda", lambda: module.set_device("cuda:0") or "works")


def property_names(properties):
    return ", ".join(name for name in dir(properties) if not name.startswith("_"))


def tensor_facts(torch):
    say("stage", f"compute on {DEVICE}")
    try:
        tensor = torch.ones(3, device=DEVICE) + 1
        say("card_sum", float(tensor.sum()))
    except BaseException as error:
        return say("card_error", f"{type(error).__name__}: {error}")
    attempt("device_type", lambda: tensor.device.type)
    attempt("tensor_is_cuda", lambda: tensor.is_cuda)
    attempt("storage_is_cuda", lambda: tensor.untyped_storage().is_cuda)
    attempt("integer_device", lambda: torch.ones(1).to(0).device.type)


def adapter_facts(torch):
    """Last, because an adapter changes what torch.cuda is."""
    adapter = WANTED.get("adapter", "")
    if not adapter or not has_package(adapter):
        return
    if import_of(adapter, "adapter") is not None:
        say("adapter_cuda", type(sys.modules.get("torch.cuda", torch.cuda)).__name__)
        attempt("adapter_cuda_available", lambda: torch.cuda.is_available())


def has_package(module):
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def others():
    """Packages that are built against torch, too, and must fit it."""
    for name in WANTED.get("companions", "").split(","):
        if name and has_package(name):
            import_of(name, f"companion.{name}")


def main():
    add_user_site()
    python_facts()
    package_facts()
    entry_points()
    os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"  # the plug-in is a step of its own
    torch = import_of("torch", "import")
    if torch is None:
        return
    torch_facts(torch)
    if PLUG_IN and has_package(PLUG_IN) and import_of(PLUG_IN, "plug_in") is not None:
        accelerator_facts(torch)
        replaced_names(torch)
        module = device_facts(torch)
        if module is not None and module.is_available():
            say("stage", f"properties of {DEVICE}")
            card_facts(torch, module)
            tensor_facts(torch)
        adapter_facts(torch)
    others()
    say("stage", "end")


main()
