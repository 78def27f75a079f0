#!/usr/bin/env bash
# Trains on all visible GPUs of this machine.
# usage: scripts/launch.sh configs/base.yaml [options of train.py]
set -euo pipefail

CONFIG=${1:?usage: scripts/launch.sh CONFIG [options]}
shift

if [[ -n "${CUDA_VISIBLE_DEVICES:-}" ]]; then
    NPROC=$(tr ',' '\n' <<<"$CUDA_VISIBLE_DEVICES" | wc -l)
elif command -v nvidia-smi >/dev/null; then
    NPROC=$(nvidia-smi --list-gpus | wc -l)
else
    echo "no GPU found, starting one process on the CPU" >&2
    NPROC=1
fi

export OMP_NUM_THREADS=${OMP_NUM_THREADS:-4}
export CUDA_DEVICE_MAX_CONNECTIONS=1
export PYTORCH_CUDA_ALLOC_CONF=${PYTORCH_CUDA_ALLOC_CONF:-expandable_segments:True}
export NCCL_DEBUG=${NCCL_DEBUG:-WARN}

cd "$(dirname "$0")/.."
exec torchrun --standalone --nproc_per_node="$NPROC" train.py --config "$CONFIG" "$@"
