export CUDA_VISIBLE_DEVICES=0
if [ -n "$MUSA_VISIBLE_DEVICES" ]; then device=musa; fi
