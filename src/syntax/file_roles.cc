#include "syntax/file_roles.h"

#include <string>

#include "base/text.h"
#include "syntax/file_names.h"
#include "syntax/listed.h"

namespace accelport {
namespace {

constexpr std::string_view kDeviceEndings[] = {"cu", "cuh", "cuinc", "hip", "mu", "muh", "ptx"};
constexpr std::string_view kDataEndings[] = {"csv",   "tsv",  "jsonl", "ndjson",   "log", "out",   "svg",
                                             "xml",   "html", "pbtxt", "prototxt", "map", "snap",  "tiktoken",
                                             "vocab", "bpe",  "list",  "ans",      "po",  "drawio"};
constexpr std::string_view kVendorFolders[] = {
    "third_party", "third-party", "thirdparty", "3rdparty",   "3rd_party",    "vendor", "vendored",      "_vendor",
    "extern",      "external",    "externals",  "submodules", "node_modules", "deps",   "site-packages", "subprojects"};
constexpr std::string_view kGeneratedFolders[] = {"build",   "dist",    "_build", "generated",  "_generated",
                                                  "autogen", "htmlcov", ".eggs",  "__pycache__"};
constexpr std::string_view kDocFolders[] = {"docs", "doc", "documentation", "website", "tutorials", "docs_src", "wiki"};
constexpr std::string_view kExampleFolders[] = {"examples", "example",   "samples", "demo",     "demos",   "tutorials",
                                                "tutorial", "notebooks", "recipes", "projects", "cookbook"};
constexpr std::string_view kTestFolders[] = {
    "test", "tests", "unit_tests", "functional_tests", "unittests", "integration_tests"};
constexpr std::string_view kDataFolders[] = {"golden",        "golden_values", "expected",          "snapshots",
                                             "__snapshots__", "results",       "baselines_results", "fixtures"};
constexpr std::string_view kToolFiles[] = {".pre-commit-config.yaml",
                                           ".pre-commit-config.yml",
                                           "_typos.toml",
                                           ".typos.toml",
                                           "typos.toml",
                                           ".codespellrc",
                                           ".flake8",
                                           ".pylintrc",
                                           "pylintrc",
                                           ".coveragerc",
                                           ".isort.cfg",
                                           "mypy.ini",
                                           ".mypy.ini",
                                           "ruff.toml",
                                           ".ruff.toml",
                                           ".style.yapf",
                                           ".yapfignore",
                                           ".clang-format",
                                           ".clang-tidy",
                                           ".editorconfig",
                                           "codecov.yml",
                                           ".codecov.yml",
                                           "pytest.ini",
                                           "pyrightconfig.json",
                                           ".markdownlint.json",
                                           ".markdownlint.yaml",
                                           ".yamllint",
                                           ".yamllint.yml",
                                           ".gitignore",
                                           ".dockerignore",
                                           ".gitattributes",
                                           "lychee.toml",
                                           ".prettierrc",
                                           ".eslintrc.json",
                                           ".lintrunner.toml",
                                           "cspell.json",
                                           "devcontainer.json",
                                           "dependabot.yml",
                                           "mergify.yml",
                                           ".mergify.yml",
                                           "renovate.json",
                                           ".clangd",
                                           "compile_flags.txt"};
constexpr std::string_view kLockFiles[] = {"poetry.lock",       "uv.lock",    "pdm.lock",       "Pipfile.lock",
                                           "package-lock.json", "yarn.lock",  "pnpm-lock.yaml", "conda-lock.yml",
                                           "conda-lock.yaml",   "Cargo.lock", "pixi.lock",      "requirements.lock",
                                           "pylock.toml",       "flake.lock"};
constexpr std::string_view kBuildFiles[] = {"setup.py",       "setup.cfg",   "pyproject.toml",
                                            "CMakeLists.txt", "Makefile",    "makefile",
                                            "GNUmakefile",    "meta.yaml",   "conda_build_config.yaml",
                                            "BUILD",          "BUILD.bazel", "WORKSPACE",
                                            "meson.build",    "build.py",    "build.sh",
                                            "MANIFEST.in",    "Justfile",    "justfile"};

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

bool is_conda(std::string_view name, std::string_view head) {
  const std::string lower = ascii_lower(name);
  if (lower == "meta.yaml" || lower == "conda_build_config.yaml") return true;
  const std::string_view ending = ending_of(lower);
  if (ending != "yml" && ending != "yaml") return false;
  if (lower.starts_with("environment") || lower.starts_with("conda") || lower.find("conda-env") != std::string::npos)
    return true;
  return (head.starts_with("channels:") || head.find("\nchannels:") != std::string_view::npos) &&
         head.find("dependencies:") != std::string_view::npos;
}

bool is_ci(std::string_view path, std::string_view name) {
  const std::string lower = ascii_lower(name);
  if (path.starts_with(".github/workflows/") || path.find("/.github/workflows/") != std::string_view::npos) return true;
  if (path.starts_with(".github/actions/") || path.find("/.github/actions/") != std::string_view::npos ||
      lower == "action.yml" || lower == "action.yaml")
    return true;
  if (any_folder(path, [](std::string_view folder) {
        return folder == ".circleci" || folder == ".buildkite" || folder == ".azure-pipelines" || folder == ".gitlab" ||
               folder == ".jenkins" || folder == "azure-pipelines" || folder == ".ci" || folder == ".tekton" ||
               folder == ".woodpecker";
      }))
    return true;
  return lower.starts_with(".gitlab-ci") || lower.starts_with("azure-pipelines") || lower.starts_with("jenkinsfile") ||
         lower.ends_with("jenkinsfile") || lower == ".travis.yml" || lower == "appveyor.yml" ||
         lower == ".appveyor.yml" || lower == ".cirrus.yml" || lower == "cloudbuild.yaml" || lower == ".drone.yml" ||
         lower == "bitbucket-pipelines.yml" || lower == "buildspec.yml" || lower == ".readthedocs.yaml" ||
         lower == ".readthedocs.yml";
}

bool is_compose(std::string_view name, std::string_view head) {
  const std::string lower = ascii_lower(name);
  const std::string_view ending = ending_of(lower);
  if (ending != "yml" && ending != "yaml") return false;
  if (lower.starts_with("docker-compose") || lower.starts_with("compose.") || lower.starts_with("compose-") ||
      lower.find("docker-compose") != std::string::npos)
    return true;
  const bool services = head.starts_with("services:") || head.find("\nservices:") != std::string_view::npos;
  return services && (head.find("image:") != std::string_view::npos || head.find("build:") != std::string_view::npos);
}

bool is_test(std::string_view path, std::string_view name) {
  const std::string lower = ascii_lower(name);
  if (lower == "conftest.py" || lower.starts_with("test_") || lower.starts_with("tests_")) return true;
  const std::string_view stem = std::string_view(lower).substr(0, lower.find('.'));
  return stem.ends_with("_test") || stem.ends_with("_tests") || in_folder(path, kTestFolders);
}

bool is_doc(std::string_view path, std::string_view name, Language language) {
  const std::string lower = ascii_lower(name);
  if (lower.starts_with("readme") || lower.starts_with("contributing") || lower.starts_with("install") ||
      lower.starts_with("faq") || lower.starts_with("getting_started"))
    return language != Language::python && language != Language::shell;
  return in_folder(path, kDocFolders) || language == Language::markdown || language == Language::rst;
}

bool is_changelog(std::string_view name) {
  const std::string lower = ascii_lower(name);
  const std::string_view ending = ending_of(lower);
  if (ending == "py" || ending == "sh") return false;
  return lower.starts_with("changelog") || lower.starts_with("changes.") || lower == "changes" ||
         lower.starts_with("history.") || lower.starts_with("release_notes") || lower.starts_with("release-notes") ||
         lower.starts_with("releasenotes") || lower == "news.md" || lower == "news.rst" || lower == "news";
}

bool is_frozen_list(std::string_view name, std::string_view head) {
  const std::string lower = ascii_lower(name);
  if (lower.find("freeze") != std::string::npos || lower.ends_with(".lock") || lower.find("lock") != std::string::npos)
    return true;
  return head.find("This file is autogenerated by pip-compile") != std::string_view::npos ||
         head.find("# This file was autogenerated by uv") != std::string_view::npos ||
         head.find("--hash=sha256:") != std::string_view::npos;
}

bool is_generated(std::string_view path, std::string_view name, std::string_view head) {
  if (in_folder(path, kGeneratedFolders) ||
      any_folder(path, [](std::string_view folder) { return folder.ends_with(".egg-info"); }))
    return true;
  if (name.find(".min.") != std::string_view::npos || name.ends_with("_pb2.py") || name.ends_with("_pb2_grpc.py"))
    return true;
  const std::string_view start = head.substr(0, 1500);
  return start.find("@generated") != std::string_view::npos || start.find("DO NOT EDIT") != std::string_view::npos ||
         start.find("Do not edit") != std::string_view::npos ||
         start.find("Code generated by") != std::string_view::npos;
}

bool is_data(std::string_view path, std::string_view name, Language language) {
  const std::string lower = ascii_lower(name);
  if (listed(ending_of(lower), kDataEndings)) return true;
  if (language == Language::json || language == Language::yaml || language == Language::text) {
    if (lower.find("golden") != std::string::npos || lower.find("vocab") != std::string::npos ||
        lower.find("tokenizer") != std::string::npos)
      return true;
    return in_folder(path, kDataFolders);
  }
  return false;
}

void add_configuration_roles(std::string_view path, std::string_view name, std::string_view head, FileKind& kind) {
  FileRole& roles = kind.roles;
  if (is_ci(path, name)) roles |= FileRole::ci;
  if (is_compose(name, head)) roles |= FileRole::compose;
  if (is_conda(name, head)) roles |= FileRole::conda;
  if ((kind.language == Language::yaml || kind.language == Language::json) && line_starts(head, "apiVersion:") &&
      line_starts(head, "kind:"))
    roles |= FileRole::kubernetes;
  if (listed(name, kLockFiles)) roles |= FileRole::lock;
  if (kind.language == Language::requirements) {
    roles |= FileRole::requirements;
    if (is_frozen_list(name, head)) roles |= FileRole::lock;
  }
  if (has(roles, FileRole::conda) && ascii_lower(name).find("lock") != std::string::npos) roles |= FileRole::lock;
  if (listed(name, kToolFiles) || any_folder(path, [](std::string_view folder) {
        return folder == ".vscode" || folder == ".idea" || folder == ".devcontainer";
      }))
    roles |= FileRole::tool_config;
}

/// A comment line near the top that says that the file was written beside another one.
bool is_beside(std::string_view head, Language language) {
  if (language != Language::requirements && language != Language::dockerfile && language != Language::yaml)
    return false;
  const std::size_t mark = head.find(kBesideMark);
  if (mark == std::string_view::npos) return false;
  const std::size_t line = head.rfind('\n', mark) + 1;  // npos + 1 is the start
  return head.substr(line, 2) == "# ";
}

void add_source_roles(std::string_view name, std::string_view head, FileKind& kind) {
  FileRole& roles = kind.roles;
  const std::string ending = ascii_lower(ending_of(without_template_suffix(name)));
  if (listed(std::string_view(ending), kDeviceEndings)) roles |= FileRole::device_source;
  if (name == "setup.py") roles |= FileRole::setup_py;
  if (listed(name, kBuildFiles) || kind.language == Language::cmake || kind.language == Language::make)
    roles |= FileRole::build_script;
  if (kind.language == Language::dockerfile) roles |= FileRole::dockerfile;
  if (kind.language == Language::notebook) roles |= FileRole::notebook;
  if (kind.language == Language::shell) {
    roles |= FileRole::shell;
    if (line_starts(head, "#SBATCH") || ending == "slurm" || ending == "sbatch") roles |= FileRole::slurm;
  }
}

}  // namespace

FileRole roles_of(std::string_view path, std::string_view head, Language language) {
  const std::string_view name = name_of(path);
  FileKind kind{language, FileRole::none};
  add_configuration_roles(path, name, head, kind);
  add_source_roles(name, head, kind);
  if (has(kind.roles, FileRole::conda) && ascii_lower(name) == "meta.yaml") kind.roles |= FileRole::build_script;
  if (is_test(path, name)) kind.roles |= FileRole::test;
  if (is_doc(path, name, kind.language)) kind.roles |= FileRole::docs;
  if (in_folder(path, kExampleFolders)) kind.roles |= FileRole::example;
  if (is_licence_name(name)) kind.roles |= FileRole::licence;
  if (is_changelog(name)) kind.roles |= FileRole::changelog;
  if (is_data(path, name, kind.language)) kind.roles |= FileRole::data;
  if (in_folder(path, kVendorFolders)) kind.roles |= FileRole::vendored;
  if (is_generated(path, name, head)) kind.roles |= FileRole::generated;
  if (is_beside(head, kind.language)) kind.roles |= FileRole::beside;
  return kind.roles;
}

}  // namespace accelport
