#include "permanent/cuda/walk_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/random.hpp"

namespace matchcount::gpu {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr int max_inner_bits = 6;
// A thread has 255 registers; beyond half of them too few threads are resident to hide latencies, which costs about
// this much.
constexpr int registers_for_two_blocks = 230;
constexpr int comfortable_registers = 160;
constexpr double crowding_cost = 1.12;
// Operations that a block costs beside its own: the loop, the sign, the sums.
constexpr double block_overhead = 12;
// Operations of all programs that a search may build, about 0.1 us each.
constexpr std::size_t search_operations = 2'500'000;

bool unstaged(RyserVariant variant) { return variant == RyserVariant::ryser || variant == RyserVariant::sparyser; }

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
      if (entry == 0 && order.variant != RyserVariant::ryser) continue;
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

double walk_cost(const WalkMatrix& matrix, const RyserPlan& order, int inner_bits, const Numbers& numbers) {
  const std::vector<WalkRow> rows = walk_rows(matrix, order, inner_bits);
  const BlockProgram program(rows, inner_bits, numbers);
  const bool narrow = numbers.exact() && std::all_of(rows.begin(), rows.end(), [](const WalkRow& row) {
                        return row.bits < 30.9;
                      });
  const int row_registers = numbers.exact() ? (narrow ? 1 : 2) : 2 * numbers.components();
  const int registers = static_cast<int>(matrix.size) * row_registers + program.live_registers() + 24;
  // Rows that do not fit stay in local memory anyway; tables beside them must not.
  if (registers > std::max(registers_for_two_blocks, static_cast<int>(matrix.size) * row_registers + 70)) return infinity;

  Operation flip;
  flip.kind = Operation::Kind::flipped;
  const double flip_cost = operation_cost(flip, numbers);
  Operation multiply;
  multiply.kind = Operation::Kind::multiply;
  // Integers above the block are wide.
  const double multiply_cost = numbers.exact() ? 8 : operation_cost(multiply, numbers);
  double cost = program.cost() + block_overhead;
  const auto num_bits = static_cast<int>(order.bit_column.size());
  const int top = std::min(num_bits, inner_bits + unrolled_levels);
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

WalkPlan plan_walk(const WalkMatrix& matrix, const RyserPlan& start, const Numbers& numbers, std::uint64_t seed) {
  WalkPlan best{start, 0, infinity};
  const auto num_bits = static_cast<int>(start.bit_column.size());
  if (start.special_column != unmatched && !numbers.has_pairs()) {
    best.order.bit_column.push_back(start.special_column);
    best.order.special_column = unmatched;
    return plan_walk(matrix, best.order, numbers, seed);
  }
  if (start.variant == RyserVariant::sparyser) {
    best.operations_per_leaf = walk_cost(matrix, start, 0, numbers);
    return best;
  }
  std::size_t spent = 0;
  const auto try_order = [&](const RyserPlan& order, int inner_bits) {
    const double cost = walk_cost(matrix, order, inner_bits, numbers);
    spent += 200 + static_cast<std::size_t>((cost < infinity ? cost : 100) * std::exp2(inner_bits));
    return cost;
  };
  for (int bits = std::min(2, num_bits); bits <= std::min(max_inner_bits, num_bits); ++bits) {
    const double cost = try_order(start, bits);
    if (cost < best.operations_per_leaf) best = {start, bits, cost};
  }
  if (start.variant != RyserVariant::staged || num_bits < 4) return best;

  // Annealing over everything at once. Only low positions matter much.
  WalkPlan current = best;
  Random random(seed, 7);
  while (spent < search_operations) {
    const double heat = 0.04 * (1 - static_cast<double>(spent) / static_cast<double>(search_operations));
    WalkPlan next = current;
    auto& columns = next.order.bit_column;
    const auto low = static_cast<std::size_t>(random.below(
        static_cast<std::uint64_t>(std::min(num_bits, current.inner_bits + unrolled_levels))));
    const auto any = static_cast<std::size_t>(random.below(static_cast<std::uint64_t>(num_bits)));
    switch (random.below(8)) {
      case 0:
        if (next.order.special_column != unmatched) std::swap(next.order.special_column, columns[any]);
        break;
      case 1:
        std::swap(next.order.fixed_column, columns[low]);
        break;
      case 2:
        next.inner_bits = std::clamp(next.inner_bits + (random.below(2) ? 1 : -1), 1, std::min(max_inner_bits, num_bits));
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
    next.operations_per_leaf = try_order(next.order, next.inner_bits);
    const double rise = next.operations_per_leaf / current.operations_per_leaf - 1;
    if (rise <= 0 || random.uniform() < std::exp(-rise / heat)) current = next;
    if (current.operations_per_leaf < best.operations_per_leaf) best = current;
  }
  return best;
}

}  // namespace matchcount::gpu
