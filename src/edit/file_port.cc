#include "edit/file_port.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "edit/branches.h"
#include "edit/guards.h"
#include "edit/import_rewrite.h"
#include "edit/text_port.h"
#include "syntax/notebook_json.h"
#include "syntax/scan.h"

namespace accelport {
namespace {

constexpr std::uint64_t kMaxSource = std::uint64_t{64} << 20;

/// A Python text of a file: the whole of it, or one cell of a notebook.
struct Piece {
  std::string storage;  // of a cell, padded
  std::string_view text;
  PieceBuilder cell;  // with the way back
  int number = -1;    // of the cell

  /// Where a place of the file is in `text`.
  Span inner(Span outer) const {
    if (number < 0) return outer;
    return {cell.map().to_inner(outer.begin), cell.map().to_inner(outer.end)};
  }
};

bool ends_with_any(std::string_view path, std::initializer_list<std::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(), [&](std::string_view e) { return path.ends_with(e); });
}

/// Turns lines that are commands of the notebook into comments of the same length.
void hide_commands(std::string& text) {
  bool goes_on = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::size_t first = std::min(text.find_first_not_of(" \t", at), end);
    const bool command = first < end && (text[first] == '%' || text[first] == '!' || text[first] == '?');
    if (command || goes_on) {
      if (first < end) text[first] = '#';
      goes_on = end > at && text[end - 1] == '\\';
    }
    at = end + 1;
  }
}

std::vector<std::unique_ptr<Piece>> pieces_of(const FileDraft& draft) {
  std::vector<std::unique_ptr<Piece>> pieces;
  if (draft.file->kind.language != Language::notebook) {
    pieces.push_back(std::make_unique<Piece>());
    pieces.back()->text = draft.decoded.text;
    return pieces;
  }
  std::uint32_t damage = 0;
  const std::vector<NotebookCell> cells = find_cells(draft.decoded.text, damage);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (cells[i].type != "code") continue;
    auto piece = std::make_unique<Piece>();
    piece->cell = cell_source(draft.decoded.text, cells[i]);
    piece->number = static_cast<int>(i);
    piece->storage = piece->cell.view();
    hide_commands(piece->storage);
    const std::size_t size = piece->storage.size();
    piece->storage.append(kTextPadding, '\0');
    piece->text = std::string_view(piece->storage).substr(0, size);
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

/// The class, and what beside it names it: a function that makes an object of it, a class that holds one.
void add_mover(const PythonSource& source, std::uint32_t name, std::map<std::string, std::string>& movers) {
  const std::string mover(source.text_of(name));
  movers.emplace(mover, mover);
  const std::uint32_t word = source.lexed.names.find(mover);
  if (word == 0) return;
  for (std::uint32_t t = source.lexed.names.first(word); t != kNoToken; t = source.token(t).next)
    for (const PyScope& scope : source.blocks.scopes)
      if (scope.parent == 0 && scope.name != kNone && scope.name <= t && t < scope.last)
        movers.emplace(source.text_of(scope.name), mover);
}

/// Classes that have cuda() but not to(), other than modules of torch.
void find_movers(const PythonSource& source, std::map<std::string, std::string>& movers) {
  if (source.lexed.names.find("cuda") == 0) return;
  std::map<std::uint32_t, std::pair<bool, bool>> methods;  // by class: cuda, to
  for (const PyScope& scope : source.blocks.scopes) {
    if (scope.kind != PyScope::Kind::function || scope.name == kNone || scope.parent == kNone) continue;
    if (source.blocks.scopes[scope.parent].kind != PyScope::Kind::class_body) continue;
    const std::string_view name = source.text_of(scope.name);
    methods[scope.parent].first |= name == "cuda";
    methods[scope.parent].second |= name == "to";
  }
  for (const auto& [number, has] : methods) {
    const PyScope& scope = source.blocks.scopes[number];
    if (!has.first || has.second || scope.name == kNone || scope.line == kNone) continue;
    const PyLine& header = source.lexed.lines[scope.line];
    const std::string_view bases = source.text_of(header.first, header.last - 1);
    if (bases.find("Module") == std::string_view::npos) add_mover(source, scope.name, movers);
  }
}

void read_names(const PythonSource& source, const std::vector<std::string>& names, FileDraft& draft) {
  for (const std::string& name : names) {
    const std::uint32_t number = source.lexed.names.find(name);
    if (number == 0) continue;
    for (std::uint32_t t = source.lexed.names.first(number); t != kNoToken; t = source.token(t).next) {
      if (!source.is_variable(t)) continue;
      const ImportStatement* import = source.import_at(t);
      const ImportedName* bound = nullptr;
      if (import != nullptr)
        for (const ImportedName& item : import->names)
          if (item.bound == t) bound = &item;
      if (import != nullptr && bound == nullptr) continue;
      if (bound != nullptr && is_helper_import(*import, *bound, name)) {
        draft.imported.insert(name);
      } else if (bound != nullptr || !source.lexed.is_op(t + 1, '.')) {
        draft.taken.insert(name);
      }
    }
    const bool used = source.lexed.names.first(number) != kNoToken;
    if (used && draft.imported.count(name) == 0) {
      for (std::uint32_t t = source.lexed.names.first(number); t != kNoToken; t = source.token(t).next)
        if (source.is_variable(t) && source.import_at(t) == nullptr) draft.taken.insert(name);
    }
  }
}

void read_facts(const PythonSource& source, FileDraft& draft) {
  for (const ImportStatement& statement : source.imports) {
    if (statement.from && statement.module.starts_with('.')) ++draft.facts.relative;
    for (const ImportedName& name : statement.names) {
      const std::string& module = statement.from ? statement.module : name.path;
      if (!module.starts_with('.')) draft.facts.modules.insert(module);
      if (!statement.from || module == "torch" || module.starts_with("torch.")) continue;
      if (!module.starts_with('.')) draft.facts.modules.insert(name.path);
      draft.own_names.insert(name.path.substr(name.path.rfind('.') + 1));
    }
  }
}

std::string file_problem(const FileDraft& draft, const FileInfo& info) {
  const AuditedFile& file = *draft.file;
  if (info.type != FileType::regular) return "not a regular file";
  if (info.links > 1) return "a hard link: the same file has another name";
  if (has(file.kind.roles, FileRole::vendored)) return "other people's source, kept here";
  if (has(file.kind.roles, FileRole::generated)) return "generated by a program";
  if (has(file.kind.roles, FileRole::setup_py))
    return "runs before the package can be imported, so it cannot ask the helper";
  if (ends_with_any(file.path, {".pyx", ".pxd", ".pxi"})) return "Cython, which is not edited";
  if (file.path.ends_with(".pyi")) return "a stub for type checkers";
  return {};
}

std::string utf16(std::string_view text, bool little) {
  std::string out;
  for (const char c : text) {
    out += little ? c : '\0';
    out += little ? '\0' : c;
  }
  return out;
}

/// What we write is ASCII, the same in every charset that is read but UTF-16.
std::string encoded(std::string_view text, Encoding encoding) {
  if (encoding == Encoding::utf16_le || encoding == Encoding::utf16_be)
    return utf16(text, encoding == Encoding::utf16_le);
  return std::string(text);
}

std::string json_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out;
}

