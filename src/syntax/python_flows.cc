#include "syntax/python_flows.h"

#include <algorithm>

#include "syntax/python_sinks.h"
#include "syntax/python_strings.h"

namespace accelport {
namespace {

constexpr int kMaxSteps = 24;       // from a literal outward through expressions
constexpr int kMaxParameters = 64;  // of an own function that is called

bool is_upper_name(std::string_view value) {
  bool letter = false;
  for (const char c : value) {
    if (c >= 'A' && c <= 'Z') letter = true;
    if (!(c >= 'A' && c <= 'Z') && c != '_' && !is_ascii_digit(c)) return false;
  }
  return letter && value.find('_') != std::string_view::npos;
}

bool names_environment(std::string_view api) {
  const std::string lower = ascii_lower(api.substr(0, 200));
  return lower.find("environ") != std::string::npos || lower == "env" || lower.substr(0, 4) == "env." ||
         lower.find("own.env") != std::string::npos || lower.find("_env") != std::string::npos ||
         lower.find("env_") != std::string::npos;
}

}  // namespace

PyFlows::PyFlows(PyAnnotator& annotator, const PyBlocks& blocks, PyNames& names, const ReaderFacts* facts)
    : annotator_(annotator), lexed_(annotator.lexed()), blocks_(blocks), names_(names), facts_(facts) {}

std::string PyFlows::text_value(std::uint32_t token) const {
  std::string value;
  if (token < lexed_.tokens.size() && lexed_.tokens[token].kind == PyKind::string) {
    append_string_value(lexed_.text_of(token), value);
  }
  return value;
}

// --- outward through expressions ---------------------------------------------------------------

PyPlace PyFlows::place_of_call(std::uint32_t opener) const {
  const PyMark& mark = annotator_.mark(opener);
  return annotator_.place(mark.primary, mark.mate == kNoToken ? opener : mark.mate);
}

PyPlace PyFlows::place_of_bracket(std::uint32_t opener) const {
  const std::uint32_t mate = annotator_.mark(opener).mate;
  return annotator_.place(opener, mate == kNoToken ? opener : mate);
}

/// What a statement does with all its text: raise and assert show it to people.
bool PyFlows::statement_sink(std::uint32_t token, Way& way) const {
  const PyStatement statement = annotator_.statement(token);
  if (statement.word == PyWord::raise_) {
    way.flow |= Flow::message;
    return true;
  }
  if (statement.word != PyWord::assert_) return false;
  std::uint32_t outer = token;
  for (int i = 0; i < kMaxSteps && annotator_.mark(outer).opener != kNoToken; ++i)
    outer = annotator_.mark(outer).opener;
  if (annotator_.mark(outer).commas == 0) return false;
  way.flow |= Flow::message;
  return true;
}

void PyFlows::follow(PyPlace place, Way& way) {
  for (int i = 0; i < kMaxSteps; ++i)
    if (!step(place, way)) return;
}

/// Goes one expression further out; false where the way ends.
bool PyFlows::step(PyPlace& place, Way& way) {
  switch (place.context) {
    case Context::argument:
    case Context::keyword:
      return step_argument(place, way);
    case Context::object:
      return step_object(place, way);
    case Context::operand:
      return step_operand(place) || (statement_sink(place.begin, way), false);
    case Context::element:
      return step_element(place, way);
    case Context::value: {
      const std::string key = text_value(place.key);
      way.flow |= flow_of_name(key.empty() ? lexed_.text_of(place.key) : std::string_view(key));
      return false;
    }
    case Context::key: {
      const PyPlace outer = place_of_bracket(annotator_.mark(place.begin).opener);
      Way dictionary;
      if (outer.context == Context::argument || outer.context == Context::keyword) {
        PyPlace copy = outer;
        step_argument(copy, dictionary);
        const PyName callee = names_.resolve_ending(outer.callee);
        if (names_environment(callee.api) || callee.api.find("patch.dict") != std::string::npos)
          dictionary.flow |= Flow::environment;
      } else if (outer.context == Context::assigned && names_environment(lexed_.text_of(outer.key))) {
        dictionary.flow |= Flow::environment;
      }
      const bool environment = has(dictionary.flow, Flow::environment) && is_upper_name(text_value(place.begin));
      if (environment) way.flow |= Flow::environment;
      return false;
    }
    case Context::assigned:
      assigned(place, way);
      return false;
    case Context::default_value:
      way.flow |= flow_of_name(lexed_.text_of(place.key));
      add_variable(way, place.key);
      return false;
    case Context::returned: {
      const std::uint32_t scope = blocks_.scope_of(place.begin, annotator_.line_of(place.begin));
      const std::uint32_t name = blocks_.scopes[scope].name;
      if (blocks_.scopes[scope].kind != PyScope::Kind::function || name == kNone) return false;
      way.flow |= flow_of_name(lexed_.text_of(name));
      add_cell(way, kNone - 1, lexed_.tokens[name].name, lexed_.names.first(lexed_.tokens[name].name), true);
      return false;
    }
    case Context::interpolated: {
      const std::uint32_t field = annotator_.mark(place.begin).opener;
      if (field == kNoToken || lexed_.tokens[field].kind != PyKind::field_open) return false;
      place = annotator_.place(annotator_.mark(field).first);
      return true;
    }
    case Context::subscript:
      subscripted(place, way);
      return false;
    case Context::compared:
      compared(place, way);
      return false;
    case Context::pattern:
      way.compared = true;
      return false;
    default: {
      if (statement_sink(place.begin, way)) return false;
      loop_target(place, way);
      return false;
    }
  }
}

bool PyFlows::step_operand(PyPlace& place) const {
  const PyRegion region = annotator_.region(place.begin);
  if (region.begin >= place.begin && region.end <= place.end + 1) return false;
  int steps = 0;
  for (std::uint32_t op = region.first_op; op != kNoToken && steps < 8; op = annotator_.op(op).after, ++steps) {
    if (annotator_.op(op).word == PyWord::none) return false;  // part of a comparison
  }
  place = annotator_.place(region.begin, region.end - 1);
  return true;
}

bool PyFlows::step_object(PyPlace& place, Way& way) {
  const std::uint32_t method = place.end + 2;
  if (method >= lexed_.tokens.size() || !lexed_.is_op(method + 1, '(')) return false;
  if (!keeps_text(lexed_.text_of(method))) {
    way.compared = true;
    return false;
  }
  const std::uint32_t end = annotator_.mark(method + 1).mate;
  if (end == kNoToken) return false;
  place = annotator_.place(place.begin, end);
  return true;
}

std::uint32_t PyFlows::first_string_argument(std::uint32_t opener) const {
  if (opener == kNoToken) return kNoToken;
  const PyKind kind = lexed_.tokens[opener + 1].kind;
  return kind == PyKind::string ? opener + 1 : kNoToken;
}

/// A default or a choice of a declared option: the value is read through an attribute of the option's name.
void PyFlows::option(std::uint32_t opener, Way& way) {
  std::string name;
  std::uint32_t token = first_string_argument(opener);
  for (int i = 0; i < 4 && token != kNoToken; ++i) {
    const std::string spelled = text_value(token);
    if (name.empty() || spelled.substr(0, 2) == "--") name = spelled;
    token = lexed_.is_op(token + 1, ',') && lexed_.tokens[token + 2].kind == PyKind::string ? token + 2 : kNoToken;
  }
  for (std::uint32_t k = annotator_.last_keyword(opener); k != kNoToken; k = annotator_.mark(k).mate) {
    if (lexed_.is_op(k, '=') && lexed_.text_of(k - 1) == "dest") name = text_value(k + 1);
  }
  name.erase(0, name.find_first_not_of('-') == std::string::npos ? name.size() : name.find_first_not_of('-'));
  std::replace(name.begin(), name.end(), '-', '_');
  way.flow |= flow_of_name(name);
  add_attribute(way, name);
}

/// An argument of a function of this file goes on as its parameter.
void PyFlows::passed_to_own(const PyPlace& place, Way& way) {
  if (!annotator_.is_plain_name(place.callee) || annotator_.mark(place.callee).first != place.callee) return;
  const std::uint32_t definition = names_.own_definition(place.callee);
  if (definition == kNoToken || !lexed_.is_op(definition + 1, '(')) return;
  annotator_.need(definition);
  const std::uint32_t opener = definition + 1, closer = annotator_.mark(opener).mate;
  if (closer == kNoToken || annotator_.mark(opener + 1).frame != PyFrame::parameters) return;
  int index = 0;
  for (std::uint32_t t = opener + 1, steps = 0; t < closer && index < kMaxParameters && steps < 512; ++steps) {
    const bool here = place.context == Context::keyword ? lexed_.tokens[t].name == lexed_.tokens[place.key].name
                                                        : index == place.argument;
    if (here && annotator_.is_plain_name(t) && annotator_.mark(t).item == t) {
      add_variable(way, t);
      return;
    }
    const std::uint32_t mate = annotator_.mark(t).mate;
    t = mate != kNoToken && mate > t && lexed_.tokens[t].kind == PyKind::op && lexed_.tokens[t].op != '=' ? mate + 1
                                                                                                          : t + 1;
    if (t < closer && lexed_.is_op(t - 1, ',') && annotator_.mark(t).opener == opener) ++index;
  }
}

bool PyFlows::step_argument(PyPlace& place, Way& way) {
  if (place.callee == kNoToken) return false;
  if (annotator_.mark(place.begin).opener == kNoToken) {  // a print statement
    way.flow |= Flow::message;
    return false;
  }
  const PyName callee = names_.resolve_ending(place.callee);
  const std::uint32_t opener = annotator_.mark(place.begin).opener;
  const std::string_view api = callee.api;
  const std::string_view last = api.substr(api.rfind('.') + 1);
  const std::string_view keyword = place.context == Context::keyword ? lexed_.text_of(place.key) : std::string_view{};
  const bool declares = last == "add_argument" || last == "addoption" || last == "add_option";
  if (declares && (keyword == "default" || keyword == "choices" || keyword == "const")) {
    option(opener, way);
    return false;
  }
  if ((api == "getattr" || api == "hasattr" || api == "setattr" || api == "delattr") && place.argument == 1) {
    const std::uint32_t object = opener + 1;
    const bool name = annotator_.is_plain_name(object);
    const PyName target = name ? names_.resolve(object, annotator_.mark(object).last) : PyName{};
    const bool module = target.root == PyName::Root::imported && target.api.substr(0, 5) == "torch";
    way.flow |= module ? Flow::module_name : Flow::attribute_name;
    return false;
  }
  if (last == "parametrize" && place.argument == 1) {
    way.flow |= flow_of_name(text_value(first_string_argument(opener)));
    return false;
  }
  const PySink sink = sink_of_argument(api, place.argument, keyword);
  way.flow |= sink.flow;
  if (sink.passes) {
    const PyPlace outer = place_of_call(opener);
    if (outer.context == Context::called || outer.end <= place.end) return false;
    place = outer;
    return true;
  }
  if (sink.flow == Flow::none) {
    if (statement_sink(place.begin, way)) return false;
    passed_to_own(place, way);
  } else if (sink.flow == Flow::device || sink.flow == Flow::backend) {
    passed_to_own(place, way);
  }
  return false;
}

bool PyFlows::step_element(PyPlace& place, Way& way) {
  const std::uint32_t opener = annotator_.mark(place.begin).opener;
  if (opener == kNoToken) {
    statement_sink(place.begin, way);
    return false;
  }
  place = place_of_bracket(opener);
  if (place.context == Context::other) {
    loop_target(place, way);
    return false;
  }
  return true;
}

/// `for x in HERE`: the elements go into x.
void PyFlows::loop_target(const PyPlace& place, Way& way) {
  if (place.begin < 2 || annotator_.keyword(place.begin - 1) != PyWord::in_) return;
  const std::uint32_t target = place.begin - 2;
  if (!annotator_.is_plain_name(target)) return;
  way.flow |= flow_of_name(lexed_.text_of(target));
  if (annotator_.mark(target).first == target) add_variable(way, target);
}

void PyFlows::assigned(const PyPlace& place, Way& way) {
  std::uint32_t target = place.key;
  if (target >= lexed_.tokens.size()) return;
  if (lexed_.is_op(target, ']')) {
    const std::uint32_t opener = annotator_.mark(target).mate;
    if (opener == kNoToken || opener == 0) return;
    const std::string key = text_value(opener + 1);
    const PyName base = names_.resolve_ending(opener - 1);
    if (!names_environment(base.api)) way.flow |= flow_of_name(key);
    return;
  }
  if (!annotator_.is_plain_name(target)) return;
  way.flow |= flow_of_name(lexed_.text_of(target));
  const bool attribute = target > 0 && lexed_.is_op(target - 1, '.');
  if (attribute) {
    add_attribute(way, lexed_.text_of(target));
    return;
  }
  add_variable(way, target);
  const std::uint32_t scope = blocks_.scope_of(target, annotator_.line_of(target));
  if (blocks_.scopes[scope].kind == PyScope::Kind::class_body) add_attribute(way, lexed_.text_of(target));
}

void PyFlows::subscripted(const PyPlace& place, Way& way) {
  const PyName base = names_.resolve_ending(place.callee);
  const std::string_view written =
      place.callee < lexed_.tokens.size() ? lexed_.text_of(place.callee) : std::string_view{};
  if (base.api == "os.environ" || (names_environment(written) && is_upper_name(text_value(place.begin)))) {
    way.flow |= Flow::environment;
  }
}

void PyFlows::compared(const PyPlace& place, Way& way) {
  way.compared = true;
  if (place.other >= lexed_.tokens.size() || !annotator_.is_plain_name(place.other)) return;
  const std::uint32_t last = annotator_.mark(place.other).last;
  const PyName other = names_.resolve(annotator_.mark(place.other).first, last);
  if (other.api == "os.environ" || (names_environment(other.api) && is_upper_name(text_value(place.begin)))) {
    way.flow |= Flow::environment;
  }
}

}  // namespace accelport
