#include <algorithm>
#include <cmath>

#include "permanent/ryser/cuda/precompiled.hpp"
#include "permanent/ryser/cuda/walk_plan.hpp"
#include "permanent/ryser/ryser_gpu.hpp"
#include "permanent/ryser/subsets.hpp"

namespace matchcount {
namespace {

// A device reaches this share of its ceiling, measured on one H200 at n = 40: dense 0.87, density 0.3 to 0.5 0.83 to
// 1.02 of what the walk's cost predicts; 0.63 and 0.34 at 0.2 and 0.1, where sums take hundredths of a second.
constexpr double efficiency = 0.85;
// Starting the driver and a context; searching an order.
constexpr double start_s = 0.25, search_s = 0.2;

}  // namespace

GpuCost gpu_cost(const BipartiteGraph& pattern, const RyserPlan& plan, WeightKind kind, Precision precision,
                 double log2_bound, const std::vector<DeviceInfo>& devices) {
  // Summed on the host: there are fewer bits than a block of a kernel has.
  if (pattern.num_rows() < subsets::smallest_size)
    return {plan.operations_per_leaf, static_cast<double>(plan.bit_column.size()), start_s};
  gpu::Numbers numbers;
  const bool wide = precision == Precision::double_double || precision == Precision::automatic;
  if (kind == WeightKind::complex)
    numbers.arithmetic = precision == Precision::float64 ? gpu::Arithmetic::complex : gpu::Arithmetic::complex_double;
  else if (kind == WeightKind::real)
    numbers.arithmetic = wide ? gpu::Arithmetic::double_double : gpu::Arithmetic::real;
  else
    numbers.arithmetic = gpu::Arithmetic::exact;
  gpu::WalkMatrix matrix;
  matrix.size = pattern.num_rows();
  matrix.magnitude.assign(std::size_t{matrix.size} * matrix.size, 0);
  // Entries as large as the bound makes them on the whole.
  double log2_rows = 0;
  for (Vertex row = 0; row < matrix.size; ++row)
    log2_rows += std::log2(std::max<double>(1, static_cast<double>(pattern.row(row).size())));
  const double entry = std::exp2(std::max(0.0, (log2_bound - log2_rows) / std::max<double>(1, matrix.size)));
  for (const Edge& edge : pattern.edges())
    matrix.magnitude[std::size_t{edge.row} * matrix.size + edge.column] = std::min(entry, 0x1p62);
  if (numbers.exact()) numbers.words = static_cast<int>((log2_bound + matrix.size + 2) / 32) + 1;

  RyserPlan order = plan;
  if (order.special_column != unmatched && !numbers.has_pairs()) {
    order.bit_column.push_back(order.special_column);
    order.special_column = unmatched;
  }
  GpuCost cost;
  cost.log2_leaves = static_cast<double>(order.bit_column.size());
  cost.operations_per_leaf = std::numeric_limits<double>::infinity();
  const int most = order.variant == Method::sparyser ? 0 : std::min<int>(4, static_cast<int>(cost.log2_leaves));
  for (int bits = 0; bits <= most; ++bits)
    cost.operations_per_leaf = std::min(cost.operations_per_leaf, gpu::walk_cost(matrix, order, bits, numbers));
  const double leaves = std::exp2(cost.log2_leaves);
  const double precompiled = gpu::plan_precompiled(matrix, plan, numbers, log2_bound).operations_per_leaf;
  cost.seconds = start_s;
  if (gpu::precompiled_pays(precompiled * leaves, numbers, devices)) {
    cost.operations_per_leaf = precompiled;
    cost.seconds += gpu::precompiled_seconds(precompiled * leaves, devices);
  } else {
    cost.seconds += search_s + gpu::compile_seconds(numbers) +
                    cost.operations_per_leaf * leaves / (efficiency * operations_per_second(devices));
  }
  return cost;
}

}  // namespace matchcount
