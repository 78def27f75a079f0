#if defined(USE_ROCM) || CUDA_VERSION < 11000
int old_path = 1;
#endif
#if defined(HAVE_CUDA) || defined(HAVE_HIP)
int device_path = 1;
#endif
