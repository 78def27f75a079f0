#include "syntax/python_sites.h"

#include <algorithm>

#include "syntax/python_strings.h"

namespace accelport {
namespace {

constexpr int kMaxParts = 32;    // of a chain that is written out
constexpr int kMaxCarriers = 6;  // expressions around an element or operand

}  // namespace

PySites::PySites(PyAnnotator& annotator, const PyBlocks& blocks, PyNames& names, PyGuards& guards, PyFlows& flows)
    : annotator_(annotator),
      lexed_(annotator.lexed()),
      blocks_(blocks),
      names_(names),
      guards_(guards),
      flows_(flows) {}

// --- texts -----------------------------------------------------------------------------------

std::string PySites::literal_value(std::uint32_t token) const {
  std::string value;
  if (lexed_.tokens[token].kind != PyKind::fstring_begin) {
    append_string_value(lexed_.text_of(token), value);
    return value;
  }
  const std::string_view prefix = lexed_.text_of(token);
  const bool raw = prefix.find('r') != std::string_view::npos || prefix.find('R') != std::string_view::npos;
  const std::uint32_t end = annotator_.mark(token).mate;
  if (end == kNoToken) return value;
  for (std::uint32_t t = token + 1; t < end; ++t) {
    if (lexed_.tokens[t].kind == PyKind::fstring_text) {
      append_string_body(lexed_.text_of(t), raw, false, true, value);
    } else if (lexed_.tokens[t].kind == PyKind::field_open) {
      value += "{}";
      if (annotator_.mark(t).mate != kNoToken) t = annotator_.mark(t).mate;
    }
  }
  return value;
}

std::string PySites::chain_text(std::uint32_t token) const {
  std::string text;
  int parts = 0;
  for (std::uint32_t i = annotator_.mark(token).first; i <= token && parts < kMaxParts; i += 2, ++parts) {
    if (parts > 0) text += '.';
    text += lexed_.text_of(i);
  }
  return text;
}

/// A dictionary key or subscript: a literal's value, or the chain.
std::string PySites::key_text(std::uint32_t token) const {
  if (token >= lexed_.tokens.size()) return {};
  const PyKind kind = lexed_.tokens[token].kind;
  if (kind == PyKind::string) return literal_value(annotator_.mark(token).first);
  if (kind == PyKind::name) return chain_text(token);
  if (kind == PyKind::number) return std::string(lexed_.text_of(token));
  return {};
}

/// The left side of an assignment that ends with `token`; `x["key"]` is "x.key".
std::string PySites::target_text(std::uint32_t token) const {
  if (annotator_.is_plain_name(token)) return chain_text(token);
  if (!lexed_.is_op(token, ']')) return {};
  const std::uint32_t opener = annotator_.mark(token).mate;
  if (opener == kNoToken || opener == 0) return {};
  std::string text = annotator_.is_plain_name(opener - 1) ? chain_text(opener - 1) : std::string("?");
  const std::string key = opener + 1 < token ? key_text(opener + 1) : std::string();
  return text + "." + key;
}

/// An argument as `Site::first_argument` has it.
std::string PySites::argument_value(std::uint32_t token, std::uint32_t end) {
  if (token >= end) return {};
  const PyKind kind = lexed_.tokens[token].kind;
  if (kind == PyKind::string || kind == PyKind::fstring_begin) {
    std::string value;
    for (std::uint32_t t = token, last = annotator_.mark(token).last; t <= last && t < end; ++t) {
      value += literal_value(t);
      if (lexed_.tokens[t].kind == PyKind::fstring_begin) {
        if (annotator_.mark(t).mate == kNoToken) break;
        t = annotator_.mark(t).mate;
      }
    }
    return value;
  }
  if (kind == PyKind::number) return std::string(lexed_.text_of(token));
  if (lexed_.is_op(token, '-') && lexed_.tokens[token + 1].kind == PyKind::number) {
    return "-" + std::string(lexed_.text_of(token + 1));
  }
  if (!annotator_.is_plain_name(token)) return {};
  const std::uint32_t last = annotator_.mark(token).last;
  if (lexed_.is_op(last + 1, '=')) return {};
  const PyName name = names_.resolve(annotator_.mark(token).first, last);
  return name.root == PyName::Root::imported ? name.api : chain_text(last);
}

// --- parts of a site ---------------------------------------------------------------------------

void PySites::fill_scope(std::uint32_t token, Context context, Site& site) const {
  const std::uint32_t line = annotator_.line_of(token);
  std::uint32_t scope = blocks_.scope_of(token, line);
  const bool inside = context == Context::parameter || context == Context::default_value;
  if (inside && blocks_.opened_scope[line] != kNone) scope = blocks_.opened_scope[line];
  if (const std::uint32_t name = blocks_.function_of[scope]; name != kNone) site.function = lexed_.text_of(name);
  if (const std::uint32_t name = blocks_.class_of[scope]; name != kNone) site.class_name = lexed_.text_of(name);
  site.statement = line + 1;
}

void PySites::fill_call(std::uint32_t opener, Site& site) {
  site.called = true;
  const std::uint32_t closer = annotator_.mark(opener).mate;
  if (closer == kNoToken) return;
  const std::uint32_t positional = annotator_.positional(opener);
  site.positional = static_cast<std::uint16_t>(std::min(positional, 0xFFFFu));
  for (std::uint32_t k = annotator_.last_keyword(opener); k != kNoToken; k = annotator_.mark(k).mate) {
    site.keywords.push_back(lexed_.is_op(k, '=') ? lexed_.text_of(k - 1) : std::string_view("**"));
  }
  std::reverse(site.keywords.begin(), site.keywords.end());
  if (positional > 0) site.first_argument = argument_value(opener + 1, closer);
}

/// What the place names: the function, the keyword, the target.
void PySites::fill_place(const PyPlace& place, Site& site) {
  if (place.callee != kNoToken && place.callee < lexed_.tokens.size()) {
    site.callee = names_.resolve_ending(place.callee).api;
  }
  switch (place.context) {
    case Context::keyword:
    case Context::keyword_name:
    case Context::default_value:
    case Context::parameter:
      if (place.key != kNoToken) site.keyword = lexed_.text_of(place.key);
      break;
    case Context::assigned:
      site.keyword = target_text(place.key);
      break;
    case Context::value:
      site.keyword = key_text(place.key);
      break;
    case Context::annotation:
      if (place.key != kNoToken && annotator_.is_plain_name(place.key)) site.keyword = lexed_.text_of(place.key);
      break;
    case Context::compared:
      if (place.other < lexed_.tokens.size()) {
        std::uint32_t other = place.other;
        if (lexed_.is_op(other, ')') && annotator_.mark(other).mate != kNoToken && annotator_.mark(other).mate > 0) {
          other = annotator_.mark(other).mate - 1;
        }
        if (annotator_.is_plain_name(other)) {
          const PyMark& mark = annotator_.mark(other);
          site.callee = names_.resolve(mark.first, other < place.begin ? other : mark.last).api;
        }
      }
      break;
    default:
      break;
  }
}

/// An element, operand or formatted string belongs to the argument or assignment around it.
void PySites::fill_carrier(PyPlace place, Site& site) {
  for (int i = 0; i < kMaxCarriers; ++i) {
    switch (place.context) {
      case Context::element: {
        const std::uint32_t opener = annotator_.mark(place.begin).opener;
        if (opener == kNoToken || annotator_.mark(opener).mate == kNoToken) return;
        place = annotator_.place(opener, annotator_.mark(opener).mate);
        break;
      }
      case Context::operand: {
        const PyRegion region = annotator_.region(place.begin);
        if (region.end == 0 || (region.begin >= place.begin && region.end <= place.end + 1)) return;
        place = annotator_.place(region.begin, region.end - 1);
        break;
      }
      case Context::object: {
        const std::uint32_t call = place.end + 3;
        if (!lexed_.is_op(place.end + 1, '.') || !lexed_.is_op(call, '(')) return;
        if (annotator_.mark(call).mate == kNoToken) return;
        place = annotator_.place(place.begin, annotator_.mark(call).mate);
        break;
      }
      case Context::interpolated: {
        const std::uint32_t field = annotator_.mark(place.begin).opener;
        if (field == kNoToken || lexed_.tokens[field].kind != PyKind::field_open) return;
        place = annotator_.place(annotator_.mark(field).first);
        break;
      }
      case Context::argument:
      case Context::keyword:
      case Context::assigned:
      case Context::default_value:
      case Context::value:
      case Context::compared:
        fill_place(place, site);
        return;
      default:
        return;
    }
  }
}

// --- sites ---------------------------------------------------------------------------------------

void PySites::make_import(const PyNames::Import& import, Site& site) {
  site.context = import.module ? Context::import_module : Context::import_name;
  site.api = import.path;
  if (!import.module) {
    if (names_.is_beside_hit(import)) site.context = Context::import_binding;
    return;
  }
  // The names that are taken out of a module stand with it: they have no hit of their own.
  const auto& imports = names_.imports();
  auto next = static_cast<std::size_t>(&import - imports.data()) + 1;
  for (; next < imports.size() && imports[next].statement == import.statement && !imports[next].module; ++next) {
    const std::string_view name = lexed_.text_of(imports[next].token);
    const std::string_view path = imports[next].path;
    if (path.substr(path.rfind('.') + 1) == name) site.keywords.push_back(name);
  }
}

void PySites::name_chain(std::uint32_t first, std::uint32_t last, Site& site) {
  const bool single = first == last && !(first > 0 && lexed_.is_op(first - 1, '.'));
  const bool binds = single && (site.context == Context::parameter || site.context == Context::target ||
                                (site.context == Context::pattern && !site.called));
  if (site.context == Context::keyword_name) {
    const std::uint32_t value = last + 2;
    if (value < annotator_.statement(first).line_last) site.value = argument_value(value, annotator_.region(value).end);
    return;
  }
  if (binds) {
    site.api = "own.";
    site.api += lexed_.text_of(first);
    return;
  }
  PyName name = names_.resolve(first, last);
  site.certain_name = name.certain && lexed_.damage == 0;
  site.api = std::move(name.api);
}

void PySites::guard(std::uint32_t token, Site& site) {
  site.guards = guards_.at(token);
  if (has(site.guards, Guard::family)) site.family = guards_.family_of(token);
}

void PySites::make_chain(std::uint32_t first, Site& site) {
  if (const PyNames::Import* import = names_.import_at(first); import != nullptr) {
    make_import(*import, site);
    fill_scope(first, site.context, site);
    guard(first, site);
    return;
  }
  const std::uint32_t last = annotator_.mark(first).last;
  const PyPlace place = annotator_.place(first);
  site.context = place.context;
  site.argument = place.argument;
  if (lexed_.is_op(last + 1, '(') && place.context != Context::definition) fill_call(last + 1, site);
  name_chain(first, last, site);
  fill_place(place, site);
  fill_carrier(place, site);
  fill_scope(first, place.context, site);
  guard(first, site);
}

/// The literals that follow `token` in its concatenation, with or without "+".
void PySites::append_rest(std::uint32_t token, std::string& value) const {
  for (int i = 0; i < kMaxParts; ++i) {
    token += lexed_.is_op(token + 1, '+') ? 2 : 1;
    if (token >= lexed_.tokens.size() || lexed_.tokens[token].kind != PyKind::string) return;
    value += literal_value(token);
  }
}

void PySites::make_string(std::uint32_t token, bool split, Site& site) {
  const PyPlace place = annotator_.place(token);
  site.context = place.context;
  site.argument = place.argument;
  site.value = literal_value(token);
  if (split) append_rest(token, site.value);
  fill_place(place, site);
  fill_carrier(place, site);
  fill_scope(token, place.context, site);
  guard(token, site);
  site.certain_name = lexed_.damage == 0;
}

void PySites::make(const PyTarget& target, std::vector<Site>& sites) {
  Site& site = sites.emplace_back();
  site.span = {target.begin, target.end};
  site.kind = target.kind;
  site.language = Language::python;
  switch (target.kind) {
    case SiteKind::chain:
      make_chain(target.token, site);
      break;
    case SiteKind::string:
      make_string(target.token, target.split, site);
      strings_.emplace_back(sites.size() - 1, flows_.add_string(target.token, site.value));
      break;
    default:
      if (target.token == kNoToken) break;
      fill_scope(target.token, Context::none, site);
      site.guards = guards_.of_line(annotator_.line_of(target.token));
  }
}

void PySites::finish(std::vector<Site>& sites) {
  flows_.finish();
  for (const auto& [site, number] : strings_) sites[site].flows = flows_.flows(number);
  strings_.clear();
}

}  // namespace accelport
