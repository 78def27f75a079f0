#!/bin/sh
# One learning rate per GPU, side by side.
gpu=0
for lr in 3e-4 1e-3 3e-3; do
    CUDA_VISIBLE_DEVICES=$gpu python train.py --config configs/base.yaml \
        --out-dir "runs/lr_$lr" --set optim.lr=$lr train.steps=2000 >"lr_$lr.log" 2>&1 &
    gpu=$((gpu + 1))
done
wait
