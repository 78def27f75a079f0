from setuptools import setup
from torch.utils.cpp_extension import CppExtension

kinds = ["cuda", "cpu"] if HAVE_CUDA else ["cpu"]
setup(name="ops", ext_modules=[CppExtension(f"_ops_{k}", [f"ops_{k}.cpp"]) for k in kinds])
