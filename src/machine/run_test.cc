#include "machine/run.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machine/private_folder.h"
#include "machine/run_report.h"
#include "machine/simulated_platform.h"

namespace accelport {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Not;
using testing::StartsWith;

constexpr std::string_view kProfile =
    "name = \"nova\"\ntitle = \"Nova Works\"\n"
    "[torch]\ndevice_type = \"nova\"\nimport = \"torch_nova\"\npackage = \"torch-nova\"\n"
    "[[torch.release]]\npackage = \"3.1\"\n"
    "[visibility]\nprocess = \"NOVA_VISIBLE_DEVICES\"\n";
constexpr std::string_view kSimulator = "[card]\nname = \"N1\"\nmemory_mib = 64\n[[quirk]]\nid = \"odd\"\n";
constexpr std::string_view kRefusals =
    "schema = \"accelport.simulation/1\"\n"
    "[[refused]]\nnames = [\"taken\"]\nwhy = \"torch has it\"\n";

std::vector<DataFile> knowledge() {
  return {
      {"platforms/bare/profile.toml", "name = \"bare\"\n"},
      {"platforms/cuda/profile.toml", "name = \"cuda\"\n"},
      {"platforms/nova/operators.tsv", "operator\thow\nadd.Tensor\tkernel\n"},
      {"platforms/nova/profile.toml", kProfile},
      {"platforms/nova/simulator.toml", kSimulator},
      {"simulation.toml", kRefusals},
      {"simulator/__init__.py", "from .activation import activate\n"},
  };
}

// --- where to --------------------------------------------------------------------------------

TEST(RunTarget, ReadsEveryKind) {
  EXPECT_EQ(parse_run_target("cpu", knowledge())->kind, RunTarget::Kind::cpu);
  EXPECT_EQ(parse_run_target("cuda", knowledge())->kind, RunTarget::Kind::origin);
  EXPECT_EQ(parse_run_target("nova", knowledge())->kind, RunTarget::Kind::card);
  const RunTarget simulated = parse_run_target("sim:nova:3", knowledge()).value();
  EXPECT_EQ(simulated.kind, RunTarget::Kind::simulated);
  EXPECT_EQ(simulated.platform, "nova");
  EXPECT_EQ(simulated.devices, 3);
  EXPECT_EQ(parse_run_target("sim:nova", knowledge())->devices, 1);
  EXPECT_EQ(parse_run_target("sim:./my/nova:64", knowledge())->platform, "./my/nova");
}

Error refused(std::string_view text) {
  const auto target = parse_run_target(text, knowledge());
  return target ? Error{} : target.error();
}

TEST(RunTarget, RefusesWithTheReason) {
  EXPECT_THAT(refused("sim:taken:2").message, HasSubstr("'taken' cannot be simulated: torch has it"));
  EXPECT_THAT(refused("sim:noav:2").message, HasSubstr("no platform is called 'noav'"));
  EXPECT_THAT(refused("sim:noav:2").hint, HasSubstr("nova"));
  EXPECT_THAT(refused("noav").message, HasSubstr("no platform is called 'noav'"));
  EXPECT_THAT(refused("sim:nova:0").message, HasSubstr("'0' is no number of cards"));
  EXPECT_THAT(refused("sim:nova:65").hint, HasSubstr("1 to 64"));
  EXPECT_THAT(refused("sim:nova:99999999999999999999").message, HasSubstr("no number of cards"));
  EXPECT_THAT(refused("sim:nova:two").message, HasSubstr("no platform is called 'nova:two'"));
  EXPECT_THAT(refused("sim:").message, HasSubstr("needs a platform"));
  EXPECT_THAT(refused("").message, HasSubstr("where the program runs"));
  for (const char* text : {"sim:taken:2", "sim:noav:2", "sim:nova:0", "sim:", "", "noav"})
    EXPECT_EQ(refused(text).kind, Error::Kind::usage) << text;
}

TEST(MemorySize, HasUnitsOf1024) {
  EXPECT_EQ(parse_memory_size("8GiB").value(), std::uint64_t{8} << 30);
  EXPECT_EQ(parse_memory_size("1.5g").value(), (std::uint64_t{3} << 30) / 2);
  EXPECT_EQ(parse_memory_size("512M").value(), std::uint64_t{512} << 20);
  EXPECT_EQ(parse_memory_size("64kb").value(), 65536u);
  EXPECT_EQ(parse_memory_size("4096").value(), 4096u);
  for (const char* text : {"", "-1G", "0", "G", "8 GiB", "8GiBs", "8x", "nan", "inf", "1e300"})
    EXPECT_FALSE(parse_memory_size(text)) << text;
}

// --- platforms -------------------------------------------------------------------------------

TEST(SimulatedPlatform, IsReadFromTheKnowledgeOrFromAFolder) {
  MemoryFiles files;
  const SimulatedPlatform known = read_simulated_platform("nova", knowledge(), files).value();
  EXPECT_EQ(known.title, "Nova Works");
  EXPECT_EQ(known.release, "3.1");
  EXPECT_EQ(known.memory, std::uint64_t{64} << 20);
  EXPECT_THAT(known.quirks, ElementsAre("odd"));
  files.put("/p/mine/profile.toml", std::string(kProfile));
  files.put("/p/mine/simulator.toml", std::string(kSimulator));
  files.put("/p/mine/operators.tsv", "operator\thow\n");
  EXPECT_EQ(read_simulated_platform("/p/mine", knowledge(), files)->plug_in, "torch_nova");
}

TEST(SimulatedPlatform, NeedsItsDataAndPlainNames) {
  MemoryFiles files;
  const auto bare = read_simulated_platform("bare", knowledge(), files);
  ASSERT_FALSE(bare);
  EXPECT_THAT(bare.error().message, HasSubstr("cannot be simulated without simulator.toml"));
  EXPECT_FALSE(read_simulated_platform("/p/nowhere", knowledge(), files));
  files.put("/p/odd/profile.toml", "[torch]\ndevice_type = \"a/b\"\nimport = \"x\"\n");
  files.put("/p/odd/simulator.toml", std::string(kSimulator));
  files.put("/p/odd/operators.tsv", "operator\thow\n");
  EXPECT_THAT(read_simulated_platform("/p/odd", knowledge(), files).error().message, HasSubstr("a plain name"));
}

TEST(SimulatedPlatform, EveryPlatformsVisibilityIsKnown) {
  EXPECT_THAT(visibility_variables(knowledge()).value(), ElementsAre("NOVA_VISIBLE_DEVICES"));
}

// --- the private folder ------------------------------------------------------------------------

TEST(PrivateFolder, DeclaresABackEndAndStandsInForThePackage) {
  const SimulatedPlatform platform = read_simulated_platform("nova", knowledge(), MemoryFiles()).value();
  SimulationSettings settings;
  settings.devices = 2;
  settings.memory = 4096;
  settings.without = {"odd"};
  const auto files = private_folder_files(platform, settings, "/t/x", knowledge());
  EXPECT_THAT(files.at("accelport_simulated-0.dist-info/entry_points.txt"),
              "[torch.backends]\naccelport_simulated = _accelport_simulator:activate\n");
  EXPECT_THAT(files.at("torch-nova-3.1+simulated.dist-info/METADATA"), HasSubstr("Version: 3.1+simulated\n"));
  EXPECT_THAT(files.at("torch_nova/__init__.py"), HasSubstr("sys.modules[__name__] = torch.nova\n"));
  EXPECT_THAT(files, Contains(Key("_accelport_simulator/__init__.py")));
  EXPECT_EQ(files.at("platform/operators.tsv"), "operator\thow\nadd.Tensor\tkernel\n");
  EXPECT_EQ(files.at("settings.json"),
            "{\"platform\": \"/t/x/platform\", \"binaries\": \"\", \"reports\": \"/t/x/reports\", \"devices\": 2, "
            "\"memory\": 4096, \"strictness\": \"strict\", \"fidelity\": \"exact\", \"faults\": \"\", "
            "\"without\": [\"odd\"]}\n");
}

// --- the run -----------------------------------------------------------------------------------

class RunTest : public testing::Test {
 protected:
  Result<int> run(RunRequest request) {
    request.program = {"/bin/true", "x"};
    files_.put("/bin/true", "");
    const std::string temporary = environment_variable("TMPDIR");
    files_.put((temporary.empty() ? "/tmp" : temporary) + "/other", "");
    const RunWorld world{files_, processes_, knowledge(), [this](const std::string& line) { said_.push_back(line); }};
    return run_on_target(request, world);
  }
  RunRequest on(std::string_view target) {
    RunRequest request;
    request.target = parse_run_target(target, knowledge()).value();
    return request;
  }

