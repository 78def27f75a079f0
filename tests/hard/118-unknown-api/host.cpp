#include <cuda_runtime.h>

void probe() {
  cudaGraph_t g;
  int v = 0;
  cudaGraphSomethingFromTheFuture(&g);
  cudaDeviceGetAttribute(&v, (cudaDeviceAttr)(97), 0);
}
