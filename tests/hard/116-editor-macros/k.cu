#if !defined(__CUDACC__)   // make the editor happy
#define __CUDACC__ 1
#endif
