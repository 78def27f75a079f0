d = f"cuda:{rank}"
x.to(f"{kind}:{rank}")
log(f"cuda time {t:.2f}")
