#!/usr/bin/env bash
# Every benchmark in one run. ACCELPORT_CORPUS=FOLDER chooses the input; without it the public corpus is fetched.
set -euo pipefail
cd "$(dirname "$0")/.."
python=build/venv/bin/python
corpus=$(bench/fetch_corpus.sh)

if compgen -G 'bench/*.cc' >/dev/null; then
  cmake --preset bench >build/bench.log
  cmake --build --preset bench >>build/bench.log || { tail -n 40 build/bench.log >&2; exit 1; }
  for source in bench/*.cc; do
    "build/bench/bin/$(basename "$source" .cc)"
  done
fi
echo "== audit beside ripgrep and TorchFix"
"$python" bench/compare_audit.py "$corpus"
echo
echo "== port beside musa-converter"
"$python" bench/compare_port.py "$corpus"
echo
echo "== input made to be slow, and growth"
"$python" bench/hostile.py
echo
echo "== the simulated card beside the CPU"
if "$python" -c 'import torch' 2>/dev/null && compgen -G 'build/simulator/torch-*/*.so' >/dev/null; then
  # A bound that is missed is shown as such; other benchmarks do not fail for it.
  "$python" bench/compare_simulator.py || true
else
  echo "not measured: no torch in build/venv or no extension (make simulator)"
fi
