#pragma once
// Where and when a benchmark ran: what stands at the head of every JSON file.

#include <string>
#include <vector>

#include "bench/commands.hpp"
#include "apps/json.hpp"
#include "core/device.hpp"

namespace matchcount::bench {

// command, version, commit ($MATCHCOUNT_COMMIT, else of the source that was built, else "unknown"), date (UTC),
// command_line and machine, with the GPUs that are used.
app::Json record_header(const CommandLine& line, const std::vector<DeviceInfo>& devices);

// "NVIDIA H200, driver 580.65.06" or the CPU's model and number of threads, for a table's head.
std::string machine_line(const std::vector<DeviceInfo>& devices, int num_threads);

// Writes the object whole, or throws InputError with the system's reason.
void write_record(const std::string& file, const app::Json& record);

}  // namespace matchcount::bench
