#!/usr/bin/env bash
# The Python reader against a full parse, on the corpus of the benchmarks: at least 99.99 % of 50,000 hits agree, no
# file is out of step.
set -euo pipefail
cd "$(dirname "$0")/../.."
corpus=$(bash bench/fetch_corpus.sh) || { echo "SKIPPED: the corpus of the benchmarks cannot be had"; exit 77; }
build=$(dirname "$(dirname "$(realpath "${ACCELPORT_PROGRAM:-build/bin/accelport}")")")
cmake --build "$build" --target accelport-oracle >/dev/null
exec "$build/bin/accelport-oracle" "$corpus"
