#include "syntax/command_line.h"

#include <algorithm>

#include "syntax/listed.h"
#include "syntax/requirement.h"

namespace accelport {
namespace {

constexpr std::string_view kVerbPrograms[] = {"pip",     "pip3",        "conda",     "mamba",          "micromamba",
                                              "apt-get", "apt",         "docker",    "podman",         "nvidia-docker",
                                              "git",     "kubectl",     "uv",        "poetry",         "brew",
                                              "yum",     "dnf",         "apk",       "pixi",           "accelerate",
                                              "module",  "singularity", "apptainer", "helm",           "zypper",
                                              "npm",     "cargo",       "ray",       "docker-compose", "pipx",
                                              "pdm",     "spack",       "ml"};
constexpr std::string_view kInstallers[] = {
    "pip install",    "pip3 install",       "uv pip install",  "conda install",    "conda create",    "mamba install",
    "mamba create",   "micromamba install", "apt-get install", "apt install",      "poetry add",      "uv add",
    "yum install",    "dnf install",        "apk add",         "pixi add",         "pip download",    "pip uninstall",
    "conda remove",   "pip wheel",          "pip3 uninstall",  "pip3 download",    "apt-get remove",  "pdm add",
    "zypper install", "brew install",       "pip show",        "uv pip uninstall", "conda uninstall", "pipx install",
    "spack install",  "apt-mark hold"};
constexpr std::string_view kInstallOptions[] = {"-r",
                                                "--requirement",
                                                "-c",
                                                "--constraint",
                                                "-f",
                                                "--find-links",
                                                "-i",
                                                "--index-url",
                                                "--extra-index-url",
                                                "--trusted-host",
                                                "-t",
                                                "--target",
                                                "--prefix",
                                                "--root",
                                                "--channel",
                                                "-n",
                                                "--name",
                                                "-p",
                                                "--file",
                                                "--python",
                                                "--index",
                                                "--platform",
                                                "--only-binary",
                                                "--no-binary",
                                                "--config-settings",
                                                "--global-option",
                                                "--build-option",
                                                "--install-option",
                                                "--override-channels-for",
                                                "--group",
                                                "--extra",
                                                "--python-version",
                                                "--progress-bar",
                                                "--timeout"};
constexpr std::string_view kContainers[] = {
    "docker run",       "podman run",     "nvidia-docker run", "docker create",
    "podman create",    "docker pull",    "podman pull",       "singularity exec",
    "singularity run",  "apptainer exec", "apptainer run",     "nvidia-docker pull",
    "singularity pull", "apptainer pull", "docker push",       "docker tag"};
constexpr std::string_view kContainerSwitches[] = {"-i",
                                                   "-t",
                                                   "-it",
                                                   "-ti",
                                                   "-d",
                                                   "-dit",
                                                   "-itd",
                                                   "-dti",
                                                   "--rm",
                                                   "--privileged",
                                                   "--init",
                                                   "--detach",
                                                   "--interactive",
                                                   "--tty",
                                                   "-P",
                                                   "--publish-all",
                                                   "--read-only",
                                                   "-q",
                                                   "--quiet",
                                                   "--nv",
                                                   "--rocm",
                                                   "--no-healthcheck",
                                                   "--oom-kill-disable",
                                                   "--writable",
                                                   "--contain",
                                                   "--cleanenv",
                                                   "-e"};
constexpr std::string_view kWrappers[] = {"sudo",          "env",      "nohup",      "exec",
                                          "time",          "command",  "nice",       "ionice",
                                          "stdbuf",        "timeout",  "xargs",      "srun",
                                          "mpirun",        "mpiexec",  "numactl",    "taskset",
                                          "nsys",          "ncu",      "nvprof",     "compute-sanitizer",
                                          "cuda-memcheck", "cuda-gdb", "gdb",        "strace",
                                          "salloc",        "unbuffer", "setsid",     "catchsegv",
                                          "parallel",      "watch",    "retry",      "eval",
                                          "horovodrun",    "chroot",   "then",       "do",
                                          "else",          "uv run",   "poetry run", "conda run",
                                          "pixi run"};
constexpr std::string_view kPrinters[] = {"echo",  "printf", "die",   "log",    "info", "warn",
                                          "error", "fail",   "print", "logger", "usage"};
constexpr std::string_view kShells[] = {"bash", "sh", "zsh", "ksh", "dash"};
constexpr std::string_view kVariableOptions[] = {"-e", "--env", "-x", "-genv", "--genv", "--build-arg"};

bool is_python(std::string_view program) {
  if (!program.starts_with("python") && program != "ipython" && program != "pypy3") return false;
  return program.find_first_not_of("0123456789.", 6) == std::string_view::npos || program == "ipython" ||
         program == "pypy3";
}

bool looks_like_program(std::string_view value) {
  static constexpr std::string_view kPrograms[] = {"torchrun", "deepspeed", "nvidia-smi",       "pytest",   "make",
                                                   "cmake",    "swift",     "llamafactory-cli", "megatron", "ninja"};
  const std::string_view name = last_component(value);
  return is_python(name) || listed(name, kShells) || listed(name, kPrograms) || listed(name, kWrappers) ||
         listed(name, kVerbPrograms) || name.ends_with(".py") || name.ends_with(".sh") || value.starts_with("./");
}

bool is_path(std::string_view value) { return value.find('/') != std::string_view::npos; }

std::string_view option_name(std::string_view value) { return value.substr(0, value.find('=')); }

/// "device=cuda", "trainer.accelerator=gpu", "+model.dtype=…": the key's size, or 0.
std::size_t override_key(std::string_view value) {
  std::size_t i = 0;
  while (i < value.size() && (is_word_byte(value[i]) || value[i] == '.' || value[i] == '+' || value[i] == '-' ||
                              value[i] == '/' || value[i] == '@'))
    ++i;
  return i > 0 && i < value.size() && value[i] == '=' && value.find_first_of("=") == i &&
                 !value.substr(i).starts_with("==")
             ? i
             : 0;
}

std::vector<std::string_view> split_commas(std::string_view value) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t comma = value.find(',');
    parts.push_back(value.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    value.remove_prefix(comma + 1);
  }
}

}  // namespace

