#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "catalog/finding.h"

namespace accelport {

/// One replacement of bytes of a file as it lies on disk. An insertion has an empty span.
struct Edit {
  Span span;
  std::string text;
  std::vector<std::string> ids;  // occurrences that it settles; empty for an import that others need
  std::string group;             // edits of one group are applied together or not at all
};

/// What becomes of one file. `edits` are sorted and do not overlap; applied to `before` they give `after`.
struct FileChange {
  std::string path;  // relative to the root, bytes as on disk
  bool created = false;
  std::uint32_t mode = 0644;  // of a created file; an existing file keeps its own
  std::string before;         // empty if created
  std::string after;
  std::vector<Edit> edits;
};

/// An occurrence that `port` would have changed by its decision but leaves, and why.
struct Unchanged {
  std::string path;
  std::string id;
  std::uint32_t line = 0;
  Category category = Category::none;
  Decision decision = Decision::ignore;
  std::string text;
  std::string reason;
};

/// A configuration value that stays because the program that reads it maps it now.
struct MappedValue {
  std::string path;
  std::string id;
  std::uint32_t line = 0;
  std::string reader;  // "path:line"
};

/// Something for a person to do.
struct Advice {
  std::string text;  // a sentence
  std::string path;  // of the file that it is about, or empty
  std::uint32_t line = 0;
  std::string snippet;  // text to paste, with the ends of its lines, or empty
};

/// A port before it is applied: files by path bytes.
struct Plan {
  std::vector<FileChange> changes;
  std::vector<Unchanged> unchanged;
  std::vector<MappedValue> mapped;
  std::vector<Advice> advice;
  std::string style;  // another one than the usual, or empty

  bool empty() const { return changes.empty(); }
};

/// `before` with `edits` made. Edits must be sorted and must not overlap.
std::string apply_edits(std::string_view before, const std::vector<Edit>& edits);

/// The edit that turns `before` into `after`: what they have in common at both ends stays.
Edit narrow_edit(std::string_view before, std::string_view after);

}  // namespace accelport
