from setuptools import setup

setup(name="x", install_requires=["torch>=2.7", "numpy"])
