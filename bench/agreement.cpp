#include "bench/agreement.hpp"

#include <limits>

namespace matchcount::bench {
namespace {

struct Estimate {
  ScaledComplex value;
  double log2_error = 0;
};
// Rounds integers to a relative 2^-100.
Estimate estimate_of(const Value& value) {
  if (const auto* real = std::get_if<RealValue>(&value)) return {{real->value, {}}, real->log2_error};
  if (const auto* complex = std::get_if<ComplexValue>(&value)) return {complex->value, complex->log2_error};
  const ScaledReal rounded = nearest_real(Rational(std::get<Integer>(value)));
  return {{rounded, {}}, rounded.is_zero() ? -std::numeric_limits<double>::infinity() : rounded.log2_abs() - 100};
}

}  // namespace

bool agree(const Value& a, const Value& b) {
  if (std::holds_alternative<Integer>(a) && std::holds_alternative<Integer>(b))
    return std::get<Integer>(a) == std::get<Integer>(b);
  const Estimate x = estimate_of(a), y = estimate_of(b);
  const ScaledComplex difference{x.value.re + -y.value.re, x.value.im + -y.value.im};
  return log2_abs(difference) <= log2_sum(log2_sum(x.log2_error, y.log2_error), log2_abs(y.value) - 98);
}

bool identical(const Value& a, const Value& b) {
  if (std::holds_alternative<Integer>(a)) return agree(a, b);
  const auto same = [](const ScaledReal& x, const ScaledReal& y) {
    return x.mantissa == y.mantissa && x.exponent == y.exponent;
  };
  const Estimate x = estimate_of(a), y = estimate_of(b);
  return same(x.value.re, y.value.re) && same(x.value.im, y.value.im);
}

}  // namespace matchcount::bench
