#include "expectation.h"

#include <algorithm>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "catalog/toml.h"
#include "support.h"

namespace accelport::test {
namespace {

using Kind = Expectation::Kind;

std::vector<std::string> texts_of(const TomlValue& list) {
  std::vector<std::string> texts;
  for (const TomlValue& item : list.items) texts.push_back(item.text);
  return texts;
}

void take(const std::string& key, const TomlValue& value, Expectation& expectation, const std::string& place) {
  const std::map<std::string, std::string*> texts = {
      {"path", &expectation.path},         {"text", &expectation.text},       {"action", &expectation.action},
      {"together", &expectation.together}, {"charset", &expectation.charset}, {"reason", &expectation.reason}};
  if (const auto text = texts.find(key); text != texts.end()) {
    *text->second = value.text;
  } else if (key == "line") {
    expectation.line = static_cast<std::uint32_t>(value.integer);
  } else if (key == "nth") {
    expectation.nth = static_cast<int>(value.integer);
  } else if (key == "category" || key == "decision") {
    (key == "category" ? expectation.category : expectation.decision) = texts_of(value);
  } else {
    ADD_FAILURE() << place << ":" << value.line << ": unknown key " << key;
  }
}

std::string bytes_of(const std::string& path) {
  ByteBuffer bytes;
  const auto read = real_files().read(path, std::uint64_t{1} << 20, bytes);
  EXPECT_TRUE(read) << path;
  return std::string(bytes.view());
}

/// Columns of the fragment in its line, from 1, the end behind it; nothing if the file does not have it.
Span columns_of(const Expectation& expectation, const std::string& root) {
  const std::string bytes = bytes_of(root + "/" + expectation.path);
  const LineTable lines(bytes);
  if (expectation.line < 1 || expectation.line > lines.count()) return {};
  const std::string_view line = slice(bytes, lines.line(expectation.line));
  std::size_t at = line.find(expectation.text);
  for (int i = 1; i < expectation.nth && at != std::string_view::npos; ++i) at = line.find(expectation.text, at + 1);
  if (at == std::string_view::npos) return {};
  return {static_cast<std::uint32_t>(at + 1), static_cast<std::uint32_t>(at + 1 + expectation.text.size())};
}

bool is_before(std::uint32_t line, std::uint32_t column, std::uint32_t other_line, std::uint32_t other_column) {
  return line != other_line ? line < other_line : column < other_column;
}

bool overlaps(const Occurrence& o, std::uint32_t line, Span columns) {
  return is_before(o.line, o.column, line, columns.end) && is_before(line, columns.begin, o.end_line, o.end_column);
}

/// The narrowest occurrence around the fragment's first byte, else the first one that begins in it.
const Occurrence* occurrence_at(const AuditedFile& file, std::uint32_t line, Span columns) {
  const Occurrence* around = nullptr;
  const Occurrence* inside = nullptr;
  for (const Occurrence& o : file.occurrences) {
    if (!overlaps(o, line, columns)) continue;
    const bool holds_first = !is_before(line, columns.begin, o.line, o.column);
    if (holds_first && (around == nullptr || o.span.size() < around->span.size())) around = &o;
    if (!holds_first && inside == nullptr) inside = &o;
  }
  return around != nullptr ? around : inside;
}

bool is_one_of(std::string_view value, const std::vector<std::string>& values) {
  return values.empty() || std::find(values.begin(), values.end(), value) != values.end();
}

bool fits(const Occurrence& o, const Expectation& expectation) {
  return is_one_of(to_string(o.category), expectation.category) &&
         is_one_of(to_string(o.decision), expectation.decision) &&
         (expectation.action.empty() || to_string(o.action) == expectation.action);
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : "|") + word;
  return out.empty() ? "any" : out;
}

std::string wish_of(const Expectation& e) {
  const std::string place = fmt::format("{}:{} `{}`", e.path, e.line, e.text);
  switch (e.kind) {
    case Kind::stay:
      return place + " must stay";
    case Kind::nothing:
      return place + " must be no dependency";
    default:
      break;
  }
  return fmt::format("{} must be {} {}{}", place, joined(e.category), joined(e.decision),
                     e.action.empty() ? "" : " port:" + e.action);
}

/// What the audit says about a line, for the message.
std::string said_about(const AuditedFile* file, std::uint32_t line) {
  std::string out;
  if (file == nullptr) return "\n    nothing was found in this file";
  for (const Occurrence& o : file->occurrences)
    if (o.line <= line && line <= o.end_line) out += "\n    found " + describe(*file, o);
  return out.empty() ? "\n    nothing was found on this line" : out;
}

class Check {
 public:
  Check(const Audit& audit, const std::string& root) : audit_(audit), root_(root) {}

