#include <cooperative_groups.h>
#include <mma.h>

namespace cg = cooperative_groups;
using namespace nvcuda;

__global__ void k() {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  cg::thread_block_tile<32> w = cg::tiled_partition<32>(cg::this_thread_block());
}
