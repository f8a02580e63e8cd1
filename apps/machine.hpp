#pragma once
// Describes this machine.

#include <cstdint>
#include <string>

namespace matchcount::app {

struct Machine {
  std::string cpu_model;  // "unknown" where the system does not say
  std::string architecture;
  int usable_cores = 0;  // by this process
  std::string instruction_set;
  std::uint64_t memory_bytes = 0;
  std::uint64_t available_memory_bytes = 0;
};
Machine this_machine();

}  // namespace matchcount::app