  void operator()(const Expectation& e) {
    if (e.kind == Kind::skipped) return check_skipped(e);
    const AuditedFile* const file = find_file(audit_, e.path);
    if (e.kind == Kind::file) return check_charset(e, file);
    if (e.kind == Kind::occurrence) return check_occurrence(e, file);
    const Span columns = place(e);
    if (file == nullptr) return;
    for (const Occurrence& o : file->occurrences) {
      const bool stays = o.decision == Decision::retain || o.decision == Decision::ignore;
      const bool right = e.kind == Kind::nothing ? o.category == Category::none : stays;
      if (overlaps(o, e.line, columns) && !right) return complain(e, file);
    }
  }

  std::vector<std::string> take_messages() { return std::move(messages_); }

 private:
  Span place(const Expectation& e) {
    const Span columns = columns_of(e, root_);
    if (columns.end == 0) messages_.push_back(wish_of(e) + ": the file has no such text");
    return columns;
  }

  void complain(const Expectation& e, const AuditedFile* file) {
    messages_.push_back(wish_of(e) + said_about(file, e.line));
  }

  void check_skipped(const Expectation& e) {
    const SkippedFile* const skipped = find_skipped(audit_, e.path);
    if (skipped == nullptr || skipped->reason.find(e.reason) == std::string::npos)
      messages_.push_back(fmt::format("{} must be skipped because of '{}'", e.path, e.reason));
  }

  void check_charset(const Expectation& e, const AuditedFile* file) {
    if (file == nullptr || file->charset != e.charset)
      messages_.push_back(
          fmt::format("{} is {}, not {}", e.path, file == nullptr ? "unknown" : file->charset, e.charset));
  }

  void check_occurrence(const Expectation& e, const AuditedFile* file) {
    if (file == nullptr) return complain(e, file);
    const auto any = [&](const Occurrence& o) { return o.line <= e.line && e.line <= o.end_line && fits(o, e); };
    if (e.text.empty()) {
      if (std::none_of(file->occurrences.begin(), file->occurrences.end(), any)) complain(e, file);
      return;
    }
    const Occurrence* const found = occurrence_at(*file, e.line, place(e));
    if (found == nullptr || !fits(*found, e)) return complain(e, file);
    if (e.together.empty()) return;
    const Decision first = together_.emplace(e.together, found->decision).first->second;
    if (first != found->decision)
      messages_.push_back(wish_of(e) + ": its decision differs from its fellows'" + said_about(file, e.line));
  }

  const Audit& audit_;
  const std::string& root_;
  std::map<std::string, Decision> together_;
  std::vector<std::string> messages_;
};

}  // namespace

std::vector<Expectation> read_expectations(const std::string& path) {
  static const std::map<std::string, Kind> kinds = {{"occurrence", Kind::occurrence},
                                                    {"stay", Kind::stay},
                                                    {"nothing", Kind::nothing},
                                                    {"file", Kind::file},
                                                    {"skipped", Kind::skipped}};
  std::vector<Expectation> expectations;
  const auto root = parse_toml(bytes_of(path), path);
  EXPECT_TRUE(root) << (root ? std::string() : to_string(root.error()));
  if (!root) return expectations;
  for (const auto& [name, list] : root->members) {
    if (name == "title") continue;
    const auto kind = kinds.find(name);
    if (kind == kinds.end()) {
      ADD_FAILURE() << path << ":" << list.line << ": unknown key " << name;
      continue;
    }
    for (const TomlValue& table : list.items) {
      Expectation expectation;
      expectation.kind = kind->second;
      for (const auto& [key, value] : table.members) take(key, value, expectation, path);
      expectations.push_back(std::move(expectation));
    }
  }
  return expectations;
}

std::vector<std::string> check_expectations(const std::vector<Expectation>& expectations, const Audit& audit,
                                            const std::string& root) {
  Check check(audit, root);
  for (const Expectation& expectation : expectations) check(expectation);
  return check.take_messages();
}

}  // namespace accelport::test
