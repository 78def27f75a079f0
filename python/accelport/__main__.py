"""`python -m accelport ...` is `accelport ...`."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from accelport import ProgramNotFoundError, find_program


def main() -> NoReturn:
    try:
        program = find_program()
    except ProgramNotFoundError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    # The program takes the place of this process: signals and exit code are its own.
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
