"""A fake torch for the tests: see README.md."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
SITE = HERE / "site"
PROFILES = [
    tomllib.loads(path.read_text()) for path in sorted((HERE.parents[2] / "data/platforms").glob("*/profile.toml"))
]
FIRST = next(p["torch"]["device_type"] for p in PROFILES if p["torch"]["device_type"] not in {"cuda", "xpu"})


def environment(
    mode: str,
    folder: Path,
    *,
    platform: str = FIRST,
    log: Path | None = None,
    choice: int = 0,
    fake: tuple[str, ...] = (),
    base: dict[str, str] | None = None,
) -> dict[str, str]:
    """The variables for a process whose `import torch` is to be the recording one. `mode` is "cuda" or "platform"; the
    platform's plug-in is written to `folder`, which must outlive the process."""
    if mode not in {"cuda", "platform"}:
        raise ValueError(f"there is no mode '{mode}'")
    profile = next(p for p in PROFILES if p["torch"]["device_type"] == platform)
    variables = dict(os.environ if base is None else base)
    paths = [str(SITE), variables.get("PYTHONPATH", "")]
    if mode == "platform":
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{profile['torch']['import']}.py").write_text("from torch import _modules\n\n_modules.plug_in()\n")
        paths.insert(0, str(folder))
    variables.update(
        PYTHONPATH=os.pathsep.join(filter(None, paths)),
        PYTHONDONTWRITEBYTECODE="1",
        PYTHONHASHSEED="0",
        RECORDING_TORCH_MODE=mode,
        RECORDING_TORCH_DEVICE="cuda" if mode == "cuda" else platform,
        RECORDING_TORCH_PLATFORMS=" ".join(p["torch"]["device_type"] for p in PROFILES),
        RECORDING_TORCH_PLUG_INS=" ".join(p["torch"]["import"] for p in PROFILES),
        RECORDING_TORCH_FAKE=" ".join(fake),
        RECORDING_TORCH_CHOICE=str(choice),
    )
    if log is not None:
        variables["RECORDING_TORCH_LOG"] = str(log)
    return variables
