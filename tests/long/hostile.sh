#!/usr/bin/env bash
# Time grows with the input, not faster, also on input made to be slow.
exec "${PYTHON:-python3}" "$(dirname "$0")/../../bench/hostile.py"
