#pragma once
// Counts along an order modulo primes, on CPUs or GPUs, and puts the residues together.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/device_choice.hpp"
#include "core/numbers/integer.hpp"
#include "permanent/frontier/cpu/steps.hpp"
#include "permanent/frontier/frontier.hpp"

namespace matchcount {

// Counts along the steps, without the factors of twins: an integer of absolute value at most 2^log2_bound. Each run
// does `at_once` primes side by side; ranks, and GPUs, share the primes. `entries` are those of the steps' edges.
// Throws Unable if the states do not fit into memory, and as run.check() does.
Integer count_by_residues(const FrontierSteps& steps, FrontierEngine engine, const std::vector<std::int64_t>& entries,
                          double log2_bound, std::size_t at_once, const RunContext& run);

// Ends what a run with GPUs decides on residues of 2 bytes, after how many primes it does side by side.
inline constexpr const char* in_2_bytes = " of 2 bytes";

// Says how GPUs hold layers along the steps: in arrays of all states or, modulo primes only, as sorted ones.
enum class GpuLayers { none, dense, sorted };
GpuLayers gpu_layers(const FrontierSteps& steps, FrontierEngine engine);
// Says how GPUs share the work: in teams that hold a layer together, each of which does some primes side by side.
struct GpuTeams {
  std::size_t gpus = 1;    // of a team
  std::size_t primes = 0;  // of a team at once; 0: not even one, in place
  int bytes = 4;           // of a residue: primes are below residue_limit or small_residue_limit
  std::size_t all_primes = 0;
};
// Divides GPUs that have so many bytes free each, on every rank, for an integer of absolute value at most 2^log2_bound.
// Teams are of one GPU if that suffices, else of all that a rank has, if these reach each other; residues have 2 bytes
// where 4 don't suffice for either. Sorted layers are not shared.
GpuTeams gpu_teams(const FrontierSteps& steps, FrontierEngine engine, double log2_bound,
                   const std::vector<DeviceInfo>& gpus, int num_ranks, double free_bytes);
// The same of layers of doubles, so many for each state, none in place: how many GPUs hold them together; 0: even all
// have no room.
std::size_t gpus_of_reals(const FrontierSteps& steps, int doubles, const std::vector<DeviceInfo>& gpus,
                          double free_bytes);

// The same on GPUs, not empty; at_once is 0: as many as fit, what other runs with this work have agreed on.
Integer count_on_gpus(const FrontierSteps& steps, FrontierEngine engine, const std::vector<std::int64_t>& entries,
                      double log2_bound, const std::vector<DeviceInfo>& gpus, const RunContext& run);

}  // namespace matchcount
