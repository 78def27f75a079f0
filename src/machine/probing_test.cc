#include "machine/probing.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machine/diagnosis.h"
#include "machine/environment.h"

namespace accelport {
namespace {

using testing::HasSubstr;

constexpr std::string_view kProbes = R"(schema = "accelport.probes/1"
variables = ["HOME_OF_IT"]
[names.cards]
0323 = "N4"
[[probe]]
id = "tool"
title = "the tool"
program = ["$HOME_OF_IT/bin/tool", "tool"]
arguments = ["-q", "{not.known}", "$UNSET", "{{}"]
errors = true
[[probe.read]]
pattern = '(?m)^Card: (?P<card>\d+)$'
take = "all"
count = "cards"
names = "cards"
as = "kinds"
[[probe.read]]
pattern = '(?m)^Size: (?P<size>\d+)$'
take = "sum"
[[probe.read]]
pattern = '(?m)^(?P<key>\w+)=(?P<value>.+)$'
[[probe.read]]
pattern = 'trouble'
set = { state_of_it = "bad" }
[[probe]]
id = "next"
title = "asked only if the tool shows cards"
program = ["next"]
when = ["tool.cards >= 1"]
)";

class Machine {
 public:
  void answer(const std::string& command, ProcessResult result) { processes_.answer(command, std::move(result)); }
  ProbeResults ask() {
    const std::vector<DataFile> data = {{"probes.toml", kProbes}};
    const ProbeTable table = load_probes("", data).value();
    const auto variable = [this](const std::string& name) { return name == "HOME_OF_IT" ? home : std::string(); };
    const auto program = [this](const std::string& name) { return here ? "/usr/bin/" + name : std::string(); };
    return ask_machine(table, {files, processes_, data, variable, program, "/empty"});
  }

  MemoryFiles files;
  std::string home;
  bool here = true;

