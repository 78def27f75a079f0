#include "syntax/python_sinks.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/text.h"

namespace accelport {
namespace {

constexpr int kAny = -2;  // every positional argument

struct Row {
  std::string_view function;  // the whole resolved name, or ".name" for its last part
  int argument;
  Flow flow;
};

constexpr Flow kPass = Flow::none;

// clang-format off
constexpr Row kRows[] = {
    // places of a device
    {".to", 0, Flow::device}, {"torch.device", kAny, Flow::device}, {".autocast", 0, Flow::device},
    {".init_device_mesh", 0, Flow::device}, {".DeviceMesh", 0, Flow::device}, {".Generator", 0, Flow::device},
    {"torch.amp.GradScaler", 0, Flow::device}, {".set_default_device", 0, Flow::device},
    {".get_device_module", 0, Flow::device}, {".set_default_tensor_type", 0, Flow::device},
    {"torch.load", 1, Flow::device}, {".type", 0, Flow::device}, {".cuda", 0, Flow::device},
    {".pin_memory", 0, Flow::device}, {".Device", 0, Flow::device}, {".to_device", 1, Flow::device},
    {".move_to_device", 1, Flow::device}, {".set_device", 0, Flow::device}, {".to_empty", 0, Flow::device},
    {"torch.set_device", 0, Flow::device}, {".rng_fork", 0, Flow::device}, {".device", 0, Flow::device},
    // process groups
    {".init_process_group", 0, Flow::backend}, {".init_distributed", 0, Flow::backend},
    {".init_collective_group", 2, Flow::backend}, {".Backend", 0, Flow::backend},
    {".ProcessGroup", kAny, Flow::backend}, {".new_group", 2, Flow::backend},
    // environment
    {"os.environ.get", 0, Flow::environment}, {"os.environ.setdefault", 0, Flow::environment},
    {"os.environ.pop", 0, Flow::environment}, {"os.environ.update", kAny, Flow::environment},
    {"os.environ.__getitem__", 0, Flow::environment}, {"os.environ.copy", 0, Flow::environment},
    {"os.getenv", 0, Flow::environment}, {"os.putenv", 0, Flow::environment}, {"os.unsetenv", 0, Flow::environment},
    {".getenv", 0, Flow::environment}, {".setenv", 0, Flow::environment}, {".delenv", 0, Flow::environment},
    // names of modules and attributes
    {"importlib.import_module", 0, Flow::module_name}, {".import_module", 0, Flow::module_name},
    {"__import__", 0, Flow::module_name}, {".find_spec", 0, Flow::module_name}, {".find_loader", 0, Flow::module_name},
    {".importorskip", 0, Flow::module_name}, {"unittest.mock.patch", 0, Flow::module_name},
    {"mock.patch", 0, Flow::module_name}, {"patch", 0, Flow::module_name}, {".patch", 0, Flow::module_name},
    {"?.setattr", 0, Flow::module_name}, {"monkeypatch.setattr", 0, Flow::module_name},
    {"?.delattr", 0, Flow::module_name}, {"monkeypatch.delattr", 0, Flow::module_name},
    {".is_package_available", 0, Flow::module_name}, {"._is_package_available", 0, Flow::module_name},
    {"importlib.metadata.version", 0, Flow::module_name}, {".get_distribution", 0, Flow::module_name},
    {".import_from", 0, Flow::module_name},
    // text for people
    {"print", kAny, Flow::message}, {".debug", kAny, Flow::message}, {".info", kAny, Flow::message},
    {".warning", kAny, Flow::message}, {".warn", kAny, Flow::message}, {".error", kAny, Flow::message},
    {".critical", kAny, Flow::message}, {".exception", kAny, Flow::message}, {".log", kAny, Flow::message},
    {".warning_once", kAny, Flow::message}, {".info_once", kAny, Flow::message}, {".fatal", kAny, Flow::message},
    {"pytest.skip", 0, Flow::message}, {".skip", 0, Flow::message}, {".skipTest", 0, Flow::message},
    {"pytest.fail", 0, Flow::message}, {".fail", 0, Flow::message}, {".echo", kAny, Flow::message},
    {"sys.exit", 0, Flow::message}, {".write", 0, Flow::message}, {"input", 0, Flow::message},
    {".skipIf", 1, Flow::message}, {".skipUnless", 1, Flow::message}, {".set_title", 0, Flow::message},
    {".title", 0, Flow::message}, {".set_description", 0, Flow::message}, {".xfail", kAny, Flow::message},
    // files
    {"open", 0, Flow::path}, {".Path", kAny, Flow::path}, {"torch.load", 0, Flow::path}, {"torch.save", 1, Flow::path},
    {"numpy.load", 0, Flow::path}, {"numpy.save", 0, Flow::path}, {"os.path.join", kAny, Flow::path},
    {"os.path.exists", 0, Flow::path}, {"os.path.isfile", 0, Flow::path}, {"os.path.isdir", 0, Flow::path},
    {"os.makedirs", 0, Flow::path}, {"os.listdir", 0, Flow::path}, {".glob", 0, Flow::path}, {".rglob", 0, Flow::path},
    {".CDLL", 0, Flow::path}, {".LoadLibrary", 0, Flow::path}, {".load_library", 0, Flow::path},
    {".find_library", 0, Flow::path}, {"shutil.copy", kAny, Flow::path}, {".savefig", 0, Flow::path},
    {"shutil.which", 0, Flow::command}, {".which", 0, Flow::command},
    // programs
    {"os.system", 0, Flow::command}, {"os.popen", 0, Flow::command}, {"subprocess.run", 0, Flow::command},
    {"subprocess.call", 0, Flow::command}, {"subprocess.check_call", 0, Flow::command},
    {"subprocess.check_output", 0, Flow::command}, {"subprocess.Popen", 0, Flow::command},
    {"subprocess.getoutput", 0, Flow::command}, {"subprocess.getstatusoutput", 0, Flow::command},
    {".Popen", 0, Flow::command}, {".check_output", 0, Flow::command}, {".check_call", 0, Flow::command},
    {".run_command", 0, Flow::command}, {".execvp", kAny, Flow::command}, {".execv", kAny, Flow::command},
    {"shlex.split", 0, Flow::command}, {".create_subprocess_exec", kAny, Flow::command},
    {".create_subprocess_shell", 0, Flow::command},
    // options
    {".add_argument", kAny, Flow::option_name}, {".add_option", kAny, Flow::option_name},
    {".option", kAny, Flow::option_name}, {".addoption", kAny, Flow::option_name},
    {".DEFINE_string", 0, Flow::option_name}, {".DEFINE_bool", 0, Flow::option_name},
    // device code in strings
    {".load_inline", 2, Flow::source_code}, {".RawKernel", 0, Flow::source_code}, {".RawModule", 0, Flow::source_code},
    {".SourceModule", 0, Flow::source_code}, {".ElementwiseKernel", 2, Flow::source_code},
};

/// The result is the argument, or made of it.
constexpr Row kPassing[] = {
    {"os.environ.get", 1, kPass}, {"os.getenv", 1, kPass}, {"getattr", 2, kPass}, {".get", 1, kPass}, {".pop", 1, kPass},
    {".setdefault", 1, kPass}, {".getenv", 1, kPass}, {"str", 0, kPass}, {"list", 0, kPass}, {"tuple", 0, kPass},
    {"set", 0, kPass}, {"sorted", 0, kPass}, {"frozenset", 0, kPass}, {"cast", 1, kPass}, {"typing.cast", 1, kPass},
    {".format", kAny, kPass}, {".join", 0, kPass}, {".Option", 0, kPass}, {".Field", 0, kPass},
    {"itertools.cycle", 0, kPass}, {".ensure_device", 0, kPass}, {"next", kAny, kPass}, {"?.replace", 1, kPass},
    {"enumerate", 0, kPass}, {"zip", kAny, kPass}, {"itertools.product", kAny, kPass}, {"reversed", 0, kPass},
    {"os.path.join", kAny, Flow::path},
};

struct Keyword {
  std::string_view keyword;
  Flow flow;
};

constexpr Keyword kKeywords[] = {
    {"help", Flow::help}, {"metavar", Flow::help}, {"epilog", Flow::help}, {"usage", Flow::help},
    {"description", Flow::message}, {"msg", Flow::message}, {"message", Flow::message}, {"reason", Flow::message},
    {"title", Flow::message}, {"label", Flow::message}, {"desc", Flow::message}, {"match", Flow::message},
    {"env", Flow::environment}, {"cuda_sources", Flow::source_code}, {"cpp_sources", Flow::source_code},
    {"cuda_src", Flow::source_code}, {"dest", Flow::option_name}, {"pg_backend", Flow::backend},
};
// clang-format on

std::string_view last_part(std::string_view api) { return api.substr(api.rfind('.') + 1); }

bool matches(const Row& row, std::string_view api, std::string_view last, int index) {
  if (row.argument != kAny && row.argument != index) return false;
  if (row.function[0] == '.') return row.function.substr(1) == last;
  return row.function == api;
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// print_rank_0, log_dist, RuntimeError: functions that take text for people, by their names.
bool takes_message(std::string_view last) {
  const std::string lower = ascii_lower(last);
  return ends_with(lower, "error") || ends_with(lower, "exception") || ends_with(lower, "warning") ||
         lower.find("print") != std::string::npos || lower.substr(0, 4) == "log_" || lower == "logger";
}

Flow flow_of_keyword(std::string_view api, std::string_view keyword) {
  for (const Keyword& row : kKeywords)
    if (row.keyword == keyword) return row.flow;
  const std::string_view last = last_part(api);
  const Flow named = flow_of_name(keyword);
  // torch.compile and attention back ends are no process groups.
  if (named == Flow::backend && (last == "compile" || last.find("attn") != std::string_view::npos)) return Flow::none;
  return named;
}

}  // namespace

PySink sink_of_argument(std::string_view api, int index, std::string_view keyword) {
  const std::string_view last = last_part(api);
  if (index < 0) {
    const bool passes = keyword == "default" || keyword == "default_factory" || keyword == "fallback" ||
                        keyword == "choices" || keyword == "const";
    const Flow flow = flow_of_keyword(api, keyword);
    return {flow, flow == Flow::none && passes};
  }
  for (const Row& row : kPassing)
    if (matches(row, api, last, index)) return {row.flow, true};
  for (const Row& row : kRows)
    if (matches(row, api, last, index)) return {row.flow, false};
  if (takes_message(last)) return {Flow::message, false};
  return {};
}

Flow flow_of_name(std::string_view name) {
  const std::string lower = ascii_lower(name);
  const auto has_part = [&](std::string_view part) { return lower.find(part) != std::string::npos; };
  if (has_part("visible_devices") || has_part("device_count") || has_part("device_ids")) return Flow::none;
  if (lower == "dev" || has_part("device") || lower == "map_location" || lower == "accelerator") return Flow::device;
  if (has_part("backend") && !has_part("attn") && !has_part("attention")) return Flow::backend;
  return Flow::none;
}

namespace {

bool looks_like_path(std::string_view value) {
  if (value.size() > 400 || value.find(' ') != std::string_view::npos || value.find('\n') != std::string_view::npos)
    return false;
  if (value.find("://") != std::string_view::npos) return true;
  const std::size_t slash = value.find('/');
  if (slash != std::string_view::npos && value.size() > slash + 1) return true;
  constexpr std::string_view kEndings[] = {".py",  ".cu",   ".cuh",  ".cpp",    ".cc",  ".h",  ".so", ".pt",
                                           ".pth", ".json", ".yaml", ".yml",    ".txt", ".md", ".sh", ".bin",
                                           ".csv", ".log",  ".whl",  ".tar.gz", ".dll", ".ptx"};
  return std::any_of(std::begin(kEndings), std::end(kEndings),
                     [&](std::string_view end) { return value.size() > end.size() && ends_with(value, end); });
}

bool looks_like_source(std::string_view value) {
  if (value.size() < 20) return false;
  constexpr std::string_view kMarks[] = {"__global__", "__device__", "#include",    "extern \"C\"",
                                         "blockIdx",   "threadIdx",  "@triton.jit", "torch::Tensor",
                                         "at::Tensor", ".version ",  "cudaStream_t"};
  return std::any_of(std::begin(kMarks), std::end(kMarks),
                     [&](std::string_view mark) { return value.find(mark) != std::string_view::npos; });
}

}  // namespace

Flow flow_of_value(std::string_view value) {
  if (looks_like_source(value)) return Flow::source_code;
  if (looks_like_path(value)) return Flow::path;
  return Flow::none;
}

bool keeps_text(std::string_view method) {
  constexpr std::string_view kMethods[] = {"format",  "join",   "lower",  "upper",      "strip", "lstrip",    "rstrip",
                                           "replace", "encode", "decode", "format_map", "title", "capitalize"};
  return std::find(std::begin(kMethods), std::end(kMethods), method) != std::end(kMethods);
}

}  // namespace accelport
