#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/text.h"
#include "syntax/offset_map.h"
#include "syntax/reader.h"

namespace accelport {

/// Collects the sites of one text for a reader: keeps only those that a hit touches, lends them what holds for the
/// whole region (guards, statement), and at the end covers hits that no site explains.
class SiteSink {
 public:
  SiteSink(const ReadInput& input, ReadOutput& output);

  const ReadInput& input() const { return input_; }
  std::string_view text() const { return input_.text; }
  std::string_view text(Span span) const { return slice(input_.text, span); }

  /// True if a hit shares a byte with `span`.
  bool touched(Span span) const;
  /// True if a hit shares a byte with `span` that no site from `first_site` on contains; those must have been added
  /// from left to right.
  bool touched_outside(Span span, std::size_t first_site) const;

  /// Appends a site, whether a hit touches it or not.
  Site& put(Span span, SiteKind kind, Context context);
  /// Appends a site if a hit touches it; else nullptr. The pointer holds until the next call.
  Site* add(Span span, SiteKind kind, Context context);

  std::size_t count() const { return output_.sites.size(); }
  Site& site(std::size_t index) { return output_.sites[index]; }
  void add_damage() { ++output_.damage; }
  ReadOutput& output() { return output_; }

  /// Reads `span` of the text as another language; gives the index of the first site that came of it.
  std::size_t read_piece(Span span, FileKind kind);
  /// The same for a piece that had to be unescaped. The text is kept in the output, so sites may point into it.
  std::size_t read_piece(PieceBuilder& piece, FileKind kind);

  /// A site of `kind` for the line of every hit that has none, then sorts. Nothing may be added afterwards.
  void finish(SiteKind kind, Context context = Context::none);

  Guard guards = Guard::none;   // given to every new site
  std::uint32_t statement = 0;  // likewise
  std::string_view function;    // likewise

 private:
  std::size_t first_hit(std::uint32_t begin) const;
  void sort_sites();

  const ReadInput& input_;
  ReadOutput& output_;
  std::size_t first_;
  std::uint32_t longest_hit_ = 0;
};

/// How deep pieces of other languages are read inside each other; deeper ones are left as text.
inline constexpr int kMaxPieceDepth = 5;

/// One line without its end ("\n" or "\r\n").
struct TextLine {
  Span span;
  std::uint32_t next = 0;  // where the following line starts
};

/// The line that starts at `begin`.
TextLine line_from(std::string_view text, std::uint32_t begin);
/// Calls `visit(TextLine)` for every line of `text`.
template <typename Visit>
void for_each_line(std::string_view text, Visit visit) {
  for (std::uint32_t at = 0; at < text.size();) {
    const TextLine line = line_from(text, at);
    visit(line);
    at = line.next;
  }
}

/// `span` without white space at its ends.
Span trim(std::string_view text, Span span);
/// Bytes of blanks and tabs at the start of `line`.
std::uint32_t indent_of(std::string_view line);
/// "a/b/c.py" → "c.py".
std::string_view last_component(std::string_view path);
/// `value` without one pair of quotes around it.
std::string_view without_quotes(std::string_view value);

}  // namespace accelport
