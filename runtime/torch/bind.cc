#include <fstream>
#include <sstream>

#include <ATen/Context.h>
#include <torch/csrc/Generator.h>
#include <torch/csrc/utils/pybind.h>
#include <torch/version.h>

#include "deferred.h"
#include "fault_points.h"

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
  TORCH_CHECK(!machine().is_registered, "faults are planned before the operators get their kernels");
  machine().faults = std::make_unique<FaultSchedule>(or_raise(parse_faults(contents(path), path)), rank);
  for (const std::int64_t limit : machine().faults->memory_limits())
    for (const auto& pool : machine().pools) pool->fail_once_above(static_cast<std::uint64_t>(limit));
  if (machine().faults->plans(FaultKind::host_read)) forbid_host_reads();
}

/// The byte of what is saved now that must be changed, or nothing.
std::optional<std::int64_t> corrupt_save() {
  const Fault* const fault = fault_at("save");
  return fault == nullptr ? std::nullopt : std::optional(fault->element);
}

std::optional<std::uintptr_t> visible_address(const at::Tensor& tensor) {
  if (tensor.device().type() != kDevice || !machine().faults->plans(FaultKind::host_read)) return std::nullopt;
  return card_address(tensor);
}

py::tuple register_table(const std::string& path, bool host_layers) {
  machine().is_registered = true;
  const Registered made = register_operators(or_raise(parse_operators(contents(path), path)), host_layers);
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
  m.def("register_table", &register_table, py::arg("path"), py::arg("host_layers") = true);
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
        if (!misses("device.synchronize")) machine().schedule.synchronize_device(device);
      },
      py::call_guard<py::gil_scoped_release>());
  m.def("milliseconds_between", [](std::uintptr_t from, std::uintptr_t to) {
    return reinterpret_cast<const EventMark*>(to)->milliseconds -   // NOLINT: an event's own number
           reinterpret_cast<const EventMark*>(from)->milliseconds;  // NOLINT
  });
  m.def("is_forked", [] { return machine().forked.load(); });
  m.def("set_in_optimizer", [](bool in) { machine().in_optimizer = in; });
  m.def("set_tf32", [](bool allowed) { machine().tf32 = allowed; });
  m.def("set_limit", [](int device, std::uint64_t bytes) { machine().pools.at(device)->set_limit(bytes); });
  m.def("snapshot", &snapshot);
  m.def("announce_faults", &announce_faults);
  m.def("plans_host_read", [] { return machine().faults->plans(FaultKind::host_read); });
  m.def("plans_corrupt_save", [] { return machine().faults->plans(FaultKind::corrupt); });
  m.def("corrupt_save", &corrupt_save);
  m.def("visible_address", &visible_address);
  m.def("fault_summary", [] { return machine().faults->summary(); });
  m.def("operator_calls", [](bool missing) { return machine().profile.calls(missing); });
  m.def("stale_reads", [] { return deferred_writes().stale_reads(); });
  m.def("pending", [] { return machine().schedule.pending(); });
  bind_collectives(m);
}