 private:
  ScriptedProcesses processes_;
};

constexpr const char* kTool = "/usr/bin/tool -q {}";

TEST(Probing, PatternsBecomeFacts) {
  Machine machine;
  machine.answer(kTool, {0, false, "Card: 0323\nCard: 9999\nCard: 0323\nSize: 16\nSize: 32\nmode=fast\n", "trouble"});
  machine.answer("/usr/bin/next", {0, false, "", ""});
  const Facts facts = machine.ask().facts;
  EXPECT_EQ(facts.get("tool.card"), "0323, 9999");
  EXPECT_EQ(facts.get("tool.cards"), "3");
  EXPECT_EQ(facts.get("tool.kinds"), "N4, unknown");
  EXPECT_EQ(facts.get("tool.size"), "48");
  EXPECT_EQ(facts.get("tool.mode"), "fast");
  EXPECT_EQ(facts.get("tool.state_of_it"), "bad");
  EXPECT_EQ(facts.get("tool.output"), "Card: 0323");
  EXPECT_EQ(facts.get("next.state"), "answered");
}

TEST(Probing, AToolInTheVariablesFolderComesFirst) {
  Machine machine;
  machine.home = "/opt/it";
  machine.files.put("/opt/it/bin/tool", "");
  machine.answer("/opt/it/bin/tool -q {}", {3, false, "no\n", ""});
  const ProbeResults results = machine.ask();
  EXPECT_EQ(results.facts.get("tool.state"), "failed");
  EXPECT_EQ(results.facts.get("tool.exit"), "3");
  EXPECT_EQ(results.facts.get("env.HOME_OF_IT"), "/opt/it");
  EXPECT_EQ(results.facts.get("next.state"), "skipped");
}

TEST(Probing, ARelativeFolderIsNoPlaceForAProgram) {
  Machine machine;
  machine.home = "there";
  machine.here = false;
  machine.files.put("there/bin/tool", "");
  EXPECT_EQ(machine.ask().facts.get("tool.state"), "missing");
}

TEST(Probing, WhatHangsIsAnAnswer) {
  Machine machine;
  machine.answer(kTool, {137, true, "Card: 0323\n", ""});
  machine.answer("/usr/bin/next", {0, false, "", ""});
  const ProbeResults results = machine.ask();
  EXPECT_EQ(results.facts.get("tool.state"), "timed out");
  EXPECT_EQ(results.facts.get("tool.exit"), "");
  EXPECT_EQ(results.facts.get("tool.card"), "0323") << "what came before is kept";
}

TEST(Probing, AFloodIsCutAndRead) {
  Machine machine;
  machine.answer(kTool, {137, true, "Card: 0323\n" + std::string(std::size_t{2} << 20, 'x'), ""});
  machine.answer("/usr/bin/next", {0, false, "", ""});
  const ProbeResults results = machine.ask();
  EXPECT_EQ(results.facts.get("tool.state"), "answered");
  EXPECT_EQ(results.answers.front().output.size(), ProbeAnswer::kMostOutput);
  EXPECT_TRUE(results.answers.front().is_cut);
}

TEST(Diagnosis, TheKnowledgeIsReadForEveryTarget) {
  const std::vector<DataFile> data = embedded_data();
  for (const std::string& platform : probed_platforms(data)) {
    const auto probes = load_probes(platform, data);
    ASSERT_TRUE(probes) << to_string(probes.error());
    const auto rows = load_diagnoses("", platform, data);
    ASSERT_TRUE(rows) << to_string(rows.error());
  }
  EXPECT_TRUE(load_diagnoses("cpu", "", data));
  EXPECT_TRUE(load_diagnoses("cuda", "", data));
}

std::vector<Finding> found(std::string_view rows, const Facts& facts) {
  const std::string text = "schema = \"accelport.diagnosis/1\"\n" + std::string(rows);
  return diagnose(load_diagnoses("", "", {{"diagnosis.toml", text}}).value(), facts);
}

TEST(Diagnosis, ErrorsComeFirstAndWhatIsExplainedIsLeftOut) {
  Facts facts;
  facts.set("a", "1");
  const auto findings = found(
      "[[diagnosis]]\nid = \"w\"\nweight = \"warning\"\nwhen = [\"a\"]\ncause = \"c\"\nmend = [\"m\"]\nsource = \"s\"\n"
      "[[diagnosis]]\nid = \"e\"\nwhen = [\"a = 1\"]\nany = [\"b\", \"a\"]\ncause = \"{a} of {b}\"\nevidence = "
      "[\"{a}\", "
      "\"{b}\"]\nmend = [\"m\"]\nsource = \"s\"\n"
      "[[diagnosis]]\nid = \"x\"\nwhen = [\"a\"]\nunless = [\"e\"]\ncause = \"c\"\nmend = [\"m\"]\nsource = \"s\"\n",
      facts);
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].id, "e");
  EXPECT_THAT(findings[0].evidence, testing::ElementsAre("1"));
  EXPECT_EQ(findings[1].id, "w");
}

TEST(Diagnosis, ARowWithoutMendOrTestIsRefused) {
  for (const char* row :
       {"[[diagnosis]]\nid = \"e\"\nwhen = [\"a\"]\ncause = \"c\"\nsource = \"s\"\n",
        "[[diagnosis]]\nid = \"e\"\ncause = \"c\"\nmend = [\"m\"]\nsource = \"s\"\n",
        "[[diagnosis]]\nid = \"e\"\nwhen = [\"a ? b\"]\ncause = \"c\"\nmend = [\"m\"]\nsource = \"s\"\n"}) {
    const std::string text = std::string("schema = \"accelport.diagnosis/1\"\n") + row;
    const auto rows = load_diagnoses("", "", {{"diagnosis.toml", text}});
    ASSERT_FALSE(rows);
    EXPECT_THAT(rows.error().place, HasSubstr("diagnosis.toml:"));
  }
}

}  // namespace
}  // namespace accelport
