import subprocess

txt = subprocess.run(["nvidia-smi", "--query-gpu=memory.free", "--format=csv,noheader"],
                     capture_output=True, text=True).stdout
best = max(range(n), key=lambda i: int(txt.splitlines()[i].split()[0]))
