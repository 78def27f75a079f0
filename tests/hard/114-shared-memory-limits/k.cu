#define SMEM_LIMIT 49152

__global__ void __launch_bounds__(1024, 1) k(float* x);

void prepare() {
  cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 98304);
}
