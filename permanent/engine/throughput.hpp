#pragma once
// How fast this machine runs the methods, measured once and kept, so that predictions are in its seconds.

#include <string>

namespace matchcount {

// Seconds that a fixed small workload takes here over the seconds that it took where the constants of the cost models
// were measured: 1 is that machine, 2 one that is half as fast.
struct Throughput {
  double frontier_scale = 1;
  double ryser_scale = 1;
};

// Runs both workloads, some 50 ms, on one thread.
Throughput measure_throughput();

// Reads what an earlier call kept in `file` for this processor and version; measures and keeps it (written whole,
// beside and renamed) where there is nothing. A file that can't be read or written costs the measurement, never an
// error.
Throughput cached_throughput(const std::string& file);

// $XDG_CACHE_HOME/matchcount/throughput, or ~/.cache/...; empty where neither variable is set.
std::string default_throughput_file();

}  // namespace matchcount
