#include "syntax/language.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/text.h"

namespace accelport {
namespace {

template <std::size_t N>
bool listed(std::string_view word, const std::string_view (&list)[N]) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

using NamedLanguage = std::pair<std::string_view, Language>;

constexpr NamedLanguage kEndings[] = {
    {"py", Language::python},       {"pyi", Language::python},     {"pyx", Language::python},    {"pxd", Language::python},   {"pxi", Language::python},
    {"pyw", Language::python},      {"ipynb", Language::notebook}, {"c", Language::cxx},         {"h", Language::cxx},        {"cc", Language::cxx},
    {"cpp", Language::cxx},         {"cxx", Language::cxx},        {"c++", Language::cxx},       {"hpp", Language::cxx},      {"hh", Language::cxx},
    {"hxx", Language::cxx},         {"inl", Language::cxx},        {"inc", Language::cxx},       {"ipp", Language::cxx},      {"tpp", Language::cxx},
    {"cu", Language::cxx},          {"cuh", Language::cxx},        {"cuinc", Language::cxx},     {"hip", Language::cxx}, {"mu", Language::cxx}, {"muh", Language::cxx},      
    {"mm", Language::cxx},         {"m", Language::cxx},         {"metal", Language::cxx},    {"cl", Language::cxx},
    {"ptx", Language::cxx},         {"sh", Language::shell},       {"bash", Language::shell},    {"zsh", Language::shell},    {"ksh", Language::shell},
    {"slurm", Language::shell},     {"sbatch", Language::shell},   {"env", Language::shell},     {"csh", Language::shell},    {"envrc", Language::shell},
    {"bats", Language::shell},      {"dockerfile", Language::dockerfile}, {"containerfile", Language::dockerfile}, {"cmake", Language::cmake},
    {"mk", Language::make},         {"mak", Language::make},       {"make", Language::make},     {"yaml", Language::yaml},    {"yml", Language::yaml},
    {"json", Language::json},       {"jsonc", Language::json},     {"json5", Language::json},    {"jsonl", Language::json},   {"ndjson", Language::json},
    {"toml", Language::toml},       {"ini", Language::ini},        {"cfg", Language::ini},       {"conf", Language::ini},     {"properties", Language::ini},
    {"flake8", Language::ini},      {"pylintrc", Language::ini},   {"coveragerc", Language::ini}, {"md", Language::markdown}, {"mdx", Language::markdown},
    {"markdown", Language::markdown}, {"qmd", Language::markdown}, {"rmd", Language::markdown},  {"rst", Language::rst},      {"rest", Language::rst},
    {"webmanifest", Language::json}, {"code-workspace", Language::json}, {"lock", Language::text}, {"hpc", Language::shell},   {"pbs", Language::shell}};

constexpr NamedLanguage kNames[] = {
    {"python", Language::python}, {"py", Language::python}, {"python3", Language::python}, {"pycon", Language::python}, {"ipython", Language::python},
    {"ipython3", Language::python}, {"cython", Language::python}, {"bash", Language::shell}, {"sh", Language::shell}, {"shell", Language::shell}, {"console", Language::shell},
    {"zsh", Language::shell}, {"shell-session", Language::shell}, {"shellsession", Language::shell}, {"sh-session", Language::shell}, {"terminal", Language::shell},
    {"env", Language::shell}, {"dotenv", Language::shell}, {"script", Language::shell}, {"dockerfile", Language::dockerfile}, {"docker", Language::dockerfile}, {"containerfile", Language::dockerfile},
    {"cmake", Language::cmake}, {"make", Language::make}, {"makefile", Language::make}, {"yaml", Language::yaml}, {"yml", Language::yaml},
    {"json", Language::json}, {"json5", Language::json}, {"jsonc", Language::json}, {"toml", Language::toml}, {"ini", Language::ini}, {"cfg", Language::ini},
    {"properties", Language::ini}, {"c", Language::cxx}, {"cpp", Language::cxx}, {"c++", Language::cxx}, {"cuda", Language::cxx}, {"cu", Language::cxx}, {"cxx", Language::cxx}, {"hip", Language::cxx}, {"cc", Language::cxx},
    {"markdown", Language::markdown}, {"md", Language::markdown}, {"rst", Language::rst}, {"rest", Language::rst}, {"requirements", Language::requirements}, {"pip", Language::requirements}, {"notebook", Language::notebook}};

constexpr std::string_view kDeviceEndings[] = {"cu", "cuh", "cuinc", "hip", "mu", "muh", "ptx"};
constexpr std::string_view kTemplateEndings[] = {"in", "j2", "jinja", "jinja2", "tmpl", "tpl", "template", "mako", "tera", "dist", "example", "sample", "disabled", "bak", "orig", "default"};
constexpr std::string_view kDataEndings[] = {"csv", "tsv", "jsonl", "ndjson", "log", "out", "svg", "xml", "html", "pbtxt", "prototxt", "map", "snap", "tiktoken", "vocab", "bpe", "list", "ans", "po", "drawio"};
constexpr std::string_view kVendorFolders[] = {"third_party", "third-party", "thirdparty", "3rdparty", "3rd_party", "vendor", "vendored", "_vendor", "extern", "external", "externals", "submodules", "node_modules", "deps", "site-packages", "subprojects"};
constexpr std::string_view kGeneratedFolders[] = {"build", "dist", "_build", "generated", "_generated", "autogen", "htmlcov", ".eggs", "__pycache__"};
constexpr std::string_view kDocFolders[] = {"docs", "doc", "documentation", "website", "tutorials", "docs_src", "wiki"};
constexpr std::string_view kExampleFolders[] = {"examples", "example", "samples", "demo", "demos", "tutorials", "tutorial", "notebooks", "recipes", "projects", "cookbook"};
constexpr std::string_view kTestFolders[] = {"test", "tests", "unit_tests", "functional_tests", "unittests", "integration_tests"};
constexpr std::string_view kDataFolders[] = {"golden", "golden_values", "expected", "snapshots", "__snapshots__", "results", "baselines_results", "fixtures"};
constexpr std::string_view kToolFiles[] = {".pre-commit-config.yaml", ".pre-commit-config.yml", "_typos.toml", ".typos.toml", "typos.toml", ".codespellrc", ".flake8", ".pylintrc", "pylintrc", ".coveragerc", ".isort.cfg", "mypy.ini",
                                           ".mypy.ini", "ruff.toml", ".ruff.toml", ".style.yapf", ".yapfignore", ".clang-format", ".clang-tidy", ".editorconfig", "codecov.yml", ".codecov.yml", "pytest.ini", "pyrightconfig.json", ".markdownlint.json",
                                           ".markdownlint.yaml", ".yamllint", ".yamllint.yml", ".gitignore", ".dockerignore", ".gitattributes", "lychee.toml", ".prettierrc", ".eslintrc.json", ".lintrunner.toml", "cspell.json", "devcontainer.json", "dependabot.yml", "mergify.yml", ".mergify.yml", "renovate.json", ".clangd", "compile_flags.txt"};
constexpr std::string_view kLockFiles[] = {"poetry.lock", "uv.lock", "pdm.lock", "Pipfile.lock", "package-lock.json", "yarn.lock", "pnpm-lock.yaml", "conda-lock.yml", "conda-lock.yaml", "Cargo.lock", "pixi.lock", "requirements.lock", "pylock.toml", "flake.lock"};
constexpr std::string_view kBuildFiles[] = {"setup.py", "setup.cfg", "pyproject.toml", "CMakeLists.txt", "Makefile", "makefile", "GNUmakefile", "meta.yaml", "conda_build_config.yaml", "BUILD", "BUILD.bazel", "WORKSPACE", "meson.build", "build.py", "build.sh", "MANIFEST.in", "Justfile", "justfile"};

std::string_view name_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string_view ending_of(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos || dot + 1 == name.size() ? std::string_view() : name.substr(dot + 1);
}

/// The name without template suffixes: "kernel.cuh.in" → "kernel.cuh", "Dockerfile.j2" → "Dockerfile".
std::string_view without_template_suffix(std::string_view name) {
  for (int round = 0; round < 3; ++round) {
    const std::string_view ending = ending_of(name);
    const bool whole = name.size() == ending.size() + 1;
    if (ending.empty() || whole || !listed(std::string_view(ascii_lower(ending)), kTemplateEndings)) break;
    name.remove_suffix(ending.size() + 1);
  }
  return name;
}

template <typename Test>
bool any_folder(std::string_view path, Test test) {
  while (true) {
    const std::size_t slash = path.find('/');
    if (slash == std::string_view::npos) return false;
    if (test(std::string_view(ascii_lower(path.substr(0, slash))))) return true;
    path.remove_prefix(slash + 1);
  }
}

template <std::size_t N>
bool in_folder(std::string_view path, const std::string_view (&list)[N]) {
  return any_folder(path, [&](std::string_view folder) { return listed(folder, list); });
}

bool is_dockerfile(std::string_view name) {
  const std::string lower = ascii_lower(name);
  const auto named = [&](std::string_view word) { return lower == word || lower.starts_with(std::string(word) + ".") || lower.starts_with(std::string(word) + "-") || lower.starts_with(std::string(word) + "_") || lower.ends_with("." + std::string(word)) || lower.ends_with("-" + std::string(word)); };
  const std::string_view ending = ending_of(lower);
  const bool other = ending == "py" || ending == "sh" || ending == "md" || ending == "yml" || ending == "yaml" || ending == "json" || ending == "txt";
  return !other && (named("dockerfile") || named("containerfile"));
}

bool is_requirements_name(std::string_view path, std::string_view name) {
  const std::string_view ending = ending_of(name);
  const std::string lower = ascii_lower(name);
  if (ending != "txt" && ending != "in" && ending != "pip" && ending != "lock") return false;
  if (lower == "poetry.lock" || lower == "uv.lock" || lower == "pdm.lock" || lower == "pixi.lock") return false;
  if (lower.find("require") != std::string::npos || lower.find("constraint") != std::string::npos || lower.starts_with("reqs") || lower.find("pip-freeze") != std::string::npos || lower.find("pip_freeze") != std::string::npos || lower.find("freeze") != std::string::npos || lower == "deps.txt") return true;
  const std::string_view folder = path.substr(0, path.size() - std::min(path.size(), name.size() + 1));
  const std::string last = ascii_lower(name_of(folder));
  return (ending == "txt" || ending == "in") && (last == "requirements" || last == "reqs" || last == "constraints");
}

bool is_conda(std::string_view name, std::string_view head) {
  const std::string lower = ascii_lower(name);
  if (lower == "meta.yaml" || lower == "conda_build_config.yaml") return true;
  const std::string_view ending = ending_of(lower);
  if (ending != "yml" && ending != "yaml") return false;
  if (lower.starts_with("environment") || lower.starts_with("conda") || lower.find("conda-env") != std::string::npos) return true;
  return (head.starts_with("channels:") || head.find("\nchannels:") != std::string_view::npos) && head.find("dependencies:") != std::string_view::npos;
}

bool is_ci(std::string_view path, std::string_view name) {
  const std::string lower = ascii_lower(name);
  if (path.starts_with(".github/workflows/") || path.find("/.github/workflows/") != std::string_view::npos) return true;
  if (path.starts_with(".github/actions/") || path.find("/.github/actions/") != std::string_view::npos || lower == "action.yml" || lower == "action.yaml") return true;
  if (any_folder(path, [](std::string_view folder) { return folder == ".circleci" || folder == ".buildkite" || folder == ".azure-pipelines" || folder == ".gitlab" || folder == ".jenkins" || folder == "azure-pipelines" || folder == ".ci" || folder == ".tekton" || folder == ".woodpecker"; })) return true;
  return lower.starts_with(".gitlab-ci") || lower.starts_with("azure-pipelines") || lower.starts_with("jenkinsfile") || lower.ends_with("jenkinsfile") || lower == ".travis.yml" || lower == "appveyor.yml" || lower == ".appveyor.yml" || lower == ".cirrus.yml" || lower == "cloudbuild.yaml" || lower == ".drone.yml" || lower == "bitbucket-pipelines.yml" || lower == "buildspec.yml" || lower == ".readthedocs.yaml" || lower == ".readthedocs.yml";
}

bool is_compose(std::string_view name, std::string_view head) {
  const std::string lower = ascii_lower(name);
  const std::string_view ending = ending_of(lower);
  if (ending != "yml" && ending != "yaml") return false;
  if (lower.starts_with("docker-compose") || lower.starts_with("compose.") || lower.starts_with("compose-") || lower.find("docker-compose") != std::string::npos) return true;
  const bool services = head.starts_with("services:") || head.find("\nservices:") != std::string_view::npos;
  return services && (head.find("image:") != std::string_view::npos || head.find("build:") != std::string_view::npos);
}

bool line_starts(std::string_view head, std::string_view key) {
  return head.starts_with(key) || head.find("\n" + std::string(key)) != std::string_view::npos;
}

Language language_by_shebang(std::string_view head, Language fallback) {
  if (!head.starts_with("#!")) return fallback;
  const std::string_view line = head.substr(0, head.find('\n'));
  if (line.find("python") != std::string_view::npos) return Language::python;
  if (line.find("make") != std::string_view::npos) return Language::make;
  if (line.find("sh") != std::string_view::npos) return Language::shell;
  return fallback;
}

Language language_by_name(std::string_view path, std::string_view full_name, std::string_view head) {
  const std::string_view name = without_template_suffix(full_name);
  const std::string lower = ascii_lower(name);
  if (is_requirements_name(path, full_name) || is_requirements_name(path, name)) return Language::requirements;
  if (is_dockerfile(name) || is_dockerfile(full_name)) return Language::dockerfile;
  if (lower == "cmakelists.txt") return Language::cmake;
  if (lower == "makefile" || lower == "gnumakefile" || lower.starts_with("makefile.") || lower == "justfile") return Language::make;
  if (lower == ".env" || lower.starts_with(".env.") || lower == ".bashrc" || lower == ".profile" || lower == ".bash_profile" || lower == ".zshrc") return Language::shell;
  if (lower == "pipfile" || lower == "poetry.lock" || lower == "uv.lock" || lower == "pdm.lock" || lower == "cargo.lock") return Language::toml;
  if (lower == "pipfile.lock" || lower == "flake.lock") return Language::json;
  if (lower == "pixi.lock" || lower == ".clang-format" || lower == ".clang-tidy" || lower == ".clangd" || lower == ".yamllint") return Language::yaml;
  if (lower == ".flake8" || lower == ".pylintrc" || lower == "pylintrc" || lower == ".coveragerc" || lower == ".codespellrc" || lower == ".editorconfig" || lower == ".style.yapf") return Language::ini;
  if (lower == "wscript" || lower == "sconstruct" || lower == "sconscript" || lower == "snakefile") return Language::python;
  const std::string_view ending = ending_of(lower);
  for (const auto& [text, language] : kEndings) {
    if (text == ending) return language_by_shebang(ending == "inc" ? head : std::string_view(), language);
  }
  if (line_starts(head, "#SBATCH") || line_starts(head, "#PBS ")) return Language::shell;
  return language_by_shebang(head, Language::text);
}

bool is_test(std::string_view path, std::string_view name) {
  const std::string lower = ascii_lower(name);
  if (lower == "conftest.py" || lower.starts_with("test_") || lower.starts_with("tests_")) return true;
  const std::string_view stem = std::string_view(lower).substr(0, lower.find('.'));
  return stem.ends_with("_test") || stem.ends_with("_tests") || in_folder(path, kTestFolders);
}

bool is_doc(std::string_view path, std::string_view name, Language language) {
  const std::string lower = ascii_lower(name);
  if (lower.starts_with("readme") || lower.starts_with("contributing") || lower.starts_with("install") || lower.starts_with("faq") || lower.starts_with("getting_started")) return language != Language::python && language != Language::shell;
  return in_folder(path, kDocFolders) || language == Language::markdown || language == Language::rst;
}

bool is_licence(std::string_view name) {
  const std::string lower = ascii_lower(name);
  const std::string_view ending = ending_of(lower);
  if (ending == "py" || ending == "sh" || ending == "json" || ending == "yml" || ending == "yaml") return false;
  return lower.starts_with("license") || lower.starts_with("licence") || lower.starts_with("notice") || lower.starts_with("copying") || lower.starts_with("copyright") || lower.find("third_party_notice") != std::string::npos || lower.find("thirdpartynotice") != std::string::npos || lower.find("third-party-notice") != std::string::npos || lower == "eula.txt";
}

bool is_changelog(std::string_view name) {
  const std::string lower = ascii_lower(name);
  const std::string_view ending = ending_of(lower);
  if (ending == "py" || ending == "sh") return false;
  return lower.starts_with("changelog") || lower.starts_with("changes.") || lower == "changes" || lower.starts_with("history.") || lower.starts_with("release_notes") || lower.starts_with("release-notes") || lower.starts_with("releasenotes") || lower == "news.md" || lower == "news.rst" || lower == "news";
}

bool is_frozen_list(std::string_view name, std::string_view head) {
  const std::string lower = ascii_lower(name);
  if (lower.find("freeze") != std::string::npos || lower.ends_with(".lock") || lower.find("lock") != std::string::npos) return true;
  return head.find("This file is autogenerated by pip-compile") != std::string_view::npos || head.find("# This file was autogenerated by uv") != std::string_view::npos || head.find("--hash=sha256:") != std::string_view::npos;
}

bool is_generated(std::string_view path, std::string_view name, std::string_view head) {
  if (in_folder(path, kGeneratedFolders) || any_folder(path, [](std::string_view folder) { return folder.ends_with(".egg-info"); })) return true;
  if (name.find(".min.") != std::string_view::npos || name.ends_with("_pb2.py") || name.ends_with("_pb2_grpc.py")) return true;
  const std::string_view start = head.substr(0, 1500);
  return start.find("@generated") != std::string_view::npos || start.find("DO NOT EDIT") != std::string_view::npos || start.find("Do not edit") != std::string_view::npos || start.find("Code generated by") != std::string_view::npos;
}

bool is_data(std::string_view path, std::string_view name, Language language) {
  const std::string lower = ascii_lower(name);
  if (listed(ending_of(lower), kDataEndings)) return true;
  if (language == Language::json || language == Language::yaml || language == Language::text) {
    if (lower.find("golden") != std::string::npos || lower.find("vocab") != std::string::npos || lower.find("tokenizer") != std::string::npos) return true;
    return in_folder(path, kDataFolders);
  }
  return false;
}

void add_configuration_roles(std::string_view path, std::string_view name, std::string_view head, FileKind& kind) {
  FileRole& roles = kind.roles;
  if (is_ci(path, name)) roles |= FileRole::ci;
  if (is_compose(name, head)) roles |= FileRole::compose;
  if (is_conda(name, head)) roles |= FileRole::conda;
  if ((kind.language == Language::yaml || kind.language == Language::json) && line_starts(head, "apiVersion:") && line_starts(head, "kind:")) roles |= FileRole::kubernetes;
  if (listed(name, kLockFiles)) roles |= FileRole::lock;
  if (kind.language == Language::requirements) {
    roles |= FileRole::requirements;
    if (is_frozen_list(name, head)) roles |= FileRole::lock;
  }
  if (has(roles, FileRole::conda) && ascii_lower(name).find("lock") != std::string::npos) roles |= FileRole::lock;
  if (listed(name, kToolFiles) || any_folder(path, [](std::string_view folder) { return folder == ".vscode" || folder == ".idea" || folder == ".devcontainer"; })) roles |= FileRole::tool_config;
}

void add_source_roles(std::string_view name, std::string_view head, FileKind& kind) {
  FileRole& roles = kind.roles;
  const std::string ending = ascii_lower(ending_of(without_template_suffix(name)));
  if (listed(std::string_view(ending), kDeviceEndings)) roles |= FileRole::device_source;
  if (name == "setup.py") roles |= FileRole::setup_py;
  if (listed(name, kBuildFiles) || kind.language == Language::cmake || kind.language == Language::make) roles |= FileRole::build_script;
  if (kind.language == Language::dockerfile) roles |= FileRole::dockerfile;
  if (kind.language == Language::notebook) roles |= FileRole::notebook;
  if (kind.language == Language::shell) {
    roles |= FileRole::shell;
    if (line_starts(head, "#SBATCH") || ending == "slurm" || ending == "sbatch") roles |= FileRole::slurm;
  }
}

}  // namespace

FileKind file_kind(std::string_view path, std::string_view head) {
  const std::string_view name = name_of(path);
  FileKind kind;
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  kind.language = is_licence(name) ? Language::text : language_by_name(path, name, head);
  add_configuration_roles(path, name, head, kind);
  add_source_roles(name, head, kind);
  if (has(kind.roles, FileRole::conda) && ascii_lower(name) == "meta.yaml") kind.roles |= FileRole::build_script;
  if (is_test(path, name)) kind.roles |= FileRole::test;
  if (is_doc(path, name, kind.language)) kind.roles |= FileRole::docs;
  if (in_folder(path, kExampleFolders)) kind.roles |= FileRole::example;
  if (is_licence(name)) kind.roles |= FileRole::licence;
  if (is_changelog(name)) kind.roles |= FileRole::changelog;
  if (is_data(path, name, kind.language)) kind.roles |= FileRole::data;
  if (in_folder(path, kVendorFolders)) kind.roles |= FileRole::vendored;
  if (is_generated(path, name, head)) kind.roles |= FileRole::generated;
  return kind;
}

Language language_of_name(std::string_view name) {
  const std::string lower = ascii_lower(trim(name));
  for (const auto& [text, language] : kNames) {
    if (text == lower) return language;
  }
  return Language::text;
}

std::string_view to_string(Language language) {
  switch (language) {
    case Language::python: return "python";
    case Language::notebook: return "notebook";
    case Language::cxx: return "cxx";
    case Language::shell: return "shell";
    case Language::dockerfile: return "dockerfile";
    case Language::cmake: return "cmake";
    case Language::make: return "make";
    case Language::yaml: return "yaml";
    case Language::json: return "json";
    case Language::toml: return "toml";
    case Language::ini: return "ini";
    case Language::requirements: return "requirements";
    case Language::markdown: return "markdown";
    case Language::rst: return "rst";
    case Language::text: return "text";
  }
  return "text";
}

}  // namespace accelport
