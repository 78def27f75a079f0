#include "audit/packages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace accelport {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kSite = "/env/lib/python3.11/site-packages";

MemoryFiles environment() {
  MemoryFiles files;
  const std::string site = kSite;
  files.put("/env/bin/python3", "");
  files.put(site + "/fast/__init__.py", "import torch\n");
  files.put(site + "/fast/kernels.py", "x.cuda()\n");
  files.put(site + "/fast-2.5.dist-info/RECORD",
            "fast/__init__.py,sha256=a,1\nfast/kernels.py,,\nfast/gone.py,,\nfast/lib.so,,\n../../bin/fast.py,,\n"
            "/etc/passwd.py,,\n\"fast/a,b.py\",,\n");
  files.put(site + "/fast/a,b.py", "");
  files.put(site + "/single.py", "");
  files.put(site + "/single-1.0.dist-info/RECORD", "single.py,,\n");
  files.put(site + "/torch/__init__.py", "");
  files.put(site + "/torch-2.5.1.dist-info/RECORD", "torch/__init__.py,,\n");
  return files;
}

std::vector<std::string> packages_for(const std::string& source, std::vector<SkippedFile>& skipped,
                                      const std::unordered_set<std::string>& own_modules = {}) {
  MemoryFiles files = environment();
  files.put("a.py", source);
  std::vector<std::string> paths;
  for (const InstalledPackage& package :
       imported_packages({{"a.py", "a.py", source.size(), false}}, own_modules, {kSite}, files, skipped))
    for (const Candidate& candidate : package.candidates) paths.push_back(candidate.path);
  return paths;
}

TEST(Packages, FolderOfTheEnvironmentThenOfThePath) {
  const MemoryFiles files = environment();
  EXPECT_THAT(package_folders({"/env", "", ""}, files), ElementsAre(kSite));
  EXPECT_THAT(package_folders({"/gone", "/env", ""}, files), ElementsAre(kSite));
  EXPECT_THAT(package_folders({"", "", "/usr/games:/env/bin:/bin"}, files), ElementsAre(kSite));
  EXPECT_THAT(package_folders({"", "", "/usr/bin"}, files), IsEmpty());
}

TEST(Packages, RecordedPythonFilesOfImportedDistributions) {
  std::vector<SkippedFile> skipped;
  EXPECT_THAT(packages_for("import os, fast.kernels as k\n", skipped),
              ElementsAre("packages:fast 2.5/fast/__init__.py", "packages:fast 2.5/fast/kernels.py",
                          "packages:fast 2.5/fast/a,b.py"));
  ASSERT_EQ(skipped.size(), 1U);
  EXPECT_EQ(skipped[0].path, "packages:fast 2.5/fast/gone.py");
  EXPECT_FALSE(skipped[0].problem);
}

TEST(Packages, EveryFormOfImport) {
  for (const char* source :
       {"import single", "  import os , single ; x", "from single import x", "from single.a import b",
        "import single as s  # why", "try: pass\nexcept E:\n\timport single"}) {
    std::vector<SkippedFile> skipped;
    EXPECT_THAT(packages_for(source, skipped), ElementsAre("packages:single 1.0/single.py")) << source;
  }
  for (const char* source : {"from .single import x", "# import single", "import singles", "x = single"}) {
    std::vector<SkippedFile> skipped;
    EXPECT_THAT(packages_for(source, skipped), IsEmpty()) << source;
  }
}

TEST(Packages, NeitherOwnModulesNorTorchItself) {
  std::vector<SkippedFile> skipped;
  EXPECT_THAT(packages_for("import torch\nimport single\n", skipped, {"single"}), IsEmpty());
  ASSERT_EQ(skipped.size(), 1U);
  EXPECT_EQ(skipped[0].path, "packages:torch 2.5.1/");
}

TEST(Packages, ALinkIsNotRead) {
  MemoryFiles files = environment();
  files.put("a.py", "import evil\n");
  files.put(std::string(kSite) + "/evil-1.dist-info/RECORD", "evil/link.py,,\n");
  files.put_special(std::string(kSite) + "/evil/link.py", FileType::link);
  std::vector<SkippedFile> skipped;
  const auto packages = imported_packages({{"a.py", "a.py", 12, false}}, {}, {kSite}, files, skipped);
  ASSERT_EQ(packages.size(), 1U);
  EXPECT_THAT(packages[0].candidates, IsEmpty());
  ASSERT_EQ(skipped.size(), 1U);
  EXPECT_EQ(skipped[0].reason, "not a regular file");
}

}  // namespace
}  // namespace accelport
