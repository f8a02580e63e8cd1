#include "permanent/frontier/cpu/spread.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "permanent/frontier/cpu/in_place.hpp"
#include "permanent/frontier/cpu/joint_steps.hpp"
#include "permanent/frontier/cpu/placement.hpp"

namespace matchcount {
namespace {

// A state that changes its rank costs as much as so many transitions (two ranks on one host, through shared memory).
constexpr double transitions_to_move = 8;
constexpr double bytes_of_residue = 4;
constexpr double bytes_of_pages = 1 << 21;  // taken up in whole ones
constexpr double bits_of_a_prime = 30.99;
// A transition modulo one prime takes this share of the time of one in words, for each word of 8 bytes of a state (6 x
// 6 x 6: 0.50 and 0.95 ns).
constexpr double lean_time = 0.52;
// Residues may take this much more time if words take that much memory, and several times as much as residues do.
constexpr double worth_in_time = 1.35, worth_of_bytes = 2e9, worth_in_memory = 4;
// The share of the time of sorted states that does not grow with their numbers.
constexpr double share_of_sorting = 0.5;
// Primes side by side save their share of finding places, which is little in large layers.
constexpr double most_side_by_side_bytes = 1 << 26;
// Smaller layers of words stay in the cache, and several passes take longer than one.
constexpr double min_lean_states = 1 << 20;
// No machine holds a larger one.
constexpr double most_bytes_of_layer = 1e15;
// More ranks would have few states each and take longer to be given their parts, step by step, than to count them.
constexpr int max_partitioned_ranks = 1 << 16;

}  // namespace

double words_of_state(double log2_bound) { return std::max(1.0, std::ceil(0.55 * log2_bound / 64)); }

std::size_t residues_needed(double log2_bound) {
  return static_cast<std::size_t>(std::max(1.0, std::ceil((log2_bound + 1) / bits_of_a_prime)));
}

bool is_lean(const FrontierSteps& steps, FrontierEngine engine) {
  return engine != FrontierEngine::sparse && engine != FrontierEngine::twins && !steps.with_twins &&
         steps.max_width <= max_dense_width;
}

bool residues_may_pay(const FrontierSteps& steps, FrontierEngine engine) {
  if (!is_lean(steps, engine) && !steps.with_twins) return false;
  return engine == FrontierEngine::lean ||
         std::any_of(steps.steps.begin(), steps.steps.end(),
                     [](const FrontierStep& step) { return step.states >= min_lean_states; });
}

namespace {

// Returns the memory of the masks that sorted states have beside their numbers.
double bytes_of_key(const FrontierSteps& steps, FrontierEngine engine) {
  return steps.with_twins || engine == FrontierEngine::sparse ? 8 * std::ceil((steps.max_width + 1) / 64.0) : 0;
}

// Predicts the cost in place of `turns` primes on each rank, of layers that memory does not hold without a look at steps.
SpreadCost cost_in_place(const FrontierSteps& given, double bytes_of_state, double peak, std::size_t turns,
                         int num_threads, double memory_limit_bytes) {
  if (const double bytes = bytes_of_residue * peak; bytes > std::min(most_bytes_of_layer, memory_limit_bytes))
    return {FrontierSpread::residues, lean_time * static_cast<double>(turns) / (bytes_of_state / 8), bytes, 1};
  const FrontierSteps steps = joined_steps(given);
  const InPlaceNeeds needs =
      in_place_needs_within(steps, (memory_limit_bytes - bytes_of_pages) / bytes_of_residue, num_threads);
  const double bytes_of_prime = bytes_of_residue * static_cast<double>(needs.span) + bytes_of_pages;
  // Takes as few passes as memory allows, while more primes side by side still save time, and then as few primes at
  // once as those passes need.
  const double fit = std::clamp(std::min(memory_limit_bytes, most_side_by_side_bytes) / bytes_of_prime, 1.0,
                                static_cast<double>(turns));
  const auto [passes, at_once] = divided_evenly(turns, static_cast<std::size_t>(fit));
  return {FrontierSpread::residues, lean_time * static_cast<double>(passes * at_once) / (bytes_of_state / 8),
          bytes_of_prime * static_cast<double>(at_once), at_once};
}

// The same of sorted states.
SpreadCost cost_sorted(double bytes_of_state, double bytes_of_key, double peak, std::size_t turns,
                       double memory_limit_bytes) {
  const double fit =
      std::clamp((memory_limit_bytes / (2 * peak) - bytes_of_key) / bytes_of_residue, 1.0, static_cast<double>(turns));
  const auto [passes, at_once] = divided_evenly(turns, static_cast<std::size_t>(fit));
  const double bytes = bytes_of_residue * static_cast<double>(at_once);
  return {FrontierSpread::residues,
          static_cast<double>(passes) * (share_of_sorting + (1 - share_of_sorting) * bytes / bytes_of_state),
          2 * peak * (bytes_of_key + bytes), at_once};
}

}  // namespace

SpreadCost choose_spread(const FrontierSteps& steps, FrontierEngine engine, double bytes_of_state,
                         std::size_t num_primes, int num_ranks, int num_threads, double memory_limit_bytes) {
  memory_limit_bytes -= bytes_beside_layers;
  double transitions = 0, peak = 1;
  for (const FrontierStep& step : steps.steps) {
    transitions += step.transitions_into(step.states);
    peak = std::max(peak, step.states);
  }
  const double key_bytes = bytes_of_key(steps, engine);
  const double bytes_of_words = 2 * (bytes_of_state + key_bytes) * peak;
  // The first of equals is taken.
  std::vector<SpreadCost> choices;
  if (num_primes > 0 && (num_ranks > 1 || residues_may_pay(steps, engine))) {
    const std::size_t turns = divided_up(num_primes, static_cast<std::size_t>(num_ranks));
    choices.push_back(is_lean(steps, engine)
                          ? cost_in_place(steps, bytes_of_state, peak, turns, num_threads, memory_limit_bytes)
                          : cost_sorted(bytes_of_state, key_bytes, peak, turns, memory_limit_bytes));
    if (engine == FrontierEngine::lean && is_lean(steps, engine)) return choices.front();
  }
  choices.push_back({FrontierSpread::first_rank, 1, bytes_of_words});
  const bool by_ranks = engine == FrontierEngine::automatic || engine == FrontierEngine::dense;
  if (num_ranks > 1 && num_ranks <= max_partitioned_ranks && by_ranks && !steps.with_twins &&
      steps.max_width <= max_dense_width && peak >= min_shared_states) {
    const StateIndices indices(steps.by_parity, max_dense_width + 1);
    const Placement placement(steps, Touches(steps), indices, num_ranks);
    choices.push_back({FrontierSpread::partitioned,
                       (placement.work() + transitions_to_move * placement.moved()) / transitions,
                       2 * bytes_of_state * placement.largest_part()});
  }
  const auto time_of = [&](const SpreadCost& cost) {
    const bool saves = cost.spread == FrontierSpread::residues && bytes_of_words >= worth_of_bytes &&
                       bytes_of_words >= worth_in_memory * cost.memory_bytes;
    return saves ? cost.time / worth_in_time : cost.time;
  };
  const auto fits = [&](const SpreadCost& cost) { return cost.memory_bytes <= memory_limit_bytes; };
  return *std::min_element(choices.begin(), choices.end(), [&](const SpreadCost& a, const SpreadCost& b) {
    if (fits(a) != fits(b)) return fits(a);
    return fits(a) ? time_of(a) < time_of(b) : a.memory_bytes < b.memory_bytes;
  });
}

}  // namespace matchcount
