#include "syntax/python_blocks.h"

namespace accelport {
namespace {

/// An if/try/match under construction among the lines of one block.
struct OpenChain {
  std::uint32_t number = kNone;
  std::uint32_t indent = 0;
  PyWord kind = PyWord::none;      // if_, try_, match_, or while_/for_ (for their else)
  std::uint32_t positive = kNone;  // node of the first branch's body
  std::uint32_t negative = kNone;  // node of what follows if no branch so far was taken
  bool all_left = true;            // every branch so far left the block
  bool all_returned = true;        // … with `return`
  bool first_left = false;
  bool has_else = false;
  bool else_left = false;
  std::uint32_t branches = 0;
};

/// A block whose lines are being read.
struct OpenBlock {
  std::uint32_t indent = 0;  // of its header
  std::uint32_t node = 0;
  std::uint32_t scope = 0;
  PyWord header = PyWord::none;
  bool left = false;      // its last line leaves it
  bool returned = false;  // … with `return`
  OpenChain chain;
};

class Builder {
 public:
  Builder(const PyLexed& lexed, PyBlocks& out) : lexed_(lexed), out_(out) {}
  void run();

 private:
  const PyToken& token(std::uint32_t i) const { return lexed_.tokens[i]; }
  PyWord first_word(const PyLine& line) const;
  bool leaves(const PyLine& line, PyWord word) const;
  bool continues_chain(PyWord word, std::uint32_t indent) const;
  void close_blocks(std::uint32_t indent, std::uint32_t end_token);
  void close_block(std::uint32_t end_token);
  void branch_ended(OpenBlock& parent, PyWord header, bool left, bool returned);
  void finish_chain(OpenBlock& block);
  bool leaves_inside(const PyLine& line) const;
  bool returns_inside(const PyLine& line) const;
  bool joins_chain(PyWord word, std::uint32_t indent);
  void enter(std::uint32_t number, PyWord word, std::uint32_t body, bool scoped);
  void read_line(std::uint32_t number);
  std::uint32_t header(std::uint32_t number, PyWord word);
  std::uint32_t condition(std::uint32_t number, bool first);
  void add_branch(std::uint32_t chain, std::uint32_t line);
  std::uint32_t add(PyNode::Kind kind, std::uint32_t parent, std::uint32_t line, std::uint32_t chain = kNone);
  std::uint32_t new_chain(PyWord kind, std::uint32_t indent);
  std::uint32_t definition(std::uint32_t number, PyWord word);
  bool catches_import_error(const PyLine& line) const;
  std::uint32_t body_of(const PyLine& line) const;
  OpenBlock& top() { return open_.back(); }

