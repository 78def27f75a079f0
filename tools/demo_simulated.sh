#!/usr/bin/env bash
# The part of the demo on simulated cards. usage: demo_simulated.sh PROGRAM PYTHON FOLDER
# FOLDER/before is the example as it was, FOLDER/lm-trainer the ported one.
set -euo pipefail
program=$1 python=$2 folder=$3
training=$(cd "$(dirname "$0")" && pwd)/demo_training.py
export OMP_NUM_THREADS=1 PYTHONWARNINGS=ignore  # both sides compute with as many threads

echo
echo "== why port: the example as it was, on a machine with a (simulated) MUSA card and no NVIDIA card"
(cd "$folder/before" &&
  "$program" run --on sim:musa:1 -- "$python" train.py --config configs/tiny.yaml --steps 2 2>&1) | tee "$folder/unported.txt"
grep -q 'the program did not use the card' "$folder/unported.txt" ||
  { echo "the example as it was should have found no card"; exit 1; }

# usage: train WHERE OUTPUT WORD...
train() {
  local where=$1 output=$2
  shift 2
  (cd "$folder/lm-trainer" && "$program" run --on "$where" -- "$python" "$@" "$training" "$output" train.precision=fp32)
}

# usage: compare TITLE CARDS WORD...
compare() {
  local title=$1 cards=$2
  shift 2
  echo
  echo "== the ported example, fp32, $title: twenty steps on simulated cards, and on the CPU"
  train "sim:musa:$cards" "$folder/card.txt" "$@" >"$folder/log.txt" || { cat "$folder/log.txt"; exit 1; }
  grep -m 1 '^device' "$folder/log.txt"
  train cpu "$folder/cpu.txt" "$@" >"$folder/log.txt" 2>&1 || { cat "$folder/log.txt"; exit 1; }
  if cmp -s "$folder/card.txt" "$folder/cpu.txt"; then
    tail -n 4 "$folder/card.txt"
    echo "all $(grep -c '^loss' "$folder/card.txt") losses, the parameters, gradients and moments are equal bit for bit"
  else
    echo "they differ:"
    diff "$folder/card.txt" "$folder/cpu.txt" || exit 1
  fi
}

compare "one rank" 1
compare "two ranks by torchrun" 2 -m torch.distributed.run --standalone --nproc-per-node 2
