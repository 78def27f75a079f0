#include <cstdio>
#include <map>
#include <set>
#include <string>

#include <fmt/core.h>

#include "cli/verbs.h"

namespace accelport {
namespace {

struct Words {
  std::string verbs;
  std::map<std::string, std::string> options;  // by verb
};

Words collect() {
  Words words;
  for (const OptionName& name : option_names()) {
    if (name.option.compare(0, 2, "--") != 0) {
      words.verbs += (words.verbs.empty() ? "" : " ") + name.option;
    } else {
      std::string& list = words.options[name.verb];
      list += (list.empty() ? "" : " ") + name.option;
    }
  }
  return words;
}

std::string bash_script() {
  const Words words = collect();
  std::string cases;
  for (const auto& [verb, options] : words.options)
    if (!verb.empty()) cases += fmt::format("    {}) words=\"{}\" ;;\n", verb, options);
  return fmt::format(
      "_accelport() {{\n  local current=${{COMP_WORDS[COMP_CWORD]}} words\n  case ${{COMP_WORDS[1]}} in\n{}"
      "    *) words=\"{} {}\" ;;\n  esac\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n  [[ $current == -* ]] || COMPREPLY+=($(compgen -f -- "
      "\"$current\"))\n"
      "}}\ncomplete -o filenames -F _accelport accelport\n",
      cases, words.verbs, words.options.at(""));
}

std::string zsh_script() { return "#compdef accelport\nautoload -U +X bashcompinit && bashcompinit\n" + bash_script(); }

std::string fish_script() {
  std::string script = "complete -c accelport -n __fish_use_subcommand -f\n";
  for (const OptionName& name : option_names()) {
    std::string help = name.help;
    for (char& c : help)
      if (c == '\'') c = '`';
    if (name.option.compare(0, 2, "--") != 0) {
      script += fmt::format("complete -c accelport -n __fish_use_subcommand -a {} -d '{}'\n", name.option, help);
    } else {
      const std::string when =
          name.verb.empty() ? "__fish_use_subcommand" : "'__fish_seen_subcommand_from " + name.verb + "'";
      script += fmt::format("complete -c accelport -n {} -l {} -d '{}'\n", when, name.option.substr(2), help);
    }
  }
  return script;
}

}  // namespace

Result<int> run_completion_verb(const CompletionCommand& command) {
  const std::string script = command.shell == "fish"  ? fish_script()
                             : command.shell == "zsh" ? zsh_script()
                                                      : bash_script();
  std::fputs(script.c_str(), stdout);
  return kExitClean;
}

}  // namespace accelport
