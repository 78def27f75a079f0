"""Runs one rung and writes its evidence.

Arguments: the rung, the evidence file's name, and settings as JSON: on, device, package, tool, root, case.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from ..evidence import Attempt, Context, prepare_folder
from .state import current_state


def main() -> int:
    rung, file, text = sys.argv[1:4]
    settings = json.loads(text)
    simulated = settings["on"].startswith("sim:")
    context = Context(settings["on"], simulated, "exact" if simulated else "", sys.argv, current_state(settings))
    attempt = Attempt(prepare_folder(Path(settings["root"])) / file, rung, context)
    try:
        # Imports torch, which is the first thing that may go wrong.
        from .checks import CHECKS

        values = CHECKS[rung](settings)
    except Exception as error:  # whatever a port breaks is what a rung is there to find
        attempt.end("fail", {"reason": f"{type(error).__name__}: {error}"[:2000]})
        raise
    attempt.end("pass", values)
    return 0


if __name__ == "__main__":
    sys.exit(main())
