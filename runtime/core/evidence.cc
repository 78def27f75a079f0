#include "core/evidence.h"

#include "base/json_text.h"

namespace accelport::sim {

std::string evidence_line(std::string_view id, std::string_view verdict,
                          const std::vector<std::pair<std::string, std::string>>& values) {
  std::string line = R"({"schema":"accelport.evidence/1","id":)";
  append_json_string(line, id);
  line += R"(,"verdict":)";
  append_json_string(line, verdict);
  line += R"(,"simulated":true,"values":{)";
  for (const auto& [key, text] : values) {
    if (line.back() != '{') line += ',';
    append_json_string(line, key);
    line += ':';
    append_json_string(line, text);
  }
  return line + "}}\n";
}

}  // namespace accelport::sim
