#include "syntax/document.h"
#include "syntax/listed.h"

#include <algorithm>
#include <cstring>

namespace accelport {
namespace {

constexpr std::string_view kTypedCommands[] = {"pip",
                                               "pip3",
                                               "python",
                                               "python3",
                                               "conda",
                                               "mamba",
                                               "docker",
                                               "export",
                                               "torchrun",
                                               "git",
                                               "sudo",
                                               "bash",
                                               "sh",
                                               "source",
                                               "cd",
                                               "srun",
                                               "sbatch",
                                               "accelerate",
                                               "deepspeed",
                                               "cmake",
                                               "make",
                                               "apt",
                                               "apt-get",
                                               "uv",
                                               "poetry",
                                               "nvcc",
                                               "nvidia-smi",
                                               "mkdir",
                                               "wget",
                                               "curl",
                                               "kubectl",
                                               "pytest",
                                               "mpirun",
                                               "module",
                                               "echo",
                                               "ln",
                                               "cp",
                                               "mv",
                                               "rm",
                                               "unset",
                                               "set",
                                               "env",
                                               "nsys",
                                               "ncu",
                                               "vllm",
                                               "swift",
                                               "llamafactory-cli",
                                               "lm_eval",
                                               "tune",
                                               "FORCE_CUDA=1",
                                               "huggingface-cli",
                                               "brew",
                                               "ninja",
                                               "singularity",
                                               "podman",
                                               "nvidia-docker",
                                               "ls",
                                               "which",
                                               "ldconfig"};

struct CodeLine {
  Span whole;
  Span code;  // without the prompt
  Language language;
};

bool starts_word(std::string_view text, std::string_view word) {
  return text.starts_with(word) && (text.size() == word.size() || is_ascii_space(text[word.size()]));
}

/// Prompts of a shell: "$ ", "# ", "(env) $ ", "user@host:~$ ".
std::size_t prompt_size(std::string_view text) {
  if (text.starts_with("$ ") || text.starts_with("% ")) return 2;
  if (text.starts_with("> ")) return 2;
  const std::size_t dollar = text.find("$ ");
  if (dollar != std::string_view::npos && dollar < 60 &&
      (text.front() == '(' || text.substr(0, dollar).find('@') != std::string_view::npos))
    return dollar + 2;
  return 0;
}

bool is_shell_assignment(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size() && ((text[i] >= 'A' && text[i] <= 'Z') || text[i] == '_' || is_ascii_digit(text[i]))) ++i;
  return i > 1 && i + 1 < text.size() && text[i] == '=' && !is_ascii_space(text[i + 1]);
}

std::vector<CodeLine> classify(SiteSink& sink, const std::vector<Span>& lines, Language language) {
  const std::string_view text = sink.text();
  const auto starts = [&](Span line, std::string_view mark) { return trim(sink.text(line)).starts_with(mark); };
  const bool doctest = std::any_of(lines.begin(), lines.end(), [&](Span line) { return starts(line, ">>>"); });
  const bool console = !doctest && (language == Language::shell || language == Language::text) &&
                       std::any_of(lines.begin(), lines.end(), [&](Span line) {
                         return prompt_size(trim(sink.text(line))) > 0 && starts(line, "$");
                       });
  std::vector<CodeLine> out;
  Language previous = language;
  bool continued = false;
  for (const Span line : lines) {
    CodeLine one{line, line, language};
    const Span body = trim(text, line);
    const std::string_view content = sink.text(body);
    if (doctest) {
      const bool input = content.starts_with(">>>") || content.starts_with("...");
      one.language = input ? Language::python : Language::text;
      one.code = input ? Span{std::min(body.begin + 4, body.end), body.end} : body;
    } else if (console) {
      const std::size_t prompt = prompt_size(content);
      one.language = prompt > 0 || continued ? Language::shell : Language::text;
      one.code = {body.begin + static_cast<std::uint32_t>(prompt), body.end};
    } else if (language == Language::text) {
      one.language = continued ? previous : guess_code_language(content);
    }
    continued = content.ends_with('\\');
    previous = one.language;
    out.push_back(one);
  }
  return out;
}

/// Copies the lines of `language`, less their common indent, so that the language's reader can take them.
PieceBuilder gather(SiteSink& sink, const std::vector<CodeLine>& lines, Language language) {
  std::uint32_t common = UINT32_MAX;
  for (const CodeLine& line : lines) {
    const std::string_view code = sink.text(line.code);
    if (line.language == language && !trim(code).empty()) common = std::min(common, indent_of(code));
  }
  PieceBuilder piece;
  for (const CodeLine& line : lines) {
    if (line.language != language) continue;
    const std::uint32_t begin = std::min(line.code.begin + (common == UINT32_MAX ? 0 : common), line.code.end);
    piece.copy(sink.text({begin, line.code.end}), begin);
    piece.put("\n", line.code.end, 0);
  }
  return piece;
}

void lend(const Site& from, Site& to) {
  to.api = from.api;
  to.callee = from.callee;
  to.keyword = from.keyword;
  to.first_argument = from.first_argument;
  to.argument = from.argument;
  to.flows |= from.flows;
  to.called = from.called;
}

int worth(const Site& site) {
  if (site.kind == SiteKind::comment) return 0;
  return (site.api.empty() ? 1 : 3) + (site.keyword.empty() ? 0 : 1);
}

void add_lines(SiteSink& sink, const std::vector<CodeLine>& lines, std::vector<Site> inner) {
  std::sort(inner.begin(), inner.end(), [](const Site& a, const Site& b) { return a.span.begin < b.span.begin; });
  std::size_t next = 0;
  for (const CodeLine& line : lines) {
    const Site* best = nullptr;
    for (; next < inner.size() && inner[next].span.begin < line.whole.end; ++next) {
      if (inner[next].span.begin >= line.whole.begin && (best == nullptr || worth(inner[next]) > worth(*best)))
        best = &inner[next];
    }
    Site* site = sink.add(trim(sink.text(), line.whole), SiteKind::prose, Context::code_block);
    if (site == nullptr) continue;
    site->language = line.language;
    site->value = std::string(trim(sink.text(line.code)));
    if (best != nullptr && worth(*best) > 0) lend(*best, *site);
    const bool comment = best != nullptr && worth(*best) == 0;
    if (comment) site->flows |= Flow::message;
  }
}

/// Reads inline spans enclosed in `mark`, and links, and tells which of them hold all hits of the line.
struct Inline {
  std::vector<Span> code;
  std::vector<Span> links;
};

Inline inline_spans(std::string_view text, Span line, std::string_view mark) {
  Inline out;
  for (std::uint32_t i = line.begin; i < line.end; ++i) {
    const char c = text[i];
    if (c == '`') {
      std::uint32_t open = i;
      while (open < line.end && text[open] == '`') ++open;
      const std::string_view ticks = text.substr(i, open - i);
      const std::size_t close =
          ticks.size() >= mark.size() ? text.substr(0, line.end).find(ticks, open) : std::string_view::npos;
      if (close == std::string_view::npos) {
        i = open - 1;
        continue;
      }
      out.code.push_back({i, static_cast<std::uint32_t>(close + ticks.size())});
      i = out.code.back().end - 1;
    } else if (c == ']' && i + 1 < line.end && text[i + 1] == '(') {
      std::uint32_t close = i + 2;
      while (close < line.end && text[close] != ')') ++close;
      out.links.push_back({i + 2, close});
      i = close;
    } else if (c == 'h' && (text.substr(i, 7) == "http://" || text.substr(i, 8) == "https://")) {
      std::uint32_t close = i;
      while (close < line.end && !is_ascii_space(text[close]) && text[close] != ')' && text[close] != '>' &&
             text[close] != '"' && text[close] != '`')
        ++close;
      out.links.push_back({i, close});
      i = close - 1;
    }
  }
  return out;
}

/// True if every hit of the line lies in one of `spans`, which are sorted.
bool holds_all(const SiteSink& sink, Span line, const std::vector<Span>& spans) {
  std::uint32_t at = line.begin;
  for (const Span span : spans) {
    if (sink.touched({at, span.begin}) && at < span.begin) return false;
    at = std::max(at, span.end);
  }
  return at >= line.end || !sink.touched({at, line.end});
}

}  // namespace

