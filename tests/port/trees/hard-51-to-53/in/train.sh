#!/usr/bin/env bash
export CUDA_VISIBLE_DEVICES=$VISIBLE_DEVICES
CUDA_VISIBLE_DEVICES=1 python main.py
nohup env CUDA_VISIBLE_DEVICES=0 python -u train.py &
