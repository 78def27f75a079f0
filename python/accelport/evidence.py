"""Writes evidence: what an attempt at a rung or gate showed, one JSON object on a line (accelport.evidence/1).

A line is written, and is on the disk, before the attempt begins; another one after it. An attempt that
was killed has left the first, and whoever reads the folder sees that it did not end. Neither torch nor
anything else outside the standard library is needed.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import secrets
import socket
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["FOLDER", "VERDICTS", "Attempt", "Context", "machine_hash", "prepare_folder", "utc_now"]

SCHEMA = "accelport.evidence/1"
FOLDER = Path(".accelport") / "evidence"
VERDICTS = ("pass", "fail", "skip", "unknown")
_MACHINE_ID = Path("/etc/machine-id")


def utc_now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def prepare_folder(root: Path) -> Path:
    """The evidence folder of a repository, which git ignores by a file that lies in it."""
    folder = root / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    ignore = folder / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", encoding="ascii")
    return folder


def _key_file() -> Path:
    state = Path(os.environ.get("XDG_STATE_HOME", ""))
    base = state if state.is_absolute() else Path.home() / ".local" / "state"
    return base / "accelport" / "machine.key"


def _key() -> bytes:
    """A random key of this user, made at first need; nobody else can tell machines by the hash."""
    path = _key_file()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        return path.read_bytes()
    with os.fdopen(handle, "wb") as file:
        file.write(secrets.token_hex(32).encode())
    return path.read_bytes()


def machine_hash() -> str:
    """Names this machine to this user only: a keyed hash of its id and host name."""
    try:
        identity = _MACHINE_ID.read_bytes().strip()
    except OSError:
        identity = b""
    text = identity + b"\n" + socket.gethostname().encode()
    return hashlib.blake2b(text, key=_key()[:64], digest_size=16).hexdigest()


def _plain(value: object) -> object:
    """JSON has no infinity and no NaN: they become texts. What it does not know becomes its repr."""
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return repr(value)


@dataclass(frozen=True)
class Context:
    """What all attempts of one run have in common. `state` holds what the results depend on, by name."""

    on: str
    simulated: bool
    fidelity: str = ""
    command: Sequence[str] = ()
    state: Mapping[str, str | int] = field(default_factory=dict)


class Attempt:
    """One attempt, from the making of this object to `end`."""

    def __init__(self, file: Path, rung: str, context: Context) -> None:
        self._file = file
        self._begin = utc_now()
        self._record = {
            "schema": SCHEMA,
            "id": rung,
            "attempt": secrets.token_hex(8),
            "verdict": "unknown",
            "simulated": context.simulated,
            "fidelity": context.fidelity,
            "on": context.on,
            "command": list(context.command),
            "begin": self._begin,
            "values": {},
            "state": _plain(context.state),
        }
        self._write()

    def end(self, verdict: str, values: Mapping[str, object]) -> None:
        if verdict not in VERDICTS:
            raise ValueError(f"no verdict: {verdict}")
        self._record |= {"verdict": verdict, "end": utc_now(), "values": _plain(values)}
        self._write()

    def _write(self) -> None:
        """One write, so that lines of several processes do not mix; it is on the disk when this returns."""
        text = json.dumps(self._record, ensure_ascii=True, allow_nan=False) + "\n"
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        handle = os.open(self._file, flags, 0o644)
        try:
            # A line that was cut off by a kill must not take this one with it.
            separator = "" if _ends_whole(self._file) else "\n"
            os.write(handle, (separator + text).encode("ascii"))
            os.fsync(handle)
        finally:
            os.close(handle)


def _ends_whole(path: Path) -> bool:
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        if size == 0:
            return True
        file.seek(size - 1)
        return file.read(1) == b"\n"