bool is_assignment(std::string_view text, std::size_t& name_size) {
  std::size_t i = 0;
  if (text.empty() || is_ascii_digit(text[0])) return false;
  while (i < text.size() && is_word_byte(text[i]) && static_cast<unsigned char>(text[i]) < 0x80) ++i;
  name_size = i;
  if (i > 0 && i < text.size() && text[i] == '[') {  // NAME[index]=
    const std::size_t close = text.find(']', i);
    if (close == std::string_view::npos) return false;
    i = close + 1;
  }
  if (i < text.size() && text[i] == '+') ++i;
  return name_size > 0 && i < text.size() && text[i] == '=' && text.substr(i, 2) != "==";
}

Site* add_variable(SiteSink& sink, Span span, std::string_view name, std::string_view value, Context context) {
  Site* site = sink.add(span, SiteKind::variable, context);
  if (site == nullptr) return nullptr;
  site->api = "env:" + std::string(name);
  site->keyword = std::string(name);
  site->value = std::string(value);
  site->flows |= Flow::environment;
  if (is_path(value)) site->flows |= Flow::path;
  return site;
}

std::vector<CommandWord> split_words(std::string_view text, std::uint32_t begin) {
  std::vector<CommandWord> words;
  for (std::size_t i = 0; i < text.size();) {
    if (is_ascii_space(text[i])) {
      ++i;
      continue;
    }
    CommandWord word;
    word.span.begin = begin + static_cast<std::uint32_t>(i);
    char quote = 0;
    for (; i < text.size() && (quote != 0 || !is_ascii_space(text[i])); ++i) {
      if (text[i] == quote) {
        quote = 0;
      } else if (quote == 0 && (text[i] == '"' || text[i] == '\'')) {
        quote = text[i];
      } else {
        word.value += text[i];
      }
    }
    word.span.end = begin + static_cast<std::uint32_t>(i);
    words.push_back(std::move(word));
  }
  return words;
}

CommandLine::CommandLine(SiteSink& sink, std::vector<CommandWord> words, std::function<void(const CommandWord&)> expand)
    : sink_(sink), words_(std::move(words)), expand_(std::move(expand)) {}

bool CommandLine::is_option(std::size_t index) const {
  return index < words_.size() && words_[index].value.size() > 1 && words_[index].value[0] == '-';
}

void CommandLine::emit() {
  do {
    again_ = false;
    argument_ = 0;
    emit_program();
  } while (again_ && !at_end());
}

void CommandLine::emit_program() {
  std::size_t name_size = 0;
  std::size_t program = at_;
  while (program < words_.size() && is_assignment(words_[program].value, name_size)) ++program;
  program_ = program < words_.size() ? std::string(last_component(words_[program].value)) : std::string();
  callee_ = program_;
  find_first_argument(program + 1);
  while (at_ < program) emit_assignment({});
  if (at_end()) return;
  if (Site* site = add(word(), Context::command_name)) site->api = "tool:" + program_;
  ++at_;
  if (listed(program_, kVerbPrograms)) emit_verb();
  if (program_ == "[" || program_ == "[[" || program_ == "test") return emit_test();
  if (listed(program_, kWrappers) || listed(callee_, kWrappers)) return emit_wrapper();
  emit_arguments();
}

