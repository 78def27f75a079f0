#include "syntax/flow_reader.h"
#include "syntax/reader.h"

namespace accelport {

void read_json(const ReadInput& input, ReadOutput& output) {
  SiteSink sink(input, output);
  FlowReader(sink, FlowReader::Style::json, {}).read_all(0, static_cast<std::uint32_t>(input.text.size()));
  sink.finish(SiteKind::text);
}

}  // namespace accelport
