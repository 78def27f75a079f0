assert x.is_cuda


class K:
    is_cuda = False