/// The script, image or package: the first word that is neither an option nor the value of one.
void CommandLine::find_first_argument(std::size_t from) {
  const bool known = listed(callee_, kInstallers) || listed(callee_, kContainers);
  while (is_option(from)) {
    const std::string_view option = words_[from].value;
    const bool valued =
        known ? option_takes_value(option) || listed(option, kVariableOptions) : option.starts_with("--");
    ++from;
    if (valued && option.find('=') == std::string_view::npos && from + 1 < words_.size() && !is_option(from) &&
        (known || !looks_like_program(words_[from].value)))
      ++from;
  }
  first_argument_ = from < words_.size() ? words_[from].value : std::string();
}

void CommandLine::emit_verb() {
  while (is_option(at_) && at_ + 1 < words_.size()) {
    const bool pair =
        word().value.find('=') == std::string::npos && !is_option(at_ + 1) &&
        (word().value == "-n" || word().value == "-p" || word().value == "--name" || word().value == "-C");
    emit_option();
    if (pair) add(words_[at_++], Context::command_argument);
  }
  if (at_end()) return;
  callee_ += " " + word().value;
  add(word(), Context::command_argument);
  ++at_;
  if (callee_ == "uv pip" && !at_end()) {
    callee_ += " " + word().value;
    add(word(), Context::command_argument);
    ++at_;
  }
  find_first_argument(at_);
}

/// Options of the wrapper, variables, then another program.
void CommandLine::emit_wrapper() {
  std::string option;
  while (!at_end()) {
    std::size_t name_size = 0;
    if (is_option(at_)) {
      option = std::string(option_name(word().value));
      const bool open = word().value.find('=') == std::string::npos;
      const bool variable = listed(option, kVariableOptions);
      emit_option();
      if (!open || starts_program(at_)) option.clear();
      if (variable && open && !at_end() && !is_option(at_)) emit_assignment(option);
    } else if (is_assignment(word().value, name_size)) {
      emit_assignment({});
    } else if (!option.empty() && !starts_program(at_)) {
      emit_argument(option);
      option.clear();
    } else if (program_ == "timeout" && argument_ == 0 && !word().value.empty() && is_ascii_digit(word().value[0])) {
      emit_argument({});
    } else if (program_ == "nsys" && argument_ == 0 && !starts_program(at_)) {
      callee_ += " " + word().value;
      emit_argument({});
    } else {
      again_ = true;
      return;
    }
  }
}

bool CommandLine::starts_program(std::size_t index) const {
  return index < words_.size() && looks_like_program(words_[index].value);
}

/// `[ "$DEVICE" = cuda ]`: each operand knows the other side.
void CommandLine::emit_test() {
  for (; !at_end(); ++at_) {
    const auto is_operator = [&](std::size_t i) {
      const std::string_view value = i < words_.size() ? std::string_view(words_[i].value) : std::string_view();
      return value == "=" || value == "==" || value == "!=" || value == "=~" || value == "-eq" || value == "-ne" ||
             value == "-gt" || value == "-ge" || value == "-lt";
    };
    std::string other;
    if (is_operator(at_ + 1) && at_ + 2 < words_.size()) other = words_[at_ + 2].value;
    if (at_ >= 2 && is_operator(at_ - 1)) other = words_[at_ - 2].value;
    Site* site = add(word(), other.empty() ? Context::condition : Context::compared);
    if (site == nullptr) continue;
    if (other.starts_with('$'))
      other = "env:" + std::string(other.substr(other.starts_with("${") ? 2 : 1,
                                                other.find_first_of("}:-", 2) - (other.starts_with("${") ? 2 : 1)));
    site->callee = other;
    site->flows |= Flow::compared_only;
  }
}

bool CommandLine::option_takes_value(std::string_view option) const {
  if (listed(callee_, kInstallers)) return listed(option, kInstallOptions) || (option == "-c");
  if (listed(callee_, kContainers)) return !listed(option, kContainerSwitches);
  return true;
}