  MemoryFiles files_;
  ScriptedProcesses processes_;
  std::vector<std::string> said_;
};

TEST_F(RunTest, GivesTheProgramsCodeAndLeavesNoFolder) {
  processes_.answer("/bin/true x", {7, false, "", ""});
  EXPECT_EQ(run(on("sim:nova:2")).value(), 7);
  ASSERT_FALSE(said_.empty());
  for (const std::string& line : said_) EXPECT_THAT(line, StartsWith("simulated: "));
  EXPECT_THAT(said_.front(), HasSubstr("2 N1 (nova), "));
  EXPECT_THAT(said_.front(), EndsWith("fidelity exact, strictness strict"));
  EXPECT_THAT(said_, Contains(HasSubstr("nothing was simulated")));
  for (const auto& [path, bytes] : files_.contents()) EXPECT_THAT(path, Not(HasSubstr("accelport-run-")));
}

TEST_F(RunTest, QuietSaysOnlyWhatFallsShort) {
  processes_.answer("/bin/true x", {0, false, "", ""});
  RunRequest request = on("sim:nova:1");
  request.quiet = true;
  ASSERT_TRUE(run(request));
  EXPECT_THAT(said_, IsEmpty());
  request.strictness = "allow";
  ASSERT_TRUE(run(request));
  EXPECT_THAT(said_, Contains(HasSubstr("not strict (allow)")));
}

TEST_F(RunTest, AQuirkThatThePlatformDoesNotHaveIsRefused) {
  RunRequest request = on("sim:nova:1");
  request.without = {"even"};
  const auto code = run(request);
  ASSERT_FALSE(code);
  EXPECT_THAT(code.error().message, HasSubstr("has no quirk 'even'"));
}

TEST_F(RunTest, OnTheCpuNothingIsSaid) {
  processes_.answer("/bin/true x", {3, false, "", ""});
  EXPECT_EQ(run(on("cpu")).value(), 3);
  EXPECT_THAT(said_, IsEmpty());
}

// --- what is said at the end -------------------------------------------------------------------

TEST(RunSummary, SumsOverProcesses) {
  const ProcessReport first = parse_process_report(
      R"({"pid": 7, "rank": "0", "ended": true, "used": true, "peaks": [1048576, 0], "missing": {"aten::foo": 2, "x": 0},
          "faults": ["nan at call 1 of mm: fired"]})");
  const ProcessReport second = parse_process_report(
      R"({"rank": "1", "ended": true, "used": true, "peaks": [0, 2048], "stale_reads": {"count": 3, "first": "add"}})");
  const ProcessReport killed = parse_process_report(R"({"rank": "", "ended": false})");
  EXPECT_THAT(summary_lines({"Nova Works", "strict", {first, second}}),
              ElementsAre("2 processes used the card; most memory of one process: 1.0 MiB on card 0, 2.0 KiB on card 1",
                          "3 reads of bytes that another stream had still to write, first by add: a wait is missing",
                          "fault: nan at call 1 of mm: fired (rank 0)"));
  const auto lines = summary_lines({"Nova Works", "allow", {first, second, killed}});
  EXPECT_THAT(lines, Contains("1 process was killed before telling its figures: they are missing here"));
  EXPECT_THAT(lines, Contains("not strict (allow): 1 operator that Nova Works lacks ran on the CPU; on the card the "
                              "program fails there"));
  EXPECT_THAT(lines, Contains("  aten::foo: 2 calls"));
}

