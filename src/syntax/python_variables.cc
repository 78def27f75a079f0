// PyFlows' variables, which values go through, and the collections that they stand in.

#include "syntax/device_words.h"
#include "syntax/python_flows.h"
#include "syntax/python_sinks.h"

namespace accelport {
namespace {

constexpr int kMaxRounds = 8;  // of passing flows back along assignments

constexpr Flow kSinks = Flow::device | Flow::backend | Flow::environment | Flow::module_name | Flow::path |
                        Flow::command | Flow::option_name | Flow::source_code | Flow::attribute_name;

/// No device is called so, but things with a method cuda() have these too.
bool is_method(std::string_view value) {
  return value == "to" || value == "state_dict" || value == "load_state_dict" || value == "requires_grad_" ||
         value == "register_buffer" || value == "zero_grad";
}

}  // namespace

void PyFlows::add_cell(Way& way, std::uint32_t scope, std::uint32_t name, std::uint32_t start, bool function) {
  if (name == 0) return;
  const std::uint64_t key = static_cast<std::uint64_t>(scope) << 32 | name;
  const auto [entry, fresh] = cell_numbers_.emplace(key, static_cast<std::uint32_t>(cells_.size()));
  if (fresh) {
    Cell cell;
    cell.scope = scope;
    cell.name = name;
    cell.start = start;
    cell.function = function;
    cells_.push_back(cell);
  }
  for (std::uint32_t& slot : way.cells) {
    if (slot == entry->second) return;
    if (slot == kNone) {
      slot = entry->second;
      return;
    }
  }
}

void PyFlows::add_variable(Way& way, std::uint32_t token) {
  if (token >= lexed_.tokens.size() || lexed_.tokens[token].kind != PyKind::name) return;
  const std::uint32_t name = lexed_.tokens[token].name;
  const std::uint32_t line = annotator_.line_of(token);
  std::uint32_t scope = blocks_.scope_of(token, line);
  annotator_.need_line(line);
  const bool parameter = annotator_.mark(token).frame == PyFrame::parameters;
  if (parameter && blocks_.opened_scope[line] != kNone) scope = blocks_.opened_scope[line];
  const bool module = blocks_.scopes[scope].kind == PyScope::Kind::module;
  add_cell(way, scope, name, module ? lexed_.names.first(name) : token);
}

void PyFlows::add_attribute(Way& way, std::string_view name) {
  const std::uint32_t number = lexed_.names.find(name);
  if (number != 0) add_cell(way, kNone, number, lexed_.names.first(number));
}

void PyFlows::use(std::uint32_t number, std::uint32_t token) {
  annotator_.need(token);
  const PyMark& mark = annotator_.mark(token);
  const bool called = lexed_.is_op(token + 1, '(');
  const bool function = cells_[number].function;
  if (mark.last != token || called != function) return;
  PyPlace place = annotator_.place(token);
  if (place.context == Context::target || place.context == Context::parameter ||
      place.context == Context::keyword_name || place.context == Context::definition) {
    return;
  }
  Way way;
  follow(place, way);
  cells_[number].flow |= way.flow;
  cells_[number].compared |= way.compared;
  for (const std::uint32_t cell : way.cells)
    if (cell != kNone && cell != number) edges_.emplace_back(number, cell);
}

void PyFlows::look_into(std::uint32_t number) {
  const Cell cell = cells_[number];
  const bool attribute = cell.scope == kNone;
  const bool module = !attribute && !cell.function && cell.scope == 0;
  const std::uint32_t end = attribute || cell.function || module ? kNoToken : blocks_.scopes[cell.scope].last;
  for (std::uint32_t t = cell.start; t != kNoToken && t < end; t = lexed_.tokens[t].next) {
    const bool behind_dot = t > 0 && lexed_.is_op(t - 1, '.');
    if (attribute != behind_dot && !cell.function) continue;
    if (!attribute && !cell.function && names_.variable_scope(t) != cell.scope) continue;
    use(number, t);
  }
}

std::uint32_t PyFlows::add_string(std::uint32_t token, std::string_view value) {
  Way way;
  way.flow = flow_of_value(value);
  follow(annotator_.place(token), way);
  way.flow |= collection(token);
  ways_.push_back(way);
  return static_cast<std::uint32_t>(ways_.size() - 1);
}

void PyFlows::finish() {
  for (std::uint32_t i = 0; i < cells_.size(); ++i) look_into(i);
  bool changed = true;
  for (int round = 0; round < kMaxRounds && changed; ++round) {
    changed = false;
    for (auto edge = edges_.rbegin(); edge != edges_.rend(); ++edge) {
      Cell& from = cells_[edge->first];
      const Cell& into = cells_[edge->second];
      const Flow before = from.flow;
      const bool compared = from.compared;
      from.flow |= into.flow;
      from.compared = from.compared || into.compared;
      changed = changed || from.flow != before || from.compared != compared;
    }
  }
}

Flow PyFlows::flows(std::uint32_t number) const {
  const Way& way = ways_[number];
  Flow flow = way.flow;
  bool compared = way.compared;
  for (const std::uint32_t cell : way.cells) {
    if (cell == kNone) continue;
    flow |= cells_[cell].flow;
    compared = compared || cells_[cell].compared;
  }
  if (compared && !has(flow, kSinks)) flow |= Flow::compared_only;
  return flow;
}

Flow PyFlows::read_collection(std::uint32_t opener) {
  const std::uint32_t closer = annotator_.mark(opener).mate;
  Flow flow = Flow::none;
  if (closer == kNoToken) return flow;
  for (std::uint32_t t = opener + 1; t < closer; ++t) {
    const PyToken& token = lexed_.tokens[t];
    const std::uint32_t mate = annotator_.mark(t).mate;
    if (token.kind == PyKind::op && (token.op == '(' || token.op == '[' || token.op == '{') && mate != kNoToken) {
      if (token.op == '(' && annotator_.mark(t).primary == t && lexed_.tokens[t + 1].kind == PyKind::string) {
        flow |= read_string(t + 1);
      }
      t = mate;
      continue;
    }
    if (token.kind == PyKind::fstring_begin && mate != kNoToken) {
      t = mate;
      continue;
    }
    if (token.kind != PyKind::string || token.end - token.begin > 24) continue;
    flow |= read_string(t);
  }
  return flow;
}

Flow PyFlows::read_string(std::uint32_t token) const {
  if (lexed_.tokens[token].end - lexed_.tokens[token].begin > 24) return Flow::none;
  const std::string value = ascii_lower(text_value(token));
  Flow flow = Flow::none;
  const bool cpu = value == "cpu";
  const bool other = is_other_device(value.substr(0, value.find(':')), facts_);
  const bool cuda = value == "cuda";
  if (is_method(value)) flow |= Flow::attribute_name;
  if (cpu) flow |= Flow::has_cpu;
  if (other) flow |= Flow::has_other;
  const bool key = annotator_.mark(token).frame == PyFrame::brace && lexed_.is_op(token + 1, ':');
  if (key && (cpu || other || cuda)) flow |= Flow::device_key;
  return flow;
}

/// What the collection around the string at `token` names besides.
Flow PyFlows::collection(std::uint32_t token) {
  const PyMark& mark = annotator_.mark(token);
  const PyFrame frame = mark.frame;
  if (mark.opener == kNoToken ||
      (frame != PyFrame::group && frame != PyFrame::list && frame != PyFrame::brace && frame != PyFrame::subscript)) {
    return Flow::none;
  }
  const std::uint32_t opener = mark.opener;
  const std::uint32_t closer = annotator_.mark(opener).mate;
  if (closer == kNoToken) return Flow::none;
  const bool tuple = annotator_.mark(closer).commas > 1 || lexed_.is_op(closer - 1, ',');
  if (frame == PyFrame::group && !tuple) return Flow::none;
  const auto known = [&](std::uint32_t o) {
    const auto entry = collections_.find(o);
    if (entry != collections_.end()) return entry->second;
    return collections_[o] = read_collection(o);
  };
  Flow flow = known(opener);
  // Rows of a table: [("cuda", a), ("cpu", b)].
  const PyMark& outer = annotator_.mark(opener);
  if (frame == PyFrame::group && outer.opener != kNoToken &&
      (outer.frame == PyFrame::list || outer.frame == PyFrame::group) && mark.commas == 0) {
    flow |= known(outer.opener);
  }
  return flow;
}

}  // namespace accelport
