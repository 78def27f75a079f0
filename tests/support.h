#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "audit/audit.h"
#include "audit/run.h"
#include "base/files.h"
#include "base/process.h"
#include "catalog/catalog.h"

namespace accelport::test {

/// The built-in knowledge, loaded once. Ends the program with the loader's message if it is broken.
const Catalog& catalog();

/// Answers no program, so that every folder counts as one outside of any repository.
const Processes& no_processes();

/// An empty folder outside of any work tree that is gone at the end of the scope.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::string& path() const { return path_; }
  /// Writes a file, making its folders, and gives its whole path.
  std::string write(const std::string& name, std::string_view bytes) const;

 private:
  std::string path_;
};

/// Another file system with some operations changed: what a test lets go wrong.
class FaultyFiles : public Files {
 public:
  explicit FaultyFiles(const Files& files) : files_(files) {}

  std::function<Result<void>(const std::string&path)> before_info, before_list, before_read;
  std::function<void(std::vector<DirectoryEntry>&)> after_list;

  Result<FileInfo> info(const std::string& path) const override;
  Result<std::vector<DirectoryEntry>> list(const std::string& directory) const override;
  Result<void> read(const std::string& path, std::uint64_t limit, ByteBuffer& buffer) const override;
  Result<void> write(const std::string& path, std::string_view bytes) const override;
  Result<std::string> canonical(const std::string& path) const override;

 private:
  const Files& files_;
};

/// Audits one root; a failure to do so is a failure of the test.
Audit audit_of(const std::string& root, const Files& files = real_files(), const Processes& processes = no_processes());
Audit audit_with(const AuditOptions& options, const Files& files = real_files(),
                 const Processes& processes = no_processes());

const AuditedFile* find_file(const Audit& audit, std::string_view path);
const SkippedFile* find_skipped(const Audit& audit, std::string_view path);

/// "file:line:column-column `text` category decision action [rule]", for messages.
std::string describe(const AuditedFile& file, const Occurrence& occurrence);

/// Everything that an audit says, as text: equal audits give equal texts.
std::string fingerprint(const Audit& audit);

}  // namespace accelport::test
