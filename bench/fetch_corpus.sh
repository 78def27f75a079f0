#!/usr/bin/env bash
# Downloads the wheels of bench/corpus.txt and unpacks their Python sources outside the tree; prints the folder.
# Nothing of them is installed or run. About 2.5 GB of downloads; done once.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
corpus=${ACCELPORT_CORPUS:-${XDG_CACHE_HOME:-$HOME/.cache}/accelport/corpus}
mkdir -p "$corpus/wheels" "$corpus/sources"
platforms=(--platform any --platform manylinux_2_28_x86_64 --platform manylinux_2_27_x86_64
  --platform manylinux_2_17_x86_64 --platform manylinux2014_x86_64)
grep -v '^#' "$here/corpus.txt" | while read -r wheel; do
  target="$corpus/sources/${wheel%%==*}"
  [ -e "$target.complete" ] && continue
  echo "fetching $wheel" >&2
  rm -rf "$corpus/wheels/now" && mkdir "$corpus/wheels/now"
  if ! python3 -m pip download -q --no-deps --only-binary=:all: --python-version 3.11 --implementation cp \
      --abi cp311 --abi abi3 --abi none "${platforms[@]}" -d "$corpus/wheels/now" "$wheel" >&2; then
    echo "left out: $wheel" >&2
    continue
  fi
  mkdir -p "$target"
  python3 - "$corpus/wheels/now" "$target" <<'PYTHON'
import pathlib, sys, zipfile
wheels, target = map(pathlib.Path, sys.argv[1:])
for wheel in wheels.glob("*.whl"):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target, [name for name in archive.namelist() if name.endswith(".py")])
PYTHON
  touch "$target.complete"
  rm -rf "$corpus/wheels/now"
done
echo "$corpus/sources"
