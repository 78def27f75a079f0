#include "syntax/config_value.h"

#include <algorithm>

#include "syntax/command_line.h"
#include "syntax/listed.h"
#include "syntax/requirement.h"

namespace accelport {
namespace {

constexpr std::string_view kEnvironment[] = {
    "env",         "environment",   "variables",    "env_vars", "envs", "environment_variables",
    "runtime_env", "env_variables", "containerEnv", "remoteEnv"};
constexpr std::string_view kScripts[] = {"run",
                                         "script",
                                         "before_script",
                                         "after_script",
                                         "bash",
                                         "command_line",
                                         "install",
                                         "before_install",
                                         "commands",
                                         "pre-command",
                                         "postCreateCommand",
                                         "setup",
                                         "setup_commands",
                                         "file_mounts_commands",
                                         "build",
                                         "before-all",
                                         "repair-wheel-command",
                                         "test-command",
                                         "shell_command",
                                         "scripts",
                                         "inlineScript",
                                         "entrypoint_command"};
constexpr std::string_view kPackages[] = {"dependencies",
                                          "pip",
                                          "install_requires",
                                          "requires",
                                          "dev-dependencies",
                                          "python_requirements",
                                          "requirements",
                                          "pip_packages",
                                          "packages",
                                          "host",
                                          "build-system",
                                          "constraints",
                                          "constraint-dependencies",
                                          "override-dependencies"};
constexpr FileRole kProgramFiles = FileRole::ci | FileRole::compose | FileRole::kubernetes;

/// Entries that say which devices a container gets or which machine runs a job.
bool is_directive(std::string_view path, FileRole roles) {
  const std::string_view key = last_key(path);
  if (has(roles, FileRole::ci) &&
      (key == "runs-on" || (key == "tags" && path.find(".with.") == std::string_view::npos) || key == "options" ||
       key == "agents" || key == "machine" || key == "resource_class" || key == "vmImage" || key == "pool"))
    return true;
  if (!has(roles, FileRole::compose | FileRole::kubernetes)) return false;
  return key == "runtime" || key == "gpus" || key == "driver" || key == "capabilities" || key == "device_ids" ||
         key == "devices" || key == "runtimeClassName" || path.find("limits.") != std::string_view::npos ||
         path.find("requests.") != std::string_view::npos || path.find("nodeSelector") != std::string_view::npos ||
         path.find("tolerations") != std::string_view::npos || path.find("deploy.resources") != std::string_view::npos;
}

void describe_address(std::string_view value, Site& site) {
  if (value.find('/') != std::string_view::npos && value.find(' ') == std::string_view::npos) site.flows |= Flow::path;
}

/// A requirement, or an option of pip in a list of them.
void describe_package(std::string_view value, Site& site) {
  if (!value.starts_with('-')) {
    describe_requirement(value, site);
    return;
  }
  const std::size_t cut = std::min(value.find_first_of("= "), value.size());
  site.context = Context::command_option;
  site.keyword = std::string(value.substr(0, cut));
  site.value = std::string(trim(value.substr(std::min(cut + 1, value.size()))));
}

bool is_image_key(std::string_view path) {
  const std::string_view key = last_key(path);
  return key == "image" || key == "baseImage" || key == "docker_image" || key == "container" || key == "dockerImage" ||
         (key == "name" && last_key(parent_path(path)) == "image");
}

}  // namespace

std::string_view parent_path(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
}

std::string_view last_key(std::string_view path) {
  while (path.ends_with(".[]") || path == "[]") path = parent_path(path);
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

bool is_environment_path(std::string_view path, FileRole roles) {
  const std::string_view key = last_key(path);
  return listed(key, kEnvironment) &&
         (has(roles, kProgramFiles | FileRole::dockerfile | FileRole::conda) || key != "variables");
}

bool is_script_path(std::string_view path, FileRole roles) {
  const std::string_view key = last_key(path);
  if (key == "command" || key == "args" || key == "entrypoint") return has(roles, kProgramFiles);
  if (listed(key, kScripts)) return has(roles, FileRole::ci | FileRole::conda | FileRole::tool_config);
  return key == "setup" || key == "run";
}

bool is_arguments_path(std::string_view path, FileRole roles) {
  const std::string_view key = last_key(path);
  if (!has(roles, kProgramFiles | FileRole::tool_config)) return false;
  return key == "command" || key == "args" || key == "entrypoint" || key == "runArgs" || key == "cmd";
}

/// Groups of requirements under names of their own.
bool is_group_of_packages(std::string_view key) {
  return key == "optional-dependencies" || key == "dependency-groups" || key == "extras_require";
}

bool is_package_path(std::string_view path, FileRole roles) {
  while (path.ends_with(".[]")) path = parent_path(path);
  const std::string_view key = last_key(path);
  if (listed(key, kPackages) &&
      (has(roles, FileRole::conda | FileRole::build_script | FileRole::ci) || key == "pip" || key == "dependencies"))
    return true;
  return is_group_of_packages(last_key(parent_path(path)));
}

void add_config_key(SiteSink& sink, Span span, const std::string& path, std::string_view value) {
  if (!sink.touched(span)) return;
  const FileRole roles = sink.input().kind.roles;
  const std::string_view parent = parent_path(path);
  const std::string_view name = without_quotes(sink.text(span));
  if (is_environment_path(parent, roles) && !parent.ends_with(".[]")) {
    add_variable(sink, span, name, value, Context::set)->keyword = path;
    return;
  }
  Site* site = sink.add(span, SiteKind::entry, Context::config_key);
  if (is_directive(path, roles)) site->kind = SiteKind::directive;
  site->keyword = path;
  site->value = std::string(value);
  if (is_package_path(parent, roles) && !parent.ends_with("[]") && !is_group_of_packages(last_key(parent)))
    site->api = "package:" + canonical_package(name);
}

void add_config_value(SiteSink& sink, Span span, const std::string& path, std::string_view value) {
  if (!sink.touched(span)) return;
  const FileRole roles = sink.input().kind.roles;
  const std::string_view parent = parent_path(path);
  const bool item = path.ends_with(".[]");
  std::size_t name_size = 0;
  if (item && is_environment_path(path, roles)) {  // - NAME=value
    const bool full = is_assignment(value, name_size);
    Site* site = add_variable(sink, span, full ? value.substr(0, name_size) : value,
                              full ? value.substr(value.find('=') + 1) : std::string_view(),
                              full ? Context::set : Context::exported);
    site->keyword = path;
    return;
  }
  Site* site = sink.add(span, SiteKind::entry, Context::config_value);
  site->keyword = path;
  site->value = std::string(value);
  if (is_directive(path, roles)) site->kind = SiteKind::directive;
  describe_address(value, *site);
  if (parent.ends_with(".[]") && last_key(parent) == "env") {  // Kubernetes: {name: …, value: …}
    site->kind = SiteKind::variable;
    site->context = Context::set;
    if (last_key(path) == "name") site->api = "env:" + std::string(value);
  } else if (is_environment_path(parent, roles)) {
    site->kind = SiteKind::variable;
    site->context = Context::set;
    site->api = "env:" + std::string(last_key(path));
  } else if (is_image_key(path)) {
    site->api = "image:" + std::string(value);
  } else if (item && is_package_path(path, roles)) {
    describe_package(value, *site);
  } else if (has(roles, FileRole::lock) && last_key(path) == "name" && path.find("package") != std::string_view::npos) {
    site->api = "package:" + canonical_package(value);
  } else if (!item && is_package_path(parent, roles)) {
    site->api = "package:" + canonical_package(last_key(path));
  }
}

}  // namespace accelport
