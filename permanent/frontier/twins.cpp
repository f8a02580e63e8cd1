// Twins: columns (or rows) with the same neighbours and equal entries. Every matching can have two of them swapped and
// keeps its weight, so that it is enough to sum those in which the members of a class are matched in turn, and to
// multiply by m! for a class of m. With all rows before all columns "in turn" is a matter of the rows' order alone: a
// row may take a twin only when the one before it is matched. (Where twins have steps of their own, in mixed orders,
// their partners' places would have to be remembered.) A class has m + 1 states then instead of 2^m.
//
// What it saves, in transitions: the pattern of lund_a (147 x 147, finite elements with three like unknowns a node)
// falls from 2^49.6 to 2^36, a 40 x 40 matrix of density 0.3 with every column there twice from 2^34.6 to 2^27.9, with
// every column three times from 2^28.5 to 2^20.5, a complete graph of 40 vertices a side from 2^44.4 to 2^5.9. A sparse
// transition takes some 20 times as long as a dense one, so that a few twins (curtis54 has 6, will199 2, bcspwr04 20
// among 434 vertices) are left alone.
//
// Expanding a vertex of degree 3 or 4 into two smaller permanents (Forbert and Marx 2003) was tried and is not done:
// the frontier does as much by forgetting a vertex early. Both children were reduced and planned afresh, the best of 24
// vertices and splittings taken, once, and recursively twice. Parent over children, in predicted seconds: matrices from
// applications (22 with vertices of such degree) 0.4 to 1.0; grids and cubes 0.8 to 0.9, a 10 x 10 torus 1.2; 3- and
// 4-regular graphs, n = 30 to 60, 0.7 to 1.2, median 1.0; random graphs of mean degree 4 to 6 0.8 to 1.3, median 1.0.

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <tuple>

#include "permanent/frontier/costs.hpp"
#include "permanent/frontier/cpu/steps.hpp"
#include "permanent/frontier/frontier.hpp"

namespace matchcount {
namespace {

std::int64_t key_of(std::int64_t entry) { return entry; }
auto key_of(const RealEntry& entry) { return std::tuple(entry.value.hi, entry.value.lo, entry.magnitude); }
auto key_of(const ComplexEntry& entry) {
  const ComplexDoubleDouble& value = entry.value;
  return std::tuple(value.re.hi, value.re.lo, value.im.hi, value.im.lo, entry.magnitude);
}

}  // namespace

template <class Entry>
std::vector<Vertex> find_twins(const Block<Entry>& block) {
  const BipartiteGraph& pattern = block.pattern;
  std::vector<Vertex> result(std::size_t{pattern.num_rows()} + pattern.num_columns(), unmatched);
  bool any = false;
  for (const bool rows : {true, false}) {
    const Vertex count = rows ? pattern.num_rows() : pattern.num_columns();
    const Vertex offset = rows ? 0 : pattern.num_rows();
    const auto neighbours = [&](Vertex v) { return rows ? pattern.row(v) : pattern.column(v); };
    const auto entry = [&](Vertex v, std::size_t i) {
      return key_of(block.entries[rows ? pattern.row_begin(v) + i : pattern.column_edges(v)[i]]);
    };
    // < 0, 0, > 0: the neighbours first, then the entries.
    const auto compare = [&](Vertex a, Vertex b) {
      const auto of_a = neighbours(a), of_b = neighbours(b);
      if (of_a.size() != of_b.size()) return of_a.size() < of_b.size() ? -1 : 1;
      const auto [at_a, at_b] = std::mismatch(of_a.begin(), of_a.end(), of_b.begin());
      if (at_a != of_a.end()) return *at_a < *at_b ? -1 : 1;
      for (std::size_t i = 0; i < of_a.size(); ++i) {
        const auto x = entry(a, i), y = entry(b, i);
        if (x != y) return x < y ? -1 : 1;
      }
      return 0;
    };
    std::vector<Vertex> sorted(count);
    std::iota(sorted.begin(), sorted.end(), Vertex{0});
    std::sort(sorted.begin(), sorted.end(), [&](Vertex a, Vertex b) {
      const int order = compare(a, b);
      return order != 0 ? order < 0 : a < b;
    });
    for (std::size_t i = 1; i < sorted.size(); ++i) {
      if (compare(sorted[i - 1], sorted[i]) != 0) continue;
      result[offset + sorted[i]] = offset + sorted[i - 1];
      any = true;
    }
  }
  if (!any) result.clear();
  return result;
}
template std::vector<Vertex> find_twins(const Block<std::int64_t>&);
template std::vector<Vertex> find_twins(const Block<RealEntry>&);
template std::vector<Vertex> find_twins(const Block<ComplexEntry>&);

double bits_saved(const BipartiteGraph& pattern, const std::vector<Vertex>& twin_before) {
  std::array<double, 2> saved{0, 0};
  std::vector<std::uint32_t> place(twin_before.size(), 1);  // in its class
  for (Vertex v = 0; v < twin_before.size(); ++v) {
    if (twin_before[v] == unmatched) continue;
    place[v] = place[twin_before[v]] + 1;
    // A class of m - 1 becomes one of m.
    saved[v < pattern.num_rows()] += 1 - std::log2((place[v] + 1.0) / place[v]);
  }
  return std::max(saved[0], saved[1]);
}

FrontierOrder find_twins_order(const BipartiteGraph& pattern, const std::vector<Vertex>& twin_before,
                               FrontierStrategy strategy, std::uint64_t seed, const RunContext& run,
                               const OrderEffort& effort) {
  constexpr double share_of_count = 0.02, least_search_s = 1e-3;
  FrontierOrder best;
  if (twin_before.empty()) return best;
  best.log2_transitions = std::numeric_limits<double>::infinity();
  for (const auto candidate : {FrontierStrategy::rows, FrontierStrategy::columns}) {
    const bool rows_first = candidate == FrontierStrategy::rows;
    if (strategy == (rows_first ? FrontierStrategy::columns : FrontierStrategy::rows)) continue;
    // Twins of the side that follows.
    std::vector<Vertex> before(twin_before);
    const auto first = before.begin() + (rows_first ? 0 : pattern.num_rows());
    std::fill(first, first + pattern.num_rows(), unmatched);
    if (std::ranges::all_of(before, [](Vertex v) { return v == unmatched; })) continue;

    // The search does not look at twins: an order that is good among its kind is good with them too.
    const auto try_order = [&](const OrderEffort& given) {
      FrontierOrder order = find_frontier_order(pattern, candidate, seed, run, given);
      const FrontierSteps steps = frontier_steps(pattern, order.sequence, before);
      double transitions = 0, peak_states = 1;
      for (const FrontierStep& step : steps.steps) {
        transitions += step.transitions_into(step.states);
        peak_states = std::max(peak_states, step.states);
      }
      order.max_width = steps.max_width;
      order.log2_peak_states = std::log2(peak_states);
      order.log2_transitions = std::log2(std::max(1.0, transitions));
      order.log2_transitions_of_start = 0;
      order.twin_before = before;
      if (order.log2_transitions < best.log2_transitions) best = std::move(order);
      return transitions;
    };
    const double useful = std::min(try_order({.most_seconds = 0}), std::exp2(effort.useful_log2_transitions));
    const double most_s =
        std::min(effort.most_seconds, share_of_count * frontier_costs::saved_transition_of_twins_s * useful);
    if (effort.seconds > 0 || most_s > least_search_s) try_order({.most_seconds = most_s, .seconds = effort.seconds});
  }
  return best;
}

}  // namespace matchcount
