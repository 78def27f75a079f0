if is_hopper():
    from hopper_kernels import gemm_fp8
