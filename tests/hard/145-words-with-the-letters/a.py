NAMES = ["barracuda", "'cuda", "Cudahy"]
