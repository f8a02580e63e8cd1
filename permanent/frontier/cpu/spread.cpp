#include "permanent/frontier/cpu/spread.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "permanent/frontier/cpu/partition.hpp"

namespace matchcount {
namespace {

// A state that changes its rank costs as much as so many transitions (two ranks on one host, through shared memory).
constexpr double transitions_to_move = 8;
constexpr double bits_of_a_prime = 61.9;
// More ranks would have few states each and take longer to be given their parts, step by step, than to count them.
constexpr int max_partitioned_ranks = 1 << 16;

}  // namespace

double words_of_state(double log2_bound) { return std::max(1.0, std::ceil(0.55 * log2_bound / 64)); }

std::size_t residues_to_spread(double log2_bound, bool all_ones) {
  if (!all_ones || log2_bound <= 62) return 0;
  return static_cast<std::size_t>(std::ceil((log2_bound + 1) / bits_of_a_prime));
}

SpreadCost choose_spread(const FrontierSteps& steps, FrontierEngine engine, double bytes_of_state,
                         std::size_t num_primes, int num_ranks, double memory_limit_bytes) {
  double transitions = 0, peak = 1;
  for (const FrontierStep& step : steps.steps) {
    transitions += step.states * (1 + 0.5 * static_cast<double>(step.choices.size()));
    peak = std::max(peak, step.states);
  }
  // What is preferred where others are no better comes first.
  std::vector<SpreadCost> choices;
  if (num_primes > 0 && num_ranks > 1) {
    const auto turns = static_cast<double>((num_primes + static_cast<std::size_t>(num_ranks) - 1) /
                                           static_cast<std::size_t>(num_ranks));
    choices.push_back({FrontierSpread::residues, turns / (bytes_of_state / 8), 2 * 8 * peak});
  }
  choices.push_back({FrontierSpread::first_rank, 1, 2 * bytes_of_state * peak});
  const bool by_ranks = engine == FrontierEngine::automatic || engine == FrontierEngine::dense;
  if (num_ranks > 1 && num_ranks <= max_partitioned_ranks && by_ranks && !steps.with_twins &&
      steps.max_width <= max_dense_width && peak >= min_partitioned_states) {
    const StateIndices indices(steps.by_parity, max_dense_width + 1);
    const FrontierPartition partition(steps, Touches(steps), indices, num_ranks, min_partitioned_states);
    choices.push_back({FrontierSpread::partitioned,
                       (partition.work() + transitions_to_move * partition.moved()) / transitions,
                       2 * bytes_of_state * partition.largest_part()});
  }
  const auto fits = [&](const SpreadCost& cost) { return cost.memory_bytes <= memory_limit_bytes; };
  return *std::min_element(choices.begin(), choices.end(), [&](const SpreadCost& a, const SpreadCost& b) {
    if (fits(a) != fits(b)) return fits(a);
    return fits(a) ? a.time < b.time : a.memory_bytes < b.memory_bytes;
  });
}

}  // namespace matchcount
