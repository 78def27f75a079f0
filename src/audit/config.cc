#include "audit/config.h"

#include <fmt/core.h>

#include "audit/discover.h"
#include "catalog/toml.h"

namespace accelport {
namespace {

std::string at(const std::string& place, const TomlValue& value) { return fmt::format("{}:{}", place, value.line); }

Result<std::string> text_of(const TomlValue& value, std::string_view key, const std::string& place) {
  if (value.kind == TomlValue::Kind::string) return value.text;
  return fail(Error::Kind::data, fmt::format("'{}' must be a string", key), at(place, value));
}

Result<std::vector<std::string>> texts_of(const TomlValue& value, std::string_view key, const std::string& place) {
  if (value.kind != TomlValue::Kind::list)
    return fail(Error::Kind::data, fmt::format("'{}' must be a list of strings", key), at(place, value),
                fmt::format("{} = [\"…\"]", key));
  std::vector<std::string> texts;
  for (const TomlValue& item : value.items) {
    TRY(std::string text, text_of(item, key, place));
    texts.push_back(std::move(text));
  }
  return texts;
}

/// A path that cannot lead out of the root.
Result<std::string> path_of(const TomlValue& value, std::string_view key, const std::string& place) {
  TRY(std::string path, text_of(value, key, place));
  const bool climbs = path == ".." || path.compare(0, 3, "../") == 0 || path.find("/../") != std::string::npos ||
                      (path.size() > 3 && path.compare(path.size() - 3, 3, "/..") == 0);
  if (!path.empty() && path.front() != '/' && !climbs) return path;
  return fail(Error::Kind::data, fmt::format("'{}' must be a path below the repository", key), at(place, value));
}

Result<Config::RuleSetting> rule_setting(const std::string& rule, const TomlValue& table, const std::string& place) {
  Config::RuleSetting setting;
  setting.rule = rule;
  if (table.kind != TomlValue::Kind::table)
    return fail(Error::Kind::data, fmt::format("[rules.{}] must be a table", rule), at(place, table));
  for (const auto& [key, value] : table.members) {
    TRY(const std::string text, text_of(value, key, place));
    if (key == "reason") {
      setting.reason = text;
    } else if (key == "decision") {
      const auto decision = parse_decision(text);
      if (!decision)
        return fail(Error::Kind::data, fmt::format("'{}' is no decision", text), at(place, value),
                    "abstract, retain, replace, fallback, unsupported or ignore");
      setting.decision = *decision;
    } else {
      return fail(Error::Kind::data, fmt::format("unknown key '{}' in [rules.{}]", key, rule), at(place, value),
                  "known: decision, reason");
    }
  }
  if (setting.reason.empty())
    return fail(Error::Kind::data, fmt::format("[rules.{}] needs a reason", rule), at(place, table),
                "reason = \"why\"");
  return setting;
}

Result<void> take_rules(const TomlValue& table, const std::string& place, Config& config) {
  if (table.kind != TomlValue::Kind::table)
    return fail(Error::Kind::data, "'rules' must be a table", at(place, table), "[rules.rule-id]");
  for (const auto& [rule, settings] : table.members) {
    TRY(Config::RuleSetting setting, rule_setting(rule, settings, place));
    config.rules.push_back(std::move(setting));
  }
  return {};
}

Result<void> take(const std::string& key, const TomlValue& value, const std::string& place, Config& config) {
  std::vector<std::string>* const list = key == "platforms" ? &config.platforms
                                         : key == "include" ? &config.include
                                         : key == "exclude" ? &config.exclude
                                         : key == "terms"   ? &config.terms
                                                            : nullptr;
  if (list != nullptr) {
    TRY(*list, texts_of(value, key, place));
    return {};
  }
  if (key == "helper" || key == "baseline") {
    TRY(std::string path, path_of(value, key, place));
    if (key == "helper") config.helper_at = at(place, value);
    (key == "helper" ? config.helper : config.baseline) = std::move(path);
    return {};
  }
  if (key == "rules") return take_rules(value, place, config);
  return fail(Error::Kind::data, fmt::format("unknown key '{}'", key), at(place, value),
              "known: platforms, helper, include, exclude, terms, baseline, rules");
}

}  // namespace

Result<Config> parse_config(std::string_view toml, const std::string& place) {
  TRY(const TomlValue root, parse_toml(toml, place));
  Config config;
  for (const auto& [key, value] : root.members) TRY_DO(take(key, value, place, config));
  return config;
}

Result<Config> load_config(const std::string& root, const Files& files) {
  const std::string path = join_path(root, "accelport.toml");
  const auto info = files.info(path);
  if (!info || info->type != FileType::regular) return Config{};
  ByteBuffer bytes;
  TRY_DO(files.read(path, std::uint64_t{1} << 20, bytes));
  return parse_config(bytes.view(), path);
}

}  // namespace accelport
