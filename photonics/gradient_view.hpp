#pragma once
// Holds what a function of matrices is, and how fast it changes with each of their entries.

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/api.hpp"
#include "core/error.hpp"

namespace MATCHCOUNT_API matchcount {

// Returns what std::ldexp does, sooner: a product with a normal number has the same bits.
inline double times_power_of_2(double a, int exponent) {
  if (exponent < -1022 || exponent > 1023) return std::ldexp(a, exponent);
  return a * std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

// Names the places where one matrix's numbers go. Errors bound the distances from the truth.
template <class T>
struct GradientView {
  T* value;
  double* error;
  T* derivatives;  // row-major
  double* derivative_errors;

  // Puts number and bound, both times 2^exponent, in their places. Throws Unable where doubles do not hold them.
  static void put(T number, double bound, std::int64_t exponent, T& to, double& error) {
    const int power = static_cast<int>(exponent < -4000 ? -4000 : exponent > 4000 ? 4000 : exponent);
    const auto scaled = [&](double part) {
      const double result = times_power_of_2(part, power);
      if (!std::isfinite(result)) throw Unable("a derivative that is beyond the range of doubles");
      return result;
    };
    if constexpr (sizeof(T) == sizeof(double)) {
      to = scaled(number);
    } else {
      to = {scaled(number.real()), scaled(number.imag())};
    }
    error = times_power_of_2(bound, power) * (1 + 0x1p-50) + 2 * std::numeric_limits<double>::denorm_min();
  }
};

// Holds those of matrices that stand one behind the other.
template <class T>
struct Gradients {
  std::vector<T> values;  // by matrix
  std::vector<double> errors;
  std::vector<T> derivatives;  // by matrix, row and column
  std::vector<double> derivative_errors;

  Gradients(std::size_t count, std::size_t entries_of_one)
      : values(count), errors(count), derivatives(count * entries_of_one), derivative_errors(count * entries_of_one) {}
  GradientView<T> of(std::size_t matrix) {
    const std::size_t first = matrix * (derivatives.size() / values.size());
    return {&values[matrix], &errors[matrix], derivatives.data() + first, derivative_errors.data() + first};
  }
};

}  // namespace matchcount
