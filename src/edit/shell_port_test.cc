#include "edit/shell_port.h"

#include <gtest/gtest.h>

namespace accelport {
namespace {

/// A platform that has its own name for CUDA_VISIBLE_DEVICES, for values of digits.
Platform platform(const std::string& name, const std::string& target) {
  Platform out;
  out.name = out.title = name;
  Counterpart counterpart;
  counterpart.kind = "variable";
  counterpart.cuda = "CUDA_VISIBLE_DEVICES";
  counterpart.target = target;
  counterpart.values = *Pattern::compile("^[0-9]*$");
  out.counterparts.push_back(std::move(counterpart));
  return out;
}

/// `text` ported; every variable's name in it is an occurrence. What stays is appended behind "|".
std::string ported(const std::string& text, const std::vector<const Platform*>& platforms, bool settings = false) {
  constexpr std::string_view kName = "CUDA_VISIBLE_DEVICES";
  std::vector<ShellOccurrence> occurrences;
  for (std::size_t at = text.find(kName); at != std::string::npos; at = text.find(kName, at + 1))
    occurrences.push_back({{static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + kName.size())}, kName});
  const ShellPort port = port_shell(text, settings, occurrences, platforms);
  EXPECT_EQ(port.left.size(), occurrences.size());
  std::string out = text;
  for (auto edit = port.edits.rbegin(); edit != port.edits.rend(); ++edit) out.insert(edit->at, edit->text);
  for (const std::string& left : port.left)
    if (!left.empty()) out += "|" + left;
  return out;
}

TEST(PortShell, PlatformsComeInTheirOrderAndEachNameOnce) {
  const Platform a = platform("a", "A_DEVICES"), b = platform("b", "B_DEVICES"), c = platform("c", "A_DEVICES");
  EXPECT_EQ(ported("CUDA_VISIBLE_DEVICES=0 p", {&a, &b, &c}), "CUDA_VISIBLE_DEVICES=0 A_DEVICES=0 B_DEVICES=0 p");
  EXPECT_EQ(ported("CUDA_VISIBLE_DEVICES=0 p", {&b, &a}), "CUDA_VISIBLE_DEVICES=0 B_DEVICES=0 A_DEVICES=0 p");
  EXPECT_EQ(ported("CUDA_VISIBLE_DEVICES=0 A_DEVICES=1 p", {&a, &b}),
            "CUDA_VISIBLE_DEVICES=0 B_DEVICES=0 A_DEVICES=1 p");
  EXPECT_EQ(ported("unset CUDA_VISIBLE_DEVICES", {&a, &b}), "unset CUDA_VISIBLE_DEVICES A_DEVICES B_DEVICES");
  EXPECT_EQ(ported("export CUDA_VISIBLE_DEVICES=`x`\n", {&a, &b}),
            "export CUDA_VISIBLE_DEVICES=`x`\nexport A_DEVICES=\"$CUDA_VISIBLE_DEVICES\" "
            "B_DEVICES=\"$CUDA_VISIBLE_DEVICES\"\n");
  EXPECT_EQ(ported("CUDA_VISIBLE_DEVICES=0\r\n", {&a, &b}, true),
            "CUDA_VISIBLE_DEVICES=0\r\nA_DEVICES=0\r\nB_DEVICES=0\r\n");
}

TEST(PortShell, APlatformWithoutACounterpartGetsNone) {
  const Platform a = platform("a", "A_DEVICES"), b = platform("b", "");
  EXPECT_EQ(ported("CUDA_VISIBLE_DEVICES=0 p", {&a, &b}), "CUDA_VISIBLE_DEVICES=0 A_DEVICES=0 p");
  EXPECT_EQ(ported("CUDA_VISIBLE_DEVICES=0 p", {&b}),
            "CUDA_VISIBLE_DEVICES=0 p|no variable of b is known that does the same");
  EXPECT_EQ(ported("CUDA_VISIBLE_DEVICES=x p", {&a}),
            "CUDA_VISIBLE_DEVICES=x p|the value may mean something else in A_DEVICES");
}

TEST(PortShell, ASecondRunHasNothingToDo) {
  const Platform a = platform("a", "A_DEVICES");
  for (const std::string text :
       {"CUDA_VISIBLE_DEVICES=0 p\n", "export CUDA_VISIBLE_DEVICES=$(x)\n", "CUDA_VISIBLE_DEVICES=$(x)\n",
        "export CUDA_VISIBLE_DEVICES=$1\nexport CUDA_VISIBLE_DEVICES=$2\n", "unset CUDA_VISIBLE_DEVICES\n"}) {
    const std::string once = ported(text, {&a});
    EXPECT_NE(once, text);
    const std::string twice = ported(once, {&a});
    EXPECT_EQ(twice.substr(0, twice.find('|')), once);
  }
  EXPECT_EQ(ported("CUDA_VISIBLE_DEVICES=0\nB=$A_DEVICES\n", {&a}, true),
            "CUDA_VISIBLE_DEVICES=0\nB=$A_DEVICES\n|the settings ask for A_DEVICES themselves");
  const std::string once = ported("CUDA_VISIBLE_DEVICES=0", {&a}, true);
  EXPECT_EQ(ported(once, {&a}, true), once);
}

TEST(PortShell, WhatNoShellSetsStays) {
  const Platform a = platform("a", "A_DEVICES");
  for (const std::string text : {"echo CUDA_VISIBLE_DEVICES=0",
                                 "for CUDA_VISIBLE_DEVICES in 0 1; do p; done",
                                 "x='CUDA_VISIBLE_DEVICES=0 p'",
                                 "x=\"CUDA_VISIBLE_DEVICES=0 p\"",
                                 "x=`CUDA_VISIBLE_DEVICES=0 p`",
                                 "p <<< CUDA_VISIBLE_DEVICES=0",
                                 "cat <<E\nCUDA_VISIBLE_DEVICES=0 p\nE\n",
                                 "x=(CUDA_VISIBLE_DEVICES=0)",
                                 "export \"CUDA_VISIBLE_DEVICES=0\"",
                                 "case x in\nCUDA_VISIBLE_DEVICES=0) p;;\nesac",
                                 "case x in a|CUDA_VISIBLE_DEVICES=0) p;; esac",
                                 "export -n CUDA_VISIBLE_DEVICES",
                                 "declare -i CUDA_VISIBLE_DEVICES=0",
                                 "unset -f CUDA_VISIBLE_DEVICES",
                                 "CUDA_VISIBLE_DEVICES=0 | p",
                                 "export CUDA_VISIBLE_DEVICES",
                                 "sudo CUDA_VISIBLE_DEVICES=0 p",
                                 "env -S 'x' CUDA_VISIBLE_DEVICES=0 p",
                                 "CUDA_VISIBLE_DEVICES=0 p 'open",
                                 "CUDA_VISIBLE_DEVICES=<ids> p",
                                 "CUDA_VISIBLE_DEVICES={{ ids }} p",
                                 "# CUDA_VISIBLE_DEVICES=0"}) {
    const std::string after = ported(text, {&a});
    EXPECT_EQ(after.substr(0, after.find('|', after.size() > text.size() ? text.size() : 0)), text);
    EXPECT_GT(after.size(), text.size()) << "no reason for " << text;
  }
}

}  // namespace
}  // namespace accelport
