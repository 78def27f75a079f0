#pragma once

#include <cstdint>
#include <vector>

#include "syntax/python_lexer.h"

namespace accelport {

inline constexpr std::uint32_t kNone = ~0u;

/// The module, a class or a function.
struct PyScope {
  enum class Kind : std::uint8_t { module, class_body, function };
  Kind kind = Kind::module;
  std::uint32_t parent = kNone;
  std::uint32_t name = kNone;  // token of the name
  std::uint32_t line = kNone;  // line of the header
  std::uint32_t first = 0;     // tokens [first, last) of the body
  std::uint32_t last = 0;
};

/// One condition that lines stand under; its parent is the next one out, so the lines under a condition share it.
struct PyNode {
  enum class Kind : std::uint8_t {
    root,
    holds,    // the condition of `line` holds: body of if, elif, while, or behind an assert
    fails,    // it does not: elif, else, or behind an `if` that left the block
    attempt,  // body of try
    handler,
    cleanup,  // finally
    loop,
    definition,  // of a function or class; `line` is its first decorator or itself
    marked,      // behind a module's `pytestmark = …`
    matched,     // body of a `case`
  };
  Kind kind = Kind::root;
  std::uint32_t parent = kNone;
  std::uint32_t line = kNone;
  std::uint32_t chain = kNone;
};

/// An if/elif/else, try/except or match as a whole; an `if` directly behind one whose branches all leave the block is
/// one more branch of it.
struct PyChain {
  std::uint32_t first = kNone;  // line of its first `if` or `case`; the others follow by PyBlocks::next_branch
  std::uint32_t last = kNone;
  bool catches_import_error = false;
};

/// Scopes and conditions of a file, read off the indentation in one pass over its lines.
struct PyBlocks {
  std::vector<PyScope> scopes;
  std::vector<PyNode> nodes;
  std::vector<PyChain> chains;
  std::vector<std::uint32_t> scope_of_line;
  std::vector<std::uint32_t> node_of_line;
  std::vector<std::uint32_t> chain_of_line;  // of an `if`, `elif` or `case` line
  std::vector<std::uint32_t> next_branch;
  std::vector<std::uint32_t> opened_scope;  // by the line, or kNone
  std::vector<std::uint32_t> inner_node;    // for what stands behind the ":" of a header on the same line
  std::vector<std::uint32_t> decorated_by;  // first decorator line of a def or class line; of a decorator line: its def

  std::vector<std::uint32_t> function_of;  // by scope: the name token of the innermost function, or kNone
  std::vector<std::uint32_t> class_of;     // … of the innermost class

  /// The scope in which `token` of line `line` is evaluated.
  std::uint32_t scope_of(std::uint32_t token, std::uint32_t line) const;
};

void find_blocks(const PyLexed& lexed, PyBlocks& blocks);

}  // namespace accelport
