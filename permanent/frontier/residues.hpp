#pragma once
// Counts along an order modulo primes, on CPUs or GPUs, and puts the residues together.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/device_choice.hpp"
#include "core/integer.hpp"
#include "permanent/frontier/cpu/steps.hpp"
#include "permanent/frontier/frontier.hpp"

namespace matchcount {

// What the steps come to, without the factors of twins: an integer of absolute value at most 2^log2_bound. Each run
// does `at_once` primes side by side; ranks, and GPUs, share the primes. `entries` are those of the steps' edges.
// Throws Unable where the states do not fit into memory, and as run.check() does.
Integer count_by_residues(const FrontierSteps& steps, FrontierEngine engine, const std::vector<std::int64_t>& entries,
                          double log2_bound, std::size_t at_once, const RunContext& run);

// Whether GPUs can do it: every layer dense, without twins.
bool gpus_take(const FrontierSteps& steps, FrontierEngine engine);
// How many of `num_primes` primes GPUs with so many bytes free, each, do side by side, sharing them; 0: not even one,
// in place.
std::size_t primes_on_gpus(const FrontierSteps& steps, std::size_t num_primes, std::size_t num_gpus, double free_bytes);
// The same on GPUs, not empty; at_once is 0: as many as fit, what other runs with this work have agreed on.
Integer count_on_gpus(const FrontierSteps& steps, const std::vector<std::int64_t>& entries, double log2_bound,
                      const std::vector<DeviceInfo>& gpus, const RunContext& run);

}  // namespace matchcount
