#include "base/process.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/core.h>

#include "base/files.h"

extern char** environ;

namespace accelport {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kGrace{2};

std::vector<std::string> merged_environment(const std::map<std::string, std::string>& added) {
  std::vector<std::string> merged;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (added.count(std::string(text.substr(0, text.find('=')))) == 0) merged.emplace_back(text);
  }
  for (const auto& [name, value] : added) merged.push_back(name + "=" + value);
  return merged;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> out;
  for (std::string& string : strings) out.push_back(string.data());
  out.push_back(nullptr);
  return out;
}

struct Pipe {
  int ends[2] = {-1, -1};
  bool open() { return pipe2(ends, O_CLOEXEC) == 0; }
  void close_end(int i) {
    if (ends[i] >= 0) ::close(ends[i]);
    ends[i] = -1;
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
};

/// Feeds and drains the child's pipes until all are closed, the deadline passes or too much came.
bool exchange(Pipe& input, Pipe& output, Pipe& error, const ProcessRequest& request, ProcessResult& result) {
  const auto deadline = Clock::now() + request.time_limit;
  std::string_view rest = request.input;
  fcntl(input.ends[1], F_SETFL, O_NONBLOCK);
  if (rest.empty()) input.close_end(1);
  while (output.ends[0] >= 0 || error.ends[0] >= 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd polled[3] = {{output.ends[0], POLLIN, 0}, {error.ends[0], POLLIN, 0}, {input.ends[1], POLLOUT, 0}};
    if (poll(polled, 3, static_cast<int>(std::min<long long>(left, 60'000))) < 0 && errno != EINTR) return false;
    for (int i = 0; i < 2; ++i) {
      if ((polled[i].revents & (POLLIN | POLLHUP | POLLERR)) == 0) continue;
      char chunk[65536];
      const ssize_t got = read(polled[i].fd, chunk, sizeof chunk);
      std::string& sink = i == 0 ? result.output : result.error_output;
      if (got > 0) sink.append(chunk, static_cast<std::size_t>(got));
      if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) (i == 0 ? output : error).close_end(0);
      if (sink.size() > request.output_limit) return false;
    }
    if ((polled[2].revents & (POLLOUT | POLLHUP | POLLERR)) != 0) {
      const ssize_t put = ::write(input.ends[1], rest.data(), rest.size());
      if (put > 0) rest.remove_prefix(static_cast<std::size_t>(put));
      if (rest.empty() || (put < 0 && errno != EAGAIN && errno != EINTR)) input.close_end(1);
    }
  }
  return true;
}

/// While it lives, signals that would end us are held, so that they can be handed to a child.
class HeldSignals {
 public:
  HeldSignals() {
    sigemptyset(&held_);
    for (const int signal : {SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2}) sigaddset(&held_, signal);
    pthread_sigmask(SIG_BLOCK, &held_, &before_);
  }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  ~HeldSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  const sigset_t& before() const { return before_; }

  int hand_on_until_end(pid_t child) const {
    for (;;) {
      siginfo_t info;
      const int signal = sigwaitinfo(&held_, &info);
      int status = 0;
      if (signal == SIGCHLD && waitpid(child, &status, WNOHANG) == child)
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      // What the terminal sends goes to its whole group, and so to the child.
      if (signal > 0 && signal != SIGCHLD && info.si_code <= 0) kill(child, signal);
    }
  }

 private:
  sigset_t held_;
  sigset_t before_;
};

class RealProcesses final : public Processes {
 public:
  Result<ProcessResult> run(const ProcessRequest& request) const override {
    TRY(const std::string program, program_of(request));
    Pipe input, output, error;
    if (!input.open() || !output.open() || !error.open())
      return fail(Error::Kind::system, fmt::format("cannot make a pipe: {}", std::strerror(errno)));
    const pid_t child = spawn(program, request, input, output, error);
    if (child < 0)
      return fail(Error::Kind::system, fmt::format("cannot start '{}': {}", program, std::strerror(errno)));
    input.close_end(0);
    output.close_end(1);
    error.close_end(1);
    ProcessResult result;
    std::signal(SIGPIPE, SIG_IGN);
    result.timed_out = !exchange(input, output, error, request, result);
    if (result.timed_out) kill(-child, SIGKILL);
    result.exit_code = wait_for(child, result.timed_out);
    return result;
  }

  Result<int> run_in_foreground(const ProcessRequest& request) const override {
    TRY(const std::string program, program_of(request));
    std::signal(SIGCHLD, SIG_DFL);
    const HeldSignals held;
    const pid_t child = spawn_in_foreground(program, request, held);
    if (child < 0)
      return fail(Error::Kind::system, fmt::format("cannot start '{}': {}", program, std::strerror(errno)));
    return held.hand_on_until_end(child);
  }

 private:
  /// The exit code. Who was killed gets a grace: a process that hangs in a driver may not end at all.
  static int wait_for(pid_t child, bool killed) {
    const auto deadline = Clock::now() + kGrace;
    for (;;) {
      int status = 0;
      const pid_t ended = waitpid(child, &status, killed ? WNOHANG : 0);
      if (ended == child) return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      if (ended < 0 && errno != EINTR) return 128 + SIGKILL;
      if (killed && Clock::now() > deadline) return 128 + SIGKILL;
      if (killed) poll(nullptr, 0, 5);
    }
  }

  static Result<std::string> program_of(const ProcessRequest& request) {
    ACCELPORT_CHECK(!request.command.empty());
    std::string program = find_program(request.command[0]);
    if (program.empty())
      return fail(Error::Kind::system, fmt::format("the program '{}' is not installed", request.command[0]));
    return program;
  }

  static pid_t spawn_in_foreground(const std::string& program, const ProcessRequest& request, const HeldSignals& held) {
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attributes, &held.before());
    sigset_t pipe;  // ignored by us, and that would be inherited
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &pipe);
    std::vector<std::string> words = request.command;
    std::vector<std::string> environment = merged_environment(request.environment);
    pid_t child = -1;
    const int code = posix_spawn(&child, program.c_str(), nullptr, &attributes, pointers(words).data(),
                                 pointers(environment).data());
    posix_spawnattr_destroy(&attributes);
    errno = code;
    return code == 0 ? child : -1;
  }

  static pid_t spawn(const std::string& program, const ProcessRequest& request, Pipe& input, Pipe& output,
                     Pipe& error) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input.ends[0], 0);
    posix_spawn_file_actions_adddup2(&actions, output.ends[1], 1);
    posix_spawn_file_actions_adddup2(&actions, error.ends[1], 2);
    if (!request.folder.empty()) posix_spawn_file_actions_addchdir_np(&actions, request.folder.c_str());
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);  // so that a time-out ends its children too
    posix_spawnattr_setpgroup(&attributes, 0);
    std::vector<std::string> words = request.command;
    std::vector<std::string> environment = merged_environment(request.environment);
    pid_t child = -1;
    const int code = posix_spawn(&child, program.c_str(), &actions, &attributes, pointers(words).data(),
                                 pointers(environment).data());
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    errno = code;
    return code == 0 ? child : -1;
  }
};

}  // namespace