TEST(RunSummary, WhatCannotBeReadIsAProcessThatWasKilled) {
  for (const char* text : {"", "{\"ended\": tr", "[]", "7", R"({"ended": 1, "peaks": [-1, "x"], "missing": [1]})"})
    EXPECT_FALSE(parse_process_report(text).ended) << text;
}

TEST(RunSummary, SaysWhenTheCardWasNotUsed) {
  const ProcessReport idle = parse_process_report(R"({"ended": true, "used": false, "peaks": [0]})");
  EXPECT_THAT(summary_lines({"Nova Works", "strict", {idle}}), ElementsAre("the program did not use the card"));
  EXPECT_THAT(summary_lines({"Nova Works", "strict", {}}),
              ElementsAre("no Python of this program imported torch: nothing was simulated",
                          HasSubstr("must be installed for the Python that runs it")));
}

TEST(RunSummary, NamesTheQuirksThatWereOn) {
  const ProcessReport process = parse_process_report(R"({"ended": true, "used": true, "quirks": ["odd", "worse"]})");
  EXPECT_THAT(summary_lines({"Nova Works", "strict", {process, process}}),
              ElementsAre("2 processes used the card", "quirks that were on: odd, worse"));
}

TEST(RunSummary, ARefusalIsToldOnceAndAlone) {
  const ProcessReport process = parse_process_report(R"({"rank": "0", "ended": true, "refused": "no extension"})");
  EXPECT_THAT(summary_lines({"Nova Works", "strict", {process, process}}), ElementsAre("not simulated: no extension"));
}

}  // namespace
}  // namespace accelport
