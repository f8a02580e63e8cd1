// The error bound for reals. Rows are scaled and rounded as for permanents (ryser.cpp), so that row sums x_i are exact
// sums of rounded entries. With the floors f_i, y_i = max(|x_i|, f_i), Y = prod_i y_i / min_i y_i and e_i what a row
// sum may differ from the truth by, relative to f_i, a product without any one row is at most Y, and it and the sums
// that it goes into differ from the truth by at most
//   Y (prod_k (1 + e_k) (1 + u)^depth - 1),   depth: multiplications and levels of the tree,
// and sums by double-doubles beyond a chunk add next to nothing. Times the entry, which is not the rounded one. So all
// edges share the sum of Y; an edge that is a small part of the permanent has a bound that is a large part of it.

#include "permanent/ryser/minors.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "core/cpu/dispatch.hpp"
#include "core/error.hpp"
#include "core/numbers/infinity.hpp"
#include "core/numbers/residue.hpp"
#include "core/parallel.hpp"
#include "core/work.hpp"
#include "permanent/residue_sum.hpp"
#include "permanent/ryser/costs.hpp"
#include "permanent/ryser/cpu/minors_program.hpp"
#include "permanent/ryser/cpu/ryser_program.hpp"
#include "permanent/ryser/subsets.hpp"