  const PyLexed& lexed_;
  PyBlocks& out_;
  std::vector<OpenBlock> open_;
  std::uint32_t decorators_ = kNone;  // first line of decorators that wait for their def
};

PyWord Builder::first_word(const PyLine& line) const {
  const PyWord word = token(line.first).word();
  if (word == PyWord::async_) return token(line.first + 1).word();
  if ((word == PyWord::match_ || word == PyWord::case_) && line.header) {
    const PyToken& next = token(line.first + 1);
    return next.kind == PyKind::op && next.op != '(' && next.op != '[' && next.op != '{' && next.op != '-'
               ? PyWord::none
               : word;
  }
  return word <= PyWord::yield_ ? word : PyWord::none;
}

/// Whether a line ends its block: return, raise and the calls that do not come back.
bool Builder::leaves(const PyLine& line, PyWord word) const {
  switch (word) {
    case PyWord::return_:
    case PyWord::raise_:
    case PyWord::continue_:
    case PyWord::break_:
      return true;
    default:
      break;
  }
  for (std::uint32_t i = line.first; i < line.last && i < line.first + 4; ++i) {
    switch (token(i).word()) {
      case PyWord::exit_:
      case PyWord::quit_:
      case PyWord::skip_:
      case PyWord::skip_test_:
      case PyWord::exit_now_:
        return lexed_.is_op(i + 1, '(');
      default:
        break;
    }
  }
  return false;
}

bool Builder::catches_import_error(const PyLine& line) const {
  bool named = false;
  for (std::uint32_t i = line.first + 1; i < line.last; ++i) {
    if (token(i).kind == PyKind::op && token(i).op == ':') break;
    if (token(i).kind != PyKind::name) continue;
    named = true;
    const std::string_view name = lexed_.text_of(i);
    if (name == "ImportError" || name == "ModuleNotFoundError" || name == "Exception" || name == "BaseException" ||
        name == "AttributeError" || name == "OSError" || name == "RuntimeError") {
      return true;
    }
  }
  return !named;
}

std::uint32_t Builder::add(PyNode::Kind kind, std::uint32_t parent, std::uint32_t line, std::uint32_t chain) {
  out_.nodes.push_back({kind, parent, line, chain});
  return static_cast<std::uint32_t>(out_.nodes.size() - 1);
}

std::uint32_t Builder::new_chain(PyWord kind, std::uint32_t indent) {
  out_.chains.emplace_back();
  OpenChain& chain = top().chain;
  chain = {};
  chain.number = static_cast<std::uint32_t>(out_.chains.size() - 1);
  chain.indent = indent;
  chain.kind = kind;
  return chain.number;
}

void Builder::branch_ended(OpenBlock& parent, PyWord header, bool left, bool returned) {
  OpenChain& chain = parent.chain;
  if (chain.kind != PyWord::if_) return;
  if (header == PyWord::else_) {
    chain.else_left = left;
  } else if (header == PyWord::if_ || header == PyWord::elif_) {
    if (chain.branches == 1) chain.first_left = left;
    chain.all_left = chain.all_left && left;
    chain.all_returned = chain.all_returned && returned;
  }
}

void Builder::close_block(std::uint32_t end_token) {
  const OpenBlock block = top();
  finish_chain(top());
  if (out_.scopes[block.scope].last == kNone && block.scope != open_[open_.size() - 2].scope) {
    out_.scopes[block.scope].last = end_token;
  }
  open_.pop_back();
  top().left = top().returned = false;
  branch_ended(top(), block.header, block.left, block.returned);
}

void Builder::close_blocks(std::uint32_t indent, std::uint32_t end_token) {
  while (open_.size() > 1 && top().indent >= indent) close_block(end_token);
}

bool Builder::continues_chain(PyWord word, std::uint32_t indent) const {
  const OpenChain& chain = open_.back().chain;
  if (chain.number == kNone || chain.indent != indent) return false;
  switch (word) {
    case PyWord::elif_:
      return chain.kind == PyWord::if_;
    case PyWord::else_:
      return true;
    case PyWord::except_:
    case PyWord::finally_:
      return chain.kind == PyWord::try_;
    default:
      return false;
  }
}

/// What the lines behind a finished chain may rely on.
void Builder::finish_chain(OpenBlock& block) {
  OpenChain& chain = block.chain;
  if (chain.kind == PyWord::if_) {
    if (chain.has_else) {
      if (chain.branches == 1 && chain.else_left && !chain.first_left) {
        block.node = add(PyNode::Kind::holds, block.node, out_.nodes[chain.positive].line, chain.number);
      }
    } else if (chain.all_left) {
      block.node = chain.negative;
    }
  }
  chain = {};
}

void Builder::add_branch(std::uint32_t chain, std::uint32_t line) {
  PyChain& whole = out_.chains[chain];
  (whole.first == kNone ? whole.first : out_.next_branch[whole.last]) = line;
  whole.last = line;
  out_.chain_of_line[line] = chain;
}

std::uint32_t Builder::condition(std::uint32_t number, bool first) {
  OpenChain& chain = top().chain;
  const std::uint32_t parent = first ? top().node : chain.negative;
  const std::uint32_t node = add(PyNode::Kind::holds, parent, number, chain.number);
  if (first) chain.positive = node;
  ++chain.branches;
  chain.negative = add(PyNode::Kind::fails, parent, number, chain.number);
  add_branch(chain.number, number);
  return node;
}

std::uint32_t Builder::body_of(const PyLine& line) const {
  if (line.header) return line.last;
  int depth = 0;
  for (std::uint32_t i = line.first; i < line.last; ++i) {
    const PyToken& t = token(i);
    if (t.kind == PyKind::field_open) ++depth;
    if (t.kind == PyKind::field_close) --depth;
    if (t.kind != PyKind::op) continue;
    if (t.op == '(' || t.op == '[' || t.op == '{') ++depth;
    if (t.op == ')' || t.op == ']' || t.op == '}') --depth;
    if (depth == 0 && t.op == ':' && t.op2 == 0) return i + 1;
  }
  return line.last;
}

std::uint32_t Builder::definition(std::uint32_t number, PyWord word) {
  const PyLine& line = lexed_.lines[number];
  PyScope scope;
  scope.kind = word == PyWord::class_ ? PyScope::Kind::class_body : PyScope::Kind::function;
  scope.parent = top().scope;
  scope.line = number;
  scope.name = line.first + (token(line.first).word() == PyWord::async_ ? 2 : 1);
  if (scope.name >= line.last) scope.name = kNone;
  scope.first = body_of(line);
  scope.last = line.header ? kNone : line.last;
  out_.scopes.push_back(scope);
  out_.opened_scope[number] = static_cast<std::uint32_t>(out_.scopes.size() - 1);
  const std::uint32_t first = decorators_ == kNone ? number : decorators_;
  out_.decorated_by[number] = first;
  for (std::uint32_t i = first; i < number; ++i) out_.decorated_by[i] = number;
  return add(PyNode::Kind::definition, top().node, number);
}

/// Opens or continues a chain and gives the node of the header's body, or kNone if the line is no header.
std::uint32_t Builder::header(std::uint32_t number, PyWord word) {
  const PyLine& line = lexed_.lines[number];
  OpenChain& chain = top().chain;
  const std::uint32_t outer = top().node;
  switch (word) {
    case PyWord::if_:
      new_chain(word, line.indent);
      return condition(number, true);
    case PyWord::elif_:
      if (chain.kind == PyWord::if_) return condition(number, false);
      return outer;
    case PyWord::else_:
      if (chain.kind != PyWord::if_) return outer;
      chain.has_else = true;
      return chain.negative;
    case PyWord::while_:
      new_chain(word, line.indent);
      return add(PyNode::Kind::holds, add(PyNode::Kind::loop, outer, number), number);
    case PyWord::for_:
      new_chain(word, line.indent);
      return add(PyNode::Kind::loop, outer, number);
    case PyWord::try_:
      new_chain(word, line.indent);
      return add(PyNode::Kind::attempt, outer, number, chain.number);
    case PyWord::except_:
      if (chain.kind != PyWord::try_) return outer;
      if (catches_import_error(line)) out_.chains[chain.number].catches_import_error = true;
      return add(PyNode::Kind::handler, outer, number, chain.number);
    case PyWord::finally_:
      return add(PyNode::Kind::cleanup, outer, number);
    case PyWord::def_:
    case PyWord::class_:
      return definition(number, word);
    case PyWord::match_: {
      new_chain(word, line.indent);
      return outer;
    }
    case PyWord::case_: {
      // The `match` is the block around: its chain is that of the block further out.
      const std::uint32_t match = open_.size() > 1 ? open_[open_.size() - 2].chain.number : kNone;
      if (match != kNone) add_branch(match, number);
      return add(PyNode::Kind::matched, outer, number, match);
    }
    case PyWord::with_:
      return outer;
    default:
      return kNone;
  }
}

bool Builder::leaves_inside(const PyLine& line) const {
  for (std::uint32_t i = line.first; i < line.last; ++i) {
    switch (token(i).word()) {
      case PyWord::return_:
      case PyWord::raise_:
      case PyWord::continue_:
      case PyWord::break_:
        return true;
      default:
        break;
    }
  }
  return false;
}

bool Builder::returns_inside(const PyLine& line) const {
  for (std::uint32_t i = line.first; i < line.last; ++i)
    if (token(i).word() == PyWord::return_) return true;
  return false;
}

/// Closes the chain in front of the line, unless the line goes on with it. An `if` behind one whose branches all left
/// the block goes on too: one more way out beside the ways before, so the same family with a new condition.
bool Builder::joins_chain(PyWord word, std::uint32_t indent) {
  if (continues_chain(word, indent)) return false;
  const OpenChain before = top().chain;
  finish_chain(top());
  if (word != PyWord::if_ || before.kind != PyWord::if_ || before.indent != indent) return false;
  if (!before.all_returned || before.has_else) return false;
  top().chain = before;
  return true;
}

void Builder::enter(std::uint32_t number, PyWord word, std::uint32_t body, bool scoped) {
  const PyLine& line = lexed_.lines[number];
  out_.inner_node[number] = body;
  if (line.header) {
    const std::uint32_t scope = scoped ? out_.opened_scope[number] : top().scope;
    open_.push_back({line.indent, body, scope, word, false, false, {}});
  } else {
    branch_ended(top(), word, leaves_inside(line), returns_inside(line));
  }
}

void Builder::read_line(std::uint32_t number) {
  const PyLine& line = lexed_.lines[number];
  const PyWord word = first_word(line);
  close_blocks(line.indent, line.first);
  const bool joins = joins_chain(word, line.indent);
  out_.node_of_line[number] = top().node;
  out_.scope_of_line[number] = top().scope;
  const bool decorator = lexed_.is_op(line.first, '@');
  const std::uint32_t body = joins ? condition(number, false) : header(number, word);
  if (!decorator) decorators_ = kNone;
  if (decorator && decorators_ == kNone) decorators_ = number;
  top().left = body == kNone && leaves(line, word);
  top().returned = word == PyWord::return_;
  if (word == PyWord::assert_) top().node = add(PyNode::Kind::holds, top().node, number);
  if (token(line.first).word() == PyWord::pytestmark_) top().node = add(PyNode::Kind::marked, top().node, number);
  if (body != kNone) enter(number, word, body, word == PyWord::def_ || word == PyWord::class_);
}

void Builder::run() {
  const std::size_t lines = lexed_.lines.size();
  out_.scopes.assign(1,
                     {PyScope::Kind::module, kNone, kNone, kNone, 0, static_cast<std::uint32_t>(lexed_.tokens.size())});
  out_.nodes.assign(1, {});
  out_.chains.clear();
  out_.scope_of_line.assign(lines, 0);
  out_.node_of_line.assign(lines, 0);
  for (auto* column :
       {&out_.chain_of_line, &out_.next_branch, &out_.opened_scope, &out_.inner_node, &out_.decorated_by}) {
    column->assign(lines, kNone);
  }
  open_.push_back({});
  for (std::uint32_t i = 0; i < lines; ++i) read_line(i);
  while (open_.size() > 1) close_block(static_cast<std::uint32_t>(lexed_.tokens.size()));
  out_.function_of.assign(out_.scopes.size(), kNone);
  out_.class_of.assign(out_.scopes.size(), kNone);
  for (std::uint32_t i = 1; i < out_.scopes.size(); ++i) {  // parents come first
    const PyScope& scope = out_.scopes[i];
    const bool function = scope.kind == PyScope::Kind::function;
    out_.function_of[i] = function ? scope.name : out_.function_of[scope.parent];
    out_.class_of[i] = function ? out_.class_of[scope.parent] : scope.name;
  }
}

}  // namespace

std::uint32_t PyBlocks::scope_of(std::uint32_t token, std::uint32_t line) const {
  const std::uint32_t opened = opened_scope[line];
  if (opened != kNone && token >= scopes[opened].first && token < scopes[opened].last) return opened;
  return scope_of_line[line];
}

void find_blocks(const PyLexed& lexed, PyBlocks& blocks) { Builder(lexed, blocks).run(); }

}  // namespace accelport
