#include <gtest/gtest.h>

#include "syntax/cxx_lexer.h"
#include "syntax/site_test_util.h"

namespace accelport {
namespace {

const SiteCase kCases[] = {
    {"include",
     "a.cpp",
     "#include <ATen/cuda/CUDAContext.h>\n# include \"my_cuda.h\"\n",
     {"1 include/import_module <ATen/cuda/CUDAContext.h> keyword=< value=ATen/cuda/CUDAContext.h*",
      "2 include/import_module \"my_cuda.h\" keyword=\" value=my_cuda.h*"}},
    {"qualified call",
     "a.cpp",
     "void f() { auto s = at::cuda::getCurrentCUDAStream(); }\n",
     {"1 chain/assigned at::cuda::getCurrentCUDAStream api=at::cuda::getCurrentCUDAStream keyword=s "
      "called=0*function=f"}},
    {"alias",
     "a.cpp",
     "namespace ac = at::cuda;\nusing c10::cuda::CUDAGuard;\nvoid f() { ac::cuda_sync(); CUDAGuard g(1); }\n",
     {"3 chain/called ac::cuda_sync api=at::cuda::cuda_sync*", "3 chain/* CUDAGuard api=c10::cuda::CUDAGuard*"}},
    {"members",
     "a.cpp",
     "bool b() { return x.options().device().is_cuda(); }\nbool c() { return p->is_cuda(); }\n",
     {"1 chain/returned x.options().device().is_cuda api=?.options.device.is_cuda called=0*",
      "2 chain/returned p->is_cuda api=?.is_cuda*"}},
    {"macro with a check",
     "a.cpp",
     "#define NEED_CUDA(t) TORCH_CHECK((t).is_cuda(), #t \": expected a CUDA tensor\")\n",
     {"1 macro/definition NEED_CUDA api=NEED_CUDA keyword=define*",
      "1 chain/argument is_cuda api=?.is_cuda callee=TORCH_CHECK*",
      "1 string/argument \": expected a CUDA tensor\" callee=TORCH_CHECK value=: expected a CUDA "
      "tensor*flows=message*"}},
    {"check",
     "a.cpp",
     "void f() { TORCH_CHECK(x.is_cuda(), \"on CUDA\"); }\n",
     {"1 chain/argument x.is_cuda api=?.is_cuda callee=TORCH_CHECK argument=0 called=0*",
      "1 string/argument \"on CUDA\" callee=TORCH_CHECK value=on CUDA argument=1*"}},
    {"launch",
     "a.cu",
     "void f() { k_cuda<scalar_t, 4><<<g, b, 0, at::cuda::getCurrentCUDAStream()>>>(p); }\n",
     {"1 kernel/* k_cuda api=k_cuda first=<<< called=1 guards=cuda_only_source*",
      "1 kernel/called <<< api=<<< callee=k_cuda*", "1 chain/* at::cuda::getCurrentCUDAStream*"}},
    {"device words",
     "a.cu",
     "template <typename T> __global__ void __launch_bounds__(256) k(T* p) {\n  v = __shfl_down_sync(0xffffffff, v, "
     "16);\n}\n",
     {"1 kernel/* __global__ api=__global__*",
      "2 kernel/assigned __shfl_down_sync api=__shfl_down_sync keyword=v first=0xffffffff called=3*function=k",
      "2 kernel/argument 0xffffffff callee=__shfl_down_sync value=0xffffffff argument=0*"}},
    {"asm",
     "a.cu",
     "__device__ void f() { asm volatile(\"bar.cuda 1;\" ::: \"memory\"); }\n",
     {"1 kernel/called asm api=asm*", "1 kernel/argument \"bar.cuda 1;\" api=asm callee=asm*flows=source_code*"}},
    {"architecture",
     "a.cu",
     "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800\nint a = cuda_fast;\n#else\nint b = cuda_slow;\n#endif\nint c "
     "= cuda_x;\n",
     {"1 macro/condition __CUDA_ARCH__ api=__CUDA_ARCH__ keyword=if *first=>=800*",
      "2 *guards=nvidia,preprocessor,cuda_only_source", "4 *guards=*unavailable*",
      "6 chain/assigned cuda_x * guards=cuda_only_source"}},
    {"other platform",
     "a.cpp",
     "#ifdef USE_ROCM\nint a = cuda_a;\n#else\nint b = cuda_b;\n#endif\n#if !defined(__HIP_PLATFORM_AMD__)\nint c = "
     "cuda_c;\n#else\nint d = cuda_d;\n#endif\n#ifdef WITH_CUDA\nint e = cuda_e;\n#endif\n#if __NEWCARD_ARCH__ > "
     "2\nint f = cuda_f;\n#endif\n#ifdef USE_NEWCARD\nint g = cuda_g;\n#endif\n",
     {"2 *guards=other_platform,preprocessor*", "4 *guards=family,preprocessor*", "7 *guards=family,preprocessor*",
      "9 *guards=other_platform,preprocessor*", "12 *guards=preprocessor,cuda_only_source*",
      "15 *guards=other_platform*", "18 *guards=other_platform*"}},
    {"include guard is no feature",
     "cuda_a.h",
     "#ifndef MY_CUDA_H\n#define MY_CUDA_H\nint a = cuda_a;\n#endif\n",
     {"!3 *guards=*"}},
    {"if and else",
     "a.cpp",
     "void f() {\n  if (x.is_cuda()) {\n    a_cuda(x);\n  } else {\n    b_cuda(x);\n  }\n  c_cuda(x);\n  if "
     "(!x.is_cuda())\n    d_cuda(x);\n  e_cuda(x);\n}\n",
     {"2 chain/condition x.is_cuda*", "3 *guards=device_type *", "5 *guards=not_device_type *", "!7 *guards=*",
      "9 *guards=not_device_type *", "!10 *guards=*"}},
    {"lambda in a call",
     "a.cpp",
     "void f() {\n  AT_DISPATCH(t, \"f_cuda\", [&] {\n    g_cuda<T>(a, b);\n  });\n  h_cuda(x);\n}\nint k = cuda_k;\n",
     {"2 string/argument \"f_cuda\" callee=AT_DISPATCH*argument=1*",
      "3 chain/called g_cuda api=g_cuda first=a called=2*function=f", "5 chain/called h_cuda*function=f",
      "!7 *function=*"}},
    {"binding",
     "a.cpp",
     "PYBIND11_MODULE(x, m) { m.def(\"run_cuda\", &run_cuda); }\n",
     {"1 string/argument \"run_cuda\" callee=?.def value=run_cuda argument=0*",
      "1 chain/argument run_cuda *argument=1*"}},
    {"raw string",
     "a.cpp",
     "auto s = R\"x(a \"cuda\" // cuda)x\"; int cuda_b;\n",
     {"1 string/assigned R\"x(a \"cuda\" // cuda)x\" keyword=s value=a \"cuda\" // cuda*", "1 chain/* cuda_b *"}},
    {"comments",
     "a.c",
     "/* cuda\n * cuda */ int x; // cuda \\\n cuda\nint cuda_y;\n",
     {"1 comment/none /* cuda*", "2 comment/none * cuda */*", "3 comment/none cuda*", "4 chain/* cuda_y*"}},
    {"variable",
     "a.cpp",
     "void f() { auto h = std::getenv(\"CUDA_HOME\"); }\n",
     {"1 string/argument \"CUDA_HOME\" api=env:CUDA_HOME callee=std::getenv*flows=environment*"}},
    {"own function",
     "a.cpp",
     "at::Tensor my_cuda(at::Tensor a);\n",
     {"1 chain/definition my_cuda api=my_cuda called=1"}},
    {"device constant",
     "a.cpp",
     "void f() { auto t = torch::empty({2}, o.device(torch::kCUDA)); if (d == at::kCUDA) {} }\n",
     {"1 chain/argument torch::kCUDA api=torch::kCUDA callee=?.device argument=0*", "1 chain/compared at::kCUDA*"}},
    {"stream of messages",
     "a.cpp",
     "void f() { std::cout << \"no cuda\"; }\n",
     {"1 string/* \"no cuda\" *flows=message*"}},
    {"pragma",
     "a.cu",
     "#pragma nv_diag_suppress cuda\n#error \"no CUDA\"\n",
     {"1 directive/statement #pragma*", "2 directive/statement #error * keyword=error*flows=message*"}},
    {"template", "k.cu.in", "__global__ void k_@T@_cuda() {}\n", {"1 kernel/none __global__*"}},
};

TEST(CxxReader, Cases) {
  for (const SiteCase& one : kCases) check_site_case(one);
}

TEST(CxxLexer, Tokens) {
  std::uint32_t damage = 0;
  const std::string_view text = "a::b->c<<<1'000, 0x1p-3>>>(L\"x\\\"\", 'c') %: 1";
  std::string joined;
  for (const CxxToken& token : lex_cxx(text, damage)) joined += std::string(slice(text, token.span)) + "|";
  EXPECT_EQ(joined, "a|::|b|->|c|<<<|1'000|,|0x1p-3|>>>|(|L\"x\\\"\"|,|'c'|)|%|:|1|");
  EXPECT_EQ(damage, 0u);
  lex_cxx("/* open", damage);
  EXPECT_EQ(damage, 1u);
}

}  // namespace
}  // namespace accelport
