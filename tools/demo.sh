#!/usr/bin/env bash
# Audits every repository below examples/ and shows what the report says.
set -euo pipefail
cd "$(dirname "$0")/.."

program=build/bin/accelport
for example in examples/*/; do
  echo
  echo "\$ accelport audit $example"
  status=0
  "$program" audit "$example" || status=$?
  # 1 means that something is left to do, which is what an example is for.
  [ "$status" -le 1 ] || exit "$status"
done
echo
echo "More: $program --help"
