// devices: what this machine and this build have.

#include <unistd.h>

#include <string>
#include <vector>

#include "apps/answer.hpp"
#include "apps/commands.hpp"
#include "apps/json.hpp"
#include "apps/text.hpp"
#include "core/amounts.hpp"
#include "core/device.hpp"
#include "core/mpi/ranks.hpp"

namespace matchcount::app {
namespace {

// Writes 1000 * major + 10 * minor, as the driver has it.
std::string cuda_version(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}
std::string capability(const DeviceInfo& device) {
  return std::to_string(device.major) + "." + std::to_string(device.minor);
}
std::string name(const DeviceInfo& device) { return "cuda:" + std::to_string(device.index); }

Json json_device(const DeviceInfo& device) {
  return {{"name", name(device)},
          {"model", device.name},
          {"capability", capability(device)},
          {"multiprocessors", device.multiprocessors},
          {"clock_khz", device.clock_khz},
          {"memory_bytes", device.memory_bytes}};
}

// The reason is null where there are GPUs, the driver's version where there are none.
Json json_cuda(const FoundDevices& found) {
  const std::string cache = default_kernel_cache();
  return {{"built", built_with_cuda()},
          {"reason", found.reason.empty() ? Json() : Json(found.reason)},
          {"driver", found.devices.empty() ? Json() : Json(cuda_version(found.devices[0].driver_version))},
          {"nvrtc", why_no_kernel_compiler().empty()},
          {"kernel_cache", cache.empty() ? Json() : Json(cache)}};
}

using Rows = std::vector<std::vector<std::string>>;

void add_cuda(Rows& rows, const FoundDevices& found) {
  if (!built_with_cuda()) {
    rows.push_back({"cuda", "not built"});
    return;
  }
  for (const DeviceInfo& device : found.devices) {
    rows.push_back({name(device), device.name + " (capability " + capability(device) + ")"});
    rows.push_back({"", format_count(device.multiprocessors, "multiprocessor", "multiprocessors") + ", " +
                            memory_amount(static_cast<double>(device.memory_bytes)) + " of memory"});
  }
  if (found.devices.empty()) {
    rows.push_back({"cuda", "no GPU: " + found.reason});
  } else {
    rows.push_back({"cuda", "driver for CUDA " + cuda_version(found.devices[0].driver_version)});
  }
  const std::string cache = default_kernel_cache(), why_not = why_no_kernel_compiler();
  rows.push_back({"", !why_not.empty() ? why_not
                      : cache.empty()  ? "kernels are compiled by NVRTC and not kept"
                                       : "kernels are compiled by NVRTC and kept in " + cache});
}

}  // namespace

int run_devices(const Options& options) {
  if (!options.arguments.empty()) throw UsageError("devices", "devices takes no FILE");
  const Machine machine = this_machine();
  const FoundDevices found = find_devices();
  if (options.json) {
    Json object = json_header(options);
    const Json cpu = {{"name", "cpu"},
                      {"model", machine.cpu_model},
                      {"architecture", machine.architecture},
                      {"cores", machine.usable_cores},
                      {"instruction_set", machine.instruction_set},
                      {"memory_bytes", machine.memory_bytes},
                      {"available_memory_bytes", machine.available_memory_bytes}};
    object["devices"] = Json::array({cpu});
    for (const DeviceInfo& device : found.devices) object["devices"].push_back(json_device(device));
    object["backends"] = {{"cpu", true}, {"cuda", built_with_cuda()}, {"mpi", built_with_mpi()}};
    object["cuda"] = json_cuda(found);
    write_answer(line(object));
    return 0;
  }
  Rows rows{{"cpu", machine.cpu_model + " (" + machine.architecture + ")"},
            {"", format_count(machine.usable_cores, "core", "cores") + " usable, " + machine.instruction_set + ", " +
                     memory_amount(static_cast<double>(machine.memory_bytes)) + " of memory, " +
                     memory_amount(static_cast<double>(machine.available_memory_bytes)) + " available"}};
  add_cuda(rows, found);
  rows.push_back({"mpi", built_with_mpi() ? "built" : "not built"});
  write_answer(fitted(table(rows, ""), columns_of(STDOUT_FILENO)));
  return 0;
}

}  // namespace matchcount::app
