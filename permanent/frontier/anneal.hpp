#pragma once
// Anneals a sequence of vertices, for the search for an order with twins.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/random.hpp"
#include "core/run.hpp"
#include "graph/bipartite_graph.hpp"

namespace matchcount {

// Anneals positions [0, region) of the sequence for about `budget` edge visits and returns the best sequence met.
template <class CostedSequence>
std::vector<Vertex> anneal(CostedSequence& costed, std::uint32_t region, std::uint64_t budget, double hot,
                           Random& random, const RunContext& run) {
  constexpr double cold = 0.01;
  constexpr std::uint64_t spent_between_checks = 1 << 18;  // some ms
  std::vector<Vertex> best = costed.sequence();
  if (region < 2) return best;
  // Lists where the sequence differs from the best: the stretches that were changed since. To copy all of it for each
  // of many small gains would take longer than the search.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> changed;
  std::uint64_t num_changed = 0;  // positions in them, overlaps counted again
  std::uint64_t last_check = 0;
  double best_total = costed.total();
  const std::uint64_t start = costed.visits();
  const double log_region = std::log2(static_cast<double>(region));
  std::vector<Vertex> window;
  for (std::uint64_t move = 0;; ++move) {
    const std::uint64_t spent = costed.visits() - start + move;
    const double progress = static_cast<double>(spent) / static_cast<double>(budget);
    if (progress >= 1) break;
    if (move == 0 || spent - last_check >= spent_between_checks) {
      run.check();
      last_check = spent;
    }
    const double temperature = hot * std::pow(cold / hot, progress);
    // Lengths are spread evenly over the scales, short ones first in number.
    const double scale = random.uniform() * random.uniform() * log_region;
    const auto length =
        std::min<std::uint32_t>(region, 2 + static_cast<std::uint32_t>(std::exp2(scale) * (0.5 + random.uniform())));
    const auto i = static_cast<std::uint32_t>(random.below(region - length + 1));
    window.assign(costed.sequence().begin() + i, costed.sequence().begin() + i + length);
    switch (random.below(5)) {
      case 0:
        std::rotate(window.begin(), window.begin() + 1, window.end());
        break;
      case 1:
        std::rotate(window.begin(), window.end() - 1, window.end());
        break;
      case 2:
        std::swap(window.front(), window.back());
        break;
      case 3:
        std::reverse(window.begin(), window.end());
        break;
      default:
        std::rotate(window.begin(), window.begin() + 1 + static_cast<std::ptrdiff_t>(random.below(length - 1)),
                    window.end());
    }
    const double threshold = costed.total() * std::exp2(-temperature * std::log(1 - random.uniform()));
    if (costed.propose(i, window, [&](double total) { return total <= threshold; })) {
      changed.emplace_back(i, length);
      num_changed += length;
      if (num_changed > region) {
        changed = {{0, region}};
        num_changed = region;
      }
    }
    if (costed.total() < best_total * (1 - 1e-9)) {
      best_total = costed.total();
      for (const auto& [first, size] : changed) {
        std::copy_n(costed.sequence().begin() + first, size, best.begin() + first);
      }
      changed.clear();
      num_changed = 0;
    }
  }
  return best;
}

}  // namespace matchcount
