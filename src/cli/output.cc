#include "cli/output.h"

#include <cerrno>
#include <cstdio>
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
  if (failed_) return fail(Error::Kind::system, std::string("cannot write: ") + std::strerror(errno), "standard output");
  return {};
}

bool use_colour(Colour wish, bool to_file) {
  if (wish != Colour::automatic) return wish == Colour::always;
  return !to_file && isatty(STDOUT_FILENO) != 0 && environment_variable("NO_COLOR").empty() &&
         environment_variable("TERM") != "dumb";
}

int terminal_width() {
  winsize size{};
  if (isatty(STDOUT_FILENO) == 0 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 40) return 100;
  return size.ws_col;
}

bool error_is_terminal() { return isatty(STDERR_FILENO) != 0 && environment_variable("TERM") != "dumb"; }

void say(std::string_view message) {
  std::fprintf(stderr, "accelport: %s\n", escape_for_display(message).c_str());
}

}  // namespace accelport
