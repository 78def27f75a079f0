#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/text.h"
#include "catalog/catalog.h"

namespace accelport {

/// A semantic difference of an occurrence's API on one of the chosen platforms. Points into the catalog.
struct Note {
  const Platform* platform = nullptr;
  const SemanticFact* fact = nullptr;
};

/// One CUDA-ism (or text that only looks like one) and what was decided about it.
struct Occurrence {
  std::string id;  // 16 hex digits; see `assign_ids`
  std::uint32_t line = 1;
  std::uint32_t column = 1;  // UTF-8 bytes, from 1
  std::uint32_t end_line = 1;
  std::uint32_t end_column = 1;    // behind the last byte
  std::uint32_t utf16_column = 1;  // the same for SARIF and editors
  std::uint32_t utf16_end_column = 1;
  int cell = -1;                // notebooks: index of the cell from 0
  std::uint32_t cell_line = 0;  // … and the line in it from 1
  Span span;                    // in the decoded text
  std::string text;             // at most kMaxText bytes of the span
  std::string api;
  Category category = Category::none;
  Decision decision = Decision::ignore;
  Means means = Means::null;
  Confidence confidence = Confidence::certain;
  Phase phase = Phase::inference;
  Effort effort = Effort::mechanical;
  const Rule* rule = nullptr;
  std::string decided_by;  // "", or "comment", "decisions.jsonl", "accelport.toml" if a person decided
  std::string reason;
  PortAction action = PortAction::none;
  std::string replacement;
  std::string helper;        // function of the helper module that a rewrite uses
  bool counterpart = false;  // a rewrite sets the platform's variable beside this one
  std::string reader;        // function of the helper that maps the value where a program reads it
  std::string key;           // with `reader`: the key or option that the value belongs to
  std::vector<Note> notes;
  const Outcome* branch = nullptr;  // one branch of several: what would hold if it were alone
  std::uint32_t family =
      Site::kNoFamily;     // … and where those branches begin, in the piece of text; not for other accelerators'
  std::string group;       // same for occurrences that change together or not at all; empty if alone
  std::uint32_t hits = 0;  // term hits that lie in it and in no narrower occurrence
  bool baseline = false;   // known from the baseline
  bool installed = false;  // in an installed package: reported, but nobody's work in this repository

  static constexpr std::size_t kMaxText = 240;
};

struct AuditedFile {
  std::string path;     // bytes as on disk; "packages:NAME VERSION/…" in an installed package
  std::string package;  // "NAME VERSION" of the installed package, or empty
  FileKind kind;
  std::uint64_t bytes = 0;
  std::uint64_t lines = 0;
  std::string charset;
  std::vector<Occurrence> occurrences;      // sorted by position, wider first
  std::vector<std::uint64_t> term_hits;     // by Catalog::terms; empty if there are none
  std::vector<std::uint64_t> term_covered;  // those that lie in an occurrence; equals term_hits or it is a bug
  std::uint32_t damage = 0;
};

struct SkippedFile {
  std::string path;  // a folder ends in "/"
  std::string reason;
  bool problem = false;  // something the user should look at (unreadable, vanished), not a choice of ours
};

/// An installed package that was read (`--with-packages`).
struct AuditedPackage {
  std::string name;  // "NAME VERSION"
  std::uint64_t files = 0;
};

struct Audit {
  std::vector<const Platform*> platforms;
  std::vector<AuditedFile> files;  // by path bytes; those with occurrences
  std::uint64_t scanned = 0;       // all that were read
  std::uint64_t bytes = 0;
  std::uint64_t lines = 0;
  std::vector<std::string> scanned_paths;  // filled only if asked for (`--files`)
  std::vector<SkippedFile> skipped;        // by path bytes
  std::vector<AuditedPackage> packages;    // by name
  std::vector<std::uint64_t> term_hits;    // by Catalog::terms
  std::vector<std::uint64_t> term_covered;
  std::uint64_t baseline_matched = 0;
  std::uint64_t foreign_decisions = 0;  // decisions of a person that were not made on this machine
  std::vector<std::string> problems;    // opt-out comments that say nothing: "path:line: what is wrong"
};

struct AuditOptions {
  std::vector<std::string> roots;      // as typed
  std::vector<std::string> platforms;  // names; empty = all loaded
  std::vector<std::string> include;    // path patterns; empty = all
  std::vector<std::string> exclude;
  std::vector<std::string> package_folders;  // where installed packages that the tree imports are read; empty = nowhere
  int jobs = 0;                              // 0 = processors
  bool keep_paths = false;
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;  // called from one thread at a time, or empty
};

}  // namespace accelport
