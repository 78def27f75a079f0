#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "edit/rewrite.h"

namespace accelport {

/// An occurrence that is to be rewritten; its span is in the text at hand.
struct TextOccurrence {
  Span span;
  const Occurrence* occurrence = nullptr;
  const HelperFunction* function = nullptr;
  std::uint32_t line = 0;  // for reasons
  std::string stays = {};  // why it is not to be rewritten, nor what changes together with it
};

struct TextEdit {
  Span span;
  std::string text;
  std::vector<std::size_t> owners;  // numbers of the occurrences that it settles
  std::string group;
};

/// What becomes of one Python text.
struct TextPort {
  std::vector<TextEdit> edits;      // sorted, without overlaps
  std::vector<std::string> left;    // by occurrence: why it stays, or "" if an edit settles it
  std::set<std::string> functions;  // of the helper
  bool imports_helper = false;      // the text imports the helper now
};

struct TextPortOptions {
  std::string import_statement;  // "from . import accelerator"
  bool needs_import = true;      // false if an earlier part of the file has it
  bool loads_package = false;    // the statement imports another program's package, which may import torch
  bool keeps_names = false;      // other texts may use what this one binds (cells of a notebook)
  std::function<bool(std::string_view)> is_taken_elsewhere = [](std::string_view) { return false; };
};

TextPort port_text(const RewriteContext& context, const std::vector<TextOccurrence>& occurrences,
                   const TextPortOptions& options);

}  // namespace accelport
