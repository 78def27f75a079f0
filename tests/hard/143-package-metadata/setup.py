from setuptools import setup

version = "1.0"
version += f"+cu{CUDA_VERSION}"
setup(
    name="ops",
    version=version,
    classifiers=["Environment :: GPU :: NVIDIA CUDA :: 12"],
)
