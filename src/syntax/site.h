#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "syntax/language.h"

namespace accelport {

/// One occurrence's worth of text and everything the readers know about its place. Rules speak of these fields only, so
/// a reader that fills them serves every rule, and a rule needs to know no language's grammar.
///
/// Granularity: in code one site per dotted chain or string literal; in shell and configuration files one per word or
/// scalar; a comment, a docstring's line or a line of prose is one site; a notebook cell's stored output is one site.
enum class SiteKind : std::uint8_t {
  chain,   // dotted names of code, called or not: `torch.cuda.is_available`, `x.cuda`, `at::cuda::getCurrentCUDAStream`
  string,  // a string literal with its prefix and quotes, also an f-string as a whole
  comment,    // one line of a comment
  docstring,  // one line of a documentation string
  prose,      // one line of Markdown, reStructuredText or plain text
  command,    // one word of a command line (shell, RUN, recipes, CI steps, notebook "!" lines)
  variable,   // an environment or build variable, set or read outside of code
  entry,      // one key or one value of a configuration file, or one requirement
  directive,  // an instruction of a file format: FROM, #SBATCH, a CMake command's argument, `runtime:` of compose
  include,    // #include with the file it names
  macro,      // a preprocessor condition, definition or use of a macro name
  kernel,     // device code by shape: launch syntax, __global__, asm, warp primitives
  output,     // a notebook cell's stored output
  text,       // a hit that no reader explained; its line
};

/// Where the site stands. For strings and chains these are the places an expression can stand in.
enum class Context : std::uint8_t {
  none,
  import_module,   // the module path of an import
  import_name,     // a name taken out of a module by an import
  import_binding,  // a name beside a module or name of the same import that bears a hit itself, its alias included
  argument,        // positional argument; `argument` is its index, `callee` the function
  keyword,         // value of a keyword argument; `keyword` is its name
  keyword_name,    // the name in `name=value` of a call
  parameter,       // a parameter's name in a definition
  default_value,   // default of a parameter; `keyword` is the parameter's name
  annotation,
  assigned,    // right side of an assignment; `keyword` is the target
  target,      // left side of an assignment
  definition,  // the name in def, class, function, struct …
  decorator,
  compared,      // operand of ==, !=, in, is, <; `callee` is the other side's chain if it is one
  element,       // element of a list, tuple or set
  key,           // key of a dictionary
  value,         // value of a dictionary entry; `keyword` is its key
  subscript,     // x["here"]; `callee` is x
  subscripted,   // here[...]
  object,        // here.method(...): a string or chain whose attribute is taken
  called,        // the chain is called
  interpolated,  // inside an f-string's braces
  operand,       // operand of an arithmetic or boolean operator
  condition,     // the whole condition of if, while, ternary, assert
  returned,
  pattern,    // `case` pattern
  statement,  // stands alone
  // configuration and shell
  set,             // variable set; `value` is what it is set to
  exported,        // the same with export, ENV, setenv
  prefixed,        // NAME=value in front of a command
  read,            // $NAME, ${NAME}, $ENV{NAME}
  removed,         // unset, pop
  command_name,    // first word of a command
  command_option,  // --option or option=value
  command_argument,
  config_key,
  config_value,
  code_block,  // inside a fenced or indented block of a document; `language` tells which
  inline_code,
  heading,
  table,
  link,
  other,
};

/// What the conditions around a site ask, as far as it can be read off them. Bits of `Site::guards`.
enum class Guard : std::uint32_t {
  none = 0,
  available = 1u << 0,    // the accelerator is available (torch.cuda.is_available(), device_count() > 0 …)
  unavailable = 1u << 1,  // … is not
  device_type = 1u << 2,  // device.type == "cuda", x.is_cuda, "cuda" in str(device)
  not_device_type = 1u << 3,
  nvidia = 1u << 4,          // NVIDIA in particular: torch.version.cuda, capability, a card's name, is_hopper(), nvml
  other_platform = 1u << 5,  // another accelerator: xpu, npu, mps, hip …
  family = 1u << 6,          // one branch of a chain that has a branch for at least one other accelerator
  import_guard = 1u << 7,    // in `try` with a handler for ImportError (or Exception), or under `if HAS_X`
  handler = 1u << 8,         // in the handler itself
  torch_version = 1u << 9,
  option = 1u << 10,        // under an option of the program (args.fp16, cfg.use_apex, os.environ …)
  test_skip = 1u << 11,     // in a test whose mark skips without the accelerator
  main_guard = 1u << 12,    // if __name__ == "__main__"
  backend_name = 1u << 13,  // in a branch chosen by a back end's name (backend == "nccl")
  rank = 1u << 14,          // in a branch chosen by rank
  loop = 1u << 15,          // inside a loop body
  finally_block = 1u << 16,
  type_checking = 1u << 17,
  preprocessor = 1u << 18,     // C++: inside #ifdef of another platform or of a feature macro
  cuda_only_source = 1u << 19  // C++: inside a region that only the CUDA build compiles (#ifdef WITH_CUDA, .cu files)
};

constexpr Guard operator|(Guard a, Guard b) {
  return static_cast<Guard>(static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b));
}
constexpr Guard& operator|=(Guard& a, Guard b) { return a = a | b; }
constexpr bool has(Guard set, Guard guard) {
  return (static_cast<std::uint32_t>(set) & static_cast<std::uint32_t>(guard)) != 0;
}