class FilePorter {
 public:
  FilePorter(const FileDraft& draft, const TreeContext& tree, const std::string& name, const HelperPlace& place)
      : draft_(draft),
        tree_(tree),
        name_(name),
        statement_(place.statement(name)),
        loads_package_(!place.from.empty() && !draft.file->path.starts_with(place.folder)) {}

  FilePort run();

 private:
  void find_imported(const PythonSource& source, std::set<std::string, std::less<>>& imported) const;
  std::string mover_in(const PythonSource& source) const;
  void port_piece(const Piece& piece, const PythonSource& source);
  std::vector<Span> tools_in(const Piece& piece) const;
  std::vector<Staying> staying_in(const Piece& piece, const PythonSource& source) const;
  void take_edits(const Piece& piece, const TextPort& port, const std::vector<std::size_t>& numbers);
  Edit placed(const Piece& piece, const TextEdit& edit) const;
  Span outer(const Piece& piece, Span inner) const;
  std::string cell_text(const TextEdit& edit, Span place) const;

  const FileDraft& draft_;
  const TreeContext& tree_;
  const std::string& name_;
  std::string statement_;
  bool loads_package_;
  std::set<std::string, std::less<>> imported_;
  bool has_import_ = false;
  FilePort out_;
};

/// Names that imports bind to torch.cuda itself.
void FilePorter::find_imported(const PythonSource& source, std::set<std::string, std::less<>>& imported) const {
  for (const ImportStatement& statement : source.imports)
    for (const ImportedName& name : statement.names)
      if (name.path == "torch.cuda" && (statement.from || name.aliased)) imported.emplace(source.text_of(name.bound));
}

std::string FilePorter::mover_in(const PythonSource& source) const {
  for (const auto& [word, mover] : tree_.movers)
    if (source.lexed.names.find(word) != 0) return mover;
  return {};
}

