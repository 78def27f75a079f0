#!/bin/sh
python main.py --device cuda --dist-backend nccl
python main.py --device=cuda:1 model.map_device=cuda
