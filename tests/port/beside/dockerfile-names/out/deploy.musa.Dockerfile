# Moore Threads MUSA: written beside deploy.Dockerfile, which stays as it is for CUDA.
# It does not build until MUSA_IMAGE names an image that has the vendor's driver libraries, toolkit, torch and torch_musa:
#   docker build --build-arg MUSA_IMAGE=... -f deploy.musa.Dockerfile .
# Steps marked with "check:" are those for CUDA, kept as they were: each needs the platform's own step, or none.
ARG MUSA_IMAGE
# in place of pytorch/pytorch:2.1.0-cuda12.1-cudnn8-runtime
FROM ${MUSA_IMAGE}
COPY . /app
