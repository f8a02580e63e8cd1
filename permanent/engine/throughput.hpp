#pragma once
// Measures how fast this machine runs the methods, once, so that predictions are in its seconds.

#include <string>

#include "permanent/plan.hpp"

namespace matchcount {

// Runs both workloads, some 50 ms, on one thread.
Throughput measure_throughput();
// Returns what was said when it was first asked for in this process.
const Throughput& this_throughput();

// Reads what an earlier call kept in `file` for this processor and version; measures and keeps it (written whole,
// beside and renamed) where there is nothing. A file that can't be read or written costs the measurement, never an
// error.
Throughput cached_throughput(const std::string& file);

// Returns $XDG_CACHE_HOME/matchcount/throughput, or ~/.cache/...; empty where neither variable is set.
std::string default_throughput_file();

}  // namespace matchcount
