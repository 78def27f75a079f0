// Arguments of calls: a device is wrapped, a keyword is added.

#include <algorithm>
#include <utility>

#include "edit/rewrite.h"

namespace accelport {
namespace {

constexpr std::string_view kDevice = "device";

const CallArgument* device_of(const std::vector<CallArgument>& arguments) {
  for (const CallArgument& argument : arguments)
    if (argument.keyword == kDevice) return &argument;
  return arguments.empty() || !arguments.front().keyword.empty() ? nullptr : &arguments.front();
}

/// The call whose arguments `name` is one of the keywords of, or kNoToken.
std::uint32_t call_around(const PythonSource& source, std::uint32_t name) {
  const std::uint32_t open = source.mark(name).opener;
  return open != kNoToken && source.lexed.is_op(open, '(') && source.lexed.is_op(name + 1, '=') ? open : kNoToken;
}

/// A generator or an assignment needs brackets of its own as soon as it is no sole argument.
bool is_plain(const PythonSource& source, const CallArgument& argument) {
  for (std::uint32_t i = argument.begin; i < argument.end; ++i) {
    const std::uint32_t mate = source.mark(i).mate;
    if (mate != kNoToken && mate > i && mate < argument.end) {
      i = mate;
    } else if (source.text_of(i) == "for" || source.text_of(i) == "yield" || source.lexed.is_op(i, ':', '=')) {
      return false;
    }
  }
  return true;
}

Rewrite wrapped(const RewriteContext& context, const CallArgument& argument, std::uint32_t reach,
                const HelperFunction& function) {
  const PythonSource& source = context.source;
  if (argument.star || !is_plain(source, argument))
    return Rewrite::leave("takes its arguments from a list, so which of them is the device is not known here");
  const std::string use = context.use(function.name) + "(";
  const std::uint32_t begin = source.token(argument.begin).begin;
  const std::uint32_t end = source.token(argument.end - 1).end;
  if (slice(source.text, {begin, end}).starts_with(context.helper + "."))
    return Rewrite::leave("asks the helper already");
  Rewrite out;
  out.drafts.push_back({{begin, begin}, use, reach});
  out.drafts.push_back({{end, end}, ")", end});
  out.functions.insert(function.name);
  return out;
}

}  // namespace

Rewrite rewrite_device_argument(const RewriteContext& context, std::uint32_t name, const HelperFunction& function) {
  const PythonSource& source = context.source;
  const bool keyword = call_around(source, name) != kNoToken;
  const std::uint32_t open = keyword ? call_around(source, name) : name + 1;
  std::vector<CallArgument> arguments;
  if (!source.lexed.is_op(open, '(') || !source.arguments(open, arguments))
    return Rewrite::leave("the call could not be read");
  const std::uint32_t reach = source.token(source.mark(open).mate).end;
  if (!keyword) {
    const CallArgument* device = device_of(arguments);
    return device == nullptr ? Rewrite::leave("the call could not be read")
                             : wrapped(context, *device, reach, function);
  }
  const auto found =
      std::find_if(arguments.begin(), arguments.end(), [&](const CallArgument& a) { return a.first == name; });
  if (found == arguments.end()) return Rewrite::leave("the call could not be read");
  if (source.lexed.is_op(found->begin, '{'))
    return Rewrite::leave("a table of devices, in which a person must say which");
  return wrapped(context, *found, reach, function);
}

Rewrite rewrite_keyword(const RewriteContext& context, std::uint32_t name, std::string_view api,
                        const HelperFunction& function) {
  const PythonSource& source = context.source;
  const std::string prefix = std::string(api) + "(";
  const auto stands = std::find_if(function.stands_for.begin(), function.stands_for.end(),
                                   [&](const std::string& text) { return text.starts_with(prefix); });
  if (stands == function.stands_for.end()) return Rewrite::leave("no function of the helper stands for this");
  const std::string keyword = stands->substr(prefix.size(), stands->size() - prefix.size() - 1);
  std::vector<CallArgument> arguments;
  if (!source.lexed.is_op(name + 1, '(') || !source.arguments(name + 1, arguments) || arguments.empty())
    return Rewrite::leave("the call could not be read");
  for (const CallArgument& argument : arguments)
    if (argument.star || argument.keyword == keyword || !is_plain(source, argument))
      return Rewrite::leave("what the call is given is not known here");
  const std::uint32_t end = source.token(arguments.back().end - 1).end;
  Rewrite out;
  out.drafts.push_back({{end, end}, ", " + keyword + "=" + context.call(function.name), end});
  out.functions.insert(function.name);
  return out;
}

}  // namespace accelport
