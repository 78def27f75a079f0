__device__ void work() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  fast();
#else
  slow();
#endif
}
