#!/bin/sh
export TORCH_CUDA_ARCH_LIST="7.0;8.0;9.0+PTX"