void CommandLine::emit_arguments() {
  std::string option;
  bool image_seen = false;
  while (!at_end()) {
    if (is_option(at_)) {
      option = std::string(option_name(word().value));
      const bool open = word().value.find('=') == std::string::npos;
      emit_option();
      if (open && option == "-c" && !at_end() && (is_python(program_) || listed(program_, kShells))) {
        emit_code(is_python(program_) ? Language::python : Language::shell);
      } else if (open && option == "-m" && !at_end() && is_python(program_)) {
        callee_ += " -m " + word().value;
        emit_argument(option);
        if (callee_ == "python -m pip" || callee_ == "python3 -m pip") {
          program_ = callee_ = "pip";
          emit_verb();
        }
        option.clear();
      } else if (open && listed(option, kVariableOptions) && !listed(callee_, kInstallers) && !at_end() &&
                 !is_option(at_)) {
        emit_assignment(option);
        option.clear();
      } else if (!open || !option_takes_value(option)) {
        option.clear();
      }
      continue;
    }
    const bool container = listed(callee_, kContainers);
    if (container && image_seen) {
      again_ = true;
      return;
    }
    image_seen = container && option.empty();
    emit_argument(option);
    option.clear();
  }
}

void CommandLine::emit_option() {
  const CommandWord& here = word();
  const std::string_view value = here.value;
  const std::string_view name = option_name(value);
  ++at_;
  if (name.size() < value.size() && (listed(name, kVariableOptions) || name == "--export")) {
    for (const std::string_view part : split_commas(value.substr(name.size() + 1))) {
      std::size_t name_size = 0;
      if (!is_assignment(part, name_size) && part != value.substr(name.size() + 1)) continue;
      if (name_size == 0 || !add_variable(sink_, here.span, part.substr(0, name_size),
                                          part.substr(std::min(part.size(), name_size + 1)), Context::set))
        continue;
      sink_.site(sink_.count() - 1).callee = callee_;
      return;
    }
  }
  Site* site = add(here, Context::command_option);
  if (site == nullptr) return;
  site->keyword = std::string(name);
  if (name.size() < value.size()) {
    site->value = std::string(value.substr(name.size() + 1));
  } else {
    site->value = !at_end() && !is_option(at_) ? word().value : std::string();
  }
}

void CommandLine::emit_argument(const std::string& option) {
  const CommandWord& here = word();
  const int index = option.empty() ? argument_++ : -1;
  ++at_;
  Site* site = add(here, Context::command_argument);
  if (site == nullptr) return;
  site->keyword = option;
  site->argument = index;
  if (listed(program_, kPrinters)) site->flows |= Flow::message;
  if (!option.empty()) return;
  if (listed(callee_, kInstallers)) {
    if (describe_requirement(here.value, *site)) return;
  } else if (listed(callee_, kContainers)) {
    const std::string_view image =
        std::string_view(here.value).starts_with("docker://") ? std::string_view(here.value).substr(9) : here.value;
    site->api = "image:" + std::string(image);
  } else if (const std::size_t key = override_key(here.value); key > 0) {
    site->keyword = here.value.substr(0, key);
    site->value = here.value.substr(key + 1);
  }
}

void CommandLine::emit_assignment(std::string_view option) {
  const CommandWord& here = word();
  std::size_t name_size = 0;
  const bool full = is_assignment(here.value, name_size);
  ++at_;
  const std::size_t first = sink_.count();
  if (expand_) expand_(here);
  if (!sink_.touched_outside(here.span, first)) return;
  const std::string_view value = here.value;
  const std::string_view name = full ? value.substr(0, name_size) : value;
  const std::string_view rest = full ? value.substr(value.find('=') + 1) : std::string_view();
  Site* site = add_variable(sink_, here.span, name, rest,
                            option.empty() ? Context::prefixed
                            : full         ? Context::set
                                           : Context::exported);
  if (site == nullptr) return;
  site->callee = callee_;
  site->first_argument = first_argument_;
}

/// The word behind -c is a program of its own, if it is one quoted string.
void CommandLine::emit_code(Language language) {
  const CommandWord& here = word();
  const std::string_view raw = sink_.text(here.span);
  const bool quoted = raw.size() > 2 && (raw.front() == '\'' || raw.front() == '"') && raw.back() == raw.front();
  ++at_;
  if (!quoted) {
    add(here, Context::command_argument);
    return;
  }
  const std::size_t first =
      sink_.read_piece({here.span.begin + 1, here.span.end - 1}, {language, sink_.input().kind.roles});
  if (sink_.touched_outside(here.span, first)) {
    if (Site* site = add(here, Context::command_argument)) site->keyword = "-c";
  }
}

Site* CommandLine::add(const CommandWord& word, Context context) {
  const std::size_t first = sink_.count();
  if (!sink_.touched(word.span)) return nullptr;
  if (expand_) expand_(word);
  if (!sink_.touched_outside(word.span, first)) return nullptr;
  Site* site = sink_.add(word.span, SiteKind::command, context);
  if (site == nullptr) return nullptr;
  site->callee = callee_;
  site->value = word.value;
  site->first_argument = first_argument_;
  if (is_path(word.value)) site->flows |= Flow::path;
  return site;
}

}  // namespace accelport
