#!/usr/bin/env bash
# Fetches the wheels of corpus.txt, unpacks their Python sources and prints the folder that holds them.
# The folder lies in the user's cache, outside of this tree; 430 MB are downloaded, once. ACCELPORT_CORPUS=FOLDER
# uses another folder of sources as it is and fetches nothing. Exit code 2 if not every wheel can be had.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

if [ -n "${ACCELPORT_CORPUS:-}" ]; then
  [ -d "$ACCELPORT_CORPUS" ] || { echo "fetch_corpus: ACCELPORT_CORPUS=$ACCELPORT_CORPUS is no folder" >&2; exit 2; }
  echo "$ACCELPORT_CORPUS"
  exit
fi

corpus=${XDG_CACHE_HOME:-$HOME/.cache}/accelport/corpus
python=$here/../build/venv/bin/python
[ -x "$python" ] || python=python3
mkdir -p "$corpus/sources" "$corpus/done"

pip_download() {
  local index=()
  # A version such as 2.13.0+cpu is on PyTorch's own index only.
  grep -q '+' "$1/requirement.txt" && index=(--extra-index-url https://download.pytorch.org/whl/cpu)
  "$python" -m pip download "${index[@]}" --quiet --disable-pip-version-check --retries 1 --timeout 30 --no-deps --only-binary=:all: \
    --require-hashes --python-version 3.11 --implementation cp --abi cp311 --abi abi3 --abi none \
    --platform any --platform manylinux_2_28_x86_64 --platform manylinux_2_27_x86_64 --platform manylinux_2_17_x86_64 \
    --platform manylinux2014_x86_64 --dest "$1" --requirement "$1/requirement.txt" >&2
}

unpack() {
  "$python" - "$1" "$2" <<'PYTHON'
import pathlib
import sys
import zipfile

for wheel in pathlib.Path(sys.argv[1]).glob("*.whl"):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(sys.argv[2], [name for name in archive.namelist() if name.endswith(".py")])
PYTHON
}

fetch() {
  local name=${1%%==*} work
  [ -e "$corpus/done/${1%% *}" ] && return
  echo "fetching ${1%% *}" >&2
  work=$(mktemp -d "$corpus/fetch.XXXXXX")
  echo "$1" >"$work/requirement.txt"
  if ! pip_download "$work"; then
    rm -rf "$work"
    echo "fetch_corpus: ${1%% *} cannot be had; without the whole corpus the figures are not comparable." >&2
    echo "fetch_corpus: ACCELPORT_CORPUS=FOLDER measures on another folder of sources." >&2
    return 2
  fi
  rm -rf "$corpus/sources/$name"
  mkdir -p "$corpus/sources/$name"
  unpack "$work" "$corpus/sources/$name"
  rm -rf "$work"
  touch "$corpus/done/${1%% *}"
}

while read -r wheel; do
  fetch "$wheel" || exit 2
done < <(grep -v '^#' "$here/corpus.txt")
echo "$corpus/sources"
