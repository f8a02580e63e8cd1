#pragma once
// Finds the residues of a Pfaffian, by replays of an elimination program that threads or GPUs and ranks share and a
// checkpoint keeps.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
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

// PfaffianResidues says how a Pfaffian is found modulo primes, maybe but for a sign.
struct PfaffianResidues {
  // 0 where a prime is of no use.
  using At = std::function<std::vector<std::uint64_t>(std::span<const ReplayModulus>, const RunContext&, Stretch)>;
  At at;
  double multiplications = 0;  // modulo a prime
  std::string name;            // tells signs and matrices apart
  bool complex = false;
  std::uint64_t step = 1;  // primes are 1 modulo this
};
// Does so by a program.
PfaffianResidues residues_by(const ReplayPlace& place, const EliminationProgram& program, const EntryTable& table);

// Returns the integer of at most 2^log2_bound in real and imaginary part that has these residues. Throws as
// hafnian_kasteleyn does.
GaussianInteger replay(const ReplayPlace& place, const PfaffianResidues& residues, double log2_bound,
                       const RunContext& run);

}  // namespace matchcount