Language guess_code_language(std::string_view line) {
  line = trim(line);
  if (const std::size_t prompt = prompt_size(line); prompt > 0 && line.front() != '>') return Language::shell;
  if (is_shell_assignment(line)) return Language::shell;
  const std::string_view first = line.substr(0, line.find_first_of(" \t"));
  if (listed(first, kTypedCommands) && line.find(" = ") == std::string_view::npos) return Language::shell;
  if (first.starts_with("./") || first.ends_with(".sh")) return Language::shell;
  if (starts_word(line, "import") || starts_word(line, "from") || starts_word(line, "def") ||
      starts_word(line, "class") || starts_word(line, "with") || starts_word(line, "@torch.jit.script"))
    return Language::python;
  if (line.starts_with("#include") || line.starts_with("__global__") || line.find("<<<") != std::string_view::npos)
    return Language::cxx;
  if (first == "FROM" || first == "RUN" || first == "ENV") return Language::dockerfile;
  if (line.find(" = ") != std::string_view::npos && !line.ends_with(';')) return Language::python;
  if (line.ends_with(')') && line.find('(') != std::string_view::npos && line.find('.') < line.find('('))
    return Language::python;
  return Language::text;
}

void add_code_block(SiteSink& sink, const std::vector<Span>& lines, Language language) {
  if (lines.empty() || !sink.touched({lines.front().begin, lines.back().end})) return;
  const std::vector<CodeLine> classified = classify(sink, lines, language);
  std::uint32_t languages = 0;
  for (const CodeLine& line : classified) languages |= 1u << static_cast<unsigned>(line.language);
  const std::size_t first = sink.count();
  const std::uint32_t damage = sink.output().damage;
  for (unsigned i = 0; i < 16; ++i) {
    const auto one = static_cast<Language>(i);
    if ((languages >> i & 1) == 0 || one == Language::text || one == Language::markdown || one == Language::rst ||
        one == Language::notebook)
      continue;
    PieceBuilder piece = gather(sink, classified, one);
    sink.read_piece(piece, {one, sink.input().kind.roles});
  }
  std::vector<Site>& sites = sink.output().sites;
  std::vector<Site> inner(std::make_move_iterator(sites.begin() + static_cast<std::ptrdiff_t>(first)),
                          std::make_move_iterator(sites.end()));
  sites.resize(first);
  sink.output().damage = damage;
  add_lines(sink, classified, std::move(inner));
}

void add_prose_line(SiteSink& sink, Span line, Context context, std::string_view mark) {
  line = trim(sink.text(), line);
  if (!sink.touched(line)) return;
  const Inline spans = inline_spans(sink.text(), line, mark);
  Site& site = sink.put(line, SiteKind::prose, context);
  site.value = std::string(sink.text(line).substr(0, 400));
  if (!spans.links.empty() && holds_all(sink, line, spans.links)) {
    site.flows |= Flow::path;
    if (context == Context::none) site.context = Context::link;
  } else if (!spans.code.empty() && holds_all(sink, line, spans.code)) {
    if (context == Context::none) site.context = Context::inline_code;
    const auto hit = std::find_if(spans.code.begin(), spans.code.end(), [&](Span span) { return sink.touched(span); });
    if (hit != spans.code.end()) site.first_argument = std::string(trim(sink.text({hit->begin + 1, hit->end - 1})));
  }
}

}  // namespace accelport
