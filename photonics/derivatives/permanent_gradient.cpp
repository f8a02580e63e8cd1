#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <type_traits>
#include <utility>

#include "core/amounts.hpp"
#include "core/cpu/dispatch.hpp"
#include "core/error.hpp"
#include "permanent/ryser/cpu/minors_program.hpp"
#include "permanent/ryser/minors.hpp"
#include "permanent/ryser/subsets.hpp"
#include "photonics/derivatives/derivatives.hpp"
#include "photonics/derivatives/minors_scaling.hpp"
#include "photonics/derivatives/ordered_sum.hpp"

namespace matchcount {
namespace {

// Scales a matrix into entries as far apart as they are given; writes the rows' floors.
template <class T>
MinorsScaling scale_dense(const T* entries, int n, double* to, double* floors) {
  constexpr int width = sizeof(T) / sizeof(double);
  const auto* parts = reinterpret_cast<const double*>(entries);
  MinorsScaling scaling;
  double logarithms[gpu::most_scaled_rows];
  for (int j = 0; j < n; ++j) scaling.column_shift[j] = column_shift_of(parts, n, width, j);
  for (int i = 0; i < n; ++i)
    scaling.row_shift[i] = scale_row(parts, n, width, i, scaling.column_shift, to, width, floors + i, logarithms + i);
  join_rows(scaling, n, logarithms);
  return scaling;
}

template <class T>
T as_number(const std::conditional_t<std::is_same_v<T, double>, DoubleDouble, ComplexDoubleDouble>& value) {
  if constexpr (std::is_same_v<T, double>) return value.hi;
  if constexpr (!std::is_same_v<T, double>) return {value.re.hi, value.im.hi};
}

// Puts the sums of a scaled matrix, and their errors, where they go.
template <class T>
void put_gradient(const MinorsScaling& scaling, std::size_t n, int num_bits, T total, double total_error,
                  const auto& minor, double minor_error, const GradientView<T>& out) {
  const auto put = [&](T sum, double bound, std::int64_t exponent, T& to, double& error) {
    const double size = std::fabs(std::real(sum)) + std::fabs(std::imag(sum));
    out.put(sum, bound + size * 0x1p-53, exponent - num_bits, to, error);
  };
  put(total, total_error, scaling.exponent, *out.value, *out.error);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j)
      put(minor(i, j), minor_error, scaling.exponent - scaling.row_shift[i] - scaling.column_shift[j],
          out.derivatives[i * n + j], out.derivative_errors[i * n + j]);
  }
}

}  // namespace

template <class T>
void permanent_gradient(const T* entries, std::size_t n, const RunContext& run, int num_threads,
                        const GradientView<T>& out) {
  constexpr bool is_complex = !std::is_same_v<T, double>;
  using Number = std::conditional_t<is_complex, ComplexDoubleDouble, DoubleDouble>;
  if (n > subsets::largest_size) throw Unable("all minors of " + std::to_string(n) + " rows: 62 at most");
  const NumberType number{is_complex ? WeightKind::complex : WeightKind::real, Precision::float64};
  const double seconds = marginals_ryser_seconds(static_cast<Vertex>(n), number,
                                                 std::min(run.options().max_isa, detected_isa()), num_threads);
  if (seconds > run.seconds_left())
    throw OverLimit("all minors of " + std::to_string(n) + " rows take about " + time_amount(seconds), seconds, 0);

  minors_kernel::Matrix matrix;
  matrix.rows = static_cast<int>(n);
  matrix.components = is_complex ? 2 : 1;
  matrix.value.resize(n * n * (is_complex ? 2 : 1));
  matrix.floor.resize(n);
  const MinorsScaling scaling = scale_dense(entries, static_cast<int>(n), matrix.value.data(), matrix.floor.data());
  minors_kernel::enlarge(matrix);
  const minors_kernel::BuiltProgram built(std::move(matrix), 0, n <= 16 ? 0 : 3);
  const auto& kernels = kernels_for<minors_kernel::Kernels>(run.options().max_isa);
  const auto sums = ordered_sum(num_threads, built.num_chunks(), [&](std::uint64_t chunk) {
    run.check();
    return built.sum_chunk<Number>(is_complex ? kernels.complex : kernels.real, chunk);
  });
  const double relative = built.relative_error(scaling.perturbation, false, is_complex) + 0x1p-94;
  put_gradient<T>(
      scaling, n, built.num_bits(), as_number<T>(sums.total), sums.magnitude * relative,
      [&](std::size_t i, std::size_t j) {
        return as_number<T>(sums.minor[i * static_cast<std::size_t>(built.program().rows) + j]);
      },
      sums.largest_minor * relative, out);
}

template void permanent_gradient(const double*, std::size_t, const RunContext&, int, const GradientView<double>&);
template void permanent_gradient(const std::complex<double>*, std::size_t, const RunContext&, int,
                                 const GradientView<std::complex<double>>&);

}  // namespace matchcount
