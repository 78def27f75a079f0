#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "catalog/catalog.h"
#include "catalog/load.h"

namespace accelport {
namespace {

constexpr std::string_view kProfile = R"toml(schema = "accelport.profile/1"
name = "abc"
vendor = "V"
title = "T"
[torch]
device_type = "abc"
import = "torch_abc"
profiler_activity = "torch.profiler.ProfilerActivity.ABC"
[distributed]
backend = "accl"
variable_prefix = "ACCL_"
[visibility]
process = "ABC_VISIBLE"
[[counterpart]]
kind = "variable"
cuda = "CUDA_HOME"
target = "ABC_HOME"
values = '^/opt'
source = "s"
)toml";

constexpr std::string_view kFacts = R"toml(schema = "accelport.semantics/1"
[[fact]]
id = "A1"
severity = "hang"
finder = "static"
apis = ["torch.cuda.graph", "torch.cuda.graphs.*", "Tensor.cuda"]
text = "t"
source = "s"
[[fact]]
id = "A2"
severity = "silent"
finder = "both"
apis = ["torch.cuda.graph", "torch.autocast('cuda')", "torch.cuda.amp.GradScaler()", "torch.cuda.gr*"]
text = "t"
verified = false
source = "s"
)toml";

constexpr std::string_view kHeader = "cuda\ttarget\tneutral\tneutral_since\tstatus\tnote\tsource\n";

std::string rows() {
  return std::string(kHeader) +
         "torch.cuda.is_available\ttorch.abc.is_available\tn()\t2.6\tsame-shape\t\ts\n"
         "torch.launch | cli:run\t\t\t\tmissing\t\ts\n"
         "torch.cuda.p().name\tx\t\t\tsame-shape\t\ts\n"
         "Tensor.cuda\tTensor.abc\t\t\tsame-shape\t\ts\n"
         "torch.autocast('cuda')\tq\t\t\tsame-shape\t\ts\n"
         "torch.nvtx.*\t\t\t\tnvidia-only\t\ts\n"
         "torch.nvtx.deep.*\tdeep\t\t\tnvidia-only\t\ts\n";
}

Platform load(std::string_view facts = kFacts) {
  const std::string api = rows();
  auto platform = load_platform("abc", {{"platforms/abc/profile.toml", kProfile},
                                        {"platforms/abc/semantics.toml", facts},
                                        {"platforms/abc/python_api.tsv", api}});
  EXPECT_TRUE(platform) << to_string(platform.error());
  return platform ? std::move(*platform) : Platform{};
}

std::string error_of(std::string file, std::string_view bytes) {
  std::vector<DataFile> files = {{"platforms/abc/profile.toml", kProfile}};
  if (file == "profile.toml") files.clear();
  files.push_back({"platforms/abc/" + file, bytes});
  const auto platform = load_platform("abc", files);
  return platform ? "no error" : to_string(platform.error());
}

TEST(LoadPlatform, ReadsItsFiles) {
  const Platform platform = load();
  EXPECT_EQ(platform.title, "T");
  EXPECT_EQ(platform.device, "abc");
  EXPECT_EQ(platform.backend, "accl");
  EXPECT_EQ(platform.visibility, "ABC_VISIBLE");
  EXPECT_EQ(platform.facts.size(), 2u);
  EXPECT_EQ(platform.facts[0].severity, Severity::hang);
  EXPECT_FALSE(platform.facts[1].verified);
  ASSERT_NE(platform.find_counterpart("variable", "CUDA_HOME"), nullptr);
  EXPECT_EQ(platform.find_counterpart("variable", "CUDA_HOME")->target, "ABC_HOME");
  ASSERT_TRUE(platform.find_counterpart("variable", "CUDA_HOME")->values);
  EXPECT_TRUE(platform.find_counterpart("variable", "CUDA_HOME")->values->found_in("/opt/x"));
  EXPECT_EQ(platform.find_counterpart("tool", "CUDA_HOME"), nullptr);
}

