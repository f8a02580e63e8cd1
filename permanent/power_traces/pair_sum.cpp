// The error of reals. A coefficient of z^k after t pairs went through at most (k + 1) (t (2 m + 2) + 1) roundings, one
// of them that of an entry: it is the sum of products of an a-th and a b-th one with a + b + 1 = k, of at most 2 m + 2
// terms with their products and sums. So a leaf's coefficient of z^m went through at most m ((m - 1) (2 m + 2) + 1) + m
// + 1 of them, and the sum over the leaves of a piece, made as a tree, through m more. Each is relative to the
// magnitudes: the same sum of |entries|, with all signs +. All its coefficients are positive, so that of z^m is at most
// its value at any z > 0 divided by z^m, and values take one multiplication where series take m^2 / 2. The best z for
// all pairs in the subset is taken.

#include "permanent/power_traces/pair_sum.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <new>
#include <string>

#include "core/cpu/dispatch.hpp"
#include "core/numbers/infinity.hpp"
#include "core/numbers/residue.hpp"
#include "core/work.hpp"
#include "permanent/bound.hpp"
#include "permanent/power_traces/cpu/pairs_kernel.hpp"
#include "permanent/power_traces/cuda/pair_gpu.hpp"

namespace matchcount {
namespace {

namespace kernel = pairs_kernel;

constexpr std::uint64_t prime_limit = std::uint64_t{1} << 24;
// A piece has 2^13 subsets in each of 8 lanes, of several hundredths of a second.
constexpr int piece_bits = 13;

// Memory that kernels work in, kept from piece to piece.
class Scratch {
 public:
  explicit Scratch(std::size_t doubles) : doubles_(doubles) {}
  using Buffer = std::unique_ptr<double[], void (*)(double*)>;
  Buffer take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty())
      return {static_cast<double*>(::operator new(doubles_ * sizeof(double), alignment)),
              [](double* memory) { ::operator delete(memory, alignment); }};
    Buffer buffer = std::move(free_.back());
    free_.pop_back();
    return buffer;
  }
  void give(Buffer buffer) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(buffer));
  }

 private:
  static constexpr std::align_val_t alignment{64};
  std::size_t doubles_;
  std::mutex mutex_;
  std::vector<Buffer> free_;
};

// The lanes and pieces of a sum over so many pairs.
struct Shares {
  explicit Shares(int num_pairs)
      : lane_bits(std::min(kernel::log2_lanes, num_pairs - 1)),
        path_bits(std::max(0, num_pairs - 1 - lane_bits - piece_bits)) {}
  std::uint64_t num_pieces() const { return std::uint64_t{1} << path_bits; }
  std::size_t num_lanes() const { return std::size_t{1} << lane_bits; }
  kernel::Piece piece(std::uint64_t index) const { return {index, path_bits, lane_bits}; }
  int lane_bits, path_bits;
};

Job job_of(const std::string& numbers, const Shares& shares, const RunContext& run) {
  Job job;
  job.name = run.part() + ", power traces";
  job.description = "hafnian by pairs of vertices in " + numbers;
  job.num_pieces = shares.num_pieces();
  return job;
}

int pairs_of(const UndirectedGraph& graph) {
  if (graph.num_vertices() < 2 || graph.num_vertices() % 2 != 0 || graph.num_vertices() > max_pair_vertices)
    throw Error("pairs of " + std::to_string(graph.num_vertices()) + " vertices");
  return static_cast<int>(graph.num_vertices() / 2);
}

// Spreads what entries have over the matrix below its diagonal, so many numbers each.
template <class Fill>
std::vector<double> below_diagonal(const UndirectedGraph& graph, std::size_t components, const Fill& fill) {
  const std::size_t n = graph.num_vertices();
  std::vector<double> matrix(n * (n - 1) / 2 * components, 0);
  for (EdgeId e = 0; e < graph.num_edges(); ++e) {
    const std::size_t low = graph.edges()[e].row, high = graph.edges()[e].column;
    fill(e, matrix.data() + (high * (high - 1) / 2 + low) * components);
  }
  return matrix;
}

// Returns log2 of what the subset of all pairs gives at z, less that of z^num_pairs.
double log2_with_all_pairs(std::vector<double> b, std::size_t num_pairs, double z) {
  for (double& value : b) value *= z;
  const auto at = [&](std::size_t i, std::size_t j) -> double& { return b[i * (i - 1) / 2 + j]; };
  double log2_closed = 0;
  for (std::size_t left = 2 * num_pairs; left > 2; left -= 2) {
    const std::size_t u = left - 1, v = left - 2;
    log2_closed += std::log2(1 + at(u, v));
    for (std::size_t i = 1; i < v; ++i)
      for (std::size_t j = 0; j < i; ++j) at(i, j) += at(u, i) * at(v, j) + at(v, i) * at(u, j);
  }
  return log2_closed + std::log2(at(1, 0)) - static_cast<double>(num_pairs) * std::log2(z);
}

