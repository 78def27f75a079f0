#include "syntax/tree.h"

#include <tree_sitter/api.h>

#include <string>
#include <vector>

extern "C" const TSLanguage* tree_sitter_python(void);

namespace accelport {

struct PythonTree::Impl {
  TSParser* parser = nullptr;
  TSTree* tree = nullptr;
};

namespace {

/// A node, its field in its parent, and the nodes above it.
struct Step {
  TSNode node;
  std::string_view field;
};

using Path = std::vector<Step>;

std::string_view type(TSNode node) { return ts_node_type(node); }
std::uint32_t begin(TSNode node) { return ts_node_start_byte(node); }
std::uint32_t end(TSNode node) { return ts_node_end_byte(node); }

class Finder {
 public:
  Finder(TSTree* tree, std::uint32_t offset) { descend(ts_tree_root_node(tree), offset); }

  PythonTree::Place find();

 private:
  void descend(TSNode root, std::uint32_t offset);
  std::string_view type_at(std::size_t i) const { return type(path_[i].node); }
  std::string_view parent(std::size_t i) const { return i == 0 ? std::string_view{} : type_at(i - 1); }
  bool string_around(std::size_t& i) const;
  bool in_annotation(std::size_t i) const;
  PythonTree::Place string(std::size_t i) const;
  PythonTree::Place name(std::size_t i) const;
  PythonTree::Place in_import(std::size_t i) const;
  Span chain(std::size_t& i) const;
  void place(std::size_t i, PythonTree::Place& out) const;
  bool place_in_definition(std::size_t i, PythonTree::Place& out) const;
  bool place_in_collection(std::size_t i, PythonTree::Place& out) const;
  void place_in_statement(std::size_t i, PythonTree::Place& out) const;
  int argument_index(TSNode list, TSNode argument) const;
  bool is_target(std::size_t i) const;

