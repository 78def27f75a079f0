#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "audit/audit.h"
#include "catalog/helper_table.h"
#include "edit/python_source.h"

namespace accelport {

/// What the editors of one text are told.
struct RewriteContext {
  const PythonSource& source;
  const HelperTable& table;
  const std::vector<const Platform*>& platforms;
  std::string helper;           // name of the helper module
  bool old_decorators = false;  // a decorator must be a dotted name with at most one call (Python < 3.9)
  std::set<std::string, std::less<>> imported;  // names that an import binds to torch.cuda, in this text or before it
  std::string mover;  // a class of the repository, seen here, that can be moved with cuda() only

  std::string call(std::string_view function) const { return helper + "." + std::string(function) + "()"; }
  std::string use(std::string_view function) const { return helper + "." + std::string(function); }
};

/// One replacement in the text. `reach` is the end of the expression that the edit is a part of: of two insertions at
/// one place the one that reaches further comes first.
struct Draft {
  Span span;
  std::string text;
  std::uint32_t reach = 0;
};

/// What becomes of one occurrence: edits, a name whose binding carries the change, or the reason why nothing does.
struct Rewrite {
  std::vector<Draft> drafts;
  std::set<std::string> functions;  // of the helper that the edits use
  std::string carried;
  std::string left;
  bool alone = false;  // left for a reason that does not touch the rest of its group

  static Rewrite leave(std::string reason, bool alone = false) {
    Rewrite out;
    out.left = std::move(reason);
    out.alone = alone;
    return out;
  }
};

/// The string literal that begins at `token`.
Rewrite rewrite_string(const RewriteContext& context, std::uint32_t token, const HelperFunction& function);

/// The chain of names that begins at `token` and whose meaning is `api`.
Rewrite rewrite_chain(const RewriteContext& context, std::uint32_t token, std::string_view api,
                      const HelperFunction& function);

/// `E.cuda(…)`; `name` is the token of `cuda`.
Rewrite rewrite_move(const RewriteContext& context, std::uint32_t name);

/// `E.is_cuda`; `name` is the token of `is_cuda`.
Rewrite rewrite_predicate(const RewriteContext& context, std::uint32_t name, const HelperFunction& function);

/// The device among the arguments of the call of `name`, or the value of the keyword `name`, as it is here.
Rewrite rewrite_device_argument(const RewriteContext& context, std::uint32_t name, const HelperFunction& function);

/// The call of `name`, whose meaning is `api`, gets a keyword that it lacks.
Rewrite rewrite_keyword(const RewriteContext& context, std::uint32_t name, std::string_view api,
                        const HelperFunction& function);
/// The expression in `span` that reads a configured value.
Rewrite rewrite_configured(const RewriteContext& context, Span span, const HelperFunction& function);

/// The expression for something below torch.cuda ("torch.cuda.amp.autocast"); adds what it uses to `functions`.
std::string expression_for(const RewriteContext& context, std::string_view path, std::set<std::string>& functions);

/// Why no form of the helper can stand at `token`, or a rewrite without a reason.
Rewrite place_rewrite(const PythonSource& source, std::uint32_t token);

bool is_cuda_path(std::string_view path);

/// `text` with a blank on each side where it would grow together with a word.
std::string spaced(std::string_view text, Span span, std::string replacement);

}  // namespace accelport
