// The error of reals. With T = t (2 m + 4) + 2 a coefficient of z^k after t pairs went through at most (k + 1) T
// roundings in b, one of them that of an entry, (k + 1/2) T in l and k T in g: new ones, of k > 0, are sums of at most
// 2 m + 1 terms, of products of an a-th and a b-th one with a + b + 1 = k; and what ends in a pair, b + l l, went
// through (k + 1) T and m + 2 more. So a leaf's coefficient of z^m went through at most m T + 2 m + 3 of them after m -
// 1 pairs, and the sum over the leaves of a piece, made as a tree, through m more. Each is relative to the magnitudes:
// the same sum of |entries|, with all signs +. All its coefficients are positive, so that of z^m is at most its value
// at any z > 0 divided by z^m, and values take one multiplication where series take m^2 / 2; z goes to entries, and its
// root to loops, two of which end a path. The best z for all pairs in the subset is taken.

#include "permanent/power_traces/pair_sum.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <span>
#include <string>

#include "core/amounts.hpp"
#include "core/cpu/dispatch.hpp"
#include "core/error.hpp"
#include "core/numbers/infinity.hpp"
#include "core/numbers/residue.hpp"
#include "core/work.hpp"
#include "permanent/power_traces/costs.hpp"
#include "permanent/power_traces/cuda/pair_gpu.hpp"
#include "permanent/power_traces/pair_shares.hpp"
#include "permanent/residue_sum.hpp"

