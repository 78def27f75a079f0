#include "syntax/encoding.h"

#include <iconv.h>
#include <algorithm>
#include <cstring>

#include "syntax/listed.h"
#include "syntax/offset_map.h"
#include "syntax/scan.h"

namespace accelport {
namespace {

/// Charsets whose second bytes can look like quotes, backslashes or brackets.
constexpr std::string_view kMisreadable[] = {
    "gbk",  "gb18030", "cp936", "big5",  "big5hkscs", "big5-hkscs", "cp950", "shift_jis",      "shift-jis",
    "sjis", "cp932",   "ms932", "johab", "cp949",     "uhc",        "ms949", "shift_jisx0213", "shift_jis_2004"};
/// Charsets in which ASCII bytes mean themselves everywhere.
constexpr std::string_view kPlain[] = {
    "latin-1", "latin1",       "iso-8859-1", "iso8859-1",  "iso-8859-15", "iso-8859-2", "cp1252", "windows-1252",
    "cp1251",  "windows-1251", "koi8-r",     "ascii",      "us-ascii",    "euc-jp",     "euc-kr", "euc_jp",
    "euc_kr",  "gb2312",       "mac-roman",  "iso-8859-5", "cp437",       "cp1250"};

/// The name in `coding: NAME` or `coding=NAME` of a comment in the first two lines, lower-case; empty if there is none.
std::string coding_cookie(std::string_view bytes) {
  for (int line = 0; line < 2 && !bytes.empty(); ++line) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    const std::string_view text = trim(bytes.substr(0, std::min<std::size_t>(end, 400)));
    const std::size_t at = text.find("coding");
    if (!text.empty() && text.front() != '#') return {};
    if (at != std::string_view::npos && at + 6 < text.size() && (text[at + 6] == ':' || text[at + 6] == '=')) {
      const std::string_view rest = trim(text.substr(at + 7));
      std::size_t stop = 0;
      while (stop < rest.size() && (is_word_byte(rest[stop]) || rest[stop] == '-' || rest[stop] == '.')) ++stop;
      return ascii_lower(rest.substr(0, stop));
    }
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
  return {};
}

void finish_storage(DecodedText& out) {
  const std::size_t size = out.storage.size();
  out.storage.append(kTextPadding, '\0');
  out.text = std::string_view(out.storage).substr(0, size);
  out.transcoded = true;
}

void add_step(DecodedText& out, std::size_t byte) {
  out.map.emplace_back(static_cast<std::uint32_t>(out.storage.size()), static_cast<std::uint32_t>(byte));
}

/// From UTF-16; unpaired surrogates become U+FFFD and are a problem.
void decode_utf16(std::string_view bytes, std::size_t begin, bool little, DecodedText& out) {
  const auto unit_at = [&](std::size_t i) {
    const auto first = static_cast<unsigned char>(bytes[i]);
    const auto second = static_cast<unsigned char>(bytes[i + 1]);
    return static_cast<char32_t>(little ? first | second << 8 : first << 8 | second);
  };
  std::size_t i = begin;
  for (; i + 1 < bytes.size();) {
    add_step(out, i);
    char32_t code = unit_at(i);
    i += 2;
    if (code >= 0xD800 && code < 0xDC00 && i + 1 < bytes.size() && unit_at(i) >= 0xDC00 && unit_at(i) < 0xE000) {
      code = 0x10000 + ((code - 0xD800) << 10) + (unit_at(i) - 0xDC00);
      i += 2;
    } else if (code >= 0xD800 && code < 0xE000) {
      out.problem = "unpaired surrogate in UTF-16";
    }
    append_utf8(out.storage, code);
  }
  if (i < bytes.size()) out.problem = "UTF-16 with an odd number of bytes";
  add_step(out, bytes.size());
  out.charset = little ? "utf-16-le" : "utf-16-be";
  out.encoding = little ? Encoding::utf16_le : Encoding::utf16_be;
  finish_storage(out);
}

/// Bytes without a mark that look like Latin text in UTF-16: nearly every second byte is NUL.
int guess_utf16(std::string_view bytes) {
  const std::size_t size = std::min<std::size_t>(bytes.size(), 4096) & ~std::size_t{1};
  if (size < 8 || bytes.size() % 2 != 0) return 0;
  std::size_t nul[2] = {0, 0};
  for (std::size_t i = 0; i < size; ++i) nul[i % 2] += bytes[i] == '\0' ? 1 : 0;
  const std::size_t half = size / 2;
  if (nul[1] * 10 > half * 6 && nul[0] * 50 < half) return 1;
  if (nul[0] * 10 > half * 6 && nul[1] * 50 < half) return 2;
  return 0;
}

/// One character from `bytes[i]` on by iconv; gives the number of bytes taken, 0 if they mean nothing.
std::size_t convert_one(iconv_t converter, std::string_view bytes, std::size_t i, std::string& out) {
  for (std::size_t size = 1; size <= 4 && i + size <= bytes.size(); ++size) {
    char buffer[8];
    char* in = const_cast<char*>(bytes.data() + i);
    char* to = buffer;
    std::size_t in_left = size;
    std::size_t out_left = sizeof buffer;
    iconv(converter, nullptr, nullptr, nullptr, nullptr);
    if (iconv(converter, &in, &in_left, &to, &out_left) != static_cast<std::size_t>(-1) && in_left == 0 &&
        to > buffer) {
      out.append(buffer, static_cast<std::size_t>(to - buffer));
      return size;
    }
  }
  return 0;
}

bool decode_declared(std::string_view bytes, const std::string& charset, DecodedText& out) {
  const iconv_t converter = iconv_open("UTF-8", charset.c_str());
  if (converter == reinterpret_cast<iconv_t>(-1)) return false;
  bool in_run = false;
  std::size_t bad = 0;
  for (std::size_t i = 0; i < bytes.size();) {
    const bool ascii = static_cast<unsigned char>(bytes[i]) < 0x80;
    if (!ascii || !in_run) add_step(out, i);
    in_run = ascii;
    if (ascii) {
      out.storage += bytes[i++];
      continue;
    }
    const std::size_t taken = convert_one(converter, bytes, i, out.storage);
    if (taken == 0) {
      out.storage += bytes[i];
      ++bad;
    }
    i += std::max<std::size_t>(taken, 1);
  }
  iconv_close(converter);
  add_step(out, bytes.size());
  if (bad > 0) out.problem = "bytes that are not " + charset;
  out.encoding = Encoding::declared;
  out.charset = charset;
  finish_storage(out);
  return true;
}

void keep_bytes(std::string_view bytes, Encoding encoding, std::string charset, std::string problem, DecodedText& out) {
  out.text = bytes;
  out.encoding = encoding;
  out.charset = std::move(charset);
  out.problem = std::move(problem);
}

/// Python names some charsets otherwise than iconv does.
std::string iconv_name(std::string charset) {
  std::replace(charset.begin(), charset.end(), '_', '-');
  if (charset == "shift-jis" || charset == "sjis") return "SHIFT_JIS";
  if (charset == "ms932") return "CP932";
  if (charset == "ms949" || charset == "uhc") return "CP949";
  if (charset == "big5hkscs") return "BIG5-HKSCS";
  return charset;
}

void decode_eight_bit(std::string_view bytes, const std::string& cookie, DecodedText& out) {
  if (listed(cookie, kMisreadable)) {
    if (decode_declared(bytes, iconv_name(cookie), out)) {
      out.charset = cookie;
      return;
    }
    return keep_bytes(bytes, Encoding::latin1, "unknown-8bit", "the system cannot convert " + cookie, out);
  }
  if (listed(cookie, kPlain))
    return keep_bytes(bytes, cookie.starts_with("latin") ? Encoding::latin1 : Encoding::declared, cookie, {}, out);
  if (is_utf8(bytes)) return keep_bytes(bytes, Encoding::utf8, "utf-8", {}, out);
  const bool promised = cookie.empty() || cookie.starts_with("utf");
  keep_bytes(bytes, Encoding::latin1, "unknown-8bit",
             promised ? "bytes that are not UTF-8" : "unknown charset " + cookie, out);
}

}  // namespace

std::uint32_t DecodedText::to_bytes(std::uint32_t text_offset) const {
  if (map.empty()) return text_offset;
  auto next = std::upper_bound(map.begin(), map.end(), text_offset,
                               [](std::uint32_t at, const auto& step) { return at < step.first; });
  if (next == map.begin()) return map.front().second;
  const auto& step = *(next - 1);
  const std::uint32_t straight = step.second + (text_offset - step.first);
  return next == map.end() ? straight : std::min(straight, next->second);
}

DecodedText decode_text(std::string_view bytes, Language language) {
  DecodedText out;
  if (bytes.starts_with("\xFF\xFE") && !bytes.starts_with(std::string_view("\xFF\xFE\0\0", 4))) {
    decode_utf16(bytes, 2, true, out);
  } else if (bytes.starts_with("\xFE\xFF")) {
    decode_utf16(bytes, 2, false, out);
  } else if (std::memchr(bytes.data(), '\0', bytes.size()) != nullptr) {
    const int guess = guess_utf16(bytes);
    if (guess == 0) {
      keep_bytes(bytes, Encoding::binary, "binary", {}, out);
    } else {
      decode_utf16(bytes, 0, guess == 1, out);
    }
  } else if (bytes.starts_with("\xEF\xBB\xBF")) {
    const std::string_view rest = bytes.substr(3);
    keep_bytes(rest, Encoding::utf8_bom, "utf-8", is_utf8(rest) ? "" : "bytes that are not UTF-8", out);
    out.map.emplace_back(0u, 3u);
    out.transcoded = true;  // offsets differ, though the bytes are shared
  } else if (ascii_prefix(bytes) == bytes.size()) {
    keep_bytes(bytes, Encoding::utf8, "utf-8", {}, out);
  } else {
    decode_eight_bit(bytes, language == Language::python ? coding_cookie(bytes) : std::string(), out);
  }
  return out;
}

}  // namespace accelport
