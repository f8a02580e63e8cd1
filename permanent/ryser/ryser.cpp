// Surrounds the inner loops: the numbers that go in, the residues or real sums that come out, and the error bound.
//
// Signs instead of sets: with every column's sign d_j = +-1, the fixed column's +1, N the number of other columns
// outside the special one,
//   perm(A) = 2^-N sum over d of (prod_j d_j) F1(x(d)),   x_i(d) = sum_{j != c} d_j a_ij,
//   F1(x) = sum_i a_ic prod_{k != i} x_k   (without a special column c: prod_k x_k).
// These are twice the row sums of Nijenhuis and Wilf, so integers stay integers; 2^-N is exact modulo odd primes.
//
// The error bound for reals. Each row is scaled by a power of two to R_i = sum_{j != c} |a_ij| in [1/2, 1), or, where
// that is tame, by 1 / a_ic. Its entries are then rounded to multiples of 2^-53 (double-double: high parts so, low
// parts to multiples of 2^-101) times the power of two above R_i, so that every sum of them with any signs is exact. No
// error builds up along the walk; what is left is
//   (1) the entries: |a*_ij - a_ij| <= D_ij, known: the rounding that was made, plus what the input is uncertain by;
//   (2) the roundings of products, at most `depth` of them between a row sum and a block's sum, each at most u relative
//   to the
//       magnitudes that are multiplied and added (u = 2^-53; 2^-102 for double-double; 4 times that for complex);
//   (3) the sums over blocks, chunks and lanes.
// Beside each product the kernel carries Y = prod_i y_i, y_i = max(|x_i|, f_i), with the floor f_i a quarter of the
// root of sum_j a_ij^2, which is what x_i is over random signs; this costs little of Y and makes an error of x_i small
// against y_i: e_i = sum_{j != c} D_ij / f_i. Every monomial of F1 is |a_ic| prod_{k != i} |x_k| <= (|a_ic| / f_i) Y,
// so with K = sum_i |a_ic| / f_i, K' = sum_i D_ic / f_i (1 and 0 without a special column) the leaf's true and computed
// terms differ by
//   at most Y (prod_i (1 + e_i) ((1 + u)^depth K + K') - K).
// Sums of it over all leaves give the bound. (3) is at most 2^-80 Y K for sums by two_sum; three levels of
// double-double sums add 400 to the depth. Underflow is below all of this: Y >= 2^-372, since f_i >= 2^-6, and a
// product that underflows errs by at most 2^-1074. Skipped subtrees have Y at most the node's Y times 2^bits prod R_i:
// such terms are computed as 0, as they are without skipping, and belong to the same bound. To keep that sharp, reals
// skip only where the entries are exact to 2^-80 (integers and short binary fractions), where their e_i is tiny.

#include "permanent/ryser/ryser.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "core/cpu/dispatch.hpp"
#include "core/error.hpp"
#include "core/numbers/infinity.hpp"
#include "core/numbers/residue.hpp"
#include "permanent/residue_sum.hpp"
#include "permanent/ryser/cpu/ryser_program.hpp"
#include "permanent/ryser/exact_cells.hpp"
#include "permanent/ryser/subsets.hpp"

