#!/usr/bin/env bash
# Audits every example, ports one in a copy, proves that CUDA stays as it was, trains both on the CPU, and the ported one
# on simulated cards of the platform.
set -euo pipefail
cd "$(dirname "$0")/.."

program=$PWD/build/bin/accelport
# 1 means that something is left to do, which is what an example is for.
show() {
  echo
  echo "\$ accelport ${*}"
  local status=0
  "$program" "$@" || status=$?
  [ "$status" -le 1 ] || exit "$status"
}

for example in examples/*/; do
  show audit "$example"
done

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -R examples/lm-trainer "$copy/before"
cp -R examples/lm-trainer "$copy/lm-trainer"
cd "$copy"
repository() { git -c core.autocrlf=false -c core.hooksPath=/dev/null -C lm-trainer "$@"; }
repository init -q
repository add -A
repository -c user.name=demo -c user.email=demo@localhost -c commit.gpgSign=false commit -q -m "as it was"

echo
echo "== a copy of examples/lm-trainer is ported, and CUDA stays what it was"
show port lm-trainer --to musa --write --quiet
repository add -N -- . ':!.accelport'
echo
repository --no-pager diff --stat=100 --color=never
echo
echo "the first lines that changed:"
repository --no-pager diff -U0 --color=never -- lmtrain/engine.py | grep '^[-+][^-+]' | head -n 12
show prove lm-trainer --quiet

cd - >/dev/null
python=${PYTHON:-$PWD/build/venv/bin/python}
[ -x "$python" ] || python=python3
if ! "$python" -c 'import torch, numpy, yaml' 2>/dev/null; then
  echo
  echo "The trainer was not run: torch, numpy or yaml is missing (tools/setup.sh build --torch installs them)."
else
  echo
  echo "== twenty steps on the CPU, before and after the port"
  losses() {
    (cd "$copy/$1" && CUDA_VISIBLE_DEVICES='' "$python" -W ignore train.py --config configs/tiny.yaml 2>&1) |
      sed -n 's/^\(step *[0-9]* |.*loss [0-9.]*\).*/\1/p'
  }
  losses before >"$copy/before.txt"
  losses lm-trainer >"$copy/after.txt"
  [ -s "$copy/before.txt" ] || { echo "the trainer printed no loss"; exit 1; }
  tail -n 4 "$copy/after.txt"
  if cmp -s "$copy/before.txt" "$copy/after.txt"; then
    echo "all $(wc -l <"$copy/after.txt") losses are equal"
  else
    echo "the losses differ:"
    diff "$copy/before.txt" "$copy/after.txt" || exit 1
  fi
  if ! compgen -G "build/simulator/torch-*/*.so" >/dev/null; then
    echo
    echo "Nothing was run on a simulated card: its extension is not built (tools/simulator.sh says why)."
  else
    tools/demo_simulated.sh "$program" "$python" "$copy"
  fi
fi
echo
echo "More: build/bin/accelport --help"
