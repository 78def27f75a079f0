#!/usr/bin/env bash
# The path of processors without wide vectors gives the very same report, on the corpus of the benchmarks.
set -euo pipefail
cd "$(dirname "$0")/../.."
program=${ACCELPORT_PROGRAM:-build/bin/accelport}
corpus=$(bash bench/fetch_corpus.sh) || { echo "SKIPPED: the corpus of the benchmarks cannot be had"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

report() {
  "$program" audit "$corpus" --json --quiet --fail-on none --output "$folder/$1.json"
}

begin=$(date +%s.%N)
report wide
middle=$(date +%s.%N)
ACCELPORT_SCALAR=1 report scalar
end=$(date +%s.%N)
if ! cmp "$folder/wide.json" "$folder/scalar.json"; then
  echo "FAILED: the scalar path gives another report"
  exit 1
fi
awk -v a="$begin" -v b="$middle" -v c="$end" -v bytes="$(stat -c %s "$folder/wide.json")" \
  'BEGIN { printf "equal reports of %.1f MB; %.2f s, scalar path %.2f s\n", bytes / 1e6, b - a, c - b }'
