#define FULL_MASK 0xffffffff

__device__ float sum(float w, float v, int tid) {
  unsigned alive = __ballot_sync(0xffffffff, w > 0.f);
  v += __shfl_down_sync(FULL_MASK, v, 16);
  int lane = threadIdx.x & 31, row = tid >> 5;
  return v + alive + lane + row;
}
