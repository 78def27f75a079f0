#include "edit/manifest.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "base/hash.h"
#include "base/text.h"

namespace accelport {
namespace {

constexpr std::string_view kFirstLine = "accelport.journal/1";
constexpr std::uint64_t kMaxListBytes = std::uint64_t{256} << 20;

std::string escaped(std::string_view path) {
  std::string out;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && byte != 0x7F && byte != '%') {
      out += c;
    } else {
      out += fmt::format("%{:02x}", byte);
    }
  }
  return out;
}

template <typename Number>
bool parse_number(std::string_view text, Number& number, int base) {
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return parsed.ec == std::errc{} && parsed.ptr == text.data() + text.size();
}

std::optional<std::string> unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    unsigned byte = 0;
    if (i + 2 >= text.size() || !parse_number(text.substr(i + 1, 2), byte, 16)) return std::nullopt;
    out += static_cast<char>(byte);
    i += 2;
  }
  return out;
}

std::string write_stamp(const std::optional<Stamp>& stamp) {
  return stamp ? fmt::format("{}:{}", stamp->size, to_hex(stamp->hash)) : "-";
}

bool parse_stamp(std::string_view text, std::optional<Stamp>& stamp) {
  if (text == "-") return true;
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  stamp.emplace();
  return parse_number(text.substr(0, colon), stamp->size, 10) && parse_number(text.substr(colon + 1), stamp->hash, 16);
}

std::string_view take_word(std::string_view& line) {
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

/// A line of the list; false if it is none.
bool parse_line(std::string_view line, Manifest& port) {
  const std::string_view kind = take_word(line);
  if (kind == "folder") {
    const auto path = unescaped(line);
    if (path) port.folders.push_back(*path);
    return path && check_port_path(*path);
  }
  Manifest::File file;
  if (kind != "file" || !parse_number(take_word(line), file.mode, 8) || !parse_stamp(take_word(line), file.before) ||
      !parse_stamp(take_word(line), file.after))
    return false;
  const auto path = unescaped(line);
  if (!path || !check_port_path(*path) || file.before == file.after || file.mode > 0777) return false;
  file.path = *path;
  port.files.push_back(std::move(file));
  return true;
}

std::optional<std::uint32_t> number_of(const DirectoryEntry& entry) {
  std::uint32_t number = 0;
  if (entry.type != FileType::directory || !parse_number(entry.name, number, 10) || number == 0 ||
      entry.name != fmt::format("{:04}", number))
    return std::nullopt;
  return number;
}

Result<Manifest> read_port(const std::string& root, const std::string& folder, const Files& files) {
  // While a list changes its name to "undo", the older one may still be there.
  for (const PortState state : {PortState::undo, PortState::apply, PortState::applied}) {
    const std::string path = join_path(join_path(root, folder), to_string(state));
    if (!files.info(path)) continue;
    ByteBuffer bytes;
    TRY_DO(files.read(path, kMaxListBytes, bytes));
    TRY(Manifest port, parse_manifest(bytes.view(), path));
    port.state = state;
    return port;
  }
  return Manifest{};
}

bool is_real_folder(const std::string& path, const Files& files) {
  const auto info = files.info(path);
  return info && info->type == FileType::directory;
}

}  // namespace

Stamp stamp_of(std::string_view bytes) { return {bytes.size(), hash_of(bytes)}; }

std::string_view to_string(PortState state) {
  static constexpr std::array<std::string_view, 4> kNames = {"", "apply", "applied", "undo"};
  return kNames[static_cast<std::size_t>(state)];
}

std::string Manifest::folder() const { return fmt::format("{}/{:04}", kJournalFolder, number); }

std::string Manifest::kept(std::size_t k, bool after) const {
  return fmt::format("{}/{}.{}", folder(), k, after ? "after" : "before");
}

std::string write_manifest(const Manifest& port) {
  std::string out = std::string(kFirstLine) + "\n";
  for (const std::string& folder : port.folders) out += fmt::format("folder {}\n", escaped(folder));
  for (const Manifest::File& file : port.files)
    out += fmt::format("file {:o} {} {} {}\n", file.mode, write_stamp(file.before), write_stamp(file.after),
                       escaped(file.path));
  return out + "end\n";
}

Result<Manifest> parse_manifest(std::string_view text, const std::string& place) {
  Manifest port;
  int number = 0;
  for (bool ended = false; !ended;) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, std::min(end, text.size()));
    ++number;
    ended = number > 1 && line == "end" && end != std::string_view::npos;
    const bool good =
        ended || (end != std::string_view::npos && (number == 1 ? line == kFirstLine : parse_line(line, port)));
    if (!good)
      return fail(Error::Kind::data, "not a line of a port's list", fmt::format("{}:{}", place, number),
                  "remove that folder of the journal to keep the files as they are");
    text.remove_prefix(end + 1);
  }
  return port;
}

Result<void> check_port_path(std::string_view path) {
  const auto refuse = [&](const char* why) { return fail(Error::Kind::input, why, std::string(path)); };
  if (path.empty() || path.find('\0') != std::string_view::npos) return refuse("not a path");
  if (path == kJournalFolder || path.substr(0, std::string_view(kJournalFolder).size() + 1) == ".accelport/journal/")
    return refuse("the journal's own folder");
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view name = path.substr(begin, end - begin);
    if (name.empty() || name == "." || name == "..") return refuse("not a plain path below the root");
    if (ascii_lower(name) == ".git") return refuse("in git's own folder");
    begin = end + 1;
  }
  return {};
}

Result<std::vector<Manifest>> read_ports(const std::string& root, const Files& files) {
  std::vector<Manifest> ports;
  if (!is_real_folder(join_path(root, kToolFolder), files) || !is_real_folder(join_path(root, kJournalFolder), files))
    return ports;
  TRY(const auto entries, files.list(join_path(root, kJournalFolder)));
  for (const DirectoryEntry& entry : entries) {
    const auto number = number_of(entry);
    if (!number) continue;
    Manifest named;
    named.number = *number;
    TRY(Manifest port, read_port(root, named.folder(), files));
    port.number = *number;
    ports.push_back(std::move(port));
  }
  std::sort(ports.begin(), ports.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
  return ports;
}

}  // namespace accelport