TEST(LoadPlatform, FindsApis) {
  const Platform platform = load();
  const auto target = [&](std::string_view name) {
    const ApiRow* row = platform.find_api(name);
    return row == nullptr ? "none" : row->target;
  };
  EXPECT_EQ(target("torch.cuda.is_available"), "torch.abc.is_available");
  EXPECT_EQ(target("torch.cuda.is_available()"), "torch.abc.is_available");
  EXPECT_EQ(target("torch.cuda.p.name"), "x");
  EXPECT_EQ(target("?.cuda"), "Tensor.abc");
  EXPECT_EQ(target("cli:run"), "");
  EXPECT_EQ(target("torch.launch"), "");
  EXPECT_EQ(target("torch.nvtx.range"), "");
  EXPECT_EQ(target("torch.nvtx.deep.er"), "deep");
  EXPECT_EQ(target("torch.cuda"), "none");
  EXPECT_EQ(target(""), "none");
}

TEST(LoadPlatform, AttachesFacts) {
  const Platform platform = load();
  const auto ids = [&](std::string_view name, std::string_view argument = {}) {
    std::string out;
    for (const SemanticFact* fact : platform.facts_for(name, argument)) out += fact->id + " ";
    return out;
  };
  EXPECT_EQ(ids("torch.cuda.graph"), "A1 A2 ");
  EXPECT_EQ(ids("torch.cuda.graphs.x"), "A1 A2 ");
  EXPECT_EQ(ids("torch.cuda.grab"), "A2 ");
  EXPECT_EQ(ids("?.cuda"), "A1 ");
  EXPECT_EQ(ids("torch.cuda.amp.GradScaler"), "A2 ");
  EXPECT_EQ(ids("torch.autocast"), "");
  EXPECT_EQ(ids("torch.autocast", "cuda"), "A2 ");
  EXPECT_EQ(ids("torch.autocast", "cpu"), "");
}

TEST(LoadPlatform, Errors) {
  const std::string header(kHeader);
  EXPECT_EQ(to_string(load_platform("abc", {}).error()),
            "platforms/abc/profile.toml: platform 'abc' has no profile.toml");
  EXPECT_EQ(error_of("profile.toml", "schema = 'accelport.profile/2'\n"),
            "platforms/abc/profile.toml:1: unknown 'schema' \"accelport.profile/2\" (accelport.profile/1)");
  EXPECT_EQ(error_of("profile.toml", "schema = 'accelport.profile/1'\nname = 'xyz'\n"),
            "platforms/abc/profile.toml:2: 'name' differs from the folder's name (name = \"abc\")");
  std::string profile(kProfile);
  profile.replace(profile.find("'^/opt'"), 7, "'('");
  EXPECT_NE(error_of("profile.toml", profile).find("'values' is no regular expression"), std::string::npos);
  profile = kProfile;
  profile.replace(profile.find("\"variable\""), 10, "\"path\"");
  EXPECT_NE(error_of("profile.toml", profile).find("'values' goes with the kind 'variable' only"), std::string::npos);
  EXPECT_EQ(error_of("python_api.tsv", ""), "platforms/abc/python_api.tsv:1: the first line must name the columns (" +
                                                header.substr(0, header.size() - 1) + ")");
  EXPECT_EQ(error_of("python_api.tsv", header + "a\tb\n"),
            "platforms/abc/python_api.tsv:2: the row has 2 cells (7 cells divided by tabs)");
  EXPECT_EQ(error_of("python_api.tsv", header + "a\t\t\t\tsame\t\ts\n"),
            "platforms/abc/python_api.tsv:2: unknown status 'same' (one of: same-shape, semantic-difference, missing, "
            "nvidia-only, other-vendor)");
  EXPECT_EQ(error_of("python_api.tsv", header + "a \t\t\t\tmissing\t\ts\n"),
            "platforms/abc/python_api.tsv:2: blanks around 'a '");
  EXPECT_EQ(error_of("python_api.tsv", header + "a\t\t\t\tmissing\t\t\n"),
            "platforms/abc/python_api.tsv:2: 'cuda' and 'source' must not be empty");
  EXPECT_EQ(error_of("python_api.tsv", header + "a\t\t\t\tmissing\t\ts\na\t\t\t\tmissing\t\ts\n"),
            "platforms/abc/python_api.tsv:3: 'a' has a row already");
  EXPECT_EQ(error_of("semantics.toml", std::string(kFacts) + "severty = 'x'\n"),
            "platforms/abc/semantics.toml:17: unknown key 'severty' in [[fact]] (did you mean 'severity'?)");
  EXPECT_EQ(error_of("semantics.toml", std::string(kFacts) + std::string(kFacts.substr(kFacts.find("[[fact]]")))),
            "platforms/abc/semantics.toml:17: fact 'A1' is there twice");
}