namespace matchcount {
namespace {

namespace kernel = ryser_kernel;
using namespace subsets;

// Keeps products of rows near 1, so that underflow stays below the error bound.
constexpr double log2_ratio = 10;

// ---- Exact.

// Entries and bounds as they are; row_bound above 2^50 means that the exact arithmetic does not apply.
kernel::Coefficients exact_coefficients(const Block<std::int64_t>& block, const RyserPlan& plan) {
  const Vertex n = block.pattern.num_rows();
  kernel::Coefficients c;
  c.row_bound.assign(n, 0);
  c.special_bound.assign(n, 0);
  c.skip_zeros = true;
  c.exact = true;
  c.unit_special = true;
  const std::vector<Edge> edges = block.pattern.edges();
  for (EdgeId id = 0; id < edges.size(); ++id) {
    const auto value = static_cast<double>(block.entries[id]);
    c.value.push_back(value);
    if (in_special_column(plan, edges[id])) {
      c.special_bound[plan_row(plan, edges[id])] = std::fabs(value);
      c.unit_special = c.unit_special && value == 1;
    } else {
      c.row_bound[plan_row(plan, edges[id])] += std::fabs(value);
    }
  }
  return c;
}

constexpr int log2_lanes = 3;
static_assert(1 << log2_lanes == kernel::num_lanes);

// Sums over chunks modulo primes, as many in a pass as the kernels carry.
class ExactSum {
 public:
  ExactSum(const Block<std::int64_t>& block, const RyserPlan& plan, std::vector<std::uint64_t> primes, Isa max_isa,
           int most_walk_bits)
      : primes_(std::move(primes)) {
    const kernel::Kernels& kernels = kernels_for<kernel::Kernels>(max_isa);
    kernel::Coefficients coefficients = exact_coefficients(block, plan);
    const auto too_large = [](double bound) { return bound > 0x1p50; };
    const bool modular = std::any_of(coefficients.row_bound.begin(), coefficients.row_bound.end(), too_large) ||
                         std::any_of(coefficients.special_bound.begin(), coefficients.special_bound.end(), too_large);
    const std::size_t num_primes = primes_.size(), per_pass = modular ? 1 : kernel::max_primes;
    const std::size_t num_passes = (num_primes + per_pass - 1) / per_pass;
    const int unit = coefficients.unit_special ? 1 : 0;
    for (std::size_t pass = 0; pass < num_passes; ++pass) {
      const std::size_t first = num_primes * pass / num_passes;
      const std::size_t count = num_primes * (pass + 1) / num_passes - first;
      if (modular) {
        coefficients.exact = false;
        coefficients.modulus = static_cast<double>(primes_[first]);
        for (std::size_t i = 0; i < block.entries.size(); ++i)
          coefficients.value[i] = balanced_residue(block.entries[i], primes_[first]);
      }
      auto built =
          std::make_unique<kernel::BuiltProgram>(block.pattern, plan, coefficients, kernels.block_bits, most_walk_bits);
      built->set_primes(primes_.data() + first, static_cast<int>(count));
      passes_.push_back({std::move(built),
                         modular ? kernels.field[static_cast<int>(kernel::Arithmetic::modular)][unit]
                                 : kernels.exact[count - 1][unit],
                         first, count});
    }
  }

  // The same in all passes.
  int walk_bits() const { return passes_.front().program->program().walk_bits; }

  void add_chunk(std::uint64_t chunk, std::vector<std::uint64_t>& residues) const {
    for (const Pass& pass : passes_) {
      kernel::ChunkSum sum;
      pass.program->sum_chunk(pass.kernel, chunk, sum);
      for (std::size_t k = 0; k < pass.num_primes; ++k) {
        const std::uint64_t prime = primes_[pass.first_prime + k];
        std::uint64_t& residue = residues[pass.first_prime + k];
        for (const double lane : sum.residue[k])
          residue = (residue + residue_of(static_cast<std::int64_t>(lane), prime)) % prime;
      }
    }
  }