namespace matchcount {
namespace {

namespace kernel = pairs_kernel;

// A driver and its contexts take so much memory of the host.
constexpr double gpu_host_bytes = 4e8;

constexpr std::uint64_t prime_limit = std::uint64_t{1} << 24;
Job job_of(const std::string& numbers, const PairShares& shares, const RunContext& run) {
  Job job;
  job.name = run.part() + ", power traces";
  job.description = "hafnian by pairs of vertices in " + numbers;
  job.num_pieces = shares.num_pieces();
  return job;
}

int pairs_of(const UndirectedGraph& graph, bool has_loops) {
  const Vertex size = graph.num_vertices() + (has_loops ? graph.num_vertices() % 2 : 0);
  if (size < 2 || size % 2 != 0 || size > max_pair_vertices)
    throw Error("pairs of " + std::to_string(graph.num_vertices()) + " vertices");
  return static_cast<int>(size / 2);
}

// Spreads what entries have over the matrix of all pairs below its diagonal, so many numbers each.
template <class Fill>
std::vector<double> below_diagonal(const UndirectedGraph& graph, int num_pairs, std::size_t components,
                                   const Fill& fill) {
  const std::size_t n = 2 * static_cast<std::size_t>(num_pairs);
  std::vector<double> matrix(n * (n - 1) / 2 * components, 0);
  for (EdgeId e = 0; e < graph.num_edges(); ++e) {
    const std::size_t low = graph.edges()[e].row, high = graph.edges()[e].column;
    fill(e, matrix.data() + (high * (high - 1) / 2 + low) * components);
  }
  return matrix;
}

// Has what loops have by vertex, and 1 of one more that makes their number even; nothing where there are none.
template <class Loop, class Fill>
std::vector<double> by_vertex(const std::vector<Loop>& loops, std::size_t components, const Fill& fill) {
  if (loops.empty()) return {};
  std::vector<double> values((loops.size() + loops.size() % 2) * components, 0);
  for (std::size_t v = 0; v < loops.size(); ++v) fill(v, values.data() + v * components);
  if (loops.size() % 2 != 0) values[loops.size() * components] = 1;
  return values;
}
// Returns log2 of what the subset of all pairs gives at z, less that of z^num_pairs.
double log2_with_all_pairs(std::vector<double> b, std::vector<double> loops, std::size_t num_pairs, double z) {
  for (double& value : b) value *= z;
  loops.resize(2 * num_pairs);
  for (double& value : loops) value *= std::sqrt(z);
  const auto at = [&](std::size_t i, std::size_t j) -> double& { return b[i * (i - 1) / 2 + j]; };
  double log2_closed = 0;
  for (std::size_t left = 2 * num_pairs; left > 2; left -= 2) {
    const std::size_t u = left - 1, v = left - 2;
    log2_closed += std::log2(1 + at(u, v) + loops[u] * loops[v]);
    for (std::size_t i = 0; i < v; ++i) {
      for (std::size_t j = 0; j < i; ++j) at(i, j) += at(u, i) * at(v, j) + at(v, i) * at(u, j);
      loops[i] += loops[u] * at(v, i) + loops[v] * at(u, i);
    }
  }
  return log2_closed + std::log2(at(1, 0) + loops[0] * loops[1]) - static_cast<double>(num_pairs) * std::log2(z);
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

bool are_for(const std::vector<DeviceInfo>& gpus, int num_pairs) {
  return !gpus.empty() && num_pairs >= gpu::fewest_kernel_pairs;
}

struct Sum {
  ScaledComplex value;
  double log2_error;
};

// Loops are those of all vertices, or none.
Sum sum_reals(const UndirectedGraph& pattern, const std::vector<ComplexEntry>& edges,
              const std::vector<ComplexEntry>& loops, bool is_complex, Precision precision, const RunContext& run,
              const std::vector<DeviceInfo>& gpus) {
  const bool is_double = precision == Precision::float64;
  const int num_pairs = pairs_of(pattern, !loops.empty());
  const PairShares shares(num_pairs);
  // Loops are scaled by 2^-half, entries by its square: 2^-half for every vertex but one more.
  const int half = std::max((exponent_of(magnitudes_of(edges)) + 1) >> 1, exponent_of(magnitudes_of(loops)));
  const std::size_t parts = is_double ? 1 : 2, components = parts * (is_complex ? 2 : 1);
  const auto put = [&](DoubleDouble value, int exponent, double* to) {
    const DoubleDouble scaled = ldexp(value, -exponent);
    to[0] = scaled.hi;
    if (!is_double) to[1] = scaled.lo;
  };
  const auto put_entry = [&](const ComplexEntry& entry, int exponent, double* to) {
    put(entry.value.re, exponent, to);
    if (is_complex) put(entry.value.im, exponent, to + parts);
  };
  const auto put_magnitude = [&](const ComplexEntry& entry, int exponent, double* to) {
    *to = std::ldexp(magnitude(entry.value), -exponent) * (1 + 0x1p-40);
  };
  const std::vector<double> entries =
      below_diagonal(pattern, num_pairs, components, [&](EdgeId e, double* to) { put_entry(edges[e], 2 * half, to); });
  const std::vector<double> of_loops =
      by_vertex(loops, components, [&](std::size_t v, double* to) { put_entry(loops[v], half, to); });
  std::vector<double> magnitudes =
      below_diagonal(pattern, num_pairs, 1, [&](EdgeId e, double* to) { put_magnitude(edges[e], 2 * half, to); });
  std::vector<double> loop_magnitudes =
      by_vertex(loops, 1, [&](std::size_t v, double* to) { put_magnitude(loops[v], half, to); });
  const double point = best_point(magnitudes, loop_magnitudes, static_cast<std::size_t>(num_pairs));
  for (double& value : magnitudes) value *= point;
  for (double& value : loop_magnitudes) value *= std::sqrt(point);

  const auto& kernels = kernels_for<kernel::Kernels>(run.options().max_isa);
  const kernel::Kernel sum_of = is_complex ? (is_double ? kernels.complex : kernels.complex_double)
                                           : (is_double ? kernels.real : kernels.double_double);
  const kernel::Problem problem{num_pairs, entries.data(), data_of(of_loops)};
  const kernel::Problem bounding{num_pairs, magnitudes.data(), data_of(loop_magnitudes)};
  PairScratch scratch(kernel::scratch_size(num_pairs, static_cast<int>(components)));
  Job job = job_of(is_double ? "doubles" : "double-doubles", shares, run);
  job.merge = added_records<Partial>;
  // Components are `step` doubles apart.
  const auto partial_of = [&](const double* value, std::size_t step, double magnitude) {
    const auto part = [&](const double* of) { return is_double ? DoubleDouble(*of) : fast_two_sum(of[0], of[step]); };
    return Partial{part(value), is_complex ? part(value + parts * step) : DoubleDouble(), magnitude};
  };
  // Tasks are added as a tree.
  const auto of_tasks = [&](const auto& self, std::span<const double> sums) -> Partial {
    if (sums.size() == components + 1) return partial_of(sums.data(), 1, sums.back());
    Partial partial = self(self, sums.first(sums.size() / 2));
    partial.add(self(self, sums.subspan(sums.size() / 2)));
    return partial;
  };
  const auto of_piece = [&](std::uint64_t piece, double share_done) {
    run.report("power-traces", share_done, 1);
    PairScratch::Buffer buffer = scratch.take();
    double values[kernel::max_components][kernel::num_lanes] = {}, bounds[kernel::num_lanes];
    sum_of(problem, shares.piece(piece), buffer.get(), values[0]);
    kernels.magnitude(bounding, shares.piece(piece), buffer.get(), bounds);
    scratch.give(std::move(buffer));
    Partial partial;
    for (std::size_t lane = 0; lane < shares.num_lanes(); ++lane)
      partial.add(partial_of(values[0] + lane, kernel::num_lanes, bounds[lane]));
    return to_bytes(partial);
  };
  const auto sum = from_bytes<Partial>(
      are_for(gpus, num_pairs)
          ? gpu::sum_pairs_on_gpus(gpu::make_pair_kernel({problem}, &bounding, is_complex, is_double, shares.path_bits),
                                   job, gpus, run,
                                   [&](std::span<const double> sums) { return to_bytes(of_tasks(of_tasks, sums)); })
          : sum_on_threads(run.num_threads(), job, run, of_piece));

  const double m = num_pairs, roundings = roundings_of(num_pairs);
  const double unit = (is_double ? 0x1p-53 : 0x1p-101) * (is_complex ? 4 : 1);
  const double log2_magnitudes = std::log2(sum.magnitude) - m * std::log2(point);
  // Results below the least double are lost, in terms whose magnitudes are below 2^300.
  const double log2_error = log2_sum(std::log2(std::expm1(roundings * unit)) + log2_magnitudes + 0x1p-20,
                                     -600 - m * std::min(0.0, std::log2(point)));
  const std::int64_t scale = std::int64_t{half} * pattern.num_vertices();
  return {{ScaledReal(sum.re, scale), ScaledReal(sum.im, scale)}, log2_error + static_cast<double>(scale)};
}

Integer sum_integers(const UndirectedGraph& pattern, const std::vector<GaussianInteger>& edges,
                     const std::vector<GaussianInteger>& loops, double log2_bound, const RunContext& run,
                     const std::vector<DeviceInfo>& gpus) {
  const int num_pairs = pairs_of(pattern, !loops.empty());
  if (log2_bound == -infinity) return 0;
  const std::vector<std::uint64_t> primes = primes_for(log2_bound, prime_limit);
  const PairShares shares(num_pairs);
  const auto& kernels = kernels_for<kernel::Kernels>(run.options().max_isa);
  std::vector<std::vector<double>> entries, of_loops;  // by prime, balanced
  std::vector<kernel::Problem> problems;
  for (const std::uint64_t of : primes) {
    const auto prime = static_cast<double>(of);
    const auto put = [&](const Integer& value, double* to) {
      const auto rest = static_cast<double>(residue(value, of));
      *to = 2 * rest > prime ? rest - prime : rest;
    };
    entries.push_back(below_diagonal(pattern, num_pairs, 1, [&](EdgeId e, double* to) { put(edges[e].re, to); }));
    of_loops.push_back(by_vertex(loops, 1, [&](std::size_t v, double* to) { put(loops[v].re, to); }));
    problems.push_back({num_pairs, entries.back().data(), data_of(of_loops.back()), prime, 1 / prime});
  }
  PairScratch scratch(kernel::scratch_size(num_pairs, 1));
  Job job = job_of("residues modulo " + std::to_string(primes.size()) + " primes below 2^24", shares, run);
  job.merge = [&](const Bytes& earlier, const Bytes& later) {
    auto sum = unpacked<std::uint64_t>(earlier);
    const auto other = unpacked<std::uint64_t>(later);
    for (std::size_t k = 0; k < primes.size(); ++k) sum[k] = (sum[k] + other[k]) % primes[k];
    return packed(sum);
  };
  const auto of_piece = [&](std::uint64_t piece, double share_done) {
    PairScratch::Buffer buffer = scratch.take();
    std::vector<std::uint64_t> residues;
    for (std::size_t k = 0; k < primes.size(); ++k) {
      run.report("power-traces", share_done, 1);
      double lanes[kernel::num_lanes];
      kernels.residue(problems[k], shares.piece(piece), buffer.get(), lanes);
      std::int64_t sum = 0;
      for (std::size_t lane = 0; lane < shares.num_lanes(); ++lane) sum += static_cast<std::int64_t>(lanes[lane]);
      residues.push_back(residue_of(sum, primes[k]));
    }
    scratch.give(std::move(buffer));
    return packed(residues);
  };
  Bytes total;
  if (are_for(gpus, num_pairs)) {
    const gpu::PairKernel kernel = gpu::make_pair_kernel(problems, nullptr, false, true, shares.path_bits);
    total = gpu::sum_pairs_on_gpus(kernel, job, gpus, run, [&](std::span<const double> of_tasks) {
      std::vector<std::uint64_t> residues(primes.size());
      for (std::size_t task = 0; task < of_tasks.size(); ++task) {
        const std::size_t k = (task >> kernel.frame.lane_bits) % primes.size();
        residues[k] = (residues[k] + residue_of(static_cast<std::int64_t>(of_tasks[task]), primes[k])) % primes[k];
      }
      return packed(residues);
    });
  } else {
    total = sum_on_threads(run.num_threads(), job, run, of_piece);
  }
  return chinese_remainder(unpacked<std::uint64_t>(total), primes);
}

}  // namespace

double best_point(const std::vector<double>& magnitudes, const std::vector<double>& loops, std::size_t num_pairs) {
  const auto value = [&](double z) { return log2_with_all_pairs(magnitudes, loops, num_pairs, z); };
  double best = 1 / static_cast<double>(num_pairs), least = value(best);
  for (const double step : {4.0, 0.25, 1.25, 0.8}) {
    for (int steps = 0; steps < 8; ++steps) {
      const double next = value(best * step);
      if (!(next < least)) break;
      best *= step;
      least = next;
    }
  }
  return best;
}

double roundings_of(double m) { return m * ((m - 1) * (2 * m + 4) + 2) + 3 * m + 3; }

int exponent_of(const std::vector<double>& magnitudes) {
  constexpr int below_all = -2000;
  const double largest = magnitudes.empty() ? 0 : *std::max_element(magnitudes.begin(), magnitudes.end());
  return largest > 0 ? std::ilogb(largest) + 1 : below_all;
}

Integer hafnian_by_pairs(const GraphBlock<std::int64_t>& block, const RunContext& run,
                         const std::vector<DeviceInfo>& gpus) {
  std::vector<GaussianInteger> edges;
  for (const std::int64_t entry : block.entries) edges.push_back({entry, 0});
  return sum_integers(block.pattern, edges, {}, log2_sum_bound(block), run, gpus);
}
Value hafnian_by_pairs(const GraphBlock<RealEntry>& block, Precision precision, const RunContext& run,
                       const std::vector<DeviceInfo>& gpus) {
  std::vector<ComplexEntry> edges;
  for (const RealEntry& entry : block.entries) edges.push_back({{entry.value, {}}, entry.magnitude});
  const Sum sum = sum_reals(block.pattern, edges, {}, false, precision, run, gpus);
  return RealValue{sum.value.re, sum.log2_error};
}
Value hafnian_by_pairs(const GraphBlock<ComplexEntry>& block, Precision precision, const RunContext& run,
                       const std::vector<DeviceInfo>& gpus) {
  const Sum sum = sum_reals(block.pattern, block.entries, {}, true, precision, run, gpus);
  return ComplexValue{sum.value, sum.log2_error};
}

GaussianInteger matchings_by_pairs(const UndirectedGraph& pattern, const std::vector<GaussianInteger>& edges,
                                   const std::vector<GaussianInteger>& vertices, const RunContext& run,
                                   const std::vector<DeviceInfo>& gpus) {
  return {sum_integers(pattern, edges, vertices, log2_matchings_bound(pattern, edges, vertices), run, gpus), 0};
}
ComplexValue matchings_by_pairs(const UndirectedGraph& pattern, const std::vector<ComplexEntry>& edges,
                                const std::vector<ComplexEntry>& vertices, bool are_real, Precision precision,
                                const RunContext& run, const std::vector<DeviceInfo>& gpus) {
  const Sum sum = sum_reals(pattern, edges, vertices, !are_real, precision, run, gpus);
  return {sum.value, sum.log2_error};
}

double log2_matchings_bound(const UndirectedGraph& pattern, const std::vector<GaussianInteger>& edges,
                            const std::vector<GaussianInteger>& vertices) {
  std::vector<double> of_vertex;
  for (const GaussianInteger& weight : vertices) of_vertex.push_back(2 * log2_abs(weight.re));
  for (EdgeId e = 0; e < pattern.num_edges(); ++e) {
    const Edge& edge = pattern.edges()[e];
    for (const Vertex v : {edge.row, edge.column}) of_vertex[v] = log2_sum(of_vertex[v], log2_abs(edges[e].re));
  }
  return std::accumulate(of_vertex.begin(), of_vertex.end(), 0.0) / 2 + 0x1p-20;
}

Cost cost_by_pairs(Vertex vertices, bool has_loops, const NumberType& number, const Machine& machine) {
  const int num_pairs = static_cast<int>((vertices + 1) / 2);
  const double m = num_pairs;
  const bool is_integer = number.kind == WeightKind::integer || number.kind == WeightKind::none;
  const double primes = is_integer ? std::ceil((std::max(0.0, number.log2_bound) + 1) / 23.99) : 1;
  // Subsets that end with j more pairs have matrices of 2 j vertices, two products of series for each of their entries.
  // With loops a vertex more is in them, and what ends in a pair is a product.
  const double multiplications = (5.25 * m * m * std::exp2(m) + std::pow(2 * m, 4) / 6) * (has_loops ? 1.5 : 1);
  const bool is_double = is_integer || number.precision == Precision::float64;
  const int of_complex = number.kind == WeightKind::complex ? 4 : 1;
  namespace costs = power_traces_costs;
  const double per_multiplication = costs::multiplication_s[static_cast<std::size_t>(machine.isa)] *
                                    (is_double ? 1 : costs::double_double) * of_complex;
  const int components = (is_double ? 1 : 2) * (of_complex > 1 ? 2 : 1);
  const double pieces = std::max(1.0, std::exp2(num_pairs - 17));
  Cost result;
  result.log2_operations = std::log2(multiplications);
  if (!machine.gpus.empty()) {
    const double operations = multiplications * primes * (is_double ? 1 : gpu::operations_of_pairs) * of_complex;
    result.seconds = num_pairs < gpu::fewest_kernel_pairs
                         ? infinity
                         : gpu::seconds_on_gpus(operations, machine.gpus) / machine.num_ranks;
    result.memory_bytes = gpu_host_bytes;
    result.description = on_gpus(machine);
  } else {
    result.seconds = (multiplications * per_multiplication * primes + costs::count_s) /
                     std::min<double>(pieces, machine.num_threads * machine.num_ranks);
    result.memory_bytes = 8.0 * static_cast<double>(kernel::scratch_size(num_pairs, components)) * machine.num_threads;
  }
  result.description += "2^" + std::to_string(num_pairs - 1) + " subsets of pairs";
  if (is_integer) result.description += ", " + std::to_string(static_cast<int>(primes)) + " primes";
  return result;
}

}  // namespace matchcount
