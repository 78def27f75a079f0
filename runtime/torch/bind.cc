#include <fstream>
#include <sstream>

#include <ATen/Context.h>
#include <torch/csrc/Generator.h>
#include <torch/csrc/utils/pybind.h>
#include <torch/version.h>

#include "simulator.h"

namespace py = pybind11;

namespace accelport::sim {

void bind_collectives(py::module& module);

namespace {

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw py::value_error(path + ": cannot be read");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

template <typename Value>
Value or_raise(Result<Value> result) {
  if (!result) throw py::value_error(to_string(result.error()));
  return std::move(*result);
}

py::dict describe(const PlatformData& data) {
  py::dict out;
  out["name"] = data.name;
  out["title"] = data.title;
  out["device_type"] = data.device_type;
  out["package"] = data.package;
  out["import_name"] = data.import_name;
  out["package_version"] = data.package_version;
  out["backend"] = data.backend;
  out["process_group"] = data.process_group;
  out["visible_variable"] = data.visible_variable;
  out["version_name"] = data.version_name;
  out["backends_name"] = data.backends_name;
  out["card"] = data.card;
  out["memory"] = data.memory_mib << 20;
  out["capability"] = py::make_tuple(data.capability_major, data.capability_minor);
  out["processors"] = data.processors;
  out["bfloat16"] = data.bfloat16;
  out["messages"] = data.messages;
  py::list quirks;
  for (const Quirk& quirk : data.quirks)
    quirks.append(py::dict(py::arg("id") = quirk.id, py::arg("text") = quirk.text, py::arg("source") = quirk.source,
                           py::arg("changes_numbers") = quirk.changes_numbers,
                           py::arg("unverified") = quirk.unverified));
  out["quirks"] = quirks;
  return out;
}

py::dict read_platform(const std::string& folder) {
  const std::string profile = folder + "/profile.toml", simulator = folder + "/simulator.toml";
  machine().platform = or_raise(parse_platform(contents(profile), profile, contents(simulator), simulator));
  return describe(machine().platform);
}

void configure(int devices, std::uint64_t memory, const std::string& strictness, bool host_generator) {
  TORCH_CHECK(devices >= 0 && devices <= kMostDevices, "at most ", kMostDevices, " cards can be simulated");
  machine().devices = devices;
  machine().host_generator = host_generator;
  machine().strictness = strictness == "allow"  ? Strictness::allow
                         : strictness == "warn" ? Strictness::warn
                                                : Strictness::strict;
  for (int i = 0; i < devices; ++i) machine().pools.push_back(std::make_unique<MemoryPool>(memory));
}

void plan_faults(const std::string& path, int rank) {
  machine().faults = std::make_unique<FaultSchedule>(or_raise(parse_faults(contents(path), path)), rank);
  for (const std::int64_t limit : machine().faults->memory_limits())
    for (const auto& pool : machine().pools) pool->fail_once_above(static_cast<std::uint64_t>(limit));
}

py::tuple register_table(const std::string& path) {
  const Registered made = register_operators(or_raise(parse_operators(contents(path), path)));
  return py::make_tuple(made.count, made.skipped);
}

py::object python_generator(int device) {
  const at::Generator generator = default_generator(device);
  return py::reinterpret_steal<py::object>(THPGenerator_initDefaultGenerator(generator));
}

std::vector<py::tuple> snapshot(int device) {
  std::vector<py::tuple> rows;
  for (const BlockRow& row : machine().pools.at(device)->snapshot())
    rows.push_back(py::make_tuple(row.segment, row.block.address, row.block.size, row.block.requested, row.block.stream,
                                  row.block.used, row.block.pool == kLargePool));
  return rows;
}

}  // namespace
}  // namespace accelport::sim

PYBIND11_MODULE(accelport_simulator_torch, m) {
  using namespace accelport::sim;  // NOLINT: one function
  m.attr("torch_version") = TORCH_VERSION;
  m.def("read_platform", &read_platform);
  m.def("configure", &configure);
  m.def("plan_faults", &plan_faults);
  m.def("register_table", &register_table);
  m.def("default_generator", &python_generator);
  m.def("current_device", &current_device);
  m.def("start", [] {
    if (machine().devices > 0) touch(current_device());
  });
  m.def("set_quirks", [](std::set<std::string, std::less<>> ids) { machine().quirks = std::move(ids); });
  m.def(
      "synchronize_device",
      [](int device) {
        check_ordinal(device);
        machine().schedule.synchronize_device(device);
      },
      py::call_guard<py::gil_scoped_release>());
  m.def("milliseconds_between", [](std::uintptr_t from, std::uintptr_t to) {
    return reinterpret_cast<const EventMark*>(to)->milliseconds -   // NOLINT: an event's own number
           reinterpret_cast<const EventMark*>(from)->milliseconds;  // NOLINT
  });
  m.def("is_forked", [] { return machine().forked.load(); });
  m.def("set_in_optimizer", [](bool in) { machine().in_optimizer = in; });
  m.def("set_limit", [](int device, std::uint64_t bytes) { machine().pools.at(device)->set_limit(bytes); });
  m.def("snapshot", &snapshot);
  m.def("fault_summary", [] { return machine().faults->summary(); });
  m.def("operator_calls", [](bool missing) { return machine().profile.calls(missing); });
  m.def("pending", [] { return machine().schedule.pending(); });
  bind_collectives(m);
}
