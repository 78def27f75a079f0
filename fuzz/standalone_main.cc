// Runs a fuzz target without libFuzzer: replays files and folders, then mutates what it replayed.
//
// usage: TARGET [-runs=N] [-max_total_time=SECONDS] [-seed=N] [-max_len=N] [FILE|FOLDER]...
//
// The options are libFuzzer's, so that one command line serves both; others that begin with `-` are
// ignored. An input is written to `crash-TARGET` before it is run whenever mutation is on, and the
// file is removed at the end, so that after a crash it holds the input to replay. Folders that do
// not exist count as empty.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct Options {
  long runs = 0;
  long seconds = 0;
  unsigned seed = 1;
  std::size_t max_length = 4096;
  std::vector<fs::path> inputs;
};

bool read_number(std::string_view argument, std::string_view name, long& value) {
  if (argument.substr(0, name.size()) != name) return false;
  value = std::strtol(argument.data() + name.size(), nullptr, 10);
  return true;
}

Options parse(int count, char** arguments) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    long value = 0;
    if (read_number(argument, "-runs=", options.runs) || read_number(argument, "-max_total_time=", options.seconds)) {
      continue;
    }
    if (read_number(argument, "-seed=", value)) {
      options.seed = static_cast<unsigned>(value);
    } else if (read_number(argument, "-max_len=", value)) {
      options.max_length = static_cast<std::size_t>(std::max(1L, value));
    } else if (argument.substr(0, 1) != "-") {
      options.inputs.emplace_back(argument);
    }
  }
  return options;
}

std::string read_file(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<fs::path> files_below(const std::vector<fs::path>& inputs) {
  std::vector<fs::path> files;
  for (const fs::path& input : inputs) {
    if (fs::is_regular_file(input)) files.push_back(input);
    if (!fs::is_directory(input)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(input)) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

void run(const std::string& input) {
  // A copy of exact size, so that a sanitizer sees the first byte read behind the end.
  const std::vector<std::uint8_t> bytes(input.begin(), input.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

class Mutator {
 public:
  Mutator(const std::vector<std::string>& corpus, const Options& options)
      : corpus_(corpus), max_length_(options.max_length), random_(options.seed) {}

  std::string next() {
    std::string text = pick_input();
    for (std::size_t step = 0, steps = 1 + below(6); step < steps; ++step) mutate(text);
    if (text.size() > max_length_) text.resize(max_length_);
    return text;
  }

 private:
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }
  char byte() { return static_cast<char>(below(256)); }
  std::string pick_input() {
    const std::string& text = corpus_[below(corpus_.size())];
    if (text.size() <= max_length_) return text;
    return text.substr(below(text.size() - max_length_), max_length_);
  }
  std::string piece() {
    const std::string text = pick_input();
    return text.substr(below(text.size()), 1 + below(64));
  }

  void mutate(std::string& text) {
    static constexpr std::string_view kMarks = "\"'#\\\n\r\t ()[]{}:=,.@`$%\0\x80\xff";
    const std::size_t at = below(text.size() + 1);
    switch (below(7)) {
      case 0:
        text.insert(at, 1, kMarks[below(kMarks.size())]);
        break;
      case 1:
        text.insert(at, 1, byte());
        break;
      case 2:
        text.insert(at, piece());
        break;
      case 3:
        text.erase(at, 1 + below(16));
        break;
      case 4:
        text.insert(at, text.substr(below(text.size()), below(64)));
        break;
      case 5:
        text.resize(at);
        break;
      default:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
    }
  }

  const std::vector<std::string>& corpus_;
  std::size_t max_length_;
  std::mt19937 random_;
};

long mutate_and_run(const std::vector<std::string>& corpus, const Options& options, const std::string& crash_file) {
  Mutator mutator(corpus, options);
  const auto end = Clock::now() + std::chrono::seconds(options.seconds);
  long done = 0;
  const auto goes_on = [&] { return options.seconds > 0 ? Clock::now() < end : done < options.runs; };
  for (; goes_on(); ++done) {
    const std::string input = mutator.next();
    std::ofstream(crash_file, std::ios::binary) << input;
    run(input);
  }
  std::remove(crash_file.c_str());
  return done;
}

}  // namespace

int main(int count, char** arguments) {
  const Options options = parse(count, arguments);
  std::vector<std::string> corpus;
  for (const fs::path& path : files_below(options.inputs)) {
    corpus.push_back(read_file(path));
    std::fprintf(stderr, "replay %s\n", path.c_str());
    run(corpus.back());
  }
  const std::size_t replayed = corpus.size();
  if (corpus.empty()) corpus.emplace_back();
  const std::string name = fs::path(arguments[0]).filename().string();
  const long done = mutate_and_run(corpus, options, "crash-" + name);
  std::printf("%s: %zu inputs replayed, %ld mutated\n", name.c_str(), replayed, done);
}