double best_point(const std::vector<double>& magnitudes, std::size_t num_pairs) {
  double best = 1, least = infinity;
  const double start = 1 / static_cast<double>(num_pairs);
  for (double z = start * 0x1p-12; z < start * 0x1p12; z *= 1.25) {
    const double value = log2_with_all_pairs(magnitudes, num_pairs, z);
    if (value < least) {
      least = value;
      best = z;
    }
  }
  return best;
}

struct Partial {
  DoubleDouble re, im;
  double magnitude = 0;
  void add(const Partial& other) {
    re += other.re;
    im += other.im;
    magnitude += other.magnitude;
  }
};

int exponent_of(const std::vector<double>& magnitudes) {
  const double largest = *std::max_element(magnitudes.begin(), magnitudes.end());
  return largest > 0 ? std::ilogb(largest) + 1 : 0;
}

struct Sum {
  ScaledComplex value;
  double log2_error;
};

template <class Entry>
Sum sum_reals(const GraphBlock<Entry>& block, Precision precision, const RunContext& run) {
  constexpr bool is_complex = std::is_same_v<Entry, ComplexEntry>;
  const bool is_double = precision == Precision::float64;
  const int num_pairs = pairs_of(block.pattern);
  const Shares shares(num_pairs);
  const int exponent = exponent_of(magnitudes_of(block.entries));
  const std::size_t parts = is_double ? 1 : 2, components = parts * (is_complex ? 2 : 1);
  const auto put = [&](DoubleDouble value, double* to) {
    const DoubleDouble scaled = ldexp(value, -exponent);
    to[0] = scaled.hi;
    if (!is_double) to[1] = scaled.lo;
  };
  const std::vector<double> entries = below_diagonal(block.pattern, components, [&](EdgeId e, double* to) {
    if constexpr (is_complex) {
      put(block.entries[e].value.re, to);
      put(block.entries[e].value.im, to + parts);
    } else {
      put(block.entries[e].value, to);
    }
  });
  std::vector<double> magnitudes = below_diagonal(block.pattern, 1, [&](EdgeId e, double* to) {
    *to = std::ldexp(magnitude(block.entries[e].value), -exponent) * (1 + 0x1p-40);
  });
  const double point = best_point(magnitudes, static_cast<std::size_t>(num_pairs));
  for (double& value : magnitudes) value *= point;

  const auto& kernels = kernels_for<kernel::Kernels>(run.options().max_isa);
  const kernel::Kernel sum_of = is_complex ? (is_double ? kernels.complex : kernels.complex_double)
                                           : (is_double ? kernels.real : kernels.double_double);
  const kernel::Problem problem{num_pairs, entries.data()}, bounding{num_pairs, magnitudes.data()};
  Scratch scratch(kernel::scratch_size(num_pairs, static_cast<int>(components)));
  Job job = job_of(is_double ? "doubles" : "double-doubles", shares, run);
  job.merge = added_records<Partial>;
  const auto sum =
      from_bytes<Partial>(sum_on_threads(run.num_threads(), job, run, [&](std::uint64_t piece, double share_done) {
        run.report("power-traces", share_done, 1);
        Scratch::Buffer buffer = scratch.take();
        double values[kernel::max_components][kernel::num_lanes] = {}, bounds[kernel::num_lanes];
        sum_of(problem, shares.piece(piece), buffer.get(), values[0]);
        kernels.magnitude(bounding, shares.piece(piece), buffer.get(), bounds);
        scratch.give(std::move(buffer));
        Partial partial;
        for (std::size_t lane = 0; lane < shares.num_lanes(); ++lane) {
          partial.re += is_double ? DoubleDouble(values[0][lane]) : fast_two_sum(values[0][lane], values[1][lane]);
          if (is_complex)
            partial.im += is_double ? DoubleDouble(values[1][lane]) : fast_two_sum(values[2][lane], values[3][lane]);
          partial.magnitude += bounds[lane];
        }
        return to_bytes(partial);
      }));

  const double m = num_pairs, roundings = m * ((m - 1) * (2 * m + 2) + 1) + 2 * m + 2;
  const double unit = (is_double ? 0x1p-53 : 0x1p-101) * (is_complex ? 4 : 1);
  const double log2_magnitudes = std::log2(sum.magnitude) - m * std::log2(point);
  // Results below the least double are lost, in terms whose magnitudes are below 2^300.
  const double log2_error =
      log2_sum(std::log2(std::expm1(roundings * unit)) + log2_magnitudes + 0x1p-20, -600 - m * std::log2(point));
  const std::int64_t scale = std::int64_t{exponent} * num_pairs;
  return {{ScaledReal(sum.re, scale), ScaledReal(sum.im, scale)}, log2_error + static_cast<double>(scale)};
}

}  // namespace

