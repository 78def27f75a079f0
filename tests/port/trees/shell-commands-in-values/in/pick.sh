CUDA_VISIBLE_DEVICES=$(pick_free)
if [ $? -ne 0 ]; then exit 1; fi
if true; then
	export CUDA_VISIBLE_DEVICES=`pick_free` # a comment
	export CUDA_VISIBLE_DEVICES=$((RANDOM % 4))
fi
CUDA_VISIBLE_DEVICES+=,3
CUDA_VISIBLE_DEVICES=$((i++)) NAME=x
test -n "$1" && export CUDA_VISIBLE_DEVICES=$(pick_free)
CUDA_VISIBLE_DEVICES=$(pick_free) python train.py
true &&
export CUDA_VISIBLE_DEVICES=$(pick_free)
export CUDA_VISIBLE_DEVICES="$@"
env CUDA_VISIBLE_DEVICES=${ids[*]} python train.py
export CUDA_VISIBLE_DEVICES=$(pick_free)
export CUDA_VISIBLE_DEVICES=$(pick_free) OMP_NUM_THREADS=1 NCCL_DEBUG=$(pick_free)
export CUDA_VISIBLE_DEVICES=$(A=1 pick_free)
