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
#include "permanent/ryser/costs.hpp"
#include "permanent/ryser/ryser.hpp"
#include "permanent/ryser/subsets.hpp"

namespace matchcount {
namespace {

constexpr Vertex largest_planned = 64;     // rows in a word
constexpr int refined_candidates = 8;      // special columns that are tried further, of the best greedy orders
constexpr int moves_per_candidate = 3000;  // about 1 ms in all at n = 40
// A move costs about as much as a thousand operations of a walk: refining all candidates takes a fifth of the walk at
// the most.
constexpr double moves_of_operation = 0.2 / 1000 / refined_candidates;
// A prediction skips nothing in walks of fewer bits: they are over before their skipping could be estimated.
constexpr std::size_t fewest_bits_estimated = 15;

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

// Returns the cost of a leaf; the last column of the order is fixed, but its rows have a stage if nothing else gives
// them one.
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

// The same of sparyser: rows that no low bit touches are multiplied at each block, if it is reached, with the others.
double unstaged_cost(const Columns& columns, const std::vector<Vertex>& order, double reached) {
  constexpr std::size_t block_bits = 3;
  double cost = 0, weight = 1;
  std::uint64_t seen = 0;
  for (std::size_t m = 0; m + 1 < order.size(); ++m) {
    const std::uint64_t rows = columns[order[m]];
    cost += weight * 0.5 * std::popcount(rows);
    if (m < block_bits) cost += weight * reached * std::popcount(rows & ~seen);
    if (m < block_bits) seen |= rows;
    weight *= 0.5;
  }
  return cost + static_cast<double>(columns.size() - static_cast<std::size_t>(std::popcount(seen))) / 8;
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
  const double operations = std::ldexp(candidate.cost, static_cast<int>(size) - 1);
  const int moves = static_cast<int>(std::min<double>(moves_per_candidate, operations * moves_of_operation));
  for (int move = 0; move < moves; ++move) {
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
  // A full matrix has equally good candidates, and one that is too small for a walk needs none.
  const std::size_t n = pattern.num_rows();
  const bool any_will_do = pattern.num_edges() == n * n || n < subsets::smallest_size;
  for (const bool transposed : {false, true}) {
    const Columns& columns = sides[transposed];
    for (Vertex special = 0; special < columns.size(); ++special) {
      if (any_will_do && !candidates.empty()) break;
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
    if (any_will_do) break;
    Random random(seed, stream++);
    refine(sides[candidate.transposed], candidate, random);
  }
  return *std::min_element(candidates.begin(), candidates.end(),
                           [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
}

// Estimates how often a walk reaches each level, from random signs above it. All ones: a row is zero when half of its
// columns have each sign. A common row kills the subtree, and so do two rows of the special column, where all eight
// lanes agree.
void estimate_skipping(const Columns& columns, RyserPlan& plan, std::uint64_t seed) {
  constexpr int num_samples = 512;
  const std::size_t num_bits = plan.bit_column.size();
  if (num_bits < fewest_bits_estimated) return;
  const std::size_t n = columns.size();
  const std::uint64_t special_rows = plan.special_column == unmatched ? 0 : columns[plan.special_column];
  struct Row {
    std::uint64_t bits;  // that touch it; the fixed column is bit num_bits
    Vertex stage;
    bool special;
  };
  std::vector<Row> rows(n);
  for (std::size_t r = 0; r < n; ++r) {
    rows[r] = {0, plan.stage_of_row[r], (special_rows >> r & 1) != 0};
    for (std::size_t bit = 0; bit < num_bits; ++bit) rows[r].bits |= (columns[plan.bit_column[bit]] >> r & 1) << bit;
    rows[r].bits |= (columns[plan.fixed_column] >> r & 1) << num_bits;
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.stage > b.stage; });
  std::vector<double> reached(num_bits + 1, 0);  // samples in which no level above this one is dead
  Random random(seed, 1'000'000);
  for (int sample = 0; sample < num_samples; ++sample) {
    const std::uint64_t signs = random() | std::uint64_t{1} << num_bits;
    Vertex dead = static_cast<Vertex>(num_bits);  // the level from which all lanes are dead
    for (std::uint64_t lane = 0; lane < 8 && dead > 0; ++lane) {
      const std::uint64_t set = (signs & ~(std::uint64_t{7} << (num_bits - 3))) | lane << (num_bits - 3);
      bool one_zero = false;
      Vertex lane_dead = 0;
      for (const Row& row : rows) {
        if (2 * std::popcount(row.bits & set) != std::popcount(row.bits)) continue;
        if (row.special && !one_zero) {
          one_zero = true;
          continue;
        }
        lane_dead = row.stage;
        break;
      }
      dead = std::min(dead, lane_dead);
    }
    // Kernels unroll the lowest bits, so that nothing is skipped there.
    if (dead < 3) dead = 0;
    for (std::size_t level = dead; level <= num_bits; ++level) reached[level] += 1.0 / num_samples;
  }
  // Half a sample more than seen, so that nothing is predicted to be free.
  for (double& share : reached) share = std::min(1.0, share + 0.5 / num_samples);
  plan.visited_leaves = reached[0];
  if (plan.variant == Method::sparyser) {
    std::vector<Vertex> order = plan.bit_column;
    order.push_back(plan.fixed_column);
    plan.operations_with_skipping = unstaged_cost(columns, order, reached[0]);
    return;
  }
  double cost = 0, weight = 1;
  std::uint64_t seen = 0;
  for (std::size_t m = 0; m < num_bits; ++m) {
    const std::uint64_t touched = columns[plan.bit_column[m]];
    cost += weight * reached[m] * (0.5 * std::popcount(touched) + rows_multiplied(touched & ~seen, special_rows));
    seen |= touched;
    weight *= 0.5;
  }
  plan.operations_with_skipping = cost;
}

}  // namespace

double ryser_seconds(const RyserPlan& plan, WeightKind kind, Precision precision, int num_primes, Isa isa,
                     int num_threads) {
  namespace costs = ryser_costs;
  const auto i = static_cast<std::size_t>(isa);
  double nanoseconds = 0;
  if (kind == WeightKind::real || kind == WeightKind::complex) {
    const bool in_double =
        precision == Precision::float64 || (precision == Precision::compensated && kind == WeightKind::real);
    const costs::Leaf& cost = kind == WeightKind::real ? (in_double ? costs::real[i] : costs::double_double[i])
                                                       : (in_double ? costs::complex[i] : costs::complex_double[i]);
    nanoseconds = cost.operation * plan.operations_per_leaf + cost.leaf;
  } else if (50.0 * num_primes > 45.0 * static_cast<double>(plan.stage_of_row.size()) + 60) {
    // Rows beyond 2^50: residues throughout.
    nanoseconds = costs::modular[i] * plan.operations_per_leaf * num_primes;
  } else {
    // Four primes a pass; as many groups of rows as primes, about, the first of which needs no residues.
    const double passes = std::ceil(num_primes / 4.0);
    nanoseconds = passes * costs::exact[i].operation * plan.operations_with_skipping +
                  plan.visited_leaves * (passes * costs::exact[i].leaf + costs::residue[i] * num_primes * num_primes);
  }
  return 1e-9 * nanoseconds * std::exp2(plan.log2_leaves) / (0.95 * num_threads + 0.05) + costs::sum_s;
}

RyserPlan plan_ryser(const BipartiteGraph& pattern, Method variant, std::uint64_t seed) {
  const Vertex n = pattern.num_columns();
  RyserPlan plan;
  plan.variant = variant == Method::automatic ? Method::staged : variant;
  Candidate chosen;
  const bool planned = n <= largest_planned && pattern.num_rows() == n;
  if (plan.variant == Method::staged && planned && n >= 2) {
    chosen = best_candidate(pattern, seed);
  } else {
    chosen.order.resize(n);
    std::iota(chosen.order.begin(), chosen.order.end(), Vertex{0});
    if (plan.variant == Method::skipper && planned && n >= 2) {
      const Columns columns = columns_of(pattern, false);
      chosen.order = greedy_order(columns, unmatched, 0);
      chosen.cost = leaf_cost(columns, 0, chosen.order);
      Random random(seed);
      refine(columns, chosen, random);
    } else {
      // Published: every subset adds a column to n row sums and multiplies them. Also the upper bound for sizes
      // beyond.
      chosen.cost = 2.0 * n;
      if (plan.variant == Method::sparyser && planned) {
        const Columns columns = columns_of(pattern, false);
        std::stable_sort(chosen.order.begin(), chosen.order.end(),
                         [&](Vertex a, Vertex b) { return std::popcount(columns[a]) < std::popcount(columns[b]); });
        chosen.cost = unstaged_cost(columns, chosen.order, 1);
      }
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
  if (plan.variant == Method::sparyser) {
    for (Vertex& stage : plan.stage_of_row) stage = std::min<Vertex>(stage, 3);
  }
  plan.operations_with_skipping = plan.operations_per_leaf;
  if (plan.variant != Method::ryser && planned) {
    estimate_skipping(columns_of(pattern, plan.transposed), plan, seed);
  }
  return plan;
}

}  // namespace matchcount
