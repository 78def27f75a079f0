#include "base/process.h"

#include <csignal>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace accelport {
namespace {

using testing::HasSubstr;

ProcessRequest shell(const std::string& script) {
  ProcessRequest request;
  request.command = {"/bin/sh", "-c", script};
  return request;
}

TEST(RealProcesses, RunsInTheFolderThatIsNamed) {
  ProcessRequest request;
  request.command = {"/bin/sh", "-c", "pwd"};
  request.folder = "/usr";
  EXPECT_EQ(real_processes().run(request)->output, "/usr\n");
  request.folder = "/no/such/folder";
  EXPECT_FALSE(real_processes().run(request));
}

TEST(RealProcesses, GivesOutputErrorsAndExitCode) {
  const auto result = real_processes().run(shell("echo out; echo err >&2; exit 3"));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->output, "out\n");
  EXPECT_EQ(result->error_output, "err\n");
  EXPECT_EQ(result->exit_code, 3);
  EXPECT_FALSE(result->timed_out);
}

TEST(RealProcesses, PassesInputThatIsLargerThanAPipe) {
  ProcessRequest request = shell("cat");
  request.input.assign(5'000'000, 'x');
  const auto result = real_processes().run(request);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->output, request.input);
}

TEST(RealProcesses, AProgramMayIgnoreItsInput) {
  ProcessRequest request = shell("exit 0");
  request.input.assign(5'000'000, 'x');
  const auto result = real_processes().run(request);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->exit_code, 0);
}

TEST(RealProcesses, AddsToTheEnvironment) {
  ProcessRequest request = shell("echo $ACCELPORT_TEST_VALUE; test -n \"$PATH\"");
  request.environment = {{"ACCELPORT_TEST_VALUE", "a b"}};
  const auto result = real_processes().run(request);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->output, "a b\n");
  EXPECT_EQ(result->exit_code, 0);
}

TEST(RealProcesses, EndsAtTheTimeLimitWithItsChildren) {
  ProcessRequest request = shell("sleep 30 & sleep 30");
  request.time_limit = std::chrono::milliseconds(200);
  const auto begin = std::chrono::steady_clock::now();
  const auto result = real_processes().run(request);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->timed_out);
  EXPECT_EQ(result->exit_code, 128 + 9);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST(RealProcesses, EndsWhenTooMuchComes) {
  ProcessRequest request = shell("while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done");
  request.output_limit = 100'000;
  const auto result = real_processes().run(request);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->timed_out);
  EXPECT_LT(result->output.size(), 300'000u);
}

TEST(RealProcesses, SignalsShowInTheExitCode) {
  const auto result = real_processes().run(shell("kill -TERM $$"));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->exit_code, 128 + 15);
}

TEST(RealProcesses, MissingProgramIsAnError) {
  ProcessRequest request;
  request.command = {"accelport-no-such-program"};
  const auto result = real_processes().run(request);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("is not installed"));
}

TEST(RunInForeground, GivesTheExitCodeOrTheSignal) {
  EXPECT_EQ(real_processes().run_in_foreground(shell("exit 7")).value(), 7);
  EXPECT_EQ(real_processes().run_in_foreground(shell("kill -KILL $$")).value(), 128 + 9);
  EXPECT_FALSE(real_processes().run_in_foreground(ProcessRequest{{"accelport-no-such-program"}, {}, {}, {}}));
}

TEST(RunInForeground, HandsOnSignalsThatWeGet) {
  const auto code = real_processes().run_in_foreground(shell("trap 'exit 9' USR1; kill -USR1 $PPID; sleep 5"));
  EXPECT_EQ(code.value(), 9);
}

TEST(RunInForeground, TheProgramHasNoneOfOurSignalSettings) {
  std::signal(SIGPIPE, SIG_IGN);
  // yes(1) ends by SIGPIPE only if that is neither ignored nor held.
  ProcessRequest request;
  request.command = {"/bin/bash", "-c", "yes | head -n 1 >/dev/null; exit ${PIPESTATUS[0]}"};
  EXPECT_EQ(real_processes().run_in_foreground(request).value(), 128 + 13);
}

TEST(ScriptedProcesses, AnswersWhatItWasTold) {
  ScriptedProcesses processes;
  processes.answer("git status", {0, false, "clean", ""});
  ProcessRequest request;
  request.command = {"git", "status"};
  EXPECT_EQ(processes.run(request)->output, "clean");
  request.command = {"git", "log"};
  EXPECT_FALSE(processes.run(request));
}

}  // namespace
}  // namespace accelport
