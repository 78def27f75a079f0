#!/bin/bash
# CUDA_VISIBLE_DEVICES=0 python old.py
CUDA_VISIBLE_DEVICES=0,1 MUSA_VISIBLE_DEVICES=0,1 python train.py --out "runs/a b"
CUDA_VISIBLE_DEVICES="0" MUSA_VISIBLE_DEVICES="0" \
    CUDA_LAUNCH_BLOCKING=1 MUSA_LAUNCH_BLOCKING=1 python train.py
if ! CUDA_VISIBLE_DEVICES=$1 MUSA_VISIBLE_DEVICES=$1 python check.py; then
  for seed in 1 2; do CUDA_VISIBLE_DEVICES=${seed} MUSA_VISIBLE_DEVICES=${seed} python train.py --seed $seed & done
fi
nohup env CUDA_VISIBLE_DEVICES=0 MUSA_VISIBLE_DEVICES=0 python -u train.py &
env -u HOME CUDA_VISIBLE_DEVICES=1 MUSA_VISIBLE_DEVICES=1 WORLD_SIZE=1 python train.py
(cd sub && CUDA_VISIBLE_DEVICES=2 MUSA_VISIBLE_DEVICES=2 ./run.sh) || exit 1
result=$(CUDA_VISIBLE_DEVICES=3 MUSA_VISIBLE_DEVICES=3 python eval.py | tail -n 1)
echo "score: $(CUDA_VISIBLE_DEVICES=3 MUSA_VISIBLE_DEVICES=3 python eval.py)"