// Relative entries of PATH are passed over: they could lie in an untrusted tree.
std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const std::string search = environment_variable("PATH");
  for (std::size_t begin = 0; begin <= search.size();) {
    std::size_t end = search.find(':', begin);
    if (end == std::string::npos) end = search.size();
    const std::string folder = search.substr(begin, end - begin);
    const std::string path = folder + "/" + name;
    struct stat status;
    if (!folder.empty() && folder[0] == '/' && access(path.c_str(), X_OK) == 0 && stat(path.c_str(), &status) == 0 &&
        S_ISREG(status.st_mode))
      return path;
    begin = end + 1;
  }
  return {};
}

std::uint64_t machine_memory() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

const Processes& real_processes() {
  static const RealProcesses processes;
  return processes;
}

bool show_in_pager(const std::string& pager, std::string_view text) {
  Pipe input;
  if (!input.open()) return false;
  std::vector<std::string> words = {"/bin/sh", "-c", pager};
  std::map<std::string, std::string> added;
  if (environment_variable("LESS").empty()) added["LESS"] = "FRX";  // ends on a short text, shows colours
  std::vector<std::string> environment = merged_environment(added);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.ends[0], 0);
  pid_t child = -1;
  const int code =
      posix_spawn(&child, "/bin/sh", &actions, nullptr, pointers(words).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (code != 0) return false;
  input.close_end(0);
  std::signal(SIGPIPE, SIG_IGN);
  while (!text.empty()) {
    const ssize_t put = ::write(input.ends[1], text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) break;  // the reader has seen enough
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  input.close_end(1);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return !WIFEXITED(status) || WEXITSTATUS(status) != 127;
}

Result<ProcessResult> ScriptedProcesses::run(const ProcessRequest& request) const {
  std::string line;
  for (const std::string& word : request.command) line += (line.empty() ? "" : " ") + word;
  const auto answer = answers_.find(line);
  if (answer == answers_.end()) return fail(Error::Kind::system, "the script has no answer for: " + line);
  return answer->second;
}

Result<int> Processes::run_in_foreground(const ProcessRequest& request) const {
  TRY(const ProcessResult result, run(request));
  return result.exit_code;
}

}  // namespace accelport