/// What becomes of a value, followed inside one file. Bits of `Site::flows`.
enum class Flow : std::uint32_t {
  none = 0,
  device = 1u << 0,           // ends in a device position (`.to(v)`, `device=v`, torch.device(v), map_location=v …)
  backend = 1u << 1,          // ends in a process-group back end
  environment = 1u << 2,      // names an environment variable
  module_name = 1u << 3,      // importlib.import_module(v), getattr(torch, v), mock.patch(v)
  message = 1u << 4,          // printed, logged, raised, asserted as text
  path = 1u << 5,             // a file path, URL or part of one
  command = 1u << 6,          // run as a program (subprocess, os.system)
  option_name = 1u << 7,      // declares an option ("--no-cuda")
  help = 1u << 8,             // help text of an option
  source_code = 1u << 9,      // CUDA or Triton source held in a string
  has_cpu = 1u << 10,         // stands in one literal collection with "cpu"
  has_other = 1u << 11,       // … with another accelerator's name
  device_key = 1u << 12,      // a dictionary whose keys are device names
  compared_only = 1u << 13,   // never reaches a device; only compared or printed
  attribute_name = 1u << 14,  // getattr/hasattr(obj, v) on something else than torch
  platform_copy = 1u << 15,   // the first line of a file that nearly repeats another one; `value` is that one's path
};

constexpr Flow operator|(Flow a, Flow b) {
  return static_cast<Flow>(static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b));
}
constexpr Flow& operator|=(Flow& a, Flow b) { return a = a | b; }
constexpr bool has(Flow set, Flow flow) {
  return (static_cast<std::uint32_t>(set) & static_cast<std::uint32_t>(flow)) != 0;
}

struct Site {
  static constexpr std::uint32_t kNoFamily = ~0u;

  Span span;  // in the text the reader was given
  SiteKind kind = SiteKind::text;
  Context context = Context::none;
  Language language = Language::text;  // of the piece: a shell cell of a notebook is shell

  /// Dotted name after resolution of imports and aliases: "torch.cuda.is_available". A root that is an ordinary value
  /// is "?": "?.cuda", "?.device.type". Names of the repository itself start with "own.". C++ uses "::" as written,
  /// with a `using` or alias expanded. Outside of code: "env:NAME", "package:NAME", "image:NAME", "tool:NAME" where
  /// known.
  std::string api;

  std::string callee;   // resolved like `api`; see Context
  std::string keyword;  // see Context; for configuration the path of keys joined with "."
  std::string value;    // the string's value, the variable's or entry's value; f-string holes are "{}"
  int argument = -1;    // index for Context::argument

  Guard guards = Guard::none;
  std::uint32_t family =
      kNoFamily;  // with Guard::family: where its chain or expression begins, in the text of the piece
  Flow flows = Flow::none;

  bool called = false;                     // a chain that is called; then:
  std::uint16_t positional = 0;            //   number of positional arguments
  std::vector<std::string_view> keywords;  //   names of its keyword arguments ("**" for an unpacked mapping)
  std::string first_argument;              //   value of the first argument if it is a literal, else its chain

  std::string_view function;    // innermost enclosing function, "" at module level
  std::string_view class_name;  // innermost enclosing class
  std::uint32_t statement = 0;  // number of the logical line; sites of one ternary or call share it
  int cell = -1;                // notebooks: index of the cell from 0
  std::uint32_t cell_line = 0;  // … and the line in it from 1
  bool certain_name = true;     // false if `api` rests on convention (`torch` without an import) or damaged text
};

/// A word of the search list found in the text.
struct Hit {
  std::uint32_t offset = 0;
  std::uint16_t word = 0;  // index into Catalog's words
  std::uint16_t size = 0;
};

}  // namespace accelport
