#include "permanent/ryser/cuda/walk_plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/numbers/infinity.hpp"
#include "core/parallel.hpp"
#include "core/random.hpp"
#include "permanent/ryser/costs.hpp"

namespace matchcount::gpu {
namespace {

constexpr int max_inner_bits = 6;
// A thread has 255 registers; beyond half of them too few threads are resident to hide latencies, which costs about
// this much.
constexpr int registers_for_two_blocks = 230;
constexpr int comfortable_registers = 160;
constexpr double crowding_cost = 1.12;
// Operations that a block costs beside its own: the loop, the sign, the sums.
constexpr double block_overhead = 12;
// Operations for every word of a wide integer: its product with the rows above the block, and its sum.
constexpr double block_overhead_of_word = 10;
// Searches side by side, the best of which is taken. Each may build programs of so many operations, about 0.04 us each:
// some hundredths of the time that the sum will take.
constexpr std::size_t num_searches = 8;
constexpr double budget_per_second = 6e6, least_budget = 1e5, greatest_budget = 4e6;
constexpr double highest_heat = 0.04;

bool unstaged(Method variant) { return variant == Method::ryser || variant == Method::sparyser; }

// Anneals over everything at once, or over the places of the first `free_bits` columns; only low positions matter much.
// Ends when it has built programs of so many operations in all.
WalkPlan anneal(const WalkMatrix& matrix, const WalkPlan& start, const Numbers& numbers, int free_bits, double budget,
                Random random) {
  const auto num_bits = static_cast<int>(start.order.bit_column.size());
  WalkPlan best = start, current = start;
  for (double spent = 0; spent < budget;) {
    WalkPlan next = current;
    auto& columns = next.order.bit_column;
    const auto low = static_cast<std::size_t>(
        random.below(static_cast<std::uint64_t>(std::min(free_bits, current.inner_bits + unrolled_levels))));
    const auto any = static_cast<std::size_t>(random.below(static_cast<std::uint64_t>(free_bits)));
    const bool all_free = free_bits == num_bits;
    switch (all_free ? random.below(8) : 2 + random.below(6)) {
      case 0:
        if (next.order.special_column != unmatched) std::swap(next.order.special_column, columns[any]);
        break;
      case 1:
        std::swap(next.order.fixed_column, columns[low]);
        break;
      case 2:
        next.inner_bits =
            std::clamp(next.inner_bits + (random.below(2) ? 1 : -1), 1, std::min(max_inner_bits, num_bits));
        break;
      case 3: {
        const Vertex column = columns[any];
        columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(any));
        columns.insert(columns.begin() + static_cast<std::ptrdiff_t>(low), column);
        break;
      }
      default:
        std::swap(columns[low], columns[any]);
    }
    next.operations_per_leaf = walk_cost(matrix, next.order, next.inner_bits, numbers);
    spent += 200 + std::min(next.operations_per_leaf, 100.0) * std::exp2(next.inner_bits);
    const double heat = highest_heat * (1 - spent / budget);
    const double rise = next.operations_per_leaf / current.operations_per_leaf - 1;
    if (rise <= 0 || random.uniform() < std::exp(-rise / heat)) current = std::move(next);
    if (current.operations_per_leaf < best.operations_per_leaf) best = current;
  }
  return best;
}

}  // namespace

std::vector<WalkRow> walk_rows(const WalkMatrix& matrix, const RyserPlan& order, int inner_bits) {
  const auto n = matrix.size;
  std::vector<WalkRow> rows(n);
  const auto num_bits = static_cast<int>(order.bit_column.size());
  for (Vertex i = 0; i < n; ++i) {
    WalkRow& row = rows[i];
    row.stage = num_bits;
    double sum = matrix.at(i, order.fixed_column, order.transposed);
    for (int bit = num_bits - 1; bit >= 0; --bit) {
      const double entry = matrix.at(i, order.bit_column[static_cast<std::size_t>(bit)], order.transposed);
      sum += entry;
      if (entry == 0 && order.variant != Method::ryser) continue;
      row.stage = bit;
      if (bit < inner_bits) row.mask |= 1u << bit;
    }
    if (unstaged(order.variant)) {
      row.stage = 0;
      row.mask = (1u << inner_bits) - 1;
    }
    row.bits = std::log2(std::max(sum, 1.0)) + 1e-9;
    if (order.special_column != unmatched) {
      const double entry = matrix.at(i, order.special_column, order.transposed);
      row.special = entry != 0;
      row.special_bits = std::log2(std::max(entry, 1.0)) + 1e-9;
    }
  }
  return rows;
}

