#include "user-cuda.h"

#include <string>

int cudaMallocCount = 0;               // user's
void my_cudaMemcpy_wrapper();
std::string s = "cudaMalloc failed";
