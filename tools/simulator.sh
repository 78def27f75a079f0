#!/usr/bin/env bash
# Builds the extension of the simulated card for one Python and its torch; quick when there is nothing to do.
#
# usage: [PYTHON=/path/to/python] simulator.sh [--jobs N]
#
# Without PYTHON it is that of build/venv. Where torch is missing, this script says so and ends with 77.
# The result goes to build/simulator/torch-MINOR/; what the compiler made is kept in ccache's folder.
set -euo pipefail
cd "$(dirname "$0")/.."

jobs=$(nproc)
while [ $# != 0 ]; do
  case $1 in
    --jobs) jobs=$2; shift 2 ;;
    *) sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 64 ;;
  esac
done
say() { echo "simulator: $*" >&2; }

python=$(command -v "${PYTHON:-build/venv/bin/python}" || true)
case $python in
  /* | '') ;;
  *) python=$PWD/$python ;;  # of a virtual environment, so links stay
esac
if [ -z "$python" ] || ! version=$("$python" -c 'import torch; print(torch.__version__)' 2>/dev/null); then
  say "SKIPPED: ${python:-the Python} has no torch, so nothing can run on a simulated card"
  say "(tools/setup.sh build --torch installs it, where there is a network)"
  exit 77
fi
case $version in
  2.13.*) ;;
  *) say "SKIPPED: the simulated card is written for torch 2.13, and $python has torch $version"; exit 77 ;;
esac

# One build folder for each interpreter and torch; headers of another torch would not be noticed otherwise.
key=$("$python" -c 'import sysconfig, torch; print(sysconfig.get_config_var("SOABI"), torch.__version__, torch.__file__)' |
  sha256sum | cut -c 1-12)
folder=build/simulator-build/$key
log=$folder/build.log
mkdir -p "$folder"
run() { "$@" >>"$log" 2>&1 || { cat "$log" >&2; say "the extension could not be built"; exit 2; }; }
: >"$log"
[ -f "$folder/build.ninja" ] ||
  run cmake -S runtime/torch -B "$folder" -G Ninja -DPython3_EXECUTABLE="$python"
if ! ninja -C "$folder" -n 2>/dev/null | grep -q 'no work to do'; then
  say "building the extension for torch $version (about a minute on two cores)"
fi
run cmake --build "$folder" --parallel "$jobs"
