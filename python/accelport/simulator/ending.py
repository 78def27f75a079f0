"""The end of a process that has run backward passes."""

from __future__ import annotations

import atexit
import time
from pathlib import Path

_THREADS = "pt_autograd"
_PAUSE = 0.001
_LONGEST = 2.0  # seconds


def register() -> None:
    atexit.register(wait_for_backward_threads)


def wait_for_backward_threads() -> None:
    """Lets torch's threads for backward passes come to rest. After the pass they still drop Python objects; one that
    asks for the interpreter while it is being taken down is ended by Python and takes the whole process along
    ("terminate called without an active exception"). Any card has this race, but the simulated one ends sooner."""
    end = time.monotonic() + _LONGEST
    before = _at_work()
    while before and time.monotonic() < end:
        time.sleep(_PAUSE)  # the interpreter is free meanwhile
        now = _at_work()
        if now == before and all(is_asleep for is_asleep, _ in now.values()):
            return
        before = now


def _at_work() -> dict[str, tuple[bool, str]]:
    """Each of these threads: whether it sleeps, and how often it has been given up and taken up again."""
    found = {}
    for task in Path("/proc/self/task").glob("*"):
        try:
            lines = (task / "status").read_text().splitlines()
        except OSError:
            continue  # it has ended
        fields = dict(line.split(":", 1) for line in lines)
        if fields["Name"].strip().startswith(_THREADS):
            switches = fields["voluntary_ctxt_switches"] + fields["nonvoluntary_ctxt_switches"]
            found[task.name] = (fields["State"].strip().startswith("S"), switches)
    return found
