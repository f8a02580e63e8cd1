// The order of the walk. The cost of a leaf is
//   sum over bits m of (rows touched by m / 2 + rows of stage m) / 2^m,
// rows of the special column counting twice in the second part: bit m switches once in 2^(m+1) leaves and touches a row
// sum each time, and a row of stage m is multiplied in once in 2^m leaves. Only the lowest bits matter, so a greedy
// choice from the low bits up comes close, and swapping and moving columns for a few milliseconds mends the rest. Rows
// are bits of a 64-bit word here, so that a cost is n population counts.

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/random.hpp"
#include "permanent/ryser.hpp"

namespace matchcount {
namespace {

constexpr Vertex largest_planned = 64;     // rows in a word
constexpr int refined_candidates = 8;      // special columns that are tried further, of the best greedy orders
constexpr int moves_per_candidate = 3000;  // about 1 ms in all at n = 40

struct Candidate {
  bool transposed = false;
  Vertex special = unmatched;
  std::vector<Vertex> order;  // low bits first, the fixed column last
  double cost = std::numeric_limits<double>::infinity();
};

// Columns as sets of rows, of one orientation.
using Columns = std::vector<std::uint64_t>;

double rows_multiplied(std::uint64_t rows, std::uint64_t special_rows) {
  return std::popcount(rows) + std::popcount(rows & special_rows);
}

// What a leaf costs; the last column of the order is fixed, but its rows have a stage if nothing else gives them one.
double leaf_cost(const Columns& columns, std::uint64_t special_rows, const std::vector<Vertex>& order) {
  double cost = 0, weight = 1;
  std::uint64_t seen = 0;
  for (std::size_t m = 0; m + 1 < order.size(); ++m) {
    const std::uint64_t rows = columns[order[m]];
    cost += weight * (0.5 * std::popcount(rows) + rows_multiplied(rows & ~seen, special_rows));
    seen |= rows;
    weight *= 0.5;
  }
  return cost;
}

std::vector<Vertex> greedy_order(const Columns& columns, Vertex special, std::uint64_t special_rows) {
  std::vector<Vertex> order;
  for (Vertex column = 0; column < columns.size(); ++column) {
    if (column != special) order.push_back(column);
  }
  std::uint64_t seen = 0;
  for (std::size_t m = 0; m + 1 < order.size(); ++m) {
    std::size_t best = m;
    double best_cost = std::numeric_limits<double>::infinity();
    for (std::size_t i = m; i < order.size(); ++i) {
      const std::uint64_t rows = columns[order[i]];
      const double cost = 0.5 * std::popcount(rows) + rows_multiplied(rows & ~seen, special_rows);
      if (cost < best_cost) {
        best_cost = cost;
        best = i;
      }
    }
    std::swap(order[m], order[best]);
    seen |= columns[order[m]];
  }
  return order;
}

// Swaps and moves that lower the cost, half of them among the lowest bits.
void refine(const Columns& columns, Candidate& candidate, Random& random) {
  const std::size_t size = candidate.order.size();
  if (size < 3) return;
  const std::uint64_t special_rows = candidate.special == unmatched ? 0 : columns[candidate.special];
  std::vector<Vertex> order = candidate.order;
  for (int move = 0; move < moves_per_candidate; ++move) {
    const std::size_t to = random.below(std::min<std::size_t>(size, 10));
    const std::size_t from = random.below(size);
    if (from == to) continue;
    order = candidate.order;
    if (move % 2 == 0) {
      std::swap(order[from], order[to]);
    } else {
      const auto begin = order.begin();
      if (from > to)
        std::rotate(begin + static_cast<std::ptrdiff_t>(to), begin + static_cast<std::ptrdiff_t>(from),
                    begin + static_cast<std::ptrdiff_t>(from) + 1);
      else
        std::rotate(begin + static_cast<std::ptrdiff_t>(from), begin + static_cast<std::ptrdiff_t>(from) + 1,
                    begin + static_cast<std::ptrdiff_t>(to) + 1);
    }
    const double cost = leaf_cost(columns, special_rows, order);
    if (cost <= candidate.cost) {
      candidate.cost = cost;
      candidate.order.swap(order);
    }
  }
}

Columns columns_of(const BipartiteGraph& pattern, bool transposed) {
  Columns columns(transposed ? pattern.num_rows() : pattern.num_columns(), 0);
  for (Vertex column = 0; column < columns.size(); ++column) {
    for (const Vertex row : transposed ? pattern.row(column) : pattern.column(column)) {
      columns[column] |= std::uint64_t{1} << row;
    }
  }
  return columns;
}

Candidate best_candidate(const BipartiteGraph& pattern, std::uint64_t seed) {
  std::vector<Candidate> candidates;
  const Columns sides[2] = {columns_of(pattern, false), columns_of(pattern, true)};
  for (const bool transposed : {false, true}) {
    const Columns& columns = sides[transposed];
    for (Vertex special = 0; special < columns.size(); ++special) {
      Candidate candidate{transposed, special, greedy_order(columns, special, columns[special]), 0};
      candidate.cost = leaf_cost(columns, columns[special], candidate.order);
      candidates.push_back(std::move(candidate));
    }
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
  if (candidates.size() > refined_candidates) candidates.resize(refined_candidates);
  std::uint64_t stream = 0;
  for (Candidate& candidate : candidates) {
    Random random(seed, stream++);
    refine(sides[candidate.transposed], candidate, random);
  }
  return *std::min_element(candidates.begin(), candidates.end(),
                           [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
}

}  // namespace

RyserPlan plan_ryser(const BipartiteGraph& pattern, RyserVariant variant, std::uint64_t seed) {
  const Vertex n = pattern.num_columns();
  RyserPlan plan;
  plan.variant = variant == RyserVariant::automatic ? RyserVariant::staged : variant;
  Candidate chosen;
  const bool planned = n <= largest_planned && pattern.num_rows() == n;
  if (plan.variant == RyserVariant::staged && planned && n >= 2) {
    chosen = best_candidate(pattern, seed);
  } else {
    chosen.order.resize(n);
    std::iota(chosen.order.begin(), chosen.order.end(), Vertex{0});
    if (plan.variant == RyserVariant::skipper && planned && n >= 2) {
      const Columns columns = columns_of(pattern, false);
      chosen.order = greedy_order(columns, unmatched, 0);
      chosen.cost = leaf_cost(columns, 0, chosen.order);
      Random random(seed);
      refine(columns, chosen, random);
    } else {
      // As published: every subset adds a column to n row sums and multiplies them. Also the upper bound for sizes
      // beyond.
      chosen.cost = 2.0 * n;
    }
  }
  plan.transposed = chosen.transposed;
  plan.special_column = chosen.special;
  plan.operations_per_leaf = chosen.cost;
  if (!chosen.order.empty()) {
    plan.fixed_column = chosen.order.back();
    chosen.order.pop_back();
  }
  plan.bit_column = std::move(chosen.order);
  plan.log2_leaves = static_cast<double>(plan.bit_column.size());
  const auto num_bits = static_cast<Vertex>(plan.bit_column.size());
  plan.stage_of_row.assign(plan.transposed ? pattern.num_columns() : pattern.num_rows(), num_bits);
  for (Vertex bit = num_bits; bit-- > 0;) {
    const Vertex column = plan.bit_column[bit];
    for (const Vertex row : plan.transposed ? pattern.row(column) : pattern.column(column))
      plan.stage_of_row[row] = bit;
  }
  return plan;
}

}  // namespace matchcount
