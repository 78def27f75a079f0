class CudaTimer:
    pass


def start():
    return CudaTimer()
