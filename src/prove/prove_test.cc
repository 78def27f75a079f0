#include "prove/prove.h"

#include <string>

#include <gtest/gtest.h>

namespace accelport {
namespace {

const HelperTable& table() {
  static const HelperTable table = *embedded_helper_table();
  return table;
}

std::string shown(const Proof& proof) {
  std::string text = proof.verdict == Proof::Verdict::identical ? "identical" : "";
  for (const Difference& difference : proof.differences)
    text +=
        std::to_string(difference.original_line) + "/" + std::to_string(difference.line) + " " + difference.what + "\n";
  return text;
}

struct Pair {
  const char* name;
  std::string before;
  std::string after;
};

void PrintTo(const Pair& pair, std::ostream* out) { *out << pair.name; }

std::string pair_name(const testing::TestParamInfo<Pair>& info) { return info.param.name; }

constexpr const char* kImport = "import torch\n";
constexpr const char* kHelper = "import torch\nimport accelerator\n";

Pair lines(const char* name, const std::string& before, const std::string& after) {
  return {name, kImport + before, kHelper + after};
}

class Right : public testing::TestWithParam<Pair> {};

TEST_P(Right, IsIdentical) { EXPECT_EQ(shown(prove_file(GetParam().before, GetParam().after, table())), "identical"); }

INSTANTIATE_TEST_SUITE_P(
    Pairs, Right,
    testing::Values(
        Pair{"unchanged", "x = = 1\n", "x = = 1\n"},
        lines("literal", "d = 'cuda' if torch.cuda.is_available() else \"cpu\"\n",
              "d = accelerator.accelerator_type() if accelerator.is_available() else \"cpu\"\n"),
        lines("parts", "a = 'cuda:0'\nb = \"cuda:%d\" % i\nc = 'cuda:{}'.format(i)\nd = \"cuda\" \":0\"\n",
              "a = f'{accelerator.accelerator_type()}:0'\nb = f\"{accelerator.accelerator_type()}:%d\" % i\n"
              "c = f'{accelerator.accelerator_type()}:{{}}'.format(i)\n"
              "d = f\"{accelerator.accelerator_type()}\" \":0\"\n"),
        lines("fstring", "a = f\"cuda:{rank!r:>{n}} {{x}}\"\nb = f'{d[\"cuda\"]}'\n",
              "a = f\"{accelerator.accelerator_type()}:{rank!r:>{n}} {{x}}\"\n"
              "b = f'{d[accelerator.accelerator_type()]}'\n"),
        lines("sum", "a = f(x, 'cuda:0')\n", "a = f(x, (accelerator.accelerator_type() + ':0'))\n"),
        lines("module_strings", "torch.set_default_tensor_type('torch.cuda.FloatTensor')\nk = 'cuda_time_total'\n",
              "torch.set_default_tensor_type(f'torch.{accelerator.accelerator_type()}.FloatTensor')\n"
              "k = f'{accelerator.accelerator_type()}_time_total'\n"),
        lines("backends", "dist.init_process_group('nccl')\nb = \"cpu:gloo,cuda:nccl\"\n",
              "dist.init_process_group(accelerator.distributed_backend())\n"
              "b = f\"cpu:gloo,{accelerator.accelerator_type()}:{accelerator.distributed_backend()}\"\n"),
        lines("variables", "os.environ[\"CUDA_VISIBLE_DEVICES\"] = '0'\nos.environ['NCCL_P2P_DISABLE'] = '1'\n",
              "os.environ[accelerator.visible_devices_variable()] = '0'\n"
              "os.environ[accelerator.distributed_variable('P2P_DISABLE')] = '1'\n"),
        lines("callables",
              "torch.cuda.set_device(rank)\ntorch.cuda.synchronize()\nf = torch.cuda.empty_cache\n"
              "n = torch.cuda.device_count() or torch.cuda.current_device()\n"
              "if torch.cuda.get_device_capability(0)[0] >= 8: g()\n",
              "accelerator.set_accelerator_device(rank)\naccelerator.synchronize()\nf = accelerator.empty_cache\n"
              "n = accelerator.device_count() or accelerator.current_device()\n"
              "if accelerator.nvidia_capability(0)[0] >= 8: g()\n"),
        lines("module", "s = torch.cuda.Stream(device=d)\nwith torch.cuda.stream(s):\n    pass\n",
              "s = accelerator.accelerator_module().Stream(device=d)\n"
              "with accelerator.accelerator_module().stream(s):\n    pass\n"),
        lines("moves",
              "a = x.cuda()\nb = x.cuda(0, True)\nc = x[0].cuda(rank + 1, non_blocking=True).float()\n"
              "d = f(x).cuda(device=i,)\n",
              "a = x.to(accelerator.accelerator_device())\n"
              "b = x.to(accelerator.accelerator_device(0), non_blocking=True)\n"
              "c = x[0].to(accelerator.accelerator_device(rank + 1), non_blocking=True).float()\n"
              "d = f(x).to(accelerator.accelerator_device(i))\n"),
        lines("moves_inside_moves", "y = x.cuda(a.cuda(0).index)\n",
              "y = x.to(accelerator.accelerator_device(a.to(accelerator.accelerator_device(0)).index))\n"),
        lines("predicate", "assert x.is_cuda and f(a, b)[0].data.is_cuda and (a + b).is_cuda\n",
              "assert accelerator.is_accelerator(x) and accelerator.is_accelerator(f(a, b)[0].data) and "
              "accelerator.is_accelerator(a + b)\n"),
        Pair{"profiler",
             "from torch.profiler import ProfilerActivity\na = [ProfilerActivity.CPU, ProfilerActivity.CUDA]\n",
             "from torch.profiler import ProfilerActivity\nimport accelerator\n"
             "a = [ProfilerActivity.CPU, accelerator.profiler_activity()]\n"},
        Pair{"module_alias", "from torch import cuda\nn = cuda.device_count()\n",
             "import accelerator\nn = accelerator.device_count()\n"},
        Pair{"module_alias_kept", "import torch.cuda as tc, os\ntc.synchronize()\nprint(tc)\n",
             "import accelerator\ntc = accelerator.accelerator_module()\nimport "
             "os\naccelerator.synchronize()\nprint(tc)\n"},
        Pair{"torch_alias", "import torch as th\nth.cuda.empty_cache()\nth.cuda.Event()\n",
             "import torch as th\nfrom pkg import accelerator\naccelerator.empty_cache()\n"
             "accelerator.accelerator_module().Event()\n"},
        Pair{"from_imports",
             "from torch.cuda.amp import autocast, GradScaler as GS\nimport torch.cuda\n\ns = GS()\nwith autocast():\n "
             "   pass\n",
             "import accelerator\nautocast = accelerator.accelerator_module().amp.autocast\n"
             "GS = accelerator.accelerator_module().amp.GradScaler\nimport torch\n\ns = GS()\nwith autocast():\n    "
             "pass\n"},
        Pair{"relative_import",
             "import torch\n\ndef f():\n    from torch.cuda.amp import autocast\n    return autocast\n",
             "import torch\nfrom .. import accelerator\n\ndef f():\n    autocast = "
             "accelerator.accelerator_module().amp.autocast\n    return autocast\n"},
        Pair{"fallback",
             "try:\n    from torch.cuda.amp import autocast\nexcept ImportError:\n    autocast = None\nautocast()\n",
             "import accelerator\ntry:\n    autocast = accelerator.accelerator_module().amp.autocast\n"
             "except ImportError:\n    autocast = None\nautocast()\n"},
        lines("newer_amp",
              "with torch.cuda.amp.autocast(use, dtype=t): pass\ns = torch.cuda.amp.GradScaler(2.0, enabled=e)\n",
              "with torch.autocast(accelerator.accelerator_type(), enabled=use, dtype=t): pass\n"
              "s = torch.amp.GradScaler(accelerator.accelerator_type(), init_scale=2.0, enabled=e)\n"),
        Pair{"docstring_and_future",
             "\"\"\"Runs on cuda.\"\"\"\nfrom __future__ import annotations\nimport os\nimport torch\nx = 'cuda'\n",
             "\"\"\"Runs on cuda.\"\"\"\nfrom __future__ import annotations\nimport accelerator\nimport os\nimport "
             "torch\nx = accelerator.accelerator_type()\n"},
        Pair{"string_that_documents_nothing", "import os\nimport torch\n\"\"\"\nNotes.\n\"\"\"\nx = 'cuda'\n",
             "import os\nimport torch\nimport accelerator\n\"\"\"\nNotes.\n\"\"\"\nx = "
             "accelerator.accelerator_type()\n"},
        Pair{"local_import", "def f():\n    import torch\n    return torch.cuda.device_count()\n",
             "def f():\n    import torch\n    import accelerator\n    return accelerator.device_count()\n"},
        Pair{"star_import", "from common import *\ntorch.cuda.synchronize()\n",
             "from common import *\nimport accelerator\naccelerator.synchronize()\n"},
        lines("layout", "# note\nx = f(a,   b)  # why\ny = [1,\n     'cuda']\n",
              "x = f(a, b)\ny = [1, accelerator.accelerator_type()]\n"),
        lines("patch", "@patch('torch.cuda.is_available', return_value=True)\ndef test(m): pass\n",
              "@patch(f'torch.{accelerator.accelerator_type()}.is_available', return_value=True)\ndef test(m): pass\n"),
        lines("patched_module", "torch.cuda.is_available = lambda: True\n",
              "accelerator.accelerator_module().is_available = lambda: True\n"),
        lines("keyword_of_the_name", "t = Trainer(accelerator='gpu', cuda='cuda')\n",
              "t = Trainer(accelerator='gpu', cuda=accelerator.accelerator_type())\n"),
        Pair{"other_helper_name", "import torch\naccelerator = 1\nx = 'cuda'\n",
             "import torch\nimport accelport_device\naccelerator = 1\nx = accelport_device.accelerator_type()\n"},
        lines("module_in_a_variable", "mod = torch.cuda\nmod.synchronize()\n",
              "mod = accelerator.accelerator_module()\nmod.synchronize()\n"),
        Pair{"imported_function", "from torch.cuda import is_available\nx = is_available()\n",
             "import accelerator\nis_available = accelerator.accelerator_module().is_available\nx = is_available()\n"},
        Pair{"parameter_called_cuda",
             "from torch import cuda\ndef f(cuda=False):\n    return cuda\ncuda.synchronize()\n",
             "import accelerator\ndef f(cuda=False):\n    return cuda\naccelerator.synchronize()\n"}),
    pair_name);

INSTANTIATE_TEST_SUITE_P(
    Arguments, Right,
    testing::Values(lines("number", "x = x.to(rank)\n", "x = x.to(accelerator.configured_device(rank))\n"),
                    lines("number_by_keyword", "torch.zeros(3, device=r, dtype=d)\n",
                          "torch.zeros(3, device=accelerator.configured_device(r), dtype=d)\n"),
                    lines("configured", "d = torch.device(a.b or c)\n",
                          "d = torch.device(accelerator.configured_device(a.b or c))\n"),
                    lines("load", "torch.load(p)\n", "torch.load(p, map_location=accelerator.load_location())\n"),
                    lines("load_with_comma", "torch.load(\n    f(p, 1),\n)\n",
                          "torch.load(\n    f(p, 1), map_location=accelerator.load_location(),\n)\n"),
                    Pair{"load_by_its_name", "from torch import load\nload(p, weights_only=True)\n",
                         "from torch import load\nimport accelerator\nload(p, weights_only=True, "
                         "map_location=accelerator.load_location())\n"}),
    pair_name);

Pair neutral(const char* name, const std::string& before, const std::string& after) {
  return {name, kImport + before, kImport + after};
}

INSTANTIATE_TEST_SUITE_P(
    Neutral, Right,
    testing::Values(neutral("device_type", "d = 'cuda' if torch.cuda.is_available() else 'cpu'\n",
                            "d = torch.accelerator.current_accelerator().type if torch.accelerator.is_available() else "
                            "'cpu'\n"),
                    neutral("no_arguments", "n = torch.cuda.current_device()\n",
                            "n = torch.accelerator.current_device_index()\n"),
                    neutral("by_position", "torch.cuda.synchronize(d)\n", "torch.accelerator.synchronize(d)\n"),
                    neutral("memory", "torch.cuda.empty_cache()\n", "torch.accelerator.memory.empty_cache()\n"),
                    Pair{"another_name", "import torch as th\nth.cuda.device_count()\n",
                         "import torch as th\nth.accelerator.device_count()\n"}),
    pair_name);

class Wrong : public testing::TestWithParam<Pair> {};

TEST_P(Wrong, IsNotIdentical) {
  EXPECT_NE(prove_file(GetParam().before, GetParam().after, table()).verdict, Proof::Verdict::identical);
}

INSTANTIATE_TEST_SUITE_P(
    Neutral, Wrong,
    testing::Values(
        neutral("device_not_its_type", "d = 'cuda'\n", "d = torch.accelerator.current_accelerator()\n"),
        neutral("other_attribute", "d = 'cuda'\n", "d = torch.accelerator.current_accelerator().index\n"),
        neutral("asked_with_a_check", "d = 'cuda'\n", "d = torch.accelerator.current_accelerator(True).type\n"),
        neutral("not_called", "d = 'cuda'\n", "d = torch.accelerator.current_accelerator.type\n"),
        neutral("assigned", "'cuda' == 1\n", "torch.accelerator.current_accelerator().type = 1\n"),
        neutral("lost_argument", "torch.cuda.synchronize(d)\n", "torch.accelerator.synchronize()\n"),
        neutral("by_keyword", "torch.cuda.synchronize(device=d)\n", "torch.accelerator.synchronize(device=d)\n"),
        neutral("from_a_list", "torch.cuda.synchronize(*d)\n", "torch.accelerator.synchronize(*d)\n"),
        neutral("too_many", "torch.cuda.empty_cache(1)\n", "torch.accelerator.memory.empty_cache(1)\n"),
        neutral("other_function", "torch.cuda.device_count()\n", "torch.accelerator.current_device_index()\n"),
        neutral("context_made_later", "torch.cuda.set_device(0)\n", "torch.accelerator.set_device_index(0)\n"),
        neutral("stream_of_another_class", "s = torch.cuda.current_stream()\n",
                "s = torch.accelerator.current_stream()\n"),
        neutral("handed_on", "f = torch.cuda.is_available\n", "f = torch.accelerator.is_available\n"),
        Pair{"own_torch", "from mine import torch\ntorch.cuda.synchronize()\n",
             "from mine import torch\ntorch.accelerator.synchronize()\n"},
        neutral("in_a_script", "@torch.jit.script\ndef f():\n    return 'cuda'\n",
                "@torch.jit.script\ndef f():\n    return torch.accelerator.current_accelerator().type\n"),
        neutral("in_an_annotation", "x: 'cuda' = 1\n", "x: torch.accelerator.current_accelerator().type = 1\n")),
    pair_name);

INSTANTIATE_TEST_SUITE_P(
    Calls, Wrong,
    testing::Values(
        lines("dropped_argument", "x.cuda(0, non_blocking=True)\n", "x.to(accelerator.accelerator_device(0))\n"),
        lines("lost_index", "x.cuda(rank)\n", "x.to(accelerator.accelerator_device())\n"),
        lines("other_index", "x.cuda(rank)\n", "x.to(accelerator.accelerator_device(rank + 1))\n"),
        lines("non_blocking_by_position", "x.cuda(0, True)\n", "x.to(accelerator.accelerator_device(0), True)\n"),
        lines("new_keyword", "x.cuda(0)\n", "x.to(accelerator.accelerator_device(0), non_blocking=True)\n"),
        lines("new_dtype", "x.cuda()\n", "x.to(accelerator.accelerator_device(), dtype=torch.half)\n"),
        lines("other_receiver", "x.cuda()\n", "y.to(accelerator.accelerator_device())\n"),
        lines("type_instead_of_device", "x.cuda()\n", "x.to(accelerator.accelerator_type())\n"),
        lines("plain_to", "x.cuda()\n", "x.to()\n"),
        lines("wrong_helper", "torch.cuda.synchronize()\n", "accelerator.empty_cache()\n"),
        lines("unknown_helper", "torch.cuda.synchronize()\n", "accelerator.synchronise()\n"),
        lines("helper_not_called", "x = 'cuda'\n", "x = accelerator.accelerator_type\n"),
        lines("module_not_called", "torch.cuda.Stream()\n", "accelerator.accelerator_module.Stream()\n"),
        lines("argument_to_type", "x = 'cuda'\n", "x = accelerator.accelerator_type(0)\n"),
        lines("lost_call", "n = torch.cuda.device_count()\n", "n = accelerator.device_count\n"),
        lines("lost_device", "torch.cuda.synchronize(d)\n", "accelerator.synchronize()\n"),
        lines("wrong_module_name", "torch.cuda.memory_allocated()\n",
              "accelerator.accelerator_module().memory_reserved()\n"),
        lines("renamed_keyword", "f(device='cuda')\n", "f(devices=accelerator.accelerator_type())\n"),
        lines("swapped_arguments", "f('cuda', x)\n", "f(x, accelerator.accelerator_type())\n"),
        lines("swapped_branch", "d = 'cuda' if torch.cuda.is_available() else 'cpu'\n",
              "d = 'cpu' if accelerator.is_available() else accelerator.accelerator_type()\n"),
        lines("lost_not", "if not torch.cuda.is_available(): f()\n", "if accelerator.is_available(): f()\n"),
        lines("other_comparison", "if torch.cuda.device_count() > 1: f()\n",
              "if accelerator.device_count() >= 1: f()\n"),
        lines("lost_negation_of_predicate", "assert not x.is_cuda\n", "assert accelerator.is_accelerator(not x)\n"),
        lines("predicate_of_more", "y = a + b.is_cuda\n", "y = accelerator.is_accelerator(a + b)\n"),
        lines("predicate_of_less", "y = a.b.is_cuda\n", "y = accelerator.is_accelerator(a)\n"),
        lines("predicate_of_two", "y = a.is_cuda\n", "y = accelerator.is_accelerator(a, b)\n"),
        lines("capability_for_availability", "torch.cuda.get_device_capability()\n", "accelerator.is_available()\n"),
        lines("changed_number", "if torch.cuda.get_device_capability()[0] >= 8: f()\n",
              "if accelerator.nvidia_capability()[0] >= 9: f()\n"),
        lines("amp_argument_lost", "torch.cuda.amp.autocast(enabled=e)\n",
              "torch.autocast(accelerator.accelerator_type())\n"),
        lines("amp_argument_order", "torch.cuda.amp.autocast(e, t)\n",
              "torch.autocast(accelerator.accelerator_type(), e, t)\n"),
        lines("amp_wrong_name", "torch.cuda.amp.autocast(e)\n",
              "torch.autocast(accelerator.accelerator_type(), dtype=e)\n"),
        lines("amp_other_class", "torch.cuda.amp.GradScaler()\n", "torch.autocast(accelerator.accelerator_type())\n"),
        lines("amp_on_cpu", "torch.cuda.amp.autocast()\n", "torch.autocast('cpu')\n"),
        lines("patched_helper", "torch.cuda.is_available = lambda: True\n",
              "accelerator.is_available = lambda: True\n"),
        lines("attribute_of_function", "torch.cuda.device_count.cache_clear()\n",
              "accelerator.device_count.cache_clear()\n"),
        lines("star_arguments", "x.cuda(*a)\n", "x.to(accelerator.accelerator_device(*a))\n")),
    pair_name);

INSTANTIATE_TEST_SUITE_P(
    Arguments, Wrong,
    testing::Values(
        lines("number_changed", "x.to(rank)\n", "x.to(accelerator.configured_device(rank + 1))\n"),
        lines("number_lost", "x.to(rank)\n", "x.to(accelerator.configured_device())\n"),
        lines("two_become_one", "f(a, b)\n", "f(accelerator.configured_device(a, b))\n"),
        lines("by_keyword", "f(a)\n", "f(accelerator.configured_device(device=a))\n"),
        lines("starred", "f(*a)\n", "f(accelerator.configured_device(*a))\n"),
        lines("precedence", "y = a + b * c\n", "y = accelerator.configured_device(a + b) * c\n"),
        lines("condition", "y = f(a if b else c)\n", "y = f(accelerator.configured_device(a) if b else d)\n"),
        lines("generator", "f(x for x in y)\n", "f(accelerator.configured_device(x for x in y), z)\n"),
        lines("walrus", "f(a, x := b)\n", "f(a, accelerator.configured_device(x := c))\n"),
        lines("load_elsewhere", "torch.load(p)\n", "torch.load(p, map_location=accelerator.accelerator_type())\n"),
        lines("load_place_lost", "torch.load(p, 'cpu')\n", "torch.load(p, map_location=accelerator.load_location())\n"),
        lines("load_place_twice", "torch.load(p, d)\n", "torch.load(p, d, map_location=accelerator.load_location())\n"),
        lines("load_keyword_lost", "torch.load(p, map_location='cpu')\n",
              "torch.load(p, map_location=accelerator.load_location())\n"),
        lines("load_other_keyword", "torch.load(p)\n", "torch.load(p, mmap=accelerator.load_location())\n"),
        lines("load_starred", "torch.load(**p)\n", "torch.load(**p, map_location=accelerator.load_location())\n"),
        lines("load_other_function", "own.load(p)\n", "own.load(p, map_location=accelerator.load_location())\n"),
        lines("load_not_called", "torch.load(p)\n", "torch.load(p, map_location=accelerator.load_location)\n"),
        lines("load_of_script", "torch.jit.load(p)\n",
              "torch.jit.load(p, map_location=accelerator.load_location())\n")),
    pair_name);

INSTANTIATE_TEST_SUITE_P(
    Strings, Wrong,
    testing::Values(
        lines("other_string", "x = 'cuda:0'\n", "x = f'{accelerator.accelerator_type()}:1'\n"),
        lines("index_lost_from_string", "x = 'cuda:0'\n", "x = accelerator.accelerator_type()\n"),
        lines("backend_for_type", "x = 'cuda'\n", "x = accelerator.distributed_backend()\n"),
        lines("other_variable", "x = 'NCCL_DEBUG'\n", "x = accelerator.distributed_variable('P2P_DISABLE')\n"),
        lines("variable_of_a_value", "x = 'NCCL_DEBUG'\n", "x = accelerator.distributed_variable(DEBUG)\n"),
        lines("bytes", "x = b'cuda'\n", "x = accelerator.accelerator_type()\n"),
        lines("upper_case", "x = 'CUDA'\n", "x = accelerator.accelerator_type()\n"),
        lines("braces_lost", "x = 'cuda:{}'.format(i)\n", "x = f'{accelerator.accelerator_type()}:{i}'\n"),
        lines("braces_not_doubled", "x = 'cuda:{i}'\n", "x = f'{accelerator.accelerator_type()}:{i}'\n"),
        lines("not_interpolated", "x = f'cuda:{i}'\n", "x = '{accelerator.accelerator_type()}:{i}'\n"),
        lines("conversion", "x = 'cuda:0'\n", "x = f'{accelerator.accelerator_type()!r}:0'\n"),
        lines("debug_form", "x = 'cuda:0'\n", "x = f'{accelerator.accelerator_type()=}:0'\n"),
        lines("escape", "x = 'cuda\\n'\n", "x = f'{accelerator.accelerator_type()}\\\\n'\n"),
        lines("raw_escape", "x = 'cuda\\n'\n", "x = rf'{accelerator.accelerator_type()}\\n'\n"),
        lines("named_character", "x = 'cuda\\N{DASH}'\n", "x = rf'{accelerator.accelerator_type()}\\N{{DASH}}'\n"),
        lines("sum_without_brackets", "x = 'cuda:0' % y\n", "x = accelerator.accelerator_type() + ':0' % y\n"),
        lines("docstring", "def f():\n    'cuda'\n", "def f():\n    accelerator.accelerator_type()\n"),
        lines("docstring_interpolated", "def f():\n    'cuda 1'\n",
              "def f():\n    f'{accelerator.accelerator_type()} 1'\n"),
        lines("annotation", "def f(x: 'cuda'): pass\n", "def f(x: accelerator.accelerator_type()): pass\n"),
        lines("returned_annotation", "def f(x) -> 'cuda': pass\n",
              "def f(x) -> accelerator.accelerator_type(): pass\n"),
        lines("literal_type", "x: Literal['cuda'] = 1\n", "x: Literal[accelerator.accelerator_type()] = 1\n"),
        lines("pattern", "match d:\n    case 'cuda': f()\n",
              "match d:\n    case accelerator.accelerator_type(): f()\n"),
        lines("quotes_of_newer_python", "x = f\"{d['cuda:0']}\"\n",
              "x = f\"{d[f\"{accelerator.accelerator_type()}:0\"]}\"\n"),
        Pair{"python2", "import torch\nprint 'x'\ny = 'cuda:0'\n",
             "import torch\nimport accelerator\nprint 'x'\ny = f'{accelerator.accelerator_type()}:0'\n"}),
    pair_name);

INSTANTIATE_TEST_SUITE_P(
    Statements, Wrong,
    testing::Values(
        lines("deleted_line", "torch.cuda.synchronize()\nf()\n", "f()\n"),
        lines("new_line", "f()\n", "f()\naccelerator.synchronize()\n"),
        lines("twice", "torch.cuda.synchronize()\n", "accelerator.synchronize()\naccelerator.synchronize()\n"),
        lines("swapped_lines", "torch.cuda.synchronize()\nf()\n", "f()\naccelerator.synchronize()\n"),
        lines("dedented", "if a:\n    f()\n    torch.cuda.synchronize()\n",
              "if a:\n    f()\naccelerator.synchronize()\n"),
        lines("indented", "if a: f()\ntorch.cuda.synchronize()\n", "if a: f(); accelerator.synchronize()\n"),
        lines("default_becomes_late", "def f(d='cuda'):\n    return d\n",
              "def f(d=None):\n    d = d or accelerator.accelerator_type()\n    return d\n"),
        lines("default_becomes_function", "p(default='cuda')\n", "p(default=lambda: accelerator.accelerator_type())\n"),
        lines("function_becomes_default", "p(default=lambda: torch.cuda.device_count())\n",
              "p(default=accelerator.device_count())\n"),
        lines("swapped_defaults", "def f(a='cuda', b='cpu'): pass\n",
              "def f(b='cpu', a=accelerator.accelerator_type()): pass\n"),
        lines("other_branch", "if torch.cuda.is_available():\n    f()\nelse:\n    g()\n",
              "if accelerator.is_available():\n    g()\nelse:\n    f()\n"),
        lines("lost_else", "if torch.cuda.is_available():\n    f()\nelse:\n    g()\n",
              "if accelerator.is_available():\n    f()\n"),
        lines("changed_operator", "n = torch.cuda.device_count() * b\n", "n = accelerator.device_count() + b\n"),
        lines("changed_precedence", "n = (a + torch.cuda.device_count()) * b\n",
              "n = a + accelerator.device_count() * b\n"),
        lines("lost_decorator", "@d\ndef f():\n    torch.cuda.synchronize()\n",
              "def f():\n    accelerator.synchronize()\n"),
        lines("changed_target", "a = torch.cuda.device_count()\n", "b = accelerator.device_count()\n"),
        lines("script", "@torch.jit.script\ndef f(x):\n    return x.is_cuda\n",
              "@torch.jit.script\ndef f(x):\n    return accelerator.is_accelerator(x)\n"),
        lines("own_torch", "def f(torch):\n    torch.cuda.synchronize()\n",
              "def f(torch):\n    accelerator.synchronize()\n"),
        lines("damage", "f('cuda')\n", "f(accelerator.accelerator_type()\n"),
        lines("syntax", "f('cuda')\n", "f(accelerator.accelerator_type() 1)\n")),
    pair_name);

INSTANTIATE_TEST_SUITE_P(
    Names, Wrong,
    testing::Values(
        lines("shadowed_by_parameter", "def f(a):\n    torch.cuda.synchronize()\n",
              "def f(accelerator):\n    accelerator.synchronize()\n"),
        lines("shadowed_by_assignment", "torch.cuda.synchronize()\n",
              "accelerator = None\naccelerator.synchronize()\n"),
        lines("shadowed_in_loop", "for a in b: torch.cuda.synchronize()\n",
              "for accelerator in b: accelerator.synchronize()\n"),
        Pair{"shadowed_by_original", "import torch\naccelerator = Accelerator()\nx = 'cuda'\n",
             "import torch\nimport accelerator\naccelerator = Accelerator()\nx = accelerator.accelerator_type()\n"},
        Pair{"shadowed_by_import", "import torch\nfrom a import b\nx = 'cuda'\n",
             "import torch\nimport accelerator\nfrom a import b as accelerator\nx = accelerator.accelerator_type()\n"},
        Pair{"never_imported", "import torch\nx = 'cuda'\n", "import torch\nx = accelerator.accelerator_type()\n"},
        Pair{"imported_too_late", "import torch\nx = 'cuda'\n",
             "import torch\nx = accelerator.accelerator_type()\nimport accelerator\n"},
        Pair{"imported_elsewhere", "import torch\ndef f():\n    pass\ndef g():\n    return 'cuda'\n",
             "import torch\ndef f():\n    import accelerator\n    pass\ndef g():\n    return "
             "accelerator.accelerator_type()\n"},
        Pair{"imported_in_a_branch", "import torch\nif a:\n    f()\nx = 'cuda'\n",
             "import torch\nif a:\n    import accelerator\n    f()\nx = accelerator.accelerator_type()\n"},
        Pair{"import_before_future", "from __future__ import annotations\nimport torch\nx = 'cuda'\n",
             "import accelerator\nfrom __future__ import annotations\nimport torch\nx = "
             "accelerator.accelerator_type()\n"},
        Pair{"import_before_docstring", "\"\"\"Doc.\"\"\"\nimport torch\nx = 'cuda'\n",
             "import accelerator\n\"\"\"Doc.\"\"\"\nimport torch\nx = accelerator.accelerator_type()\n"},
        Pair{"import_still_needed", "from torch import cuda\ncuda.synchronize()\nprint(cuda)\n",
             "import accelerator\naccelerator.synchronize()\nprint(cuda)\n"},
        Pair{"exported", "from torch import cuda\n__all__ = ['cuda']\ncuda.synchronize()\n",
             "import accelerator\n__all__ = ['cuda']\naccelerator.synchronize()\n"},
        Pair{"other_import_lost", "import os\nimport torch\nx = 'cuda'\n",
             "import torch\nimport accelerator\nx = accelerator.accelerator_type()\n"},
        Pair{"torch_import_lost", "import torch\nx = 'cuda'\n",
             "import accelerator\nx = accelerator.accelerator_type()\n"},
        Pair{"binding_of_other_name", "from torch.cuda.amp import autocast\n",
             "import accelerator\nautocast = accelerator.accelerator_module().amp.GradScaler\n"},
        Pair{"binding_lost", "from torch.cuda.amp import autocast, GradScaler\ns = GradScaler()\n",
             "import accelerator\nautocast = accelerator.accelerator_module().amp.autocast\ns = GradScaler()\n"},
        Pair{"import_error_no_longer_caught",
             "try:\n    from torch.cuda.tunable import enable\nexcept ImportError:\n    enable = None\n",
             "import accelerator\ntry:\n    enable = accelerator.accelerator_module().tunable.enable\nexcept "
             "ImportError:\n    enable = None\n"},
        Pair{"alias_of_two_meanings", "from torch import cuda\nif fake:\n    cuda = Fake()\ncuda.synchronize()\n",
             "from torch import cuda\nimport accelerator\nif fake:\n    cuda = Fake()\naccelerator.synchronize()\n"},
        Pair{"own_module", "from pkg import cuda\ncuda.synchronize()\n",
             "from pkg import cuda\nimport accelerator\naccelerator.synchronize()\n"},
        Pair{"relative_module", "from . import cuda\ncuda.synchronize()\n",
             "from . import cuda\nimport accelerator\naccelerator.synchronize()\n"},
        Pair{"other_library", "from numba import cuda\ncuda.synchronize()\n",
             "from numba import cuda\nimport accelerator\naccelerator.synchronize()\n"},
        Pair{"global_name", "from torch import cuda\ndef f():\n    global cuda\n    cuda = 1\ncuda.synchronize()\n",
             "from torch import cuda\nimport accelerator\ndef f():\n    global cuda\n    cuda = "
             "1\naccelerator.synchronize()\n"},
        lines("attribute_of_an_alias", "f = torch.cuda.device_count\nf.cache_clear()\n",
              "f = accelerator.device_count\nf.cache_clear()\n"),
        Pair{"order_of_aliases", "from torch import cuda\nStream = cuda.Stream\n",
             "Stream = cuda.Stream\nfrom torch import cuda\n"},
        Pair{"submodule_not_loaded", "import torch.distributed.rpc\nx = 'cuda'\n",
             "import torch\nimport accelerator\nx = accelerator.accelerator_type()\n"}),
    pair_name);

constexpr const char* kBlock =
    "try:\n    import plug\nexcept ModuleNotFoundError:\n    pass\nelse:\n    import adapt\n";

Proof prove_with_adapter(const std::string& before, const std::string& after) {
  FileSurroundings around;
  around.is_adapter = [](std::string_view plug_in, std::string_view adapter) {
    return plug_in == "plug" && adapter == "adapt";
  };
  return prove_file(before, after, table(), around);
}

TEST(Prove, AnAdapterThatIsNotThereDoesNothing) {
  const std::string block = kBlock;
  const std::string shown_block = "try:  # a\n\n  import plug  # noqa\nexcept ModuleNotFoundError:\n  pass\n" +
                                  std::string("else:\n  import adapt\n");
  for (const std::string& text : {block, shown_block, block + block})
    EXPECT_EQ(shown(prove_with_adapter("import torch\nf()\n", text + "import torch\nf()\n")), "identical") << text;
  EXPECT_EQ(shown(prove_with_adapter("import torch\nx = 'cuda' == d.type\n",
                                     "import os\n" + block +
                                         "import torch\nimport accelerator\n"
                                         "x = accelerator.accelerator_type() == d.type\n")),
            "0/1 not in the original: import os\n");
}

class WrongAdapter : public testing::TestWithParam<const char*> {};

TEST_P(WrongAdapter, IsNotIdentical) {
  EXPECT_EQ(prove_with_adapter("import torch\nf()\n", std::string(GetParam()) + "import torch\nf()\n").verdict,
            Proof::Verdict::different);
}

INSTANTIATE_TEST_SUITE_P(
    Blocks, WrongAdapter,
    testing::Values(
        "import adapt\n", "try:\n    import plug\nexcept ModuleNotFoundError:\n    pass\n",
        "try:\n    import other\nexcept ModuleNotFoundError:\n    pass\nelse:\n    import adapt\n",
        "try:\n    import plug\nexcept ModuleNotFoundError:\n    pass\nelse:\n    import other\n",
        "try:\n    import plug\nexcept ModuleNotFoundError:\n    import adapt\nelse:\n    pass\n",
        "try:\n    import plug\nexcept ImportError:\n    pass\nelse:\n    import adapt\n",
        "try:\n    import plug\nexcept:\n    pass\nelse:\n    import adapt\n",
        "try:\n    import plug, sys\nexcept ModuleNotFoundError:\n    pass\nelse:\n    import adapt\n",
        "try:\n    import plug as torch\nexcept ModuleNotFoundError:\n    pass\nelse:\n    import adapt\n",
        "try:\n    import plug.cuda\nexcept ModuleNotFoundError:\n    pass\nelse:\n    import adapt\n",
        "try:\n    import plug\nexcept ModuleNotFoundError:\n    pass\nelse:\n    import adapt; g()\n",
        "try:\n    import plug\nexcept ModuleNotFoundError:\n    g()\nelse:\n    import adapt\n",
        "try:\n    import plug\n    g()\nexcept ModuleNotFoundError:\n    pass\nelse:\n    import adapt\n",
        "try:\n    import plug\nexcept ModuleNotFoundError:\n    pass\nelse:\n    import adapt\nfinally:\n    g()\n",
        "if a:\n  try:\n    import plug\n  except ModuleNotFoundError:\n    pass\n  else:\n    import adapt\n",
        "ModuleNotFoundError = 1\ntry:\n    import plug\nexcept ModuleNotFoundError:\n    pass\nelse:\n    import "
        "adapt\n",
        "from a import *\ntry:\n    import plug\nexcept ModuleNotFoundError:\n    pass\nelse:\n    import adapt\n",
        "try:\n    import plug\nexcept ModuleNotFoundError:\n    pass\nelse:\n    import adapt\nadapt.on()\n"));

TEST(Prove, AnAdapterWhoseNameTheFileHasIsNone) {
  const std::string rest = "import torch\nadapt = None\n";
  EXPECT_EQ(prove_with_adapter(rest, kBlock + rest).verdict, Proof::Verdict::different);
  EXPECT_EQ(prove_file("import torch\n", std::string(kBlock) + "import torch\n", table()).verdict,
            Proof::Verdict::different);
}

TEST(Prove, NamesThePlaces) {
  const Proof proof = prove_file("import torch\nx = 1\ntorch.cuda.synchronize()\ny = 'cuda'\n",
                                 "import torch\nimport accelerator\nx = 1\naccelerator.empty_cache()\n"
                                 "y = accelerator.accelerator_type()\nz = 2\n",
                                 table());
  EXPECT_EQ(shown(proof),
            "3/4 was: torch.cuda.synchronize() — is: accelerator.empty_cache()\n"
            "0/6 not in the original: z = 2\n");
}

TEST(Prove, ARelativeImportNeedsItsPackages) {
  FileSurroundings around;
  around.is_packaged = [](std::size_t dots) { return dots <= 1; };
  const auto shown_for = [&](const std::string& head, const std::string& module) {
    return shown(prove_file(
        "import torch\n" + head + "x = 'cuda'\n",
        "import torch\n" + head + "from " + module + " import accelerator\nx = accelerator.accelerator_type()\n",
        table(), around));
  };
  const std::string none = "0/2 a relative import in a file that lies in no package\n";
  EXPECT_EQ(shown_for("", "."), "identical");
  EXPECT_EQ(shown_for("", ".pkg"), "identical");
  EXPECT_EQ(shown_for("", ".."), none);
  EXPECT_EQ(shown_for("from ..pkg import other\n", ".."), "identical");
  EXPECT_EQ(shown_for("def f():\n    from ..pkg import other\n", ".."),
            "0/4 a relative import in a file that lies in no package\n");
  const std::string program = "if __name__ == '__main__':\n    f()\n";
  EXPECT_EQ(shown_for(program, "."), "0/4 a relative import, which fails where the file is run as a program\n");
  EXPECT_EQ(shown_for("from . import other\n" + program, "."), "identical");
  EXPECT_EQ(shown_for(program, "pkg"), "identical");
}

TEST(Prove, AsksWhatItCannotSee) {
  FileSurroundings around;
  const std::set<std::string> functions = {"accelerator_type", "synchronize"};
  around.is_helper = [&](std::string_view module) { return HelperModule{module == "pkg.accelerator", &functions}; };
  around.is_taken = [](std::string_view name) { return name == "cuda"; };
  const std::string before = "import torch\nx = 'cuda'\n";
  EXPECT_EQ(prove_file(before, "import torch\nfrom pkg import accelerator\nx = accelerator.accelerator_type()\n",
                       table(), around)
                .verdict,
            Proof::Verdict::identical);
  EXPECT_EQ(
      prove_file(before, "import torch\nimport accelerator\nx = accelerator.accelerator_type()\n", table(), around)
          .verdict,
      Proof::Verdict::different);
  EXPECT_EQ(
      shown(prove_file("import torch\ntorch.cuda.empty_cache()\n",
                       "import torch\nfrom pkg import accelerator\naccelerator.empty_cache()\n", table(), around)),
      "0/3 the helper has no 'empty_cache'\n");
  EXPECT_EQ(prove_file("from torch import cuda\ncuda.synchronize()\n",
                       "from pkg import accelerator\naccelerator.synchronize()\n", table(), around)
                .verdict,
            Proof::Verdict::different);
}

TEST(Prove, ClaimsNothingAboutWhatItCannotRead) {
  EXPECT_EQ(prove_file("f(\n", "f(\n\n", table()).verdict, Proof::Verdict::unreadable);
  EXPECT_EQ(shown(prove_file("x = 1\ny = f(a\n b=2)\n", "import z\n\nx = 1\ny = f(a\n b=2)\n", table())),
            "2/4 original and ported: the text cannot be parsed as Python\n");
  EXPECT_EQ(shown(prove_file("x = 1\n", "x = 1\ny = 2 2\n", table())),
            "0/2 ported: the text cannot be parsed as Python\n");
  EXPECT_EQ(prove_file(std::string("x\0", 2), "x", table()).verdict, Proof::Verdict::unreadable);
}

}  // namespace
}  // namespace accelport
