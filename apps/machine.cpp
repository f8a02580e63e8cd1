#include "apps/machine.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>

#include "core/run.hpp"

namespace matchcount::app {
namespace {

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

}  // namespace

Machine this_machine() {
  Machine machine;
  machine.cpu_model = cpu_model();
  utsname names{};
  machine.architecture = uname(&names) == 0 ? names.machine : "unknown";
  machine.usable_cores = resolve_num_threads(RunOptions{});
  machine.instruction_set = to_string(detected_isa());
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_size = sysconf(_SC_PAGE_SIZE);
  if (pages > 0 && page_size > 0) {
    machine.memory_bytes = static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_size);
  }
  machine.available_memory_bytes = available_memory_bytes();
  return machine;
}

}  // namespace matchcount::app
