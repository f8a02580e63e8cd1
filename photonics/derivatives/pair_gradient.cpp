// A derivative is a sum of the terms of a sum without one entry, and so is its bound. Backwards, a number of
// one of the m places meets at most 2 m^2 + 3 m + 4 sums: with those on the way there, less than three times as many
// roundings as a term.

#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include "core/amounts.hpp"
#include "core/cpu/dispatch.hpp"
#include "core/error.hpp"
#include "core/numbers/pair.hpp"
#include "permanent/power_traces/pair_shares.hpp"
#include "permanent/power_traces/pair_sum.hpp"
#include "photonics/derivatives/cpu/pairs_back_kernel.hpp"
#include "photonics/derivatives/derivatives.hpp"
#include "photonics/derivatives/ordered_sum.hpp"

namespace matchcount {
namespace {

namespace kernel = pairs_kernel;

// Holds the sum, and by what it changes with every entry and loop.
struct DerivedPart {
  std::vector<DoubleDouble> sums;  // [number][component]
  std::vector<double> magnitudes;
  void add(const DerivedPart& other) {
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += other.sums[i];
    for (std::size_t i = 0; i < magnitudes.size(); ++i) magnitudes[i] += other.magnitudes[i];
  }
};

// Sums up a piece's lanes.
template <class Sum>
void add_lanes(const double* lanes, std::size_t num_lanes, std::vector<Sum>& to) {
  for (Sum& sum : to) {
    for (std::size_t lane = 0; lane < num_lanes; ++lane) sum += Sum(lanes[lane]);
    lanes += kernel::num_lanes;
  }
}

DerivedPart derived_sums(const kernel::Problem& problem, const kernel::Problem& bounding, std::size_t components,
                         const PairShares& shares, pairs_back_kernel::Kernel derive, pairs_back_kernel::Kernel bound,
                         const RunContext& run, int num_threads) {
  const auto vertices = 2 * static_cast<std::size_t>(problem.num_pairs);
  const std::size_t num_numbers = 1 + vertices * (vertices - 1) / 2 + (problem.loops ? vertices : 0);
  PairScratch scratch(2 * kernel::scratch_size(problem.num_pairs, static_cast<int>(components)));
  return ordered_sum(num_threads, shares.num_pieces(), [&](std::uint64_t piece) {
    run.check();
    PairScratch::Buffer buffer = scratch.take();
    std::vector<double> lanes(num_numbers * components * kernel::num_lanes);
    DerivedPart part{std::vector<DoubleDouble>(num_numbers * components), std::vector<double>(num_numbers)};
    derive(problem, shares.piece(piece), buffer.get(), lanes.data(), lanes.data() + components * kernel::num_lanes);
    add_lanes(lanes.data(), shares.num_lanes(), part.sums);
    bound(bounding, shares.piece(piece), buffer.get(), lanes.data(), lanes.data() + kernel::num_lanes);
    add_lanes(lanes.data(), shares.num_lanes(), part.magnitudes);
    scratch.give(std::move(buffer));
    return part;
  });
}

}  // namespace

template <class T>
double pair_gradient_seconds(std::size_t n, Precision precision) {
  const auto m = static_cast<double>((n + 1) / 2);
  return (precision == Precision::double_double ? 1.4e-8 : 1e-9) * (std::is_same_v<T, double> ? 1 : 4) * m * m *
         std::exp2(m);
}
template double pair_gradient_seconds<double>(std::size_t, Precision);
template double pair_gradient_seconds<std::complex<double>>(std::size_t, Precision);

template <class T>
void hafnian_gradient_by_pairs(const T* entries, std::size_t n, bool has_loops, Precision precision,
                               const RunContext& run, int num_threads, const GradientView<T>& out) {
  constexpr bool is_complex = !std::is_same_v<T, double>;
  const std::size_t size = n + n % 2, num_edges = size * (size - 1) / 2;
  if (size > max_pair_vertices)
    throw Unable("derivatives of a hafnian of " + std::to_string(n) + " vertices: 80 at most");
  const auto num_pairs = static_cast<int>(size / 2);
  // Scaled as above; one vertex more is left out always.
  std::vector<double> edge_sizes(num_edges), loop_sizes(has_loops ? size : 0);
  const auto size_of = [&](std::size_t i, std::size_t j) -> double& {
    return i == j ? loop_sizes[i] : edge_sizes[i * (i - 1) / 2 + j];
  };
  const auto each = [&](const auto& body) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < i + (has_loops ? 1 : 0); ++j) body(i, j);
    }
  };
  each([&](std::size_t i, std::size_t j) { size_of(i, j) = std::abs(entries[i * n + j]) * (1 + 0x1p-40); });
  const int half = std::max((exponent_of(edge_sizes) + 1) >> 1, exponent_of(loop_sizes));
  each([&](std::size_t i, std::size_t j) { size_of(i, j) = std::ldexp(size_of(i, j), i == j ? -half : -2 * half); });
  if (n < size) loop_sizes[n] = 1;
  const double m = num_pairs, point = best_point(edge_sizes, loop_sizes, static_cast<std::size_t>(num_pairs));
  for (double& value : edge_sizes) value *= point;
  for (double& value : loop_sizes) value *= std::sqrt(point);
  const double power = std::pow(point, m), lost = 0x1p-600 / std::pow(std::min(1.0, point), m);
  const auto& kernels = kernels_for<pairs_back_kernel::Kernels>(run.options().max_isa);
  const PairShares shares(num_pairs, 9);
  const std::int64_t scale = std::int64_t{half} * static_cast<std::int64_t>(n);

  // Returns the largest error over the largest derivative.
  const auto derive = [&](bool is_double) {
    const std::size_t parts = is_double ? 1 : 2, components = parts * (is_complex ? 2 : 1);
    std::vector<double> edges(num_edges * components), loops(loop_sizes.size() * components);
    each([&](std::size_t i, std::size_t j) {
      const auto* from = reinterpret_cast<const double*>(entries + i * n + j);
      double* to = i == j ? loops.data() + i * components : edges.data() + (i * (i - 1) / 2 + j) * components;
      for (std::size_t c = 0; c < components; c += parts)
        to[c] = std::ldexp(from[c / parts], i == j ? -half : -2 * half);
    });
    if (n < size) loops[n * components] = 1;
    const pairs_back_kernel::Kernel kernel = is_complex ? (is_double ? kernels.complex : kernels.complex_double)
                                                        : (is_double ? kernels.real : kernels.double_double);
    const DerivedPart total =
        derived_sums({num_pairs, edges.data(), data_of(loops)}, {num_pairs, edge_sizes.data(), data_of(loop_sizes)},
                     components, shares, kernel, kernels.magnitude, run, num_threads);
    const double unit = (is_double ? 0x1p-53 : 0x1p-101) * (is_complex ? 4 : 1);
    const double relative = std::expm1(3 * roundings_of(m) * unit) * (1 + 0x1p-19);
    // An entry of the matrix that bounds is z |a|, or the root of z times a loop.
    const auto put = [&](std::size_t number, double factor, std::int64_t exponent, T& to, double& error) {
      const DoubleDouble* of = &total.sums[number * components];
      const auto part = [&](std::size_t c) { return is_double ? of[c].hi : (of[2 * c] + of[2 * c + 1]).hi; };
      T value;
      if constexpr (is_complex) value = {part(0), part(1)};
      if constexpr (!is_complex) value = part(0);
      const double bound = total.magnitudes[number] * factor / power * relative + lost;
      out.put(value, bound + std::abs(value) * 0x1p-52, exponent, to, error);
    };
    put(0, 1, scale, *out.value, *out.error);
    double largest = 0, largest_error = 0;
    each([&](std::size_t i, std::size_t j) {
      const std::size_t at = i * n + j, mirrored = j * n + i;
      if (i == j) {
        put(1 + num_edges + i, std::sqrt(point), scale - half, out.derivatives[at], out.derivative_errors[at]);
      } else {
        put(1 + i * (i - 1) / 2 + j, point, scale - 2 * half - 1, out.derivatives[at], out.derivative_errors[at]);
      }
      out.derivatives[mirrored] = out.derivatives[at];
      out.derivative_errors[mirrored] = out.derivative_errors[at];
      largest = std::max(largest, std::abs(out.derivatives[at]));
      largest_error = std::max(largest_error, out.derivative_errors[at]);
    });
    return largest_error / largest;
  };
  const auto seconds = [&](Precision wanted) { return pair_gradient_seconds<T>(n, wanted) / num_threads; };
  if (seconds(precision) > run.seconds_left())
    throw OverLimit(
        "derivatives of a hafnian of " + std::to_string(n) + " vertices take about " + time_amount(seconds(precision)),
        seconds(precision), 0);
  if (precision == Precision::double_double) {
    derive(false);
  } else if (!(derive(true) <= good_relative_error) && precision == Precision::automatic &&
             seconds(Precision::double_double) <= run.seconds_left()) {
    derive(false);
  }
}
template void hafnian_gradient_by_pairs(const double*, std::size_t, bool, Precision, const RunContext&, int,
                                        const GradientView<double>&);
template void hafnian_gradient_by_pairs(const std::complex<double>*, std::size_t, bool, Precision, const RunContext&,
                                        int, const GradientView<std::complex<double>>&);

}  // namespace matchcount
