#pragma once
// Finds the residues of a Pfaffian, by replays of an elimination program that threads or GPUs and ranks share and a
// checkpoint keeps.

#include <cstdint>
#include <vector>

#include "core/device.hpp"
#include "core/run.hpp"
#include "permanent/planar/cpu/elimination_program.hpp"
#include "permanent/planar/cpu/elimination_replay.hpp"
#include "permanent/planar/cpu/entry_table.hpp"
#include "permanent/planar/kasteleyn.hpp"

namespace matchcount {

// ReplayPlace says where programs are replayed, and what they took.
struct ReplayPlace {
  const std::vector<DeviceInfo>& gpus;  // empty: the CPU
  KasteleynReport& report;
};

// Returns how many primes of a replay have a product above 2^(log2_bound + 1).
double primes_for(double log2_bound);

// Returns the integer of at most 2^log2_bound in real and imaginary part that a program gives modulo all primes. Throws
// as hafnian_kasteleyn does.
GaussianInteger replay(const ReplayPlace& place, const EliminationProgram& program, const EntryTable& table,
                       double log2_bound, const RunContext& run);

}  // namespace matchcount
