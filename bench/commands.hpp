#pragma once
// One function per benchmark. Each reads its own options, measures, and prints a table on stdout and what it does on
// stderr. Throws UsageError (apps/options.hpp) for a command line that makes no sense, and as the library does.
// A further benchmark is a function here and a line in main.cpp.

#include <chrono>
#include <string>
#include <vector>

namespace matchcount::bench {

struct CommandLine {
  std::vector<std::string> words;               // the program first
  std::chrono::steady_clock::time_point start;  // of the process, as near as main can tell
};

// Each returns whether every value that could be checked was right.
bool run_bitmatrix(const CommandLine& line);
bool run_dense(const CommandLine& line);
bool run_determinant(const CommandLine& line);
bool run_forecasts(const CommandLine& line);
bool run_grid(const CommandLine& line);
bool run_layers(const CommandLine& line);
bool run_orders(const CommandLine& line);
bool run_planar(const CommandLine& line);
bool run_published(const CommandLine& line);
bool run_ryser(const CommandLine& line);
bool run_small(const CommandLine& line);

}  // namespace matchcount::bench