int top_level(const WalkMatrix& matrix, const RyserPlan& order, int inner_bits) {
  const auto num_bits = static_cast<int>(order.bit_column.size());
  int level = inner_bits;
  while (level < std::min(num_bits, inner_bits + unrolled_levels)) {
    Vertex touched = 0;
    for (Vertex row = 0; row < matrix.size; ++row)
      touched += matrix.at(row, order.bit_column[static_cast<std::size_t>(level)], order.transposed) != 0;
    if (2 * touched > matrix.size + 4) break;
    ++level;
  }
  return level;
}

double walk_cost(const WalkMatrix& matrix, const RyserPlan& order, int inner_bits, const Numbers& numbers) {
  const std::vector<WalkRow> rows = walk_rows(matrix, order, inner_bits);
  const BlockProgram program(rows, inner_bits, numbers);
  const bool narrow =
      numbers.exact() && std::all_of(rows.begin(), rows.end(), [](const WalkRow& row) { return row.bits < 30.9; });
  const int row_registers = numbers.exact() ? (narrow ? 1 : 2) : 2 * numbers.components();
  const int registers = static_cast<int>(matrix.size) * row_registers + program.live_registers() + 24;
  // Rows that do not fit stay in local memory anyway; tables beside them must not.
  if (registers > std::max(registers_for_two_blocks, static_cast<int>(matrix.size) * row_registers + 70))
    return infinity;

  const double flip_cost = operation_cost({.kind = Operation::Kind::flipped}, numbers);
  // Integers above the block are wide.
  const double multiply_cost = numbers.exact() ? 8 : operation_cost({.kind = Operation::Kind::multiply}, numbers);
  double cost = program.cost() + block_overhead + (numbers.exact() ? block_overhead_of_word * numbers.words : 0);
  const int top = top_level(matrix, order, inner_bits);
  double often = 1;
  for (int bit = inner_bits; bit < top; ++bit) {
    double touched = 0, multiplied = 0;
    for (Vertex i = 0; i < matrix.size; ++i) {
      if (matrix.at(i, order.bit_column[static_cast<std::size_t>(bit)], order.transposed) != 0) ++touched;
      if (rows[i].stage == bit) multiplied += rows[i].special ? 2 : 1.3;
    }
    cost += often * (0.5 * touched * flip_cost + multiplied * multiply_cost);
    often *= 0.5;
  }
  double above = 0;
  for (const WalkRow& row : rows) above += row.stage >= top ? (row.special ? 2 : 1.3) : 0;
  cost += often * (static_cast<double>(matrix.size) * 1.5 * flip_cost + above);
  cost /= std::exp2(inner_bits);
  return registers > comfortable_registers ? cost * crowding_cost : cost;
}

WalkPlan plan_walk(const WalkMatrix& matrix, const RyserPlan& start, const Numbers& numbers, std::uint64_t seed,
                   int num_threads) {
  RyserPlan order = start;
  if (start.special_column != unmatched && !numbers.has_pairs()) {
    order.bit_column.push_back(start.special_column);
    order.special_column = unmatched;
  }
  return plan_walk_within(matrix, order, numbers, seed, num_threads, static_cast<int>(order.bit_column.size()));
}

WalkPlan plan_walk_within(const WalkMatrix& matrix, const RyserPlan& start, const Numbers& numbers, std::uint64_t seed,
                          int num_threads, int free_bits) {
  WalkPlan best{start, 0, infinity};
  const auto num_bits = static_cast<int>(start.bit_column.size());
  if (start.variant == Method::sparyser) {
    best.operations_per_leaf = walk_cost(matrix, start, 0, numbers);
    return best;
  }
  for (int bits = 0; bits <= std::min(max_inner_bits, num_bits); ++bits) {
    const double cost = walk_cost(matrix, start, bits, numbers);
    if (cost < best.operations_per_leaf) best = {start, bits, cost};
  }
  const bool full = std::find(matrix.magnitude.begin(), matrix.magnitude.end(), 0.0) == matrix.magnitude.end();
  if (start.variant != Method::staged || num_bits < 4 || full) return best;

  const double seconds = best.operations_per_leaf * std::exp2(num_bits) / ryser_costs::gpu::operations_per_s;
  const double budget = std::clamp(seconds * budget_per_second, least_budget, greatest_budget);
  std::array<WalkPlan, num_searches> found;
  parallel_for_chunks(num_threads, num_searches, [&](std::uint64_t i, int) {
    found[i] = anneal(matrix, best, numbers, free_bits, budget, Random(seed, i));
  });
  return *std::min_element(found.begin(), found.end(), [](const WalkPlan& a, const WalkPlan& b) {
    return a.operations_per_leaf < b.operations_per_leaf;
  });
}

}  // namespace matchcount::gpu
