#pragma once
// Declares one function per command: it reads, calls the library, prints, and returns the exit status. Each throws as
// the library does.

#include <string>

#include "apps/interrupt.hpp"
#include "apps/options.hpp"

namespace matchcount::app {

int run_count(const Options& options, Interrupt& interrupt);  // count, cycles, permanent and hafnian
int run_determinant(const Options& options, Interrupt& interrupt);
int run_estimate(const Options& options, Interrupt& interrupt);
int run_decompose(const Options& options, Interrupt& interrupt);
int run_list(const Options& options, Interrupt& interrupt);
int run_marginals(const Options& options, Interrupt& interrupt);
int run_parity(const Options& options, Interrupt& interrupt);
int run_plan(const Options& options, Interrupt& interrupt);
int run_reach(const Options& options, Interrupt& interrupt);
int run_sample(const Options& options, Interrupt& interrupt);
int run_generate(const Options& options);
int run_devices(const Options& options);
int run_help(const Options& options);

// Writes a line to stderr unless --quiet.
void note(const Options& options, const std::string& text);

}  // namespace matchcount::app
