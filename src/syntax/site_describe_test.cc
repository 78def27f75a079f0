#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "syntax/encoding.h"
#include "syntax/scan.h"
#include "syntax/site_checks.h"
#include "syntax/site_test_util.h"

namespace accelport {
namespace {

constexpr std::array kKinds{"chain", "string",    "comment", "docstring", "prose",  "command", "variable",
                            "entry", "directive", "include", "macro",     "kernel", "output",  "text"};
constexpr std::array kContexts{"none",          "import_module", "import_name",    "import_binding",
                               "argument",      "keyword",       "keyword_name",   "parameter",
                               "default_value", "annotation",    "assigned",       "target",
                               "definition",    "decorator",     "compared",       "element",
                               "key",           "value",         "subscript",      "subscripted",
                               "object",        "called",        "interpolated",   "operand",
                               "condition",     "returned",      "pattern",        "statement",
                               "set",           "exported",      "prefixed",       "read",
                               "removed",       "command_name",  "command_option", "command_argument",
                               "config_key",    "config_value",  "code_block",     "inline_code",
                               "heading",       "table",         "link",           "other"};
constexpr std::array kGuards{"available",      "unavailable",   "device_type",   "not_device_type", "nvidia",
                             "other_platform", "family",        "import_guard",  "handler",         "torch_version",
                             "option",         "test_skip",     "main_guard",    "backend_name",    "rank",
                             "loop",           "finally_block", "type_checking", "preprocessor",    "cuda_only_source"};
constexpr std::array kFlows{"device",  "backend",   "environment", "module_name",   "message",
                            "path",    "command",   "option_name", "help",          "source_code",
                            "has_cpu", "has_other", "device_key",  "compared_only", "attribute_name"};
static_assert(kKinds.size() == static_cast<std::size_t>(SiteKind::text) + 1);
static_assert(kContexts.size() == static_cast<std::size_t>(Context::other) + 1);

const LiteralScanner& scanner() {
  static const LiteralScanner kScanner({{"cuda", true},
                                        {"nccl", true},
                                        {"nvidia", true},
                                        {"nvcc", true},
                                        {"flash", true},
                                        {"<<<", false},
                                        {"__global__", false},
                                        {"__shfl", false},
                                        {"asm", false},
                                        {"0xffffffff", false},
                                        {"--gpus", false},
                                        {"--gres", false},
                                        {"torch", true},
                                        {"device", true},
                                        {"_ARCH__", false}});
  return kScanner;
}

template <std::size_t N>
std::string flag_names(std::uint32_t bits, const std::array<const char*, N>& names) {
  std::string out;
  for (std::size_t i = 0; i < N; ++i) {
    if ((bits >> i & 1) == 0) continue;
    if (!out.empty()) out += ',';
    out += names[i];
  }
  return out;
}

void append_field(std::string& out, const char* name, const std::string& value) {
  if (!value.empty()) out += std::string(" ") + name + "=" + value;
}

std::string describe(const Site& site, std::string_view text, const LineTable& lines, Language file_language) {
  std::string out = std::to_string(lines.position(site.span.begin).line);
  out += std::string(" ") + kKinds[static_cast<std::size_t>(site.kind)] + "/" +
         kContexts[static_cast<std::size_t>(site.context)] + " ";
  for (const char c : slice(text, site.span)) out += c == '\n' ? '~' : c;
  append_field(out, "api", site.api);
  append_field(out, "callee", site.callee);
  append_field(out, "keyword", site.keyword);
  append_field(out, "value", site.value);
  append_field(out, "first", site.first_argument);
  if (site.argument >= 0) append_field(out, "argument", std::to_string(site.argument));
  if (site.called) append_field(out, "called", std::to_string(site.positional));
  append_field(out, "guards", flag_names(static_cast<std::uint32_t>(site.guards), kGuards));
  append_field(out, "flows", flag_names(static_cast<std::uint32_t>(site.flows), kFlows));
  append_field(out, "function", std::string(site.function));
  if (site.language != file_language) append_field(out, "language", std::string(to_string(site.language)));
  if (site.cell >= 0) append_field(out, "cell", std::to_string(site.cell) + ":" + std::to_string(site.cell_line));
  return out;
}

}  // namespace

std::vector<std::string> describe_sites(std::string_view path, std::string_view text) {
  std::string padded(text);
  padded.append(kTextPadding, '\0');
  const std::string_view bytes = std::string_view(padded).substr(0, text.size());
  const FileKind kind = file_kind(path, bytes);
  const DecodedText decoded = decode_text(bytes, kind.language);
  std::vector<Hit> hits;
  scanner().scan(decoded.text, hits);
  ReaderFacts facts;
  facts.device_words = {"newcard"};
  const ReadInput input{path, decoded.text, kind, hits, &facts, 0};
  ReadOutput output;
  read_source(input, output);
  std::vector<std::string> lines;
  const std::string broken = broken_promise(input, output);
  if (!broken.empty()) lines.push_back("BROKEN " + broken);
  const LineTable table(decoded.text);
  for (const Site& site : output.sites) lines.push_back(describe(site, decoded.text, table, kind.language));
  return lines;
}

std::string join_lines(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

void check_site_case(const SiteCase& one) {
  SCOPED_TRACE(one.name);
  const std::vector<std::string> lines = describe_sites(one.path, one.text);
  for (const std::string& expected : one.expected) {
    const bool absent = expected.starts_with('!');
    const std::string_view pattern = std::string_view(expected).substr(absent ? 1 : 0);
    bool found = false;
    for (const std::string& line : lines) found |= glob_match(pattern, line);
    EXPECT_NE(found, absent) << expected << "\namong\n" << join_lines(lines);
  }
  for (const std::string& line : lines) EXPECT_FALSE(line.starts_with("BROKEN")) << line;
}

TEST(BrokenPromise, IsFound) {
  const std::vector<Hit> hits{{2, 0, 4}};
  const ReadInput input{"a.txt", "x cuda", {}, hits, nullptr, 0};
  ReadOutput output;
  EXPECT_THAT(broken_promise(input, output), testing::HasSubstr("without a site"));
  Site& site = output.sites.emplace_back();
  site.span = {0, 7};
  EXPECT_THAT(broken_promise(input, output), testing::HasSubstr("range"));
  site.span = {0, 6};
  EXPECT_EQ(broken_promise(input, output), "");
  output.sites.emplace_back().span = {0, 7};
  output.sites.front().span = {1, 6};
  EXPECT_NE(broken_promise(input, output), "");
}

}  // namespace accelport
