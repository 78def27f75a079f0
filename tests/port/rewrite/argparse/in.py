import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda", choices=["cpu", "cuda"])