constexpr std::string_view kAdapter = R"toml(schema = "accelport.adapter/1"
[adapter]
name = "N"
import = "abc_adapter"
package = "abc-adapter"
vendor = "V"
import_order = "first"
source = "s"
[[limit]]
api = "torch.cuda.is_available"
text = "stays False"
check = "is_available"
source = "s"
[[limit]]
api = "expr:device.type == 'cuda'"
text = "stays False"
check = "accelerator_type"
of = "type"
source = "s"
)toml";

TEST(LoadPlatform, ReadsItsAdapter) {
  EXPECT_FALSE(load().adapter);
  const auto platform =
      load_platform("abc", {{"platforms/abc/profile.toml", kProfile}, {"platforms/abc/adapter.toml", kAdapter}});
  ASSERT_TRUE(platform) << to_string(platform.error());
  ASSERT_TRUE(platform->adapter);
  EXPECT_EQ(platform->adapter->name, "N");
  EXPECT_EQ(platform->adapter->module, "abc_adapter");
  ASSERT_EQ(platform->adapter->limits.size(), 2u);
  EXPECT_EQ(platform->adapter->limits[0].check, "is_available");
  EXPECT_EQ(platform->adapter->limits[1].of, "type");
}

TEST(LoadPlatform, ErrorsInItsAdapter) {
  const std::string adapter(kAdapter);
  const auto without = [&](std::string_view part) {
    std::string text = adapter;
    text.erase(text.find(part), part.size());
    return error_of("adapter.toml", text);
  };
  EXPECT_EQ(without("import = \"abc_adapter\"\n"),
            "platforms/abc/adapter.toml:2: [adapter] has no 'import' (add import = \"...\")");
  EXPECT_EQ(without("text = \"stays False\"\n"),
            "platforms/abc/adapter.toml:9: [[limit]] has no 'text' (add text = \"...\")");
  EXPECT_EQ(error_of("adapter.toml", adapter + "chek = 'x'\n"),
            "platforms/abc/adapter.toml:20: unknown key 'chek' in [[limit]] (did you mean 'check'?)");
  EXPECT_NE(error_of("adapter.toml", "schema = 'accelport.adapter/1'\n").find("the file has no [adapter]"),
            std::string::npos);
}

TEST(FindApiRows, FromTheNameToItsNeighbours) {
  Catalog catalog;
  catalog.platforms.push_back(load());
  const auto found = [&](std::string_view name) {
    std::string out;
    for (const ApiMatch& match : find_api_rows(catalog, name)) out += match.row->cuda + " ";
    return out;
  };
  EXPECT_EQ(found("torch.cuda.is_available()"), "torch.cuda.is_available ");
  EXPECT_EQ(found("torch.autocast"), "torch.autocast('cuda') ");
  EXPECT_EQ(found("torch.nvtx.mark"), "torch.nvtx.* ");
  EXPECT_EQ(found("is_available"), "torch.cuda.is_available ");
  EXPECT_EQ(found("torch.cuda"), "torch.cuda.is_available torch.cuda.p().name ");
  EXPECT_EQ(found("numpy"), "");
  EXPECT_EQ(found(""), "");
  ASSERT_EQ(find_counterparts(catalog, "env:CUDA_HOME").size(), 1u);
  EXPECT_EQ(find_counterparts(catalog, "CUDA_HOME").size(), 1u);
  EXPECT_TRUE(find_counterparts(catalog, "HOME").empty());
}

}  // namespace
}  // namespace accelport
