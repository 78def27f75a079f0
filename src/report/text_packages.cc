#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "report/text_parts.h"
#include "report/wrap.h"

namespace accelport {
namespace {

struct PackageRow {
  const AuditedPackage* package = nullptr;
  std::uint64_t dependencies = 0;
};

std::vector<PackageRow> rows_of(const Audit& audit) {
  std::map<std::string_view, std::uint64_t> counts;
  for (const AuditedFile& file : audit.files)
    for (const Occurrence& o : file.occurrences) counts[file.package] += o.category != Category::none;
  std::vector<PackageRow> rows;
  for (const AuditedPackage& package : audit.packages) rows.push_back({&package, counts[package.name]});
  std::stable_sort(rows.begin(), rows.end(),
                   [](const PackageRow& a, const PackageRow& b) { return a.dependencies > b.dependencies; });
  return rows;
}

}  // namespace

void write_text_packages(const TextPage& page) {
  if (page.audit.packages.empty()) return;
  page.line();
  page.line(page.paint.bold("installed packages that the code imports"));
  for (const PackageRow& row : rows_of(page.audit)) {
    page.line("  " + page.paint.path(fitted(row.package->name, page.style.width - 2)));
    page.line(fmt::format("    {} {} on CUDA in {}", grouped(row.dependencies),
                          row.dependencies == 1 ? "dependency" : "dependencies", counted(row.package->files, "file")));
  }
  for (const std::string& part :
       wrapped("They are not counted above: each is its own project's work. --json has the places.", page.style.width))
    page.line(page.paint.dim(part));
}

}  // namespace accelport
