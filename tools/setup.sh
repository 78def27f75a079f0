#!/usr/bin/env bash
# Installs what is missing to build and test on Debian 12. Quick when nothing is to do.
#
# usage: setup.sh [build|test|bench|long] [--torch]
#   build    only what building the program needs
#   test     also what the tests, the fuzzers and the checks need (default), PyTorch among it
#   bench    also what the benchmarks compare with
#   long     also the cross compiler and the emulator of the long checks
#   --torch  also PyTorch, for running programs on a simulated card; if it cannot be fetched, this
#            script says so and goes on
#
# Only apt is run as root (through sudo unless this is root). Everything else goes to build/ and
# to the user's cache folder.
set -euo pipefail
cd "$(dirname "$0")/.."

what=test torch=yes
for argument in "$@"; do
  case $argument in
    build | bench) what=$argument torch=no ;;
    test | long) what=$argument torch=yes ;;
    --torch) torch=yes ;;
    *) sed -n '2,13s/^# \{0,1\}//p' "$0" >&2; exit 64 ;;
  esac
done

say() { echo "setup: $*" >&2; }

packages=(
  ca-certificates git make cmake ninja-build ccache g++ pkg-config python3 python3-venv
  libre2-dev libcli11-dev nlohmann-json3-dev libtomlplusplus-dev libfmt-dev libxxhash-dev
  libkainjow-mustache-dev libexpected-dev
)
if [ "$what" != build ]; then
  packages+=(
    libgtest-dev libgmock-dev libbenchmark-dev clang-14 clang-format-14 clang-tidy-14
    libclang-rt-14-dev universal-ctags ripgrep
  )
fi
if [ "$torch" = yes ]; then
  packages+=(python3-dev)  # for the extension that torch loads
fi
if [ "$what" = long ]; then
  packages+=(g++-aarch64-linux-gnu qemu-user)
fi

missing_packages() {
  local package
  for package in "${packages[@]}"; do
    # The meta-names compilers and tools go by may be provided by another package.
    dpkg-query --show --showformat '${db:Status-Status}\n' "$package" 2>/dev/null |
      grep -qx installed || echo "$package"
  done
}

install_packages() {
  local as_root=()
  if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
      say "not root and no sudo here; run this as root and start again:"
      say "  apt-get update && apt-get install --no-install-recommends $*"
      return 1
    fi
    as_root=(sudo)
    say "apt needs root, so sudo may ask for your password; nothing else here runs as root"
  fi
  say "installing with apt: $*"
  "${as_root[@]}" apt-get update -qq >&2
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "$@" >&2
}

if command -v dpkg-query >/dev/null; then
  mapfile -t missing < <(missing_packages)
  [ ${#missing[@]} = 0 ] || install_packages "${missing[@]}"
else
  say "this is not Debian; these packages (or what they are called here) must be installed:"
  say "  ${packages[*]}"
fi

# A requirements file is installed again only when it, or the interpreter, has changed.
install_python() {
  local list=$1 stamp
  shift
  stamp=build/venv/.$(basename "$list").stamp
  if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$(sha256sum <"$list")" ]; then
    return 0
  fi
  say "installing $list into build/venv"
  build/venv/bin/python -m pip install -qq --disable-pip-version-check \
    --requirement "$list" "$@" >&2 || return 1
  sha256sum <"$list" >"$stamp"
}

if [ "$what" != build ] || [ "$torch" = yes ]; then
  if ! build/venv/bin/python -m pip --version >/dev/null 2>&1; then
    mkdir -p build
    "${PYTHON:-python3}" -m venv --clear build/venv
  fi
fi
if [ "$what" != build ]; then
  install_python requirements/test.txt --require-hashes
fi
if [ "$what" = bench ]; then
  install_python requirements/bench.txt --require-hashes
fi
if [ "$torch" = yes ] && ! install_python requirements/torch.txt --retries 1 --timeout 30; then
  say "PyTorch could not be installed (no network, or no room on the disk?)."
  say "Auditing and porting work without it; tests that need it are skipped and say so."
fi

tools/fetch_parsers.sh >/dev/null
