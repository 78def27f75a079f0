#include "cli/output.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.h"

namespace accelport {

Sink Output::sink() {
  if (!path_.empty()) return [this](std::string_view bytes) { held_.append(bytes); };
  return [this](std::string_view bytes) {
    if (broken_pipe_ || failed_) return;
    if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size()) return;
    (errno == EPIPE ? broken_pipe_ : failed_) = true;
  };
}

Result<void> Output::finish(const Files& files) {
  if (!path_.empty()) return files.write(path_, held_);
  if (!failed_ && !broken_pipe_ && std::fflush(stdout) != 0) (errno == EPIPE ? broken_pipe_ : failed_) = true;
  if (failed_)
    return fail(Error::Kind::system, std::string("cannot write: ") + std::strerror(errno), "standard output");
  return {};
}

bool use_colour(Colour wish, bool to_file) {
  if (wish != Colour::automatic) return wish == Colour::always;
  return !to_file && isatty(STDOUT_FILENO) != 0 && environment_variable("NO_COLOR").empty() &&
         environment_variable("TERM") != "dumb";
}

int terminal_width() {
  constexpr int kLeast = 40, kPage = 100, kMost = 120;  // longer lines are hard to read
  winsize size{};
  int columns = std::atoi(environment_variable("COLUMNS").c_str());
  if (isatty(STDOUT_FILENO) != 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) columns = size.ws_col;
  return columns <= 0 ? kPage : std::clamp(columns, kLeast, kMost);
}

bool output_is_terminal() { return isatty(STDOUT_FILENO) != 0; }

bool error_is_terminal() { return isatty(STDERR_FILENO) != 0 && environment_variable("TERM") != "dumb"; }

void say(std::string_view message) { std::fprintf(stderr, "accelport: %s\n", escape_for_display(message).c_str()); }

}  // namespace accelport