  Path path_;
};

void Finder::descend(TSNode root, std::uint32_t offset) {
  TSTreeCursor cursor = ts_tree_cursor_new(root);
  path_.push_back({root, {}});
  while (ts_tree_cursor_goto_first_child_for_byte(&cursor, offset) >= 0) {
    const TSNode node = ts_tree_cursor_current_node(&cursor);
    if (begin(node) > offset) break;
    const char* field = ts_tree_cursor_current_field_name(&cursor);
    path_.push_back({node, field == nullptr ? std::string_view{} : std::string_view(field)});
  }
  ts_tree_cursor_delete(&cursor);
}

/// Moves `i` to the string literal that the leaf is text of; false if the leaf is code.
bool Finder::string_around(std::size_t& i) const {
  for (std::size_t k = i; k > 0; --k) {
    if (type_at(k) == "string") {
      i = k;
      return true;
    }
    if (type_at(k) == "format_specifier") {
      while (k > 0 && type_at(k) != "string") --k;
      i = k;
      return k > 0;
    }
    if (type_at(k) == "interpolation" || type_at(k) == "format_expression") return false;
  }
  return false;
}

bool Finder::in_annotation(std::size_t i) const {
  for (std::size_t k = i; k > 0; --k) {
    if (type_at(k) == "type" && parent(k) != "type_alias_statement") return true;
    if (type_at(k) == "block" || type_at(k) == "interpolation" || type_at(k) == "lambda") return false;
  }
  return false;
}

PythonTree::Place Finder::find() {
  const std::size_t leaf = path_.size() - 1;
  PythonTree::Place out;
  if (type_at(leaf) == "comment") {
    out.kind = SiteKind::comment;
    out.span = {begin(path_[leaf].node), end(path_[leaf].node)};
    return out;
  }
  std::size_t i = leaf;
  if (string_around(i)) return string(i);
  if (type_at(leaf) == "identifier") return name(leaf);
  return out;
}

PythonTree::Place Finder::string(std::size_t i) const {
  PythonTree::Place out;
  out.kind = SiteKind::string;
  out.span = {begin(path_[i].node), end(path_[i].node)};
  if (in_annotation(i)) {
    out.context = Context::annotation;
    return out;
  }
  if (parent(i) == "concatenated_string") --i;
  place(i, out);
  if (out.context == Context::statement) {
    out.kind = SiteKind::docstring;
    out.context = Context::none;
  }
  return out;
}

/// The dotted names around the identifier `i`, which moves to the node of the whole.
Span Finder::chain(std::size_t& i) const {
  std::uint32_t first = begin(path_[i].node);
  while (i > 0 && parent(i) == "attribute") {
    if (path_[i].field == "attribute") {
      // Left of the dot: only plain names belong to the chain.
      std::uint32_t from = first;
      TSNode object = ts_node_child_by_field_name(path_[i - 1].node, "object", 6);
      while (type(object) == "attribute") {
        from = begin(ts_node_child_by_field_name(object, "attribute", 9));
        object = ts_node_child_by_field_name(object, "object", 6);
      }
      first = type(object) == "identifier" ? begin(object) : from;
    }
    --i;
  }
  return {first, end(path_[i].node)};
}

PythonTree::Place Finder::in_import(std::size_t i) const {
  PythonTree::Place out;
  out.kind = SiteKind::chain;
  out.context = Context::import_name;
  out.span = {begin(path_[i].node), end(path_[i].node)};
  if (parent(i) == "dotted_name") {
    --i;
    out.span = {begin(path_[i].node), end(path_[i].node)};
    std::size_t k = i;
    while (k > 0 && type_at(k) != "import_statement" && type_at(k) != "import_from_statement") {
      if (path_[k].field == "module_name") out.context = Context::import_module;
      --k;
    }
    if (type_at(k) == "import_statement") out.context = Context::import_module;
  }
  return out;
}

PythonTree::Place Finder::name(std::size_t i) const {
  for (std::size_t k = i; k > 0; --k) {
    const std::string_view t = type_at(k);
    if (t == "import_statement" || t == "import_from_statement" || t == "future_import_statement") return in_import(i);
    if (t == "block") break;
  }
  PythonTree::Place out;
  out.kind = SiteKind::chain;
  if (parent(i) == "dotted_name") {  // of a `case`
    out.span = {begin(path_[i - 1].node), end(path_[i - 1].node)};
    out.context = Context::pattern;
    return out;
  }
  const bool annotation = in_annotation(i);
  out.span = chain(i);
  if (annotation) {
    out.context = Context::annotation;
    return out;
  }
  bool called = false;
  while (i > 0 && parent(i) == "call" && path_[i].field == "function") {
    --i;
    called = true;
  }
  const bool used = i > 0 && ((parent(i) == "attribute" && path_[i].field == "object") ||
                              (parent(i) == "subscript" && path_[i].field == "value"));
  if (called && used) {
    out.context = Context::called;
    return out;
  }
  place(i, out);
  return out;
}

int Finder::argument_index(TSNode list, TSNode argument) const {
  int index = 0;
  TSTreeCursor cursor = ts_tree_cursor_new(list);
  if (ts_tree_cursor_goto_first_child(&cursor)) {
    do {
      const TSNode child = ts_tree_cursor_current_node(&cursor);
      if (begin(child) >= begin(argument)) break;
      if (ts_node_is_named(child) && type(child) != "comment") ++index;
    } while (ts_tree_cursor_goto_next_sibling(&cursor));
  }
  ts_tree_cursor_delete(&cursor);
  return index;
}

/// Whether node `i` is (part of) the left side of an assignment.
bool Finder::is_target(std::size_t i) const {
  for (; i > 0; --i) {
    if (path_[i].field == "left") {
      const std::string_view up = parent(i);
      return up == "assignment" || up == "augmented_assignment" || up == "for_statement" || up == "for_in_clause";
    }
    const std::string_view t = type_at(i - 1);
    if (t != "pattern_list" && t != "tuple_pattern" && t != "list_pattern" && t != "list_splat_pattern" &&
        t != "tuple" && t != "list" && t != "parenthesized_expression" && t != "expression_list") {
      return false;
    }
  }
  return false;
}

bool Finder::place_in_definition(std::size_t i, PythonTree::Place& out) const {
  const std::string_view up = parent(i), field = path_[i].field;
  if (up == "default_parameter" || up == "typed_default_parameter") {
    out.context = field == "name" ? Context::parameter : Context::default_value;
  } else if (up == "typed_parameter" || up == "parameters" || up == "lambda_parameters") {
    out.context = Context::parameter;
  } else if (up == "list_splat_pattern" || up == "dictionary_splat_pattern") {
    const std::string_view above = parent(i - 1);
    if (above != "parameters" && above != "lambda_parameters" && above != "typed_parameter") return false;
    out.context = Context::parameter;
  } else if ((up == "function_definition" || up == "class_definition") && field == "name") {
    out.context = Context::definition;
  } else if (up == "decorator") {
    out.context = Context::decorator;
  } else {
    return false;
  }
  return true;
}

bool Finder::place_in_collection(std::size_t i, PythonTree::Place& out) const {
  const std::string_view up = parent(i), field = path_[i].field;
  if (up == "list" || up == "tuple" || up == "set" || up == "expression_list" || up == "pattern_list" ||
      up == "tuple_pattern" || up == "list_pattern") {
    out.context = is_target(i) ? Context::target : Context::element;
    if (up == "expression_list" && parent(i - 1) == "delete_statement") out.context = Context::other;
  } else if (up == "list_comprehension" || up == "set_comprehension") {
    out.context = Context::element;
  } else if (up == "generator_expression") {
    const bool sole = i > 1 && parent(i - 1) == "call";
    out.context = sole ? Context::argument : Context::element;
    out.argument = sole ? 0 : -1;
  } else if (up == "pair") {
    out.context = field == "key" ? Context::key : Context::value;
  } else if (up == "subscript") {
    out.context = field == "value" ? Context::subscripted : Context::subscript;
  } else {
    return false;
  }
  return true;
}

void Finder::place_in_statement(std::size_t i, PythonTree::Place& out) const {
  const std::string_view up = parent(i), field = path_[i].field;
  if (up == "assignment" || up == "augmented_assignment") {
    out.context = field == "left" ? Context::target : Context::assigned;
  } else if (up == "named_expression") {
    out.context = field == "name" ? Context::target : Context::assigned;
  } else if (up == "return_statement") {
    out.context = Context::returned;
  } else if (up == "expression_statement") {
    out.context = ts_node_named_child_count(path_[i - 1].node) > 1 ? Context::element : Context::statement;
  } else if (up == "module" || up == "block") {
    out.context = Context::statement;
  } else if (up == "if_statement" || up == "elif_clause" || up == "while_statement" || up == "if_clause" ||
             up == "match_statement") {
    out.context = Context::condition;
  } else if (up == "assert_statement") {
    const TSNode first = ts_node_named_child(path_[i - 1].node, 0);
    out.context = ts_node_eq(first, path_[i].node) ? Context::condition : Context::other;
  } else if (is_target(i) || up == "as_pattern_target") {
    out.context = Context::target;
  } else if (up == "print_statement" || up == "exec_statement") {
    out.context = Context::argument;
    out.argument = argument_index(path_[i - 1].node, path_[i].node);
  } else if (up == "case_pattern" || up == "case_clause" || up == "union_pattern" || up == "class_pattern" ||
             up == "list_pattern" || up == "tuple_pattern" || up == "dict_pattern" || up == "as_pattern") {
    out.context = up == "as_pattern" ? Context::other : Context::pattern;
  } else {
    out.context = Context::other;
  }
}

void Finder::place(std::size_t i, PythonTree::Place& out) const {
  for (; i > 0; --i) {
    const std::string_view up = parent(i);
    if (up == "parenthesized_expression") continue;
    if (up != "conditional_expression") break;
    if (ts_node_eq(ts_node_named_child(path_[i - 1].node, 1), path_[i].node)) {
      out.context = Context::condition;
      return;
    }
  }
  if (i == 0) return;
  const std::string_view up = parent(i), field = path_[i].field;
  if (up == "argument_list") {
    out.context = Context::argument;
    out.argument = argument_index(path_[i - 1].node, path_[i].node);
  } else if (up == "keyword_argument") {
    out.context = field == "name" ? Context::keyword_name : Context::keyword;
  } else if (up == "comparison_operator") {
    out.context = Context::compared;
  } else if (up == "boolean_operator" || up == "binary_operator" || up == "unary_operator" || up == "not_operator") {
    out.context = Context::operand;
  } else if (up == "attribute") {
    out.context = Context::object;
  } else if (up == "call") {
    out.context = Context::called;
  } else if (up == "interpolation" || up == "format_expression") {
    out.context = Context::interpolated;
  } else if (!place_in_definition(i, out) && !place_in_collection(i, out)) {
    place_in_statement(i, out);
  }
}

}  // namespace

PythonTree::PythonTree(std::string_view text) : impl_(std::make_unique<Impl>()) {
  impl_->parser = ts_parser_new();
  ts_parser_set_language(impl_->parser, tree_sitter_python());
  impl_->tree = ts_parser_parse_string(impl_->parser, nullptr, text.data(), static_cast<std::uint32_t>(text.size()));
}

PythonTree::~PythonTree() {
  ts_tree_delete(impl_->tree);
  ts_parser_delete(impl_->parser);
}

bool PythonTree::damaged() const { return ts_node_has_error(ts_tree_root_node(impl_->tree)); }

std::uint32_t PythonTree::first_damage() const {
  TSNode node = ts_tree_root_node(impl_->tree);
  while (!ts_node_is_error(node) && !ts_node_is_missing(node)) {
    std::uint32_t i = 0;
    while (i < ts_node_child_count(node) && !ts_node_has_error(ts_node_child(node, i))) ++i;
    if (i == ts_node_child_count(node)) break;
    node = ts_node_child(node, i);
  }
  return ts_node_has_error(node) ? ts_node_start_byte(node) : 0;
}

PythonTree::Place PythonTree::at(std::uint32_t offset) const { return Finder(impl_->tree, offset).find(); }

}  // namespace accelport
