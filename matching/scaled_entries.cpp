#include "matching/scaled_entries.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "core/error.hpp"
#include "core/step_check.hpp"
#include "graph/vertices.hpp"
#include "matching/maximum_matching.hpp"

namespace matchcount {

namespace {

// Scaling by the dual of an assignment problem. The cost of an entry is -log2 of its magnitude rounded *up* to an
// integer, so the dual prices are integers that need no rounding, and the arithmetic is exact: price of row + price of
// column
// <= cost everywhere, with equality on a perfect matching. Rounding real prices to exponents afterwards, the usual way,
// loses a factor of 2 on either side and drifts.
//
// Start: every column takes the least cost in it, every row the least of what is left; a maximum matching of the
// entries that are tight then leaves few rows. Each of these is matched along a shortest augmenting path (Dijkstra).

using Cost = std::int64_t;
constexpr Cost absent = std::numeric_limits<Cost>::max();
// Keeps every sum of 2^22 costs, path lengths and prices, far from overflow.
constexpr double max_log2_magnitude = 0x1p40;

std::vector<Cost> costs_of(std::span<const double> log2_magnitude) {
  std::vector<Cost> costs;
  costs.reserve(log2_magnitude.size());
  for (const double log2 : log2_magnitude) {
    if (log2 == -std::numeric_limits<double>::infinity()) {
      costs.push_back(absent);
    } else if (std::fabs(log2) <= max_log2_magnitude) {
      costs.push_back(static_cast<Cost>(std::ceil(-log2)));
    } else {
      throw InputError(std::to_string(log2), "the logarithm of a finite magnitude");
    }
  }
  return costs;
}

InputError no_perfect_matching() {
  return {"no perfect matching of nonzero entries", "a graph that has one, to be scaled"};
}

class Assignment {
 public:
  Assignment(const BipartiteGraph& graph, std::vector<Cost> costs, const RunContext& run)
      : graph_(graph),
        steps_(run),
        costs_(std::move(costs)),
        row_price_(graph.num_rows(), absent),
        column_price_(graph.num_columns(), absent),
        distance_(graph.num_columns(), absent),
        is_final_(graph.num_columns(), false),
        previous_row_(graph.num_columns()) {}

  void solve() {
    price_greedily();
    match_tight_entries();
    for (Vertex row = 0; row < graph_.num_rows(); ++row) {
      if (matching_.column_of_row[row] == unmatched) augment(row);
    }
  }

  const std::vector<Cost>& row_price() const { return row_price_; }
  const std::vector<Cost>& column_price() const { return column_price_; }

 private:
  void price_greedily() {
    for (Vertex column = 0; column < graph_.num_columns(); ++column) {
      for (const EdgeId id : graph_.column_edges(column)) {
        column_price_[column] = std::min(column_price_[column], costs_[id]);
      }
      if (column_price_[column] == absent) throw no_perfect_matching();
    }
    for (Vertex row = 0; row < graph_.num_rows(); ++row) {
      EdgeId id = graph_.row_begin(row);
      for (const Vertex column : graph_.row(row)) {
        const Cost cost = costs_[id++];
        if (cost != absent) row_price_[row] = std::min(row_price_[row], cost - column_price_[column]);
      }
      if (row_price_[row] == absent) throw no_perfect_matching();
    }
  }

  Cost slack(Vertex row, Vertex column, Cost cost) const { return cost - row_price_[row] - column_price_[column]; }

  void match_tight_entries() {
    std::vector<Edge> tight;
    for_each_edge(graph_, [&](Vertex row, Vertex v, EdgeId id) {
      const Vertex column = v - graph_.num_rows();
      if (costs_[id] != absent && slack(row, column, costs_[id]) == 0) tight.push_back({row, column});
    });
    matching_ = maximum_matching(BipartiteGraph::from_edges(graph_.num_rows(), graph_.num_columns(), std::move(tight)),
                                 steps_.run());
  }

  void augment(Vertex root) {
    touched_.clear();
    final_.clear();
    queue_ = {};
    relax(root, 0);
    Vertex sink = unmatched;
    while (sink == unmatched) {
      if (queue_.empty()) throw no_perfect_matching();
      const auto [distance, column] = queue_.top();
      queue_.pop();
      steps_.step();
      if (is_final_[column]) continue;
      is_final_[column] = true;
      if (matching_.row_of_column[column] == unmatched) {
        sink = column;
      } else {
        final_.push_back(column);
        relax(matching_.row_of_column[column], distance);
      }
    }
    const Cost length = distance_[sink];
    row_price_[root] += length;
    for (const Vertex column : final_) {
      column_price_[column] -= length - distance_[column];
      row_price_[matching_.row_of_column[column]] += length - distance_[column];
    }
    for (const Vertex column : touched_) {
      distance_[column] = absent;
      is_final_[column] = false;
    }
    for (Vertex column = sink; column != unmatched;) {
      const Vertex row = previous_row_[column];
      matching_.row_of_column[column] = row;
      column = std::exchange(matching_.column_of_row[row], column);
    }
  }

