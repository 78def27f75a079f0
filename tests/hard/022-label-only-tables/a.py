usage = {"cpu": 0, "cuda": 0}
usage["cuda"] += nbytes
