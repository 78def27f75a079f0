#pragma once

#include <string>
#include <vector>

#include "audit/audit.h"
#include "audit/discover.h"
#include "base/files.h"
#include "syntax/reader.h"

namespace accelport {

/// One worker's buffers, kept from file to file.
struct Workspace {
  ByteBuffer bytes;
  std::vector<Hit> byte_hits;
  std::vector<Hit> text_hits;
  ReadOutput read;
};

/// What one file gave. `skipped` is set instead of `file` if it could not be read.
struct Examined {
  AuditedFile file;
  SkippedFile skipped;
  bool is_skipped = false;
  std::vector<std::string> problems;  // of opt-out comments: "path:line: message"
};

/// Reads and judges one file: every term hit ends up in exactly one occurrence.
Examined examine_file(const Candidate& candidate, const Catalog& catalog, const std::vector<const Platform*>& platforms,
                      const ReaderFacts& facts, const Files& files, Workspace& workspace);

/// The same for bytes that are at hand (`bytes` followed by kTextPadding readable ones).
Examined examine_bytes(const Candidate& candidate, std::string_view bytes, const Catalog& catalog,
                       const std::vector<const Platform*>& platforms, const ReaderFacts& facts, Workspace& workspace);

}  // namespace accelport
