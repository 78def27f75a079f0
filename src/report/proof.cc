#include "report/proof.h"

#include <fmt/core.h>

#include "base/json_text.h"
#include "base/text.h"
#include "base/version.h"
#include "report/style.h"

namespace accelport {
namespace {

using Status = ProvenFile::Status;

constexpr Status kStatuses[] = {Status::identical, Status::different, Status::unreadable,
                                Status::text,      Status::removed,   Status::added,
                                Status::helper,    Status::beside,    Status::helper_edited};

void append_line(std::string& out, std::string_view key, std::uint32_t line) {
  out += fmt::format(",\"{}\":{}", key, line == 0 ? "null" : std::to_string(line));
}

void append_file(std::string& out, const ProvenFile& file) {
  out += "{\"path\":";
  append_json_path(out, file.path);
  out += fmt::format(",\"status\":\"{}\",\"differences\":[", to_string(file.status));
  for (std::size_t i = 0; i < file.differences.size(); ++i) {
    const Difference& difference = file.differences[i];
    out += i == 0 ? "{\"what\":" : ",{\"what\":";
    append_json_string(out, difference.what);
    append_line(out, "line", difference.line);
    append_line(out, "original_line", difference.original_line);
    out += '}';
  }
  out += "]}";
}

/// What a file's status means where no place can be named.
std::string_view explained(Status status) {
  switch (status) {
    case Status::text:
      return "not proven: text changed";
    case Status::removed:
      return "not proven: the file is gone";
    case Status::added:
      return "new";
    case Status::helper:
      return "new: the helper";
    case Status::beside:
      return "new: for another platform, beside that for CUDA; nothing of CUDA changes";
    default:
      return "not proven";
  }
}

}  // namespace

void write_proof_json(const TreeProof& proof, const Sink& sink) {
  std::string out = "{\"schema\":\"accelport.prove/1\",\"tool\":{\"name\":\"accelport\",\"version\":";
  append_json_string(out, version());
  out += "},\"base\":";
  append_json_string(out, proof.base);
  out += fmt::format(",\"identical\":{},\"summary\":{{\"unchanged\":{}", proof.is_identical(), proof.unchanged);
  for (const Status status : kStatuses) out += fmt::format(",\"{}\":{}", to_string(status), proof.count(status));
  out += "},\"files\":[";
  for (std::size_t i = 0; i < proof.files.size(); ++i) {
    if (i != 0) out += ',';
    append_file(out, proof.files[i]);
    sink(out);
    out.clear();
  }
  sink(out + "]}\n");
}

void write_proof_text(const TreeProof& proof, const TextStyle& style, const Sink& sink) {
  const Painter paint(style.colour);
  for (const ProvenFile& file : proof.files) {
    if (file.status == Status::identical || (style.quiet && file.is_proven())) continue;
    const std::string path = paint.path(escape_for_display(file.path));
    if (file.differences.empty()) sink(fmt::format("{}: {}\n", path, explained(file.status)));
    for (const Difference& difference : file.differences) {
      const std::string at = difference.line == 0 ? "" : fmt::format(":{}", difference.line);
      const std::string from =
          difference.original_line == 0 ? "" : fmt::format(" (line {} before)", difference.original_line);
      sink(fmt::format("{}{}: {}{}\n", path, at, escape_for_display(difference.what), from));
    }
  }
  const std::uint64_t proven = proof.count(Status::identical);
  const std::uint64_t others = proof.count(Status::added) + proof.count(Status::helper) + proof.count(Status::beside);
  const std::uint64_t open = proof.files.size() - proven - others;
  sink(fmt::format("{}: {} unchanged, {} changed and identical with CUDA, {} new, {} not proven, against {}\n",
                   paint.bold(proof.is_identical() ? "identical" : "not identical"), grouped(proof.unchanged),
                   grouped(proven), grouped(others), grouped(open), escape_for_display(proof.base)));
}

}  // namespace accelport