Integer hafnian_by_pairs(const GraphBlock<std::int64_t>& block, const RunContext& run,
                         const std::vector<DeviceInfo>& gpus) {
  const int num_pairs = pairs_of(block.pattern);
  const double log2_bound = log2_sum_bound(block);
  if (log2_bound == -infinity) return 0;
  const std::vector<std::uint64_t> primes = primes_for(log2_bound, prime_limit);
  const Shares shares(num_pairs);
  const auto& kernels = kernels_for<kernel::Kernels>(run.options().max_isa);
  std::vector<std::vector<double>> entries;  // by prime, balanced
  for (const std::uint64_t prime : primes) {
    entries.push_back(below_diagonal(block.pattern, 1, [&](EdgeId e, double* to) {
      const auto residue = static_cast<double>(residue_of(block.entries[e], prime));
      *to = 2 * residue > static_cast<double>(prime) ? residue - static_cast<double>(prime) : residue;
    }));
  }
  Scratch scratch(kernel::scratch_size(num_pairs, 1));
  Job job = job_of("residues modulo " + std::to_string(primes.size()) + " primes below 2^24", shares, run);
  job.merge = [&](const Bytes& earlier, const Bytes& later) {
    auto sum = unpacked<std::uint64_t>(earlier);
    const auto other = unpacked<std::uint64_t>(later);
    for (std::size_t k = 0; k < primes.size(); ++k) sum[k] = (sum[k] + other[k]) % primes[k];
    return packed(sum);
  };
  if (!gpus.empty() && num_pairs >= gpu::fewest_kernel_pairs) {
    const gpu::PairKernel kernel = gpu::make_pair_kernel(num_pairs, shares.path_bits, entries, primes);
    return chinese_remainder(unpacked<std::uint64_t>(gpu::sum_pairs_on_gpus(kernel, job, gpus, run)), primes);
  }
  const Bytes total = sum_on_threads(run.num_threads(), job, run, [&](std::uint64_t piece, double share_done) {
    Scratch::Buffer buffer = scratch.take();
    std::vector<std::uint64_t> residues;
    for (std::size_t k = 0; k < primes.size(); ++k) {
      run.report("power-traces", share_done, 1);
      const auto prime = static_cast<double>(primes[k]);
      double lanes[kernel::num_lanes];
      kernels.residue({num_pairs, entries[k].data(), prime, 1 / prime}, shares.piece(piece), buffer.get(), lanes);
      std::int64_t sum = 0;
      for (std::size_t lane = 0; lane < shares.num_lanes(); ++lane) sum += static_cast<std::int64_t>(lanes[lane]);
      residues.push_back(residue_of(sum, primes[k]));
    }
    scratch.give(std::move(buffer));
    return packed(residues);
  });
  return chinese_remainder(unpacked<std::uint64_t>(total), primes);
}

Value hafnian_by_pairs(const GraphBlock<RealEntry>& block, Precision precision, const RunContext& run) {
  const Sum sum = sum_reals(block, precision, run);
  return RealValue{sum.value.re, sum.log2_error};
}
Value hafnian_by_pairs(const GraphBlock<ComplexEntry>& block, Precision precision, const RunContext& run) {
  const Sum sum = sum_reals(block, precision, run);
  return ComplexValue{sum.value, sum.log2_error};
}

std::size_t primes_by_pairs(double log2_bound) {
  return static_cast<std::size_t>(std::ceil((std::max(0.0, log2_bound) + 1) / 23.99));
}

double multiplications_by_pairs(Vertex vertices) {
  const double m = vertices / 2.0;
  // Subsets that end with j more pairs have matrices of 2 j vertices, two products of series for each of their entries.
  return 5.25 * m * m * std::exp2(m) + std::pow(2 * m, 4) / 6;
}

double seconds_by_pairs(Vertex vertices, const NumberType& number, Isa isa) {
  const bool is_integer = number.kind == WeightKind::integer || number.kind == WeightKind::none;
  const double per_multiplication = (isa == Isa::baseline ? 4.5e-10
                                     : isa == Isa::avx2   ? 1.1e-10
                                                          : 0.6e-10) *
                                    (is_integer ? static_cast<double>(primes_by_pairs(number.log2_bound))
                                     : number.precision == Precision::float64 ? 1.0
                                                                              : 14.0) *
                                    (number.kind == WeightKind::complex ? 4 : 1);
  return multiplications_by_pairs(vertices) * per_multiplication + 1e-5;
}

double seconds_by_pairs(Vertex vertices, const NumberType& number, const std::vector<DeviceInfo>& gpus) {
  if (vertices / 2 < gpu::fewest_kernel_pairs) return infinity;
  return gpu::seconds_on_gpus(
      multiplications_by_pairs(vertices) * static_cast<double>(primes_by_pairs(number.log2_bound)), gpus);
}

double bytes_by_pairs(Vertex vertices, const NumberType& number) {
  const int components = (number.kind == WeightKind::real || number.kind == WeightKind::complex
                              ? (number.precision == Precision::float64 ? 1 : 2)
                              : 1) *
                         (number.kind == WeightKind::complex ? 2 : 1);
  return 8.0 * static_cast<double>(kernel::scratch_size(static_cast<int>(vertices / 2), components));
}

}  // namespace matchcount
