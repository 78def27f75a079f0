ids=$(nvidia-smi --query-gpu=index --format=csv,noheader)
export CUDA_VISIBLE_DEVICES=$(echo $ids | head -n 1)
CUDA_VISIBLE_DEVICES=$ids python train.py
CUDA_VISIBLE_DEVICES=$1 MUSA_VISIBLE_DEVICES=$1 python train.py
CUDA_VISIBLE_DEVICES=${CUDA_VISIBLE_DEVICES:-0} MUSA_VISIBLE_DEVICES=${MUSA_VISIBLE_DEVICES:-0} python train.py
CUDA_VISIBLE_DEVICES=0 MUSA_VISIBLE_DEVICES=0 python train.py
