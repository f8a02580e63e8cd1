#include "permanent/engine/matching_weights.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <variant>

#include "core/error.hpp"

namespace matchcount {
namespace {

// Converts a double, which is an integer of 53 bits times a power of two.
Rational exact(double value) {
  int exponent = 0;
  const auto mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
  exponent -= 53;
  if (mantissa == 0) return 0;
  if (exponent >= 0) return Rational(Integer(mantissa) << static_cast<std::size_t>(exponent));
  return {Integer(mantissa), Integer(1) << static_cast<std::size_t>(-exponent)};
}
Rational exact(DoubleDouble value) { return exact(value.hi) + exact(value.lo); }

DoubleDouble nearest(const Rational& value) {
  const ScaledReal scaled = nearest_real(value);
  const auto exponent = static_cast<int>(std::clamp<std::int64_t>(scaled.exponent, -5000, 5000));
  return ldexp(scaled.mantissa, exponent);
}

}  // namespace

Integer MatchingWeights::common_denominator() const {
  Integer multiple = 1;
  for (const auto* values : {&edges, &vertices}) {
    for (const GaussianRational& value : *values) {
      for (const Rational* part : {&value.re, &value.im}) {
        if (denominator(*part) != 1) multiple = lcm(multiple, denominator(*part));
      }
    }
  }
  return multiple;
}

MatchingWeights MatchingWeights::magnitudes() const {
  MatchingWeights result = *this;
  for (auto* values : {&result.edges, &result.vertices}) {
    for (GaussianRational& value : *values) value = {abs(value.re) + abs(value.im), 0};
  }
  return result;
}

std::vector<GaussianRational> exact_weights(const Weights& weights, std::size_t count,
                                            std::span<const Rational> fractions) {
  std::vector<GaussianRational> result;
  result.reserve(count);
  std::visit(
      [&](const auto& values) {
        using Values = std::decay_t<decltype(values)>;
        if constexpr (std::is_same_v<Values, std::monostate>) {
          result.assign(count, {1, 0});
        } else {
          if (values.size() != count)
            throw InputError(std::to_string(values.size()) + " weights", std::to_string(count) + " of them");
          for (const auto& value : values) {
            if constexpr (std::is_same_v<Values, std::vector<ComplexDoubleDouble>>) {
              result.push_back({exact(value.re), exact(value.im)});
            } else if constexpr (std::is_same_v<Values, std::vector<DoubleDouble>>) {
              result.push_back({exact(value), 0});
            } else if (fractions.empty()) {
              result.push_back({value, 0});
            } else {
              if (value < 0 || static_cast<std::size_t>(value) >= fractions.size())
                throw InputError("the place " + std::to_string(value) + " as a weight",
                                 "a place in a table of " + std::to_string(fractions.size()) + " fractions");
              result.push_back({fractions[static_cast<std::size_t>(value)], 0});
            }
          }
        }
      },
      weights);
  return result;
}

std::vector<GaussianInteger> times_multiple(const std::vector<GaussianRational>& values, const Integer& multiple) {
  std::vector<GaussianInteger> result;
  result.reserve(values.size());
  const auto times = [&](const Rational& value) { return numerator(value) * (multiple / denominator(value)); };
  for (const GaussianRational& value : values) result.push_back({times(value.re), times(value.im)});
  return result;
}

std::vector<ComplexEntry> as_entries(const std::vector<GaussianRational>& values) {
  std::vector<ComplexEntry> result;
  result.reserve(values.size());
  for (const GaussianRational& value : values) {
    ComplexEntry entry{{nearest(value.re), nearest(value.im)}, 0};
    entry.magnitude = std::hypot(entry.value.re.hi, entry.value.im.hi) * (1 + 0x1p-50);
    result.push_back(entry);
  }
  return result;
}

MatchingSum exact_answer(const GaussianInteger& value, const Integer& divisor, WeightKind kind, double log2_error) {
  const Rational re(value.re, divisor);
  if (kind != WeightKind::real && kind != WeightKind::complex) {
    if (denominator(re) == 1) return {numerator(re), {}};
    const ScaledReal rounded = nearest_real(re);
    return {RealValue{rounded, rounded.log2_abs() - 100}, re};
  }
  constexpr double rounding = 100;
  if (kind == WeightKind::real) {
    const ScaledReal rounded = nearest_real(re);
    return {RealValue{rounded, log2_sum(log2_error, rounded.log2_abs() - rounding)}, {}};
  }
  ComplexValue result;
  result.value = {nearest_real(re), nearest_real(Rational(value.im, divisor))};
  result.log2_error = log2_sum(log2_error, log2_abs(result.value) - rounding);
  return {result, {}};
}

}  // namespace matchcount
