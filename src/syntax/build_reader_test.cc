#include <gtest/gtest.h>

#include "syntax/site_test_util.h"

namespace accelport {
namespace {

const SiteCase kDockerfile[] = {
    {"from",
     "Dockerfile",
     "FROM --platform=$CUDA_P nvidia/cuda:12.4-devel AS dev\n",
     {"1 directive/config_value nvidia/cuda:12.4-devel api=image:nvidia/cuda:12.4-devel callee=FROM keyword=dev*"}},
    {"arg and env",
     "docker/x.dockerfile",
     "ARG TORCH_CUDA_ARCH_LIST=\"8.0;9.0\"\nENV CUDA_HOME=/usr/local/cuda \\\n    # cuda comment\n    B=1\nENV CUDA_X "
     "1 2\n",
     {"1 variable/set TORCH_CUDA_ARCH_LIST=* api=env:TORCH_CUDA_ARCH_LIST callee=ARG*value=8.0;9.0*",
      "2 variable/exported CUDA_HOME=/usr/local/cuda api=env:CUDA_HOME callee=ENV*",
      "5 variable/exported CUDA_X 1 2 api=env:CUDA_X*value=1 2*"}},
    {"run",
     "Dockerfile.gpu",
     "RUN --mount=type=cache,target=/x pip install torch==2+cu118 && \\\n    ldconfig /usr/local/cuda/compat\n",
     {"1 command/command_argument torch==2+cu118 api=package:torch*language=shell",
      "2 command/command_argument /usr/local/cuda/compat callee=ldconfig*"}},
    {"exec form",
     "Dockerfile",
     "CMD [\"python\", \"t.py\", \"--device\", \"cuda\"]\n",
     {"1 command/command_argument cuda callee=python keyword=--device*"}},
    {"copy",
     "Dockerfile",
     "COPY --from=nvidia/cuda:12 /a /cuda/\n",
     {"1 directive/command_option --from=nvidia/cuda:12 api=image:nvidia/cuda:12 callee=COPY*",
      "1 directive/config_value /cuda/ callee=COPY*flows=path*"}},
    {"here-document",
     "Dockerfile",
     "RUN <<EOF\nnvidia-smi\nEOF\nFROM cuda\n",
     {"4 directive/config_value cuda api=image:cuda*"}},
    {"comment",
     "Dockerfile",
     "# cuda\nLABEL a=\"cuda\"\n",
     {"1 comment/none # cuda*", "2 directive/config_value a=\"cuda\" callee=LABEL keyword=a value=cuda"}},
};

const SiteCase kCmake[] = {
    {"languages",
     "CMakeLists.txt",
     "project(x LANGUAGES CXX CUDA)\nenable_language(CUDA)\n",
     {"1 directive/argument CUDA callee=project *argument=3*", "2 directive/argument CUDA callee=enable_language*"}},
    {"if",
     "a.cmake",
     "if(USE_CUDA)\n find_package(CUDAToolkit REQUIRED)\nelseif(USE_ROCM)\n a(cuda)\nelse()\n "
     "b(cuda)\nendif()\nc(cuda)\n",
     {"1 directive/condition USE_CUDA callee=if*",
      "2 directive/argument CUDAToolkit callee=find_package*guards=available,option",
      "4 *guards=*other_platform*family*", "6 *guards=*unavailable*",
      "8 directive/argument cuda callee=c value=cuda first=cuda argument=0"}},
    {"variables",
     "CMakeLists.txt",
     "set(CMAKE_CUDA_ARCHITECTURES 80 90)\nlink(x ${CUDA_LIBRARIES} $ENV{CUDA_HOME}/lib)\nlist(APPEND CUDA_NVCC_FLAGS "
     "-O3)\n",
     {"1 variable/set CMAKE_CUDA_ARCHITECTURES api=cmake:CMAKE_CUDA_ARCHITECTURES callee=set*value=80*",
      "2 variable/read ${CUDA_LIBRARIES} api=cmake:CUDA_LIBRARIES*",
      "2 variable/read $ENV{CUDA_HOME} api=env:CUDA_HOME*", "3 variable/set CUDA_NVCC_FLAGS*value=-O3*"}},
    {"comments",
     "CMakeLists.txt",
     "# cuda\n#[[ cuda\n cuda ]]\nmessage(STATUS \"cuda (x\")\na(cuda)\n",
     {"1 comment/none # cuda*", "3 comment/none cuda ]]*",
      "4 directive/argument \"cuda (x\" callee=message*flows=message*", "5 directive/argument cuda callee=a*"}},
    {"command",
     "CMakeLists.txt",
     "cuda_add_library(x a.cu)\n",
     {"1 directive/command_name cuda_add_library api=cmake:cuda_add_library*"}},
};

const SiteCase kMake[] = {
    {"variables",
     "Makefile",
     "NVCC ?= $(CUDA_HOME)/bin/nvcc\n",
     {"1 variable/set NVCC ?= $(CUDA_HOME)/bin/nvcc api=env:NVCC*value=$(CUDA_HOME)/bin/nvcc*",
      "1 variable/read $(CUDA_HOME) api=env:CUDA_HOME keyword=NVCC*"}},
    {"recipe",
     "Makefile",
     "a: b\n\t@nvcc -arch=sm_80 \\\n\t  x.cuda\n\techo $(CUDA_HOME) $$CUDA_X\n",
     {"2 command/command_name nvcc api=tool:nvcc*", "3 command/command_argument x.cuda callee=nvcc*",
      "4 variable/read $(CUDA_HOME) api=env:CUDA_HOME*", "4 variable/read $CUDA_X api=env:CUDA_X*"}},
    {"conditional",
     "Makefile",
     "ifdef USE_CUDA\nA = cuda\nelse\nB = cuda\nendif\nC = cuda\n",
     {"2 *guards=available,option*", "4 *guards=unavailable,option*", "!6 *guards=*"}},
};

TEST(DockerfileReader, Cases) {
  for (const SiteCase& one : kDockerfile) check_site_case(one);
}
TEST(CmakeReader, Cases) {
  for (const SiteCase& one : kCmake) check_site_case(one);
}
TEST(MakeReader, Cases) {
  for (const SiteCase& one : kMake) check_site_case(one);
}

}  // namespace
}  // namespace accelport
