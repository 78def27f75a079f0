#include "syntax/language.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/text.h"
#include "syntax/file_names.h"
#include "syntax/file_roles.h"
#include "syntax/listed.h"

namespace accelport {
namespace {

using NamedLanguage = std::pair<std::string_view, Language>;

constexpr NamedLanguage kEndings[] = {{"py", Language::python},
                                      {"pyi", Language::python},
                                      {"pyx", Language::python},
                                      {"pxd", Language::python},
                                      {"pxi", Language::python},
                                      {"pyw", Language::python},
                                      {"ipynb", Language::notebook},
                                      {"c", Language::cxx},
                                      {"h", Language::cxx},
                                      {"cc", Language::cxx},
                                      {"cpp", Language::cxx},
                                      {"cxx", Language::cxx},
                                      {"c++", Language::cxx},
                                      {"hpp", Language::cxx},
                                      {"hh", Language::cxx},
                                      {"hxx", Language::cxx},
                                      {"inl", Language::cxx},
                                      {"inc", Language::cxx},
                                      {"ipp", Language::cxx},
                                      {"tpp", Language::cxx},
                                      {"cu", Language::cxx},
                                      {"cuh", Language::cxx},
                                      {"cuinc", Language::cxx},
                                      {"hip", Language::cxx},
                                      {"mu", Language::cxx},
                                      {"muh", Language::cxx},
                                      {"mm", Language::cxx},
                                      {"m", Language::cxx},
                                      {"metal", Language::cxx},
                                      {"cl", Language::cxx},
                                      {"ptx", Language::cxx},
                                      {"sh", Language::shell},
                                      {"bash", Language::shell},
                                      {"zsh", Language::shell},
                                      {"ksh", Language::shell},
                                      {"slurm", Language::shell},
                                      {"sbatch", Language::shell},
                                      {"env", Language::shell},
                                      {"csh", Language::shell},
                                      {"envrc", Language::shell},
                                      {"bats", Language::shell},
                                      {"dockerfile", Language::dockerfile},
                                      {"containerfile", Language::dockerfile},
                                      {"cmake", Language::cmake},
                                      {"mk", Language::make},
                                      {"mak", Language::make},
                                      {"make", Language::make},
                                      {"yaml", Language::yaml},
                                      {"yml", Language::yaml},
                                      {"json", Language::json},
                                      {"jsonc", Language::json},
                                      {"json5", Language::json},
                                      {"jsonl", Language::json},
                                      {"ndjson", Language::json},
                                      {"toml", Language::toml},
                                      {"ini", Language::ini},
                                      {"cfg", Language::ini},
                                      {"conf", Language::ini},
                                      {"properties", Language::ini},
                                      {"flake8", Language::ini},
                                      {"pylintrc", Language::ini},
                                      {"coveragerc", Language::ini},
                                      {"md", Language::markdown},
                                      {"mdx", Language::markdown},
                                      {"markdown", Language::markdown},
                                      {"qmd", Language::markdown},
                                      {"rmd", Language::markdown},
                                      {"rst", Language::rst},
                                      {"rest", Language::rst},
                                      {"webmanifest", Language::json},
                                      {"code-workspace", Language::json},
                                      {"lock", Language::text},
                                      {"hpc", Language::shell},
                                      {"pbs", Language::shell}};

constexpr NamedLanguage kNames[] = {{"python", Language::python},
                                    {"py", Language::python},
                                    {"python3", Language::python},
                                    {"pycon", Language::python},
                                    {"ipython", Language::python},
                                    {"ipython3", Language::python},
                                    {"cython", Language::python},
                                    {"bash", Language::shell},
                                    {"sh", Language::shell},
                                    {"shell", Language::shell},
                                    {"console", Language::shell},
                                    {"zsh", Language::shell},
                                    {"shell-session", Language::shell},
                                    {"shellsession", Language::shell},
                                    {"sh-session", Language::shell},
                                    {"terminal", Language::shell},
                                    {"env", Language::shell},
                                    {"dotenv", Language::shell},
                                    {"script", Language::shell},
                                    {"dockerfile", Language::dockerfile},
                                    {"docker", Language::dockerfile},
                                    {"containerfile", Language::dockerfile},
                                    {"cmake", Language::cmake},
                                    {"make", Language::make},
                                    {"makefile", Language::make},
                                    {"yaml", Language::yaml},
                                    {"yml", Language::yaml},
                                    {"json", Language::json},
                                    {"json5", Language::json},
                                    {"jsonc", Language::json},
                                    {"toml", Language::toml},
                                    {"ini", Language::ini},
                                    {"cfg", Language::ini},
                                    {"properties", Language::ini},
                                    {"c", Language::cxx},
                                    {"cpp", Language::cxx},
                                    {"c++", Language::cxx},
                                    {"cuda", Language::cxx},
                                    {"cu", Language::cxx},
                                    {"cxx", Language::cxx},
                                    {"hip", Language::cxx},
                                    {"cc", Language::cxx},
                                    {"markdown", Language::markdown},
                                    {"md", Language::markdown},
                                    {"rst", Language::rst},
                                    {"rest", Language::rst},
                                    {"requirements", Language::requirements},
                                    {"pip", Language::requirements},
                                    {"notebook", Language::notebook}};

bool is_dockerfile(std::string_view name) {
  const std::string lower = ascii_lower(name);
  const auto named = [&](std::string_view word) {
    return lower == word || lower.starts_with(std::string(word) + ".") || lower.starts_with(std::string(word) + "-") ||
           lower.starts_with(std::string(word) + "_") || lower.ends_with("." + std::string(word)) ||
           lower.ends_with("-" + std::string(word));
  };
  const std::string_view ending = ending_of(lower);
  const bool other = ending == "py" || ending == "sh" || ending == "md" || ending == "yml" || ending == "yaml" ||
                     ending == "json" || ending == "txt";
  return !other && (named("dockerfile") || named("containerfile"));
}

bool is_requirements_name(std::string_view path, std::string_view name) {
  const std::string_view ending = ending_of(name);
  const std::string lower = ascii_lower(name);
  if (ending != "txt" && ending != "in" && ending != "pip" && ending != "lock") return false;
  if (lower == "poetry.lock" || lower == "uv.lock" || lower == "pdm.lock" || lower == "pixi.lock") return false;
  if (lower.find("require") != std::string::npos || lower.find("constraint") != std::string::npos ||
      lower.starts_with("reqs") || lower.find("pip-freeze") != std::string::npos ||
      lower.find("pip_freeze") != std::string::npos || lower.find("freeze") != std::string::npos || lower == "deps.txt")
    return true;
  const std::string_view folder = path.substr(0, path.size() - std::min(path.size(), name.size() + 1));
  const std::string last = ascii_lower(name_of(folder));
  return (ending == "txt" || ending == "in") && (last == "requirements" || last == "reqs" || last == "constraints");
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
  if (lower == "makefile" || lower == "gnumakefile" || lower.starts_with("makefile.") || lower == "justfile")
    return Language::make;
  if (lower == ".env" || lower.starts_with(".env.") || lower == ".bashrc" || lower == ".profile" ||
      lower == ".bash_profile" || lower == ".zshrc")
    return Language::shell;
  if (lower == "pipfile" || lower == "poetry.lock" || lower == "uv.lock" || lower == "pdm.lock" ||
      lower == "cargo.lock")
    return Language::toml;
  if (lower == "pipfile.lock" || lower == "flake.lock") return Language::json;
  if (lower == "pixi.lock" || lower == ".clang-format" || lower == ".clang-tidy" || lower == ".clangd" ||
      lower == ".yamllint")
    return Language::yaml;
  if (lower == ".flake8" || lower == ".pylintrc" || lower == "pylintrc" || lower == ".coveragerc" ||
      lower == ".codespellrc" || lower == ".editorconfig" || lower == ".style.yapf")
    return Language::ini;
  if (lower == "wscript" || lower == "sconstruct" || lower == "sconscript" || lower == "snakefile")
    return Language::python;
  const std::string_view ending = ending_of(lower);
  for (const auto& [text, language] : kEndings) {
    if (text == ending) return language_by_shebang(ending == "inc" ? head : std::string_view(), language);
  }
  if (line_starts(head, "#SBATCH") || line_starts(head, "#PBS ")) return Language::shell;
  return language_by_shebang(head, Language::text);
}

std::string_view without_mark(std::string_view head) { return head.substr(head.starts_with("\xEF\xBB\xBF") ? 3 : 0); }

}  // namespace

Language file_language(std::string_view path, std::string_view head) {
  const std::string_view name = name_of(path);
  return is_licence_name(name) ? Language::text : language_by_name(path, name, without_mark(head));
}

FileKind file_kind(std::string_view path, std::string_view head) {
  const Language language = file_language(path, head);
  return {language, roles_of(path, without_mark(head), language)};
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
    case Language::python:
      return "python";
    case Language::notebook:
      return "notebook";
    case Language::cxx:
      return "cxx";
    case Language::shell:
      return "shell";
    case Language::dockerfile:
      return "dockerfile";
    case Language::cmake:
      return "cmake";
    case Language::make:
      return "make";
    case Language::yaml:
      return "yaml";
    case Language::json:
      return "json";
    case Language::toml:
      return "toml";
    case Language::ini:
      return "ini";
    case Language::requirements:
      return "requirements";
    case Language::markdown:
      return "markdown";
    case Language::rst:
      return "rst";
    case Language::text:
      return "text";
  }
  return "text";
}

}  // namespace accelport
