from pkg.compat import synchronize, Stream
synchronize()
