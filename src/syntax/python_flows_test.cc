#include "syntax/python_flows.h"

#include <gtest/gtest.h>

#include "syntax/python_testing.h"

namespace accelport {
namespace {

Flow flows(const std::string& source, std::string_view text = "'cuda'", int nth = 0) {
  const PythonSnippet snippet("import torch, os, importlib\nimport torch.distributed as dist\n" + source);
  EXPECT_TRUE(snippet.has(text)) << source;
  return snippet.site(text, nth).flows;
}

TEST(PythonFlows, DeviceSinks) {
  for (const char* source :
       {"x.to('cuda')", "f(device='cuda')", "torch.device('cuda', 0)", "torch.load(p, map_location='cuda')",
        "torch.autocast('cuda')", "init_device_mesh('cuda', (2,))", "torch.Generator('cuda')",
        "torch.amp.GradScaler('cuda')", "with torch.autocast(device_type='cuda'): pass",
        "torch.set_default_device('cuda')"}) {
    EXPECT_EQ(flows(source), Flow::device) << source;
  }
}

TEST(PythonFlows, ThroughExpressions) {
  EXPECT_EQ(flows("x.to('cuda' if a else 'cpu')"), Flow::device);
  EXPECT_EQ(flows("x.to('cuda' + ':' + str(i))"), Flow::device);
  EXPECT_EQ(flows("x.to('cuda:%d' % i)", "'cuda:%d'"), Flow::device);
  EXPECT_EQ(flows("x.to('cuda:{}'.format(i))", "'cuda:{}'"), Flow::device);
  EXPECT_EQ(flows("x.to(':'.join(['cuda', str(i)]))"), Flow::device);
  EXPECT_EQ(flows("x.to(f'cuda:{i}')", "f'cuda:{i}'"), Flow::device);
  EXPECT_EQ(flows("x.to(f'{\"cuda\"}:{i}')", "\"cuda\""), Flow::device);
  EXPECT_EQ(flows("x.to(d or 'cuda')"), Flow::device);
  EXPECT_EQ(flows("x.to(os.environ.get('D', 'cuda'))"), Flow::device);
  EXPECT_EQ(flows("x.to(getattr(a, 'd', 'cuda'))"), Flow::device);
}

TEST(PythonFlows, ThroughVariables) {
  EXPECT_EQ(flows("d = 'cuda'\nx.to(d)"), Flow::device);
  EXPECT_EQ(flows("d = 'cuda'\ne = d\ng = e + ':0'\nx.to(g)"), Flow::device);
  EXPECT_EQ(flows("def f():\n  d = 'cuda'\n  return 1\nx.to(d)"), Flow::none);
  EXPECT_EQ(flows("def f():\n  d = 'cuda'\n  x.to(d)\n"), Flow::device);
  EXPECT_EQ(flows("for d in ['cuda', 'cpu']:\n  x.to(d)\n"), Flow::device | Flow::has_cpu);
  EXPECT_EQ(flows("def f(a, d='cuda'):\n  x.to(d)\n"), Flow::device);
  EXPECT_EQ(flows("def f(a, d):\n  x.to(d)\nf(1, 'cuda')\n"), Flow::device);
  EXPECT_EQ(flows("def f(a, d):\n  x.to(d)\nf(1, d='cuda')\n"), Flow::device);
  EXPECT_EQ(flows("def f():\n  return 'cuda'\nx.to(f())\n"), Flow::device);
  EXPECT_EQ(flows("self.d = 'cuda'\ndef f(self): x.to(self.d)\n"), Flow::device);
}

TEST(PythonFlows, ByName) {
  EXPECT_EQ(flows("device = 'cuda'"), Flow::device);
  EXPECT_EQ(flows("cfg = {'device': 'cuda'}"), Flow::device);
  EXPECT_EQ(flows("cfg['device'] = 'cuda'"), Flow::device);
  EXPECT_EQ(flows("class A:\n  device: str = 'cuda'\n"), Flow::device);
  EXPECT_EQ(flows("class A:\n  device: str = field(default='cuda')\n"), Flow::device);
  EXPECT_EQ(flows("def get_device():\n  return 'cuda'\n"), Flow::device);
  EXPECT_EQ(flows("label = 'cuda'"), Flow::none);
}

TEST(PythonFlows, Options) {
  const std::string option = "p.add_argument('--device', default='cuda', choices=['cuda', 'cpu'], help='cuda or cpu')";
  EXPECT_EQ(flows(option), Flow::device);
  EXPECT_EQ(flows(option, "'cuda'", 1), Flow::device | Flow::has_cpu);
  EXPECT_EQ(flows(option, "'cuda or cpu'"), Flow::help);
  EXPECT_EQ(flows("p.add_argument('--no-cuda', dest='x')", "'--no-cuda'"), Flow::option_name);
  EXPECT_EQ(flows("p.add_argument('--where', default='cuda')\nx.to(args.where)"), Flow::device);
  EXPECT_EQ(flows("p.add_argument('-w', '--where', dest='spot', default='cuda')\nx.to(args.spot)"), Flow::device);
}

TEST(PythonFlows, BackEnds) {
  EXPECT_EQ(flows("dist.init_process_group('nccl')", "'nccl'"), Flow::backend);
  EXPECT_EQ(flows("dist.init_process_group(backend='nccl')", "'nccl'"), Flow::backend);
  EXPECT_EQ(flows("b = 'nccl' if a else 'gloo'\ndist.init_process_group(b)", "'nccl'"), Flow::backend);
}

TEST(PythonFlows, Environment) {
  for (const char* source :
       {"os.environ['CUDA_X'] = '0'", "os.environ.setdefault('CUDA_X', '0')", "os.getenv('CUDA_X')",
        "os.environ.pop('CUDA_X', None)", "env = {**os.environ, 'CUDA_X': ids}", "if 'CUDA_X' in os.environ: pass",
        "subprocess.run(a, env={'CUDA_X': '1'})", "os.environ.update({'CUDA_X': '1'})", "env['CUDA_X'] = '1'",
        "monkeypatch.setenv('CUDA_X', '1')", "with mock.patch.dict(os.environ, {'CUDA_X': '1'}): pass"}) {
    EXPECT_TRUE(has(flows(source, "'CUDA_X'"), Flow::environment)) << source;
  }
}

TEST(PythonFlows, ModulesAndAttributes) {
  EXPECT_EQ(flows("importlib.import_module('torch.cuda')", "'torch.cuda'"), Flow::module_name);
  EXPECT_EQ(flows("getattr(torch, 'cuda')"), Flow::module_name);
  EXPECT_EQ(flows("hasattr(x, 'cuda')"), Flow::attribute_name);
  EXPECT_EQ(flows("from unittest import mock\nmock.patch('torch.cuda.x')", "'torch.cuda.x'"), Flow::module_name);
  EXPECT_EQ(flows("monkeypatch.setattr('torch.cuda.x', 1)", "'torch.cuda.x'"), Flow::module_name);
}

TEST(PythonFlows, Messages) {
  for (const char* source :
       {"print('cuda')", "logger.info('cuda')", "raise RuntimeError('cuda')", "raise E(f(1) + 'cuda')",
        "assert x, 'cuda'", "assert x, f('cuda')", "warnings.warn('cuda')", "print_rank_0('cuda')",
        "pytest.skip('cuda')", "logging.debug('cuda', x)"}) {
    EXPECT_EQ(flows(source), Flow::message) << source;
  }
  EXPECT_EQ(flows("print f(1), 'cuda'"), Flow::message);
}

TEST(PythonFlows, PathsCommandsAndSources) {
  EXPECT_TRUE(has(flows("torch.load('runs/cuda/m.pt')", "'runs/cuda/m.pt'"), Flow::path));
  EXPECT_TRUE(has(flows("x = 'https://a.org/cuda'", "'https://a.org/cuda'"), Flow::path));
  EXPECT_TRUE(has(flows("subprocess.run(['nvidia-smi', '-q'])", "'nvidia-smi'"), Flow::command));
  EXPECT_TRUE(has(flows("os.system('nvidia-smi')", "'nvidia-smi'"), Flow::command));
  EXPECT_TRUE(has(flows("s = '__global__ void cuda_k(float* x) {}'", "'__global__ void cuda_k(float* x) {}'"),
                  Flow::source_code));
}

TEST(PythonFlows, ComparedOnly) {
  EXPECT_EQ(flows("if d == 'cuda': pass"), Flow::compared_only);
  EXPECT_EQ(flows("ok = d.startswith('cuda')"), Flow::none);
  EXPECT_EQ(flows("k = 'cuda'\nif d == k: pass"), Flow::compared_only);
  EXPECT_EQ(flows("k = 'cuda'\nif d == k: pass\nx.to(k)"), Flow::device);
}

TEST(PythonFlows, Collections) {
  EXPECT_EQ(flows("x = ['cuda', 'cpu', 'xpu']"), Flow::has_cpu | Flow::has_other);
  EXPECT_EQ(flows("b = {'cuda': 1, 'cpu': 2}"), Flow::has_cpu | Flow::device_key);
  EXPECT_EQ(flows("b = {'cuda': 'nccl', 'cpu': 'gloo'}", "'nccl'"), Flow::has_cpu | Flow::device_key);
  EXPECT_EQ(flows("x = ('cuda')"), Flow::none);
  EXPECT_EQ(flows("@parameterized.expand([('cuda', a), ('cpu', b)])\ndef f(): pass"), Flow::has_cpu);
  EXPECT_EQ(flows("@pytest.mark.parametrize('device', ['cpu', 'cuda'])\ndef f(): pass"), Flow::device | Flow::has_cpu);
}

TEST(PythonFlows, CyclesEnd) { EXPECT_EQ(flows("a = 'cuda'\nb = a\na = b\nx.to(b)"), Flow::device); }

}  // namespace
}  // namespace accelport