Span FilePorter::outer(const Piece& piece, Span inner) const {
  if (piece.number < 0) return inner;
  const OffsetMap& map = piece.cell.map();
  if (inner.size() != 0) return map.to_outer(inner);
  const bool inside = inner.begin < piece.text.size();
  const Span around = map.to_outer(inside ? Span{inner.begin, inner.begin + 1} : Span{inner.begin - 1, inner.begin});
  const std::uint32_t at = inside ? around.begin : around.end;
  return {at, at};
}

/// As it stands in a string of the notebook. A line that goes in front of a string in a list becomes one of its own.
std::string FilePorter::cell_text(const TextEdit& edit, Span place) const {
  const std::string_view text = draft_.decoded.text;
  const std::size_t quote = place.begin - 1;
  std::size_t before = quote;
  while (before > 0 && is_ascii_space(text[before - 1])) --before;
  const bool line = edit.span.size() == 0 && edit.text.ends_with('\n');
  if (!line || text[quote] != '"' || before == 0 || (text[before - 1] != ',' && text[before - 1] != '['))
    return json_escaped(edit.text);
  return json_escaped(edit.text) + "\"," + std::string(text.substr(before, quote - before)) + "\"";
}

Edit FilePorter::placed(const Piece& piece, const TextEdit& edit) const {
  const Span place = outer(piece, edit.span);
  const std::string text = piece.number < 0 ? edit.text : cell_text(edit, place);
  Edit out;
  out.span = {draft_.decoded.to_bytes(place.begin), draft_.decoded.to_bytes(place.end)};
  out.text = encoded(text, draft_.decoded.encoding);
  out.group = edit.group;
  return out;
}

void FilePorter::take_edits(const Piece& piece, const TextPort& port, const std::vector<std::size_t>& numbers) {
  for (const TextEdit& edit : port.edits) {
    Edit out = placed(piece, edit);
    for (const std::size_t owner : edit.owners) out.ids.push_back(draft_.wanted[numbers[owner]].occurrence->id);
    out_.change.edits.push_back(std::move(out));
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) out_.left[numbers[i]] = port.left[i];
  out_.functions.insert(port.functions.begin(), port.functions.end());
  has_import_ = has_import_ || port.imports_helper;
}

/// Where NVIDIA's own tools are used, which no edit replaces.
std::vector<Span> FilePorter::tools_in(const Piece& piece) const {
  std::vector<Span> tools;
  if (piece.number >= 0) return tools;
  for (const Occurrence& o : draft_.file->occurrences)
    if (o.category == Category::nvidia_only &&
        (o.decision == Decision::fallback || o.decision == Decision::unsupported))
      tools.push_back(o.span);
  return tools;
}

/// Expressions about CUDA or NCCL that no edit is wanted for.
std::vector<Staying> FilePorter::staying_in(const Piece& piece, const PythonSource& source) const {
  std::vector<Staying> staying;
  std::set<const Occurrence*> wanted;
  for (const Wanted& one : draft_.wanted)
    if (one.stays.empty()) wanted.insert(one.occurrence);
  for (const Occurrence& o : draft_.file->occurrences) {
    if (o.cell != piece.number || o.decision == Decision::ignore || o.api.starts_with("torch.backends.")) continue;
    if (o.api.find("cuda") == std::string::npos && o.api.find("nccl") == std::string::npos) continue;
    if (wanted.count(&o) != 0) continue;
    const std::uint32_t token = source.token_at(piece.inner(o.span).begin);
    if (token != kNoToken && source.token(token).kind == PyKind::name)
      staying.push_back({token, source.annotator.line_of(token), o.line, o.reason});
  }
  return staying;
}

void FilePorter::port_piece(const Piece& piece, const PythonSource& source) {
  std::vector<TextOccurrence> occurrences;
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < draft_.wanted.size(); ++i) {
    const Occurrence& occurrence = *draft_.wanted[i].occurrence;
    if (piece.number >= 0 && occurrence.cell != piece.number) continue;
    const Span span = piece.inner(occurrence.span);
    if (piece.number < 0 && !slice(source.text, span).starts_with(occurrence.text.substr(0, 32))) {
      out_.left[i] = "the file has changed since it was audited";
      continue;
    }
    occurrences.push_back({span, &occurrence, draft_.wanted[i].function, occurrence.line, draft_.wanted[i].stays});
    numbers.push_back(i);
  }
  const std::vector<Staying> staying = staying_in(piece, source);
  for (TextOccurrence& occurrence : occurrences)
    if (occurrence.stays.empty()) occurrence.stays = and_problem(source, occurrence, staying);
  const std::vector<Span> tools = tools_in(piece);
  for (std::size_t i = occurrences.size(); i-- > 0;) {
    std::string problem = guard_problem(source, occurrences[i], occurrences, tools);
    if (problem.empty()) continue;
    out_.left[numbers[i]] = std::move(problem);
    occurrences.erase(occurrences.begin() + static_cast<std::ptrdiff_t>(i));
    numbers.erase(numbers.begin() + static_cast<std::ptrdiff_t>(i));
  }
  if (occurrences.empty()) return;
  const RewriteContext context{source,    tree_.table,     tree_.platforms, name_, tree_.old_decorators,
                               imported_, mover_in(source)};
  TextPortOptions options;
  options.import_statement = statement_;
  options.needs_import = !has_import_;
  options.loads_package = loads_package_;
  options.keeps_names = piece.number >= 0;
  options.is_taken_elsewhere = [this](std::string_view name) {
    return draft_.file->path.ends_with("__init__.py") || tree_.taken_names.count(std::string(name)) != 0;
  };
  take_edits(piece, port_text(context, occurrences, options), numbers);
}

