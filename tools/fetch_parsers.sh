#!/usr/bin/env bash
# Downloads the archives of requirements/parsers.txt from the Python package index, checked by hash.
# usage: fetch_parsers.sh [FOLDER]
# Without FOLDER they go to the user's cache folder, or to build/parsers if that cannot be written.
# The folder used is printed on the last line. Nothing is fetched if all archives are there already.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
list="$root/requirements/parsers.txt"

writable() { mkdir -p "$1" 2>/dev/null && [ -w "$1" ]; }

folder=${1:-${ACCELPORT_PARSERS:-}}
if [ -z "$folder" ]; then
  folder="${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/accelport/parsers"
  writable "$folder" || folder="$root/build/parsers"
fi
writable "$folder" || { echo "fetch_parsers: cannot write $folder" >&2; exit 2; }

complete() {
  sed -n 's/^\([a-z-]*\)==\([0-9.]*\) --hash=sha256:\([0-9a-f]*\)$/\1 \2 \3/p' "$list" |
    while read -r name version hash; do
      echo "$hash  $folder/${name//-/_}-$version.tar.gz"
    done | sha256sum --check --status 2>/dev/null
}

find_python() {
  for python in "${PYTHON:-}" "$root/build/venv/bin/python" python3 /usr/bin/python3; do
    if [ -n "$python" ] && "$python" -m pip --version >/dev/null 2>&1; then
      echo "$python"
      return
    fi
  done
  # Debian's python3 comes without pip; a virtual environment has one.
  python3 -m venv "$work/venv" >&2 && echo "$work/venv/bin/python"
}

if ! complete; then
  work=$(mktemp -d "$folder/.fetch.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  python=$(find_python) || { echo "fetch_parsers: needs python3 with pip or venv" >&2; exit 2; }
  # pip asks each archive's build back end for its metadata before it saves the archive, and gets
  # that back end (setuptools) from the index, too. Nothing is built.
  "$python" -m pip download --quiet --disable-pip-version-check --no-deps --no-binary :all: \
    --ignore-requires-python --require-hashes --requirement "$list" --dest "$work" >&2 || {
    echo "fetch_parsers: the download failed; the archives of requirements/parsers.txt can also" >&2
    echo "be put into $folder by hand" >&2
    exit 2
  }
  mv -f "$work"/*.tar.gz "$folder/"
  complete || { echo "fetch_parsers: $folder does not match requirements/parsers.txt" >&2; exit 2; }
fi
echo "$folder"
