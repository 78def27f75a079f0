device = "cuda"            # may be replaced below
exec(open(cfg_path).read())
