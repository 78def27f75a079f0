import re

i = int(device.replace("cuda:", ""))
ok = device.startswith("cuda")
m = re.match(r"cuda:(\d+)", key)
