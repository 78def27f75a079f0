// Loads any bytes as a rule, as the search list and as a platform's files: the loaders answer with a value or with an
// error that names the file, and a rule that loads can be asked about a site.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "catalog/catalog.h"
#include "catalog/load.h"

namespace {

using namespace accelport;

constexpr std::string_view kTerms = "schema = \"accelport.terms/1\"\n[[word]]\ntext = \"cuda\"\nwhy = \"x\"\n";

void check(const Error& error) {
  ACCELPORT_CHECK(!error.message.empty());
  ACCELPORT_CHECK(!error.place.empty());
}

void ask(std::string_view bytes) {
  const auto catalog = load_catalog({{"terms.toml", kTerms}, {"rules/torch/fuzzed.toml", bytes}});
  if (!catalog) return check(catalog.error());
  static constexpr std::string_view kText = "torch.cuda.is_available()";
  Site site;
  site.kind = SiteKind::chain;
  site.span = {0, 10};
  site.api = "torch.cuda";
  const Verdict verdict = explain_site(*catalog, site, kText, "a/b.py", FileRole::test);
  ACCELPORT_CHECK((verdict.rule == nullptr) == (verdict.outcome == nullptr));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  ask(bytes);
  if (const auto list = load_terms({"terms.toml", bytes}); !list) check(list.error());
  for (const char* file : {"profile.toml", "semantics.toml", "python_api.tsv"}) {
    const auto platform = load_platform("x", {{std::string("platforms/x/") + file, bytes}});
    if (!platform) check(platform.error());
  }
  return 0;
}