 private:
  struct Pass {
    std::unique_ptr<kernel::BuiltProgram> program;
    kernel::ChunkKernel kernel;
    std::size_t first_prime, num_primes;
  };
  std::vector<std::uint64_t> primes_;
  std::vector<Pass> passes_;
};

// The order of the subsets and how they fall into chunks: what a partial sum is of.
void describe(const RyserPlan& plan, const kernel::BuiltProgram& built, Job& job) {
  Hash hash;
  hash.add(static_cast<std::uint64_t>(plan.transposed));
  hash.add(plan.special_column);
  hash.add(plan.fixed_column);
  hash.add_all(plan.bit_column);
  job.description += ", order " + hash.hex().substr(0, 16) + ", chunks of 2^" +
                     std::to_string(built.program().walk_bits + 3) + " subsets";
}

// ---- Reals and complex numbers.

// RowErrors holds the terms of the error bound on top that concern all rows.
struct RowErrors {
  double product = 0;         // prod (1 + e_i) - 1
  double special_weight = 1;  // K
  double special = 0;         // K'
};

// The floors f_i go to the coefficients.
RowErrors add_floors(const ScaledEntries& scaled, bool has_special, kernel::Coefficients& c) {
  RowErrors errors;
  errors.special_weight = has_special ? 0 : 1;
  double log_product = 0;
  for (std::size_t row = 0; row < scaled.row_rms.size(); ++row) {
    double floor = scaled.row_rms[row] / 4;
    if (floor == 0) floor = std::max(scaled.special_bound[row], 0x1p-6);
    c.floor.push_back(floor);
    log_product += std::log1p(scaled.row_error[row] / floor);
    errors.special_weight += scaled.special_bound[row] / floor;
    errors.special += scaled.special_error[row] / floor;
  }
  errors.product = std::expm1(log_product);
  return errors;
}

template <class Entry>
Sum sum_reals(const Block<Entry>& block, const RyserPlan& given, Precision precision, const RunContext& run) {
  constexpr bool is_complex = std::is_same_v<Entry, ComplexEntry>;
  require_square(block.pattern, block.entries.size());
  if (block.pattern.num_rows() < smallest_size) return small_sum(block);
  if (has_empty_line(block.pattern)) return {};
  require_plan(block.pattern, given);
  const RyserPlan plan = tame_plan(block, given);
  const bool double_double = precision == Precision::double_double || precision == Precision::automatic ||
                             (is_complex && precision == Precision::compensated);
  const ScaledEntries scaled = scale_entries(block, plan, double_double, log2_ratio);
  kernel::Coefficients coefficients;
  coefficients.components = scaled.components;
  coefficients.value = scaled.value;
  coefficients.row_bound = scaled.row_bound;
  coefficients.special_bound = scaled.special_bound;
  coefficients.unit_special = scaled.unit_special;
  coefficients.skip_zeros = scaled.exact_zeros;
  const RowErrors errors = add_floors(scaled, plan.special_column != unmatched, coefficients);
  const kernel::Kernels& kernels = kernels_for<kernel::Kernels>(run.options().max_isa);
  const auto arithmetic = is_complex
                              ? (double_double ? kernel::Arithmetic::complex_double : kernel::Arithmetic::complex)
                          : double_double                       ? kernel::Arithmetic::double_double
                          : precision == Precision::compensated ? kernel::Arithmetic::compensated
                                                                : kernel::Arithmetic::real;
  const kernel::BuiltProgram built(block.pattern, plan, coefficients, kernels.block_bits);
  const kernel::ChunkKernel chunk_kernel =
      kernels.field[static_cast<int>(arithmetic)][coefficients.unit_special ? 1 : 0];
  Job job;
  job.name = run.part();
  job.description = std::string(name_of(arithmetic)) + " on the CPU, vectors of " +
                    std::to_string(1 << kernels.block_bits) + " subsets";
  describe(plan, built, job);
  job.merge = added_records<Partial>;
  job.num_pieces = built.num_chunks();
  const Partial sum = from_bytes<Partial>(kernel::sum_pieces(job, plan, run, [&](std::uint64_t piece) {
    kernel::ChunkSum s;
    built.sum_chunk(chunk_kernel, piece, s);
    Partial chunk;
    for (std::size_t lane = 0; lane < kernel::num_lanes; ++lane) {
      chunk.re += two_sum(s.value[0][lane], s.value[1][lane]);
      chunk.im += two_sum(s.value[2][lane], s.value[3][lane]);
      chunk.magnitude += s.magnitude[lane];
      chunk.skipped += s.skipped[lane];
    }
    return to_bytes(chunk);
  }));

  const double unit_roundoff = (double_double ? 0x1p-102 : 0x1p-53) * (is_complex ? 4 : 1);
  const double depth = built.depth() + (double_double ? 500 : 0);
  const double products = std::expm1(depth * std::log1p(unit_roundoff));
  const double k = errors.special_weight;
  const double per_magnitude = errors.product * (k + errors.special) + errors.special +
                               (1 + errors.product) * products * k + 0x1p-80 * (double_double ? 0 : k);
  const double leaf_error = (sum.magnitude + sum.skipped) * (1 + 0x1p-20) * per_magnitude;
  // The scale is a product of at most 62 factors, each product within 2^-99.
  const double size = std::hypot(sum.re.hi, sum.im.hi);
  const double error = (leaf_error + size * 0x1p-92) * magnitude(scaled.scale) * (1 + 0x1p-40);
  const ComplexDoubleDouble value = ComplexDoubleDouble{sum.re, sum.im} * scaled.scale;
  const std::int64_t exponent = scaled.exponent - built.num_bits();
  Sum result;
  result.re = ScaledReal(value.re, exponent);
  result.im = ScaledReal(value.im, exponent);
  if (error > 0) result.log2_error = std::log2(error) + static_cast<double>(exponent) + 1e-9;
  return result;
}

}  // namespace

Integer permanent_ryser(const Block<std::int64_t>& block, const RyserPlan& plan, const RunContext& run) {
  require_square(block.pattern, block.entries.size());
  if (block.pattern.num_rows() < smallest_size) return small_exact(block);
  const double log2_bound = log2_sum_bound(block);
  if (log2_bound == -infinity) return 0;
  require_plan(block.pattern, plan);

  const ChineseRemainder own(primes_for(log2_bound));
  const Cells cells = agreed_cells(block.pattern, log2_bound, run, [&] {
    const int walk_bits = ExactSum(block, plan, own.primes(), run.options().max_isa, kernel::max_bits).walk_bits();
    // Columns that differ from lane to lane are the last of the plan and within a cell.
    RyserPlan first = plan;
    std::rotate(first.bit_column.begin() + walk_bits, first.bit_column.end() - log2_lanes, first.bit_column.end());
    return cells_of(first, walk_bits + log2_lanes, own.product());
  });
  const ChineseRemainder remainders =
      cells.modulus == own.product() ? own : ChineseRemainder(primes_for(log2_cell_bound(block, cells)));
  RyserPlan order = arranged(plan, cells);
  const int walked = cells.cell_bits() - log2_lanes;
  std::rotate(order.bit_column.begin() + walked, order.bit_column.begin() + cells.cell_bits(), order.bit_column.end());
  const ExactSum sum(block, order, remainders.primes(), run.options().max_isa, walked);
  const std::uint64_t chunks_of_cell = std::uint64_t{1} << (walked - sum.walk_bits());
  const Bytes total = kernel::sum_pieces(cells_job(cells, run), order, run, [&](std::uint64_t cell) {
    std::vector<std::uint64_t> residues(remainders.primes().size(), 0);
    for (std::uint64_t chunk = cell * chunks_of_cell; chunk < (cell + 1) * chunks_of_cell; ++chunk) {
      run.check();
      sum.add_chunk(chunk, residues);
    }
    return cell_record(remainders.value(residues), cells.modulus);
  });
  return permanent_of(total, cells, log2_bound);
}

RealValue permanent_ryser(const Block<RealEntry>& block, const RyserPlan& plan, Precision precision,
                          const RunContext& run) {
  const Sum sum = sum_reals(block, plan, precision, run);
  return {sum.re, sum.log2_error};
}

ComplexValue permanent_ryser(const Block<ComplexEntry>& block, const RyserPlan& plan, Precision precision,
                             const RunContext& run) {
  const Sum sum = sum_reals(block, plan, precision, run);
  return {{sum.re, sum.im}, sum.log2_error};
}

}  // namespace matchcount
