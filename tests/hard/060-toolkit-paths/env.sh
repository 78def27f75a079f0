#!/bin/sh
export PATH=/usr/local/cuda/bin:$PATH
export LD_LIBRARY_PATH=$CUDA_HOME/lib64:$LD_LIBRARY_PATH