  void relax(Vertex row, Cost base) {
    EdgeId id = graph_.row_begin(row);
    for (const Vertex column : graph_.row(row)) {
      const Cost cost = costs_[id++];
      if (cost == absent || is_final_[column]) continue;
      const Cost distance = base + slack(row, column, cost);
      if (distance >= distance_[column]) continue;
      if (distance_[column] == absent) touched_.push_back(column);
      distance_[column] = distance;
      previous_row_[column] = row;
      queue_.push({distance, column});
    }
  }

  using Entry = std::pair<Cost, Vertex>;

  const BipartiteGraph& graph_;
  StepCheck steps_;
  std::vector<Cost> costs_;  // by EdgeId
  std::vector<Cost> row_price_;
  std::vector<Cost> column_price_;
  Matching matching_;
  // One search: distances of columns from the root row, absent where not reached.
  std::vector<Cost> distance_;
  std::vector<bool> is_final_;
  std::vector<Vertex> previous_row_;
  std::vector<Vertex> touched_;
  std::vector<Vertex> final_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

std::vector<int> exponents(const std::vector<Cost>& prices) {
  std::vector<int> result;
  result.reserve(prices.size());
  for (const Cost price : prices) {
    if (!std::in_range<int>(price)) throw Unable("scaling by powers of two beyond the range of an int");
    result.push_back(static_cast<int>(price));
  }
  return result;
}

// Scaled entries below 2^this are lifted to it, so that nothing of theirs underflows; the bound says so.
constexpr double log2_least_entry = -900;

template <class Entry>
std::vector<double> log2_magnitudes_of(const std::vector<Entry>& entries) {
  std::vector<double> result;
  result.reserve(entries.size());
  for (const Entry& entry : entries) result.push_back(std::log2(entry.magnitude));
  return result;
}

// Multiplies an entry of this magnitude by 2^shift, or lifts it: true.
template <class Entry>
bool scale_entry(Entry& entry, double log2_magnitude, int shift) {
  if (log2_magnitude + shift < log2_least_entry) {
    entry.value = std::exp2(log2_least_entry);
    entry.magnitude = std::exp2(log2_least_entry);
    return true;
  }
  if (shift == 0) return false;
  entry.value = ldexp(entry.value, shift);
  entry.magnitude = std::ldexp(entry.magnitude, shift);
  return false;
}

// Returns the exponent of each vertex, rows before columns.
std::vector<std::int64_t> exponents_of(const BipartiteGraph& pattern, const std::vector<double>& log2_magnitude,
                                       const RunContext& run) {
  const Scaling scaling = maximum_product_scaling(pattern, log2_magnitude, run);
  std::vector<std::int64_t> exponents(scaling.row_exponent.begin(), scaling.row_exponent.end());
  exponents.insert(exponents.end(), scaling.column_exponent.begin(), scaling.column_exponent.end());
  return exponents;
}
std::vector<std::int64_t> exponents_of(const UndirectedGraph& pattern, const std::vector<double>& log2_magnitude,
                                       const RunContext& run) {
  std::vector<double> log2_of_matrix;
  for (Vertex v = 0; v < pattern.num_vertices(); ++v) {
    for (const EdgeId edge : pattern.incident_edges(v)) log2_of_matrix.push_back(log2_magnitude[edge]);
  }
  const Scaling scaling = maximum_product_scaling(pattern.pattern().symmetric_matrix(), log2_of_matrix, run);
  std::vector<std::int64_t> exponents;
  for (Vertex v = 0; v < pattern.num_vertices(); ++v)
    exponents.push_back((std::int64_t{scaling.row_exponent[v]} + scaling.column_exponent[v]) >> 1);
  return exponents;
}

}  // namespace

Scaling maximum_product_scaling(const BipartiteGraph& graph, std::span<const double> log2_magnitude,
                                const RunContext& run) {
  if (log2_magnitude.size() != graph.num_edges()) {
    throw InputError("another number of magnitudes", "one magnitude per edge");
  }
  if (graph.num_rows() != graph.num_columns()) throw no_perfect_matching();
  Assignment assignment(graph, costs_of(log2_magnitude), run);
  assignment.solve();
  return {exponents(assignment.row_price()), exponents(assignment.column_price())};
}

AssignmentPrices assignment_prices(const BipartiteGraph& graph, std::vector<std::int64_t> costs,
                                   const RunContext& run) {
  if (costs.size() != graph.num_edges()) throw InputError("another number of costs", "one cost per edge");
  if (graph.num_rows() != graph.num_columns()) throw no_perfect_matching();
  const std::int64_t most = (std::int64_t{1} << 61) / (2 * std::int64_t{graph.num_rows()} + 1);
  for (const std::int64_t cost : costs) {
    if (cost > most || cost < -most)
      throw InputError("the cost " + std::to_string(cost), "costs whose sums fit 62 bits");
  }
  Assignment assignment(graph, std::move(costs), run);
  assignment.solve();
  return {assignment.row_price(), assignment.column_price()};
}

template <class Graph, class Entry>
EntryScaling scale_entries(const Graph& pattern, std::vector<Entry>& entries, const RunContext& run) {
  EntryScaling result;
  if constexpr (!std::is_same_v<Entry, std::int64_t>) {
    const std::vector<double> log2_magnitude = log2_magnitudes_of(entries);
    const std::vector<std::int64_t> exponents = exponents_of(pattern, log2_magnitude, run);
    for (const std::int64_t exponent : exponents) result.exponent -= exponent;
    double num_lifted = 0;
    for_each_edge(pattern, [&](Vertex u, Vertex v, EdgeId edge) {
      num_lifted += scale_entry(entries[edge], log2_magnitude[edge], static_cast<int>(exponents[u] + exponents[v]));
    });
    if (num_lifted == 0) return result;
    // Whatever stands beside a lifted entry is bounded by the product of the sums at all rows, or at all vertices.
    const std::size_t lines = std::is_same_v<Graph, BipartiteGraph> ? num_vertices(pattern) / 2 : num_vertices(pattern);
    double log2_sums = 0;
    for (Vertex v = 0; v < lines; ++v) {
      double sum = 0;
      for_each_neighbour(pattern, v, [&](Vertex, EdgeId edge) { sum += entries[edge].magnitude; });
      log2_sums += std::max(0.0, std::log2(sum)) + 1e-9;
    }
    result.log2_lost = std::log2(2 * num_lifted) + log2_least_entry + log2_sums;
  }
  return result;
}

void balance_entries(const UndirectedGraph& pattern, std::vector<RealEntry>& entries, double most_sweeps,
                     const RunContext& run) {
  // Steps are so much larger than those that make a sum 1, until none is larger than `near`. Aztec diamonds of order 50
  // to 200 are drawn in the shortest time with these: that of 200 in a twentieth of what it takes without.
  constexpr double overrelaxation = 1.7, near = 0.05;
  std::vector<double> factor(pattern.num_vertices(), 1);
  double largest = 1;
  for (double sweep = 0; sweep < most_sweeps && largest > near; ++sweep) {
    run.check();
    largest = 0;
    for (Vertex v = 0; v < pattern.num_vertices(); ++v) {
      const auto neighbours = pattern.neighbours(v);
      const auto edges = pattern.incident_edges(v);
      double sum = 0;
      for (std::size_t i = 0; i < neighbours.size(); ++i) sum += entries[edges[i]].value.hi * factor[neighbours[i]];
      const double excess = std::log2(sum * factor[v]);
      if (!std::isfinite(excess)) return;
      largest = std::max(largest, std::abs(excess));
      factor[v] *= std::exp2(-overrelaxation * excess);
    }
  }
  for_each_edge(pattern, [&](Vertex u, Vertex v, EdgeId edge) {
    const auto shift = static_cast<int>(std::lround(std::log2(factor[u])) + std::lround(std::log2(factor[v])));
    entries[edge].value = ldexp(entries[edge].value, shift);
    entries[edge].magnitude = std::ldexp(entries[edge].magnitude, shift);
  });
}

template EntryScaling scale_entries(const BipartiteGraph&, std::vector<std::int64_t>&, const RunContext&);
template EntryScaling scale_entries(const BipartiteGraph&, std::vector<RealEntry>&, const RunContext&);
template EntryScaling scale_entries(const BipartiteGraph&, std::vector<ComplexEntry>&, const RunContext&);
template EntryScaling scale_entries(const UndirectedGraph&, std::vector<std::int64_t>&, const RunContext&);
template EntryScaling scale_entries(const UndirectedGraph&, std::vector<RealEntry>&, const RunContext&);
template EntryScaling scale_entries(const UndirectedGraph&, std::vector<ComplexEntry>&, const RunContext&);

}  // namespace matchcount
