"""What the result of a rung depends on."""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
from pathlib import Path
from typing import Any

from ..evidence import machine_hash

_ENDINGS = {".py", ".toml", ".yaml", ".yml", ".json", ".cfg"}
_MOST_BYTES = 1 << 20


def tree_hash(root: Path) -> str:
    """Names the code and settings below a folder; hidden folders are left out, links are not followed."""
    digest = hashlib.blake2b(digest_size=16)
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name != "__pycache__")
        for name in sorted(names):
            path = Path(folder) / name
            if path.suffix not in _ENDINGS or path.is_symlink() or path.stat().st_size > _MOST_BYTES:
                continue
            digest.update(str(path.relative_to(root)).encode("utf-8", "surrogateescape") + b"\0")
            digest.update(hashlib.blake2b(path.read_bytes()).digest())
    return digest.hexdigest()


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def current_state(settings: dict[str, Any]) -> dict[str, str]:
    """The driver and the number of devices are not asked for here: who needs them finds them missing."""
    state = {"tool": settings["tool"], "machine": machine_hash(), "tree": tree_hash(Path(settings["root"]))}
    for name, package in (("torch", "torch"), ("plug_in", settings["package"])):
        version = _version(package) if package else ""
        if version:
            state[name] = version
    return state
