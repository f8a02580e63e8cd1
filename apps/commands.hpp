#pragma once
// One function per command: reads, calls the library, prints. Each throws as the library does.

#include <string>

#include "apps/interrupt.hpp"
#include "apps/options.hpp"

namespace matchcount::app {

void run_count(const Options& options, Interrupt& interrupt);  // count, cycles and permanent
void run_determinant(const Options& options, Interrupt& interrupt);
void run_estimate(const Options& options, Interrupt& interrupt);
void run_decompose(const Options& options);
void run_plan(const Options& options, Interrupt& interrupt);
void run_generate(const Options& options);
void run_devices(const Options& options);
void run_help(const Options& options);

// The one FILE among the arguments.
const std::string& file_argument(const Options& options);

// What a command works on: a file, read.
struct Loaded {
  Input input;
  double read_s = 0;
};
// odd_cycles: undirected graphs need not be bipartite.
Loaded load(const Options& options, bool odd_cycles = false);

// The run's options with what is left of the time limit after reading, progress and cancellation. Throws Unable where
// reading took all the time.
CountOptions counting_options(const Options& options, const Loaded& loaded, ProgressBar& bar, Interrupt& interrupt);

// Writes a line to stderr unless --quiet.
void note(const Options& options, const std::string& text);

}  // namespace matchcount::app
