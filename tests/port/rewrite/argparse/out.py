import argparse
import accelerator
parser = argparse.ArgumentParser()
parser.add_argument("--device", default=accelerator.accelerator_type(), choices=["cpu", accelerator.accelerator_type()])
