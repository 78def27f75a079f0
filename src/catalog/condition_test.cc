#include <string>

#include <gtest/gtest.h>

#include "catalog/condition.h"

namespace accelport {
namespace {

/// True if the condition written in TOML holds for `site`, which spans all of `bytes`.
bool holds_for(const std::string& toml, Site site, std::string_view bytes = "", std::string_view path = "a/train.py",
               FileRole roles = FileRole::none) {
  const auto table = parse_toml(toml, "here");
  EXPECT_TRUE(table) << toml;
  FieldErrors errors{"here", {}};
  const Condition condition = read_condition(*table, "[[match]]", errors);
  EXPECT_FALSE(errors.first) << to_string(*errors.first);
  site.span = {0, static_cast<std::uint32_t>(bytes.size())};
  const FileText text(bytes);
  return holds(condition, {site, text, bytes, path, roles});
}

Site call() {
  Site site;
  site.kind = SiteKind::chain;
  site.context = Context::called;
  site.language = Language::python;
  site.api = "torch.load";
  site.called = true;
  site.positional = 2;
  site.keywords = {"map_location"};
  site.guards = Guard::nvidia | Guard::loop;
  site.flows = Flow::device;
  site.value = "cuda:0";
  site.argument = 1;
  site.callee = "f";
  site.keyword = "k";
  site.function = "main";
  site.class_name = "Model";
  site.first_argument = "path";
  return site;
}

TEST(Condition, EveryKeyHoldsAndFails) {
  const std::pair<const char*, const char*> rows[] = {
      {"language = ['python']", "language = ['cxx', 'shell']"},
      {"kind = ['chain', 'string']", "kind = 'string'"},
      {"context = 'called'", "context = ['argument']"},
      {"api = 'torch.*'", "api = 'torch.cuda.*'"},
      {"not_api = 'x'", "not_api = 'torch.load'"},
      {"callee = 'f'", "callee = 'g'"},
      {"not_callee = 'g'", "not_callee = '*'"},
      {"keyword = 'k'", "keyword = 'K'"},
      {"not_keyword = 'K'", "not_keyword = 'k'"},
      {"function = 'main'", "function = 'test_*'"},
      {"not_function = 'test_*'", "not_function = 'm*'"},
      {"class_name = 'Model'", "class_name = 'Mode'"},
      {"first_argument = 'p*'", "first_argument = 'q*'"},
      {"text = 'lo.d'", "text = '^oad'"},
      {"not_text = 'LOAD'", "not_text = '(?i)LOAD'"},
      {"value = '^cuda(:\\d+)?$'", "value = '^cuda$'"},
      {"not_value = 'cpu'", "not_value = 'cuda'"},
      {"guard = ['available', 'nvidia']", "guard = ['available', 'family']"},
      {"not_guard = ['available']", "not_guard = ['available', 'loop']"},
      {"flow = ['device']", "flow = ['backend']"},
      {"not_flow = ['backend']", "not_flow = ['device']"},
      {"called = true", "called = false"},
      {"argument = 1", "argument = 0"},
      {"min_positional = 2", "min_positional = 3"},
      {"max_positional = 2", "max_positional = 1"},
      {"has_keyword = 'map_*'", "has_keyword = 'x'"},
      {"lacks_keyword = 'x'", "lacks_keyword = ['x', 'map_location']"},
      {"certain_name = true", "certain_name = false"},
      {"path = '*.py'", "path = '*.sh'"},
      {"path = ['b/**', 'a/**']", "path = 'b/*'"},
      {"file = ['test', 'docs']", "file = ['docs']"},
      {"not_file = ['docs']", "not_file = ['test']"},
      {"file_has = ['load']", "file_has = ['save']"},
      {"file_lacks = ['save']", "file_lacks = ['save', 'load']"},
  };
  for (const auto& [yes, no] : rows) {
    EXPECT_TRUE(holds_for(yes, call(), "torch.load", "a/train.py", FileRole::test)) << yes;
    EXPECT_FALSE(holds_for(no, call(), "torch.load", "a/train.py", FileRole::test)) << no;
  }
}

TEST(Condition, AllKeysMustHold) {
  EXPECT_TRUE(holds_for("kind = 'chain'\napi = 'torch.load'", call()));
  EXPECT_FALSE(holds_for("kind = 'chain'\napi = 'torch.save'", call()));
}

TEST(Condition, AnUnpackedMappingMayHoldAnyKeyword) {
  Site site = call();
  site.keywords = {"**"};
  EXPECT_FALSE(holds_for("lacks_keyword = 'x'", site));
  EXPECT_FALSE(holds_for("has_keyword = 'x'", site));
}

}  // namespace
}  // namespace accelport