namespace matchcount {

namespace {

// A row's probabilities may be off by this much of their sum: doubles, else double-doubles.
constexpr double most_error = 0x1p-30;
// States that are fewer for each thread are taken one after another, by all threads, and so are small ones by one.
constexpr std::size_t states_of_a_thread = 4;
constexpr double operations_of_a_team = 1e7;
constexpr std::size_t chunks_of_a_team = 8;

// The minors of the last of `rows` rows, and the sum that their errors are relative to.
struct LastRow {
  std::vector<DoubleDouble> minor;
  double largest_minor = 0;
};
LastRow last_row(const minors_kernel::BuiltProgram& built, bool double_double, std::size_t rows, int num_threads,
                 const RunContext& run) {
  constexpr std::uint64_t chunks_at_once = 256;
  const minors_kernel::Kernels& kernels = kernels_for<minors_kernel::Kernels>(run.options().max_isa);
  const minors_kernel::ChunkKernel chunk_kernel = double_double ? kernels.double_double : kernels.real;
  LastRow result{std::vector<DoubleDouble>(rows), 0};
  std::vector<minors_kernel::SignSums<DoubleDouble>> of_chunk;
  for (std::uint64_t first = 0; first < built.num_chunks(); first += chunks_at_once) {
    of_chunk.resize(std::min(chunks_at_once, built.num_chunks() - first));
    parallel_for_chunks(of_chunk.size() < chunks_of_a_team ? 1 : num_threads, of_chunk.size(),
                        [&](std::uint64_t i, int) {
                          run.check();
                          of_chunk[i] = built.sum_chunk<DoubleDouble>(chunk_kernel, first + i);
                        });
    for (const auto& sums : of_chunk) {
      for (std::size_t j = 0; j < rows; ++j) result.minor[j] += sums.minor[j];
      result.largest_minor += sums.largest_minor;
    }
  }
  return result;
}

using namespace subsets;

// Reals that are not negative take double-doubles up to so many rows: 20 ms of one core.
constexpr Vertex most_rows_in_double_doubles = 20;

Job job_of(const minors_kernel::BuiltProgram& built, const RunContext& run, const std::string& numbers) {
  Job job;
  job.name = run.part() + ", minors";
  job.description = numbers + ", chunks of 2^" + std::to_string(built.program().walk_bits + 3) + " sign vectors";
  job.num_pieces = built.num_chunks();
  return job;
}

// ---- Integers.

// Sums of row magnitudes above this do not fit the residues' products as they are.
constexpr double largest_product = 0x1p50;

minors_kernel::Matrix residue_matrix(const Block<std::int64_t>& block, std::uint64_t prime) {
  const Vertex n = block.pattern.num_rows();
  std::vector<double> row_sum(n, 0);
  const std::vector<Edge> edges = block.pattern.edges();
  for (EdgeId id = 0; id < edges.size(); ++id)
    row_sum[edges[id].row] += std::fabs(static_cast<double>(block.entries[id]));
  minors_kernel::Matrix matrix;
  matrix.rows = static_cast<int>(n);
  matrix.prime = static_cast<double>(prime);
  matrix.is_reduced = std::ranges::any_of(row_sum, [](double sum) { return sum > largest_product; });
  matrix.value.assign(std::size_t{n} * n, 0);
  for (EdgeId id = 0; id < edges.size(); ++id) {
    matrix.value[edges[id].row * std::size_t{n} + edges[id].column] =
        matrix.is_reduced ? balanced_residue(block.entries[id], prime) : static_cast<double>(block.entries[id]);
  }
  double product = 1;
  for (Vertex row = 0; row < n; ++row) {
    const double factor = std::max(1.0, row_sum[row]);
    if (row > 0 && (matrix.is_reduced || product * factor > largest_product)) {
      matrix.group_end.push_back(static_cast<int>(row));
      product = 1;
    }
    product *= factor;
  }
  matrix.group_end.push_back(static_cast<int>(n));
  minors_kernel::enlarge(matrix);
  return matrix;
}

// ---- Reals and complex numbers.

template <class Number>
struct NumbersOf;
template <>
struct NumbersOf<RealEntry> {
  using Number = DoubleDouble;
  using Result = RealValue;
  static ScaledReal scaled(DoubleDouble value, std::int64_t exponent) { return {value, exponent}; }
};
template <>
struct NumbersOf<ComplexEntry> {
  using Number = ComplexDoubleDouble;
  using Result = ComplexValue;
  static ScaledComplex scaled(ComplexDoubleDouble value, std::int64_t exponent) {
    return {{value.re, exponent}, {value.im, exponent}};
  }
};

minors_kernel::ChunkKernel kernel_of(const RealEntry&, bool double_double, const minors_kernel::Kernels& kernels) {
  return double_double ? kernels.double_double : kernels.real;
}
minors_kernel::ChunkKernel kernel_of(const ComplexEntry&, bool double_double, const minors_kernel::Kernels& kernels) {
  return double_double ? kernels.complex_double : kernels.complex;
}

template <class Entry>
BlockMarginals<typename NumbersOf<Entry>::Result> sum_minors(const Block<Entry>& block, bool double_double,
                                                             const RunContext& run) {
  using Number = typename NumbersOf<Entry>::Number;
  using Result = typename NumbersOf<Entry>::Result;
  const Vertex n = block.pattern.num_rows();
  const minors_kernel::ScaledMatrix scaled = minors_kernel::scaled_matrix(block, double_double);
  const minors_kernel::BuiltProgram built(scaled.matrix, 0);
  const minors_kernel::ChunkKernel chunk_kernel =
      kernel_of(Entry{}, double_double, kernels_for<minors_kernel::Kernels>(run.options().max_isa));
  Job job = job_of(built, run, double_double ? "double-doubles" : "doubles");
  job.merge = added_records<minors_kernel::SignSums<Number>>;
  const auto sums = from_bytes<minors_kernel::SignSums<Number>>(ryser_kernel::sum_pieces(
      job, minors_kernel::plain_plan(n), run,
      [&](std::uint64_t chunk) { return to_bytes(built.sum_chunk<Number>(chunk_kernel, chunk)); }));

  const double relative = built.relative_error(scaled.perturbation, double_double, std::is_same_v<Entry, ComplexEntry>);
  const double leaf_error = sums.magnitude * relative;
  const std::int64_t exponent = scaled.exponent - built.num_bits();
  const double log2_magnitudes = log2_sum_bound(block);
  const auto value = [&](const Number& number, double error) {
    const double log2_error = error > 0 ? std::log2(error) + static_cast<double>(exponent) + 1e-9 : minus_infinity;
    return Result{NumbersOf<Entry>::scaled(number, exponent), log2_error, log2_magnitudes};
  };
  BlockMarginals<Result> result{value(sums.total, leaf_error), {}};
  const std::vector<Edge> edges = block.pattern.edges();
  for (EdgeId id = 0; id < edges.size(); ++id) {
    const Vertex row = edges[id].row;
    const Number entry = ldexp(block.entries[id].value, -scaled.row_shift[row]);
    const Number part = entry * sums.minor[row * static_cast<std::size_t>(built.program().rows) + edges[id].column];
    const double size =
        std::ldexp(std::max(magnitude(block.entries[id].value), block.entries[id].magnitude), -scaled.row_shift[row]);
    const double of_minor = sums.largest_minor * (relative + 0x1p-94);
    result.of_edge.push_back(value(part, size * of_minor * (1 + 0x1p-20)));
  }
  return result;
}

bool is_positive(const std::vector<RealEntry>& entries) {
  return std::ranges::all_of(entries, [](const RealEntry& entry) { return entry.value.hi >= 0; });
}

}  // namespace

RyserSampler::RyserSampler(const Block<RealEntry>& block, const RunContext& run)
    : num_rows_(block.pattern.num_rows()), block_(block), run_(run) {
  subsets::require_square(block.pattern, block.entries.size());
  for (const RealEntry& entry : block.entries) {
    if (!(entry.value.hi > 0)) throw InputError("a weight that is not above 0", "weights above 0, to draw samples");
  }
}

// Returns the block behind the columns `used`: the row at hand as the last one, without which the others are
// multiplied.
Block<RealEntry> RyserSampler::left(std::uint64_t used) const {
  const auto row = static_cast<Vertex>(std::popcount(used));
  const Vertex size = num_rows_ - row;
  std::vector<Edge> edges;
  std::vector<RealEntry> entries;
  for (Vertex i = 0; i < size; ++i) {
    const Vertex from = i + 1 < size ? row + i + 1 : row;
    for (EdgeId id = block_.pattern.row_begin(from);
         id < block_.pattern.row_begin(from) + block_.pattern.row(from).size(); ++id) {
      const Vertex column = column_of(from, id);
      if ((used >> column & 1) != 0) continue;
      const std::uint64_t before = used & ((std::uint64_t{1} << column) - 1);
      edges.push_back({i, column - static_cast<Vertex>(std::popcount(before))});
      entries.push_back(block_.entries[id]);
    }
  }
  return {BipartiteGraph::from_edges(size, size, std::move(edges)), std::move(entries)};
}

RyserSampler::Choices RyserSampler::choices(std::uint64_t used, int num_threads) const {
  const auto row = static_cast<Vertex>(std::popcount(used));
  const Block<RealEntry> block = left(used);
  const Vertex size = block.pattern.num_rows(), own = size - 1;
  for (const bool double_double : {false, true}) {
    const minors_kernel::ScaledMatrix scaled = minors_kernel::scaled_matrix(block, double_double);
    const minors_kernel::BuiltProgram built(scaled.matrix, static_cast<int>(own));
    const LastRow last = last_row(built, double_double, size, num_threads, run_);
    Choices result;
    double sum = 0, weights = 0;
    EdgeId id = block_.pattern.row_begin(row);
    for (std::size_t i = 0; i < block.pattern.row(own).size(); ++i, ++id) {
      while ((used >> column_of(row, id) & 1) != 0) ++id;
      const double weight = block.entries[block.pattern.row_begin(own) + i].value.hi;
      weights += weight;
      sum += std::max(0.0, weight * last.minor[block.pattern.row(own)[i]].hi);
      result.edges.push_back(id);
      result.sums.push_back(sum);
    }
    const double error = weights * last.largest_minor * built.relative_error(scaled.perturbation, double_double, false);
    if (sum > 0 && error <= most_error * sum) return result;
  }
  throw Unable("probabilities by inclusion-exclusion cancel too far; the frontier method's do not");
}

std::vector<EdgeId> RyserSampler::draw(std::uint64_t seed, std::uint32_t stream, std::uint64_t first,
                                       std::size_t count) {
  std::vector<EdgeId> edges(count * num_rows_);
  std::vector<std::uint64_t> used(count, 0);
  for (Vertex row = 0; row < num_rows_; ++row) {
    std::vector<std::uint64_t> states = used;
    std::ranges::sort(states);
    states.erase(std::unique(states.begin(), states.end()), states.end());
    run_.report("samples", row, num_rows_);
    std::vector<Choices> of_state(states.size());
    const int num_threads = run_.num_threads();
    const double left = num_rows_ - row;
    const bool side_by_side = states.size() >= states_of_a_thread * static_cast<std::size_t>(num_threads) &&
                              static_cast<double>(states.size()) * left * std::exp2(left) > operations_of_a_team;
    parallel_for_chunks(side_by_side ? num_threads : 1, states.size(), [&](std::uint64_t i, int) {
      of_state[i] = choices(states[i], side_by_side ? 1 : num_threads);
    });
    for (std::size_t i = 0; i < count; ++i) {
      const auto state = static_cast<std::size_t>(std::ranges::lower_bound(states, used[i]) - states.begin());
      const Choices& from = of_state[state];
      const double mark = uniform_of_sample(seed, stream, first + i, row) * from.sums.back();
      const auto place = static_cast<std::size_t>(std::ranges::upper_bound(from.sums, mark) - from.sums.begin());
      const EdgeId edge = from.edges[std::min(place, from.edges.size() - 1)];
      edges[i * num_rows_ + row] = edge;
      used[i] |= std::uint64_t{1} << column_of(row, edge);
    }
  }
  return edges;
}

double sample_ryser_seconds(Vertex n, Isa isa, int num_threads) {
  if (n > subsets::largest_size) return std::numeric_limits<double>::infinity();
  // Each row takes half of the one before.
  return 1e-9 * ryser_costs::sample[static_cast<std::size_t>(isa)] * n * std::exp2(n) / (0.95 * num_threads + 0.05) +
         ryser_costs::sample_row_s * n;
}

double marginals_ryser_seconds(Vertex n, const NumberType& number, Isa isa, int num_threads) {
  namespace costs = ryser_costs;
  if (n > largest_size) return std::numeric_limits<double>::infinity();
  const auto i = static_cast<std::size_t>(isa);
  const bool in_doubles = number.precision == Precision::float64 ||
                          (number.precision == Precision::automatic && number.kind == WeightKind::real &&
                           number.nonnegative && n > most_rows_in_double_doubles);
  double nanoseconds = 0;
  if (number.kind == WeightKind::real) {
    nanoseconds = in_doubles ? costs::real_minor[i] : costs::double_double_minor[i];
  } else if (number.kind == WeightKind::complex) {
    nanoseconds = in_doubles ? costs::complex_minor[i] : costs::complex_double_minor[i];
  } else {
    nanoseconds = costs::residue_minor[i] * static_cast<double>(primes_for(number.log2_bound).size());
  }
  const double rows = std::max<double>(n, minors_kernel::least_rows);
  return 1e-9 * nanoseconds * rows * std::exp2(rows - 1) / (0.95 * num_threads + 0.05) + costs::minors_s;
}

BlockMarginals<Integer> marginals_ryser(const Block<std::int64_t>& block, const RunContext& run) {
  require_square(block.pattern, block.entries.size());
  const double log2_bound = log2_sum_bound(block);
  BlockMarginals<Integer> result{0, std::vector<Integer>(block.entries.size())};
  if (log2_bound == minus_infinity) return result;
  const std::vector<std::uint64_t> primes = primes_for(log2_bound);
  std::vector<std::unique_ptr<minors_kernel::BuiltProgram>> built;
  for (const std::uint64_t prime : primes)
    built.push_back(std::make_unique<minors_kernel::BuiltProgram>(residue_matrix(block, prime), 0));
  const minors_kernel::Kernels& kernels = kernels_for<minors_kernel::Kernels>(run.options().max_isa);
  Job job = job_of(*built.front(), run, std::to_string(primes.size()) + " primes");
  // A record has by prime the minors and the total, residues in [0, prime).
  const std::size_t of_prime = built.front()->num_minors() + 1;
  job.merge = [&](const Bytes& earlier, const Bytes& later) {
    auto sums = unpacked<std::uint64_t>(earlier);
    const auto more = unpacked<std::uint64_t>(later);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = (sums[i] + more[i]) % primes[i / of_prime];
    return packed(sums);
  };
  const auto residues = unpacked<std::uint64_t>(
      ryser_kernel::sum_pieces(job, minors_kernel::plain_plan(block.pattern.num_rows()), run, [&](std::uint64_t chunk) {
        std::vector<std::uint64_t> of_chunk;
        for (std::size_t k = 0; k < primes.size(); ++k) {
          run.check();
          const auto sums = built[k]->sum_chunk<std::int64_t>(
              built[k]->is_reduced() ? kernels.reduced_residues : kernels.residues, chunk);
          const auto add = [&](std::int64_t sum) { of_chunk.push_back(residue_of(sum, primes[k])); };
          std::ranges::for_each(sums.minor, add);
          add(sums.total);
        }
        return packed(of_chunk);
      }));
  // The integer that has, times 2^num_bits / factor, these residues at a place.
  const ChineseRemainder remainder(primes);
  const auto value = [&](std::size_t place, std::int64_t factor) {
    std::vector<std::uint64_t> of_value;
    for (std::size_t k = 0; k < primes.size(); ++k) {
      const std::uint64_t prime = primes[k];
      const std::uint64_t scale =
          inverse_mod(power_mod(2, static_cast<std::uint64_t>(built[k]->num_bits()), prime), prime);
      const std::uint64_t of_factor = residue_of(factor, prime);
      of_value.push_back(multiply_mod(multiply_mod(residues[k * of_prime + place], scale, prime), of_factor, prime));
    }
    return remainder.value(of_value);
  };
  result.total = value(of_prime - 1, 1);
  const std::vector<Edge> edges = block.pattern.edges();
  const auto rows = static_cast<std::size_t>(built.front()->program().rows);
  for (EdgeId id = 0; id < edges.size(); ++id)
    result.of_edge[id] = value(edges[id].row * rows + edges[id].column, block.entries[id]);
  return result;
}

BlockMarginals<RealValue> marginals_ryser(const Block<RealEntry>& block, Precision precision, const RunContext& run) {
  constexpr double log2_poor = -24;
  require_square(block.pattern, block.entries.size());
  const bool is_open = precision == Precision::automatic && is_positive(block.entries);
  const bool in_doubles =
      is_open ? block.pattern.num_rows() > most_rows_in_double_doubles : precision == Precision::float64;
  if (!in_doubles) return sum_minors(block, true, run);
  auto result = sum_minors(block, false, run);
  if (!is_open) return result;
  const double enough = result.total.value.log2_abs() + log2_poor;
  const bool is_poor =
      std::ranges::any_of(result.of_edge, [&](const RealValue& sum) { return !(sum.log2_error < enough); });
  return is_poor ? sum_minors(block, true, run.in_part(run.part() + ", again")) : result;
}

BlockMarginals<ComplexValue> marginals_ryser(const Block<ComplexEntry>& block, Precision precision,
                                             const RunContext& run) {
  require_square(block.pattern, block.entries.size());
  return sum_minors(block, precision != Precision::float64, run);
}

}  // namespace matchcount
