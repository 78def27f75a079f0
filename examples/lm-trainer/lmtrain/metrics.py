"""Timing, memory and utilisation of the GPU."""
import contextlib
import time
from typing import Optional

import torch
from torch.profiler import ProfilerActivity, profile, schedule

try:
    import pynvml
except ImportError:
    pynvml = None

MIB = 1024**2

# Dense bf16/fp16 peak in TFLOP/s, from the data sheets.
PEAK_TFLOPS = {"V100": 125.0, "A100": 312.0, "H100": 989.0, "RTX 4090": 165.0}


class StepTimer:
    """Milliseconds between start() and stop(), as the device sees them."""

    def __init__(self, device: torch.device):
        self.use_cuda = device.type == "cuda"
        if self.use_cuda:
            self._start = torch.cuda.Event(enable_timing=True)
            self._stop = torch.cuda.Event(enable_timing=True)

    def start(self) -> None:
        if self.use_cuda:
            self._start.record()
        else:
            self._start = time.perf_counter()

    def stop(self) -> float:
        if self.use_cuda:
            self._stop.record()
            torch.cuda.synchronize()
            return self._start.elapsed_time(self._stop)
        return (time.perf_counter() - self._start) * 1000.0


def memory_summary(device: torch.device) -> dict:
    if device.type != "cuda":
        return {}
    stats = torch.cuda.memory_stats(device)
    return {
        "allocated_mib": torch.cuda.memory_allocated(device) / MIB,
        "peak_mib": torch.cuda.max_memory_allocated(device) / MIB,
        "reserved_mib": torch.cuda.memory_reserved(device) / MIB,
        "alloc_retries": stats.get("num_alloc_retries", 0),
        "ooms": stats.get("num_ooms", 0),
    }


def describe_device(device: torch.device) -> str:
    if device.type != "cuda":
        return f"CPU, {torch.get_num_threads()} threads"
    properties = torch.cuda.get_device_properties(device)
    return (
        f"{properties.name}, {properties.total_memory / 1024**3:.0f} GiB, "
        f"sm_{properties.major}{properties.minor}, {properties.multi_processor_count} SMs, "
        f"CUDA {torch.version.cuda}, cuDNN {torch.backends.cudnn.version()}"
    )


def model_flops_utilisation(parameters: int, tokens_per_second: float, device: torch.device) -> Optional[float]:
    """Share of the peak, or None where the card is not in the table."""
    if device.type != "cuda":
        return None
    name = torch.cuda.get_device_name(device)
    for key, peak in PEAK_TFLOPS.items():
        if key in name:
            return 6.0 * parameters * tokens_per_second / (peak * 1e12)
    return None


def power_watts(index: int = 0) -> Optional[float]:
    if pynvml is None or not torch.cuda.is_available():
        return None
    pynvml.nvmlInit()
    try:
        handle = pynvml.nvmlDeviceGetHandleByIndex(index)
        return pynvml.nvmlDeviceGetPowerUsage(handle) / 1000.0
    except pynvml.NVMLError:
        return None
    finally:
        pynvml.nvmlShutdown()


@contextlib.contextmanager
def nvtx_range(name: str):
    """A named range in Nsight Systems."""
    if not torch.cuda.is_available():
        yield
        return
    torch.cuda.nvtx.range_push(name)
    try:
        yield
    finally:
        torch.cuda.nvtx.range_pop()


def _write_trace(out_dir: str):
    def handler(profiler) -> None:
        key = "self_cuda_time_total" if torch.cuda.is_available() else "self_cpu_time_total"
        print(profiler.key_averages().table(sort_by=key, row_limit=15), flush=True)
        profiler.export_chrome_trace(f"{out_dir}/trace.json")

    return handler


def build_profiler(enabled: bool, out_dir: str):
    """Records steps 3 to 5; a null context otherwise."""
    if not enabled:
        return contextlib.nullcontext()
    activities = [ProfilerActivity.CPU]
    if torch.cuda.is_available():
        activities.append(ProfilerActivity.CUDA)
    return profile(
        activities=activities,
        schedule=schedule(wait=1, warmup=1, active=3, repeat=1),
        on_trace_ready=_write_trace(out_dir),
        profile_memory=True,
    )
