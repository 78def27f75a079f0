import argparse

p = argparse.ArgumentParser()
p.add_argument("--device", default="cuda", choices=["cuda", "cpu"], help="cuda or cpu")
p.add_argument("--no-cuda", dest="use_cuda", action="store_false")
