#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "edit/file_port.h"

namespace accelport {

/// Values of configuration files and command lines whose readers map them: what is chosen, the Python files that may
/// read them, and what became of each.
class ConfiguredValues {
 public:
  explicit ConfiguredValues(const HelperTable& table) : table_(table) {}

  /// Whether a reader may map it.
  static bool is_configured(const AuditedFile& file, const Occurrence& occurrence);
  void add(const AuditedFile& file, const Occurrence& occurrence);
  bool empty() const { return values_.empty(); }

  /// Appends drafts for the Python files of the tree that have none yet.
  void add_drafts(const Audit& audit, std::vector<std::unique_ptr<FileDraft>>& drafts);
  /// Reads a draft and finds its readers; one without occurrences of its own is read only as far as that needs.
  void read(const std::string& root, const Files& files, FileDraft& draft) const;
  /// The draft is worth keeping for its readers. These join what is wanted of it.
  bool attach(FileDraft& draft);
  /// Takes note of the readers that the port maps; their edits get the ids of the values.
  void note(const FileDraft& draft, FilePort& port);
  /// Every value with the reader that maps it, or the reason why it stays.
  void finish(Plan& plan) const;

 private:
  struct Value {
    const AuditedFile* file = nullptr;
    const Occurrence* occurrence = nullptr;
    std::string key;
  };

  const HelperTable& table_;
  std::vector<Value> values_;
  ConfiguredKeys keys_;
  std::deque<AuditedFile> files_;               // those without occurrences
  std::map<std::string, std::string> readers_;  // by key: where the first one is
};

}  // namespace accelport
