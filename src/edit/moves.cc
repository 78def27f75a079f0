// E.cuda(i, non_blocking) becomes E.to(accelerator_device(i), non_blocking=…).

#include <utility>

#include "edit/rewrite.h"

namespace accelport {
namespace {

constexpr std::string_view kDevice = "accelerator_device";
constexpr std::string_view kTo = "to";
constexpr std::string_view kKept[] = {"non_blocking", "memory_format"};

bool is_kept(std::string_view keyword) {
  for (const std::string_view kept : kKept)
    if (kept == keyword) return true;
  return false;
}

/// The receiver's last part, if it is a name.
std::string_view receiver(const PythonSource& source, std::uint32_t name) {
  return name >= 2 && source.token(name - 2).kind == PyKind::name ? source.text_of(name - 2) : std::string_view();
}

bool is_super(const PythonSource& source, std::uint32_t name) {
  if (!source.lexed.is_op(name - 2, ')')) return false;
  const std::uint32_t open = source.mark(name - 2).mate;
  return open != kNoToken && open > 0 && source.text_of(open - 1) == "super";
}

/// Wraps an argument's value in the helper's function.
void wrap(const RewriteContext& context, const CallArgument& argument, std::uint32_t reach, Rewrite& out) {
  const PythonSource& source = context.source;
  const std::uint32_t begin = source.token(argument.begin).begin;
  const std::uint32_t end = source.token(argument.end - 1).end;
  out.drafts.push_back({{begin, begin}, context.use(kDevice) + "(", reach});
  out.drafts.push_back({{end, end}, ")", end});
}

std::string problem_with(const std::vector<CallArgument>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const CallArgument& argument = arguments[i];
    if (argument.star) return "takes its arguments from a list, so which of them is the device is not known here";
    if (argument.keyword.empty() ? i > 1 : argument.keyword != "device" && !is_kept(argument.keyword))
      return "has an argument that to() does not take";
    if (argument.keyword == "device" && i > 0) return "names the device behind other arguments";
  }
  return {};
}

/// Why a move at `name` stays, or "".
std::string problem_at(const RewriteContext& context, std::uint32_t name) {
  const PythonSource& source = context.source;
  if (name < 2 || !source.lexed.is_op(name - 1, '.')) return "a name of the program's own";
  if (source.text_of(name) != "cuda") return "no function of the helper stands for this";
  if (!source.lexed.is_op(name + 1, '(')) return "the method is handed on, not called";
  const std::string_view before = receiver(source, name);
  if (before == "Tensor" || before == "Module") return "called as a function of its class";
  if (is_super(source, name)) return "calls the parent's method of the same name";
  if (!context.mover.empty())
    return "the class " + context.mover + " has cuda() but no to(), and an object of it may be what is moved here";
  return {};
}

}  // namespace

Rewrite rewrite_configured(const RewriteContext& context, Span span, const HelperFunction& function) {
  Rewrite out;
  out.drafts.push_back({{span.begin, span.begin}, context.use(function.name) + "(", span.end});
  out.drafts.push_back({{span.end, span.end}, ")", span.end});
  out.functions.insert(function.name);
  return out;
}

Rewrite rewrite_move(const RewriteContext& context, std::uint32_t name) {
  const PythonSource& source = context.source;
  if (std::string problem = problem_at(context, name); !problem.empty()) return Rewrite::leave(std::move(problem));
  const std::uint32_t open = name + 1;
  std::vector<CallArgument> arguments;
  if (!source.arguments(open, arguments)) return Rewrite::leave("the call could not be read");
  if (std::string problem = problem_with(arguments); !problem.empty()) return Rewrite::leave(std::move(problem));
  const std::uint32_t close = source.token(source.mark(open).mate).end;
  Rewrite out;
  out.functions.emplace(kDevice);
  out.drafts.push_back({{source.token(name).begin, source.token(name).end}, std::string(kTo), close});
  const bool has_device = !arguments.empty() && (arguments[0].keyword.empty() || arguments[0].keyword == "device");
  if (has_device) {
    wrap(context, arguments[0], close, out);
  } else {
    const std::uint32_t at = source.token(open).end;
    out.drafts.push_back({{at, at}, context.call(kDevice) + (arguments.empty() ? "" : ", "), close});
  }
  if (arguments.size() > 1 && arguments[1].keyword.empty()) {
    const std::uint32_t at = source.token(arguments[1].begin).begin;
    out.drafts.push_back({{at, at}, "non_blocking=", close});
  }
  return out;
}

}  // namespace accelport