FilePort FilePorter::run() {
  out_.left.assign(draft_.wanted.size(), "stands in a part of the notebook that is no Python");
  std::vector<std::unique_ptr<Piece>> pieces = pieces_of(draft_);
  std::vector<std::unique_ptr<PythonSource>> sources;
  for (const auto& piece : pieces) {
    sources.push_back(std::make_unique<PythonSource>(piece->text));
    find_imported(*sources.back(), imported_);
  }
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    port_piece(*pieces[i], *sources[i]);
    if (pieces[i]->number >= 0)
      has_import_ = has_import_ || has_import(*sources[i], name_, static_cast<std::uint32_t>(pieces[i]->text.size()));
  }
  out_.change.path = draft_.file->path;
  if (out_.change.edits.empty()) return std::move(out_);
  out_.change.before = draft_.view();
  out_.change.after = apply_edits(out_.change.before, out_.change.edits);
  return std::move(out_);
}

}  // namespace

void read_bytes(const std::string& root, const Files& files, FileDraft& draft) {
  const std::string path = join_path(root, draft.file->path);
  const auto info = files.info(path);
  if (!info) {
    draft.problem = info.error().message;
    return;
  }
  draft.problem = file_problem(draft, *info);
  ByteBuffer buffer;
  if (const auto read = files.read(path, kMaxSource, buffer); !read) {
    draft.problem = read.error().message;
    return;
  }
  draft.size = buffer.view().size();
  draft.bytes.reserve(draft.size + kTextPadding);
  draft.bytes.assign(buffer.view()).append(kTextPadding, '\0');
  draft.decoded = decode_text(draft.view(), draft.file->kind.language);
  if (draft.decoded.encoding == Encoding::binary) draft.problem = "not a text any more";
  if (draft.decoded.transcoded && !draft.decoded.problem.empty())
    draft.problem = "its characters cannot be written back: " + draft.decoded.problem;
}

void read_draft(const std::string& root, const Files& files, const std::vector<std::string>& names,
                const std::vector<const Platform*>& platforms, FileDraft& draft) {
  draft.facts.path = draft.file->path;
  draft.facts.test = has(draft.file->kind.roles, FileRole::test);
  if (draft.size == 0) read_bytes(root, files, draft);
  if (draft.decoded.text.empty() || draft.decoded.encoding == Encoding::binary) return;
  for (const auto& piece : pieces_of(draft)) {
    const PythonSource source(piece->text);
    draft.facts.main = draft.facts.main || source.lexed.names.find("__name__") != 0;
    read_names(source, names, draft);
    read_facts(source, draft);
    find_movers(source, draft.movers);
    read_branches(
        source, piece->number, [&](Span span) { return piece->inner(span); }, platforms, draft);
  }
}

void find_readers(const ConfiguredKeys& keys, FileDraft& draft) {
  if (draft.file->kind.language != Language::python || draft.decoded.text.empty()) return;
  const PythonSource source(draft.decoded.text);
  draft.uses = find_configured(source, keys);
  const LineTable lines(draft.decoded.text);
  for (const ConfiguredUse& use : draft.uses) {
    if (use.mapped) continue;
    Occurrence reader;
    reader.span = use.span;
    reader.text = slice(draft.decoded.text, use.span).substr(0, Occurrence::kMaxText);
    reader.line = lines.position(use.span.begin).line;
    reader.reader = use.function;
    reader.key = use.key;
    draft.readers.push_back(std::move(reader));
  }
}

FilePort port_file(const FileDraft& draft, const TreeContext& tree, const std::string& name, const HelperPlace& place) {
  return FilePorter(draft, tree, name, place).run();
}

}  // namespace accelport
