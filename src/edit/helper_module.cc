#include "edit/helper_module.h"

#include <algorithm>
#include <utility>

namespace accelport {
namespace {

constexpr std::uint64_t kMaxHelper = 1 << 20;

/// What every text of `render_helper` has, also one that a person has changed.
constexpr std::string_view kMarks[] = {"# SPDX-License-Identifier: 0BSD\n", "\nclass _Platform(NamedTuple):\n",
                                       "\n_PLATFORMS: "};

std::set<std::string> functions_in(const HelperTable& table, std::string_view text) {
  std::set<std::string> functions;
  for (const HelperFunction& function : table.functions)
    if (text.find("\ndef " + function.name + "(") != std::string_view::npos) functions.insert(function.name);
  return functions;
}

}  // namespace

bool HelperModules::is_helper(std::string_view bytes) const {
  return std::all_of(std::begin(kMarks), std::end(kMarks),
                     [&](std::string_view mark) { return bytes.find(mark) != std::string_view::npos; });
}

bool HelperModules::is_free(const std::string& folder, const std::string& name) const {
  const std::string base = join_path(root_, join_path(folder, name));
  return !files_.info(base) && !files_.info(base + ".py") && !files_.info(base + ".pyi");
}

std::optional<HelperFile> HelperModules::existing(const std::string& folder, const std::string& name) const {
  HelperFile helper;
  helper.name = name;
  helper.path = join_path(folder, name + ".py");
  ByteBuffer bytes;
  if (!files_.read(join_path(root_, helper.path), kMaxHelper, bytes) || !is_helper(bytes.view())) return std::nullopt;
  helper.before = bytes.view();
  const auto rendered = rendered_functions(table_, known_, helper.before);
  helper.by_hand = !rendered && !force_;
  helper.functions = rendered ? *rendered : functions_in(table_, helper.before);
  return helper;
}

const HelperFile& HelperModules::choose(const std::string& folder,
                                        const std::function<bool(const std::string&, bool)>& is_taken) {
  const auto [found, fresh] = by_folder_.try_emplace(folder);
  if (!fresh) return found->second;
  for (const std::string& name : table_.names) {
    if (auto helper = existing(folder, name); helper && !is_taken(name, true)) return found->second = *helper;
    if (is_free(folder, name) && !is_taken(name, false)) {
      found->second.name = name;
      found->second.path = join_path(folder, name + ".py");
      break;
    }
  }
  return found->second;
}

std::vector<FileChange> HelperModules::changes(const std::set<std::string>& folders, const std::set<std::string>& used,
                                               const std::vector<const Platform*>& platforms) const {
  std::set<std::string> functions = used;
  for (const auto& [folder, helper] : by_folder_)
    if (!helper.by_hand) functions.insert(helper.functions.begin(), helper.functions.end());
  const std::string text = render_helper(table_, platforms, functions);
  std::vector<FileChange> changes;
  for (const auto& [folder, helper] : by_folder_) {
    if (helper.name.empty() || helper.by_hand || folders.count(folder) == 0 || helper.before == text) continue;
    FileChange change;
    change.path = helper.path;
    change.created = helper.before.empty();
    change.before = helper.before;
    change.after = text;
    change.edits.push_back(narrow_edit(helper.before, text));
    changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace accelport
