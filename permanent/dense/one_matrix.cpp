// Entries are scaled by powers of 2 first, so that nothing overflows; what underflows is below 2^-1074 in every
// operation and grows by at most all products of what is left, which the bound on the error has as well. Integers are
// exact modulo 2^64, which is all where the sum over magnitudes is below 2^62; else the same sum in doubles must say
// the rest, to within 2^61.

#include "permanent/dense/one_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace matchcount::dense {
namespace {

constexpr std::size_t rows_of_engine = 16;  // up to which it has double-doubles in less time
// ---- One sum: Shape is how it is walked, and `factor` what its result is multiplied by.

template <class T, class Shape>
struct Sum {
  const Shape& shape;
  DoubleDouble factor;
  double roundings;       // of the shape and the factor
  double log2_underflow;  // of the scaled sum
  const RunContext& run;
  int num_threads;

  Sum(const Shape& how, DoubleDouble times, double factor_roundings, double underflow, const RunContext& context,
      int threads)
      : shape(how),
        factor(times),
        roundings(how.roundings() + factor_roundings),
        log2_underflow(underflow),
        run(context),
        num_threads(threads) {}

  template <class Number>
  Number of(const Number* entries, Scratch& scratch) const {
    return shape.template expand<Number>(entries, scratch, run, num_threads);
  }
  double of_magnitudes(std::span<const T> entries, Scratch& scratch) const {
    return factor.hi * of(magnitudes(entries).data(), scratch);
  }
  double error(double sum_of_magnitudes, bool extended = false) const {
    return rounding_error<T>(roundings, sum_of_magnitudes, extended);
  }
};

ComplexDoubleDouble extended(double value) { return ComplexDoubleDouble(DoubleDouble(value)); }
ComplexDoubleDouble extended(std::complex<double> value) {
  return {DoubleDouble(value.real()), DoubleDouble(value.imag())};
}

// Rounds sums of reals and complex numbers, 2^exponent times that of `entries`; in double-doubles where doubles
// leave no digit and that is asked for. Nothing where there is none.
template <class T, class Shape>
std::optional<AnswerOf<T>> rounded_value(const Sum<T, Shape>& sum, std::span<const T> entries, double exponent,
                                         [[maybe_unused]] bool extend, Scratch& scratch) {
  const T value = sum.factor.hi * sum.of(entries.data(), scratch);
  const bool positive = std::ranges::all_of(entries, [](const T& entry) { return is_positive(entry); });
  const double largest = positive ? magnitude(value) : sum.of_magnitudes(entries, scratch);
  const double underflow = std::exp2(sum.log2_underflow);
  auto found = with_bound<T>(extended(value), sum.error(largest) + underflow, largest, exponent);
  if constexpr (std::is_same_v<Shape, ColumnShape>) {
    if (!found && extend) {
      std::vector<ComplexDoubleDouble> numbers;
      for (const T& entry : entries) numbers.push_back(extended(entry));
      const ComplexDoubleDouble again = ComplexDoubleDouble(sum.factor) * sum.of(numbers.data(), scratch);
      found = with_bound<T>(again, sum.error(largest, true) + underflow, largest, exponent);
    }
  }
  return found;
}

// Returns the integer that is `low` modulo 2^64 and within 2^61 of `near`.
Integer nearest_with_low_bits(double near, std::uint64_t low) {
  int exponent = 0;
  auto mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(near, &exponent), 53));
  exponent -= 53;
  if (exponent < 0) {
    mantissa = std::llrint(near);
    exponent = 0;
  }
  const std::uint64_t low_of_near = exponent < 64 ? static_cast<std::uint64_t>(mantissa) << exponent : 0;
  return (Integer(mantissa) << static_cast<std::size_t>(exponent)) + static_cast<std::int64_t>(low - low_of_near);
}

// `log2_bound` is at least that of the sum over magnitudes. Nothing where doubles do not tell the integer.
template <class Shape>
std::optional<Integer> exact_value(const Sum<std::int64_t, Shape>& sum, std::span<const std::int64_t> entries,
                                   std::uint64_t integer_factor, double log2_bound, Scratch& scratch) {
  const std::vector<std::uint64_t> words(entries.begin(), entries.end());
  const auto low = [&] { return integer_factor * sum.of(words.data(), scratch); };
  if (log2_bound < 61.9) return static_cast<std::int64_t>(low());
  const double largest = sum.of_magnitudes(entries, scratch);
  if (largest < 0x1p62 - sum.error(largest)) return static_cast<std::int64_t>(low());
  const auto is_held = [](std::int64_t entry) { return entry >= -(1LL << 53) && entry <= 1LL << 53; };
  if (!(sum.error(largest) < 0x1p61) || !std::ranges::all_of(entries, is_held)) return std::nullopt;
  const std::vector<double> reals(entries.begin(), entries.end());
  return nearest_with_low_bits(sum.factor.hi * sum.of(reals.data(), scratch), low());
}

// Scales every row so that its largest magnitude is in [1/2, 1), and adds up the exponents; nothing for a row of zeros.
template <class T>
std::optional<double> scale_rows(std::vector<T>& entries, std::size_t columns) {
  double exponents = 0;
  for (auto row = entries.begin(); row != entries.end(); row += static_cast<std::ptrdiff_t>(columns)) {
    const auto end = row + static_cast<std::ptrdiff_t>(columns);
    double largest = 0;
    for (auto entry = row; entry != end; ++entry) largest = std::max(largest, magnitude(*entry));
    if (largest == 0) return std::nullopt;
    const int exponent = std::ilogb(largest) + 1;
    exponents += exponent;
    const double half = std::ldexp(1.0, -exponent / 2), other_half = std::ldexp(1.0, -exponent - -exponent / 2);
    for (auto entry = row; entry != end; ++entry) *entry = *entry * half * other_half;
  }
  return exponents;
}

}  // namespace

template <class T>
std::optional<AnswerOf<T>> with_bound(ComplexDoubleDouble value, double error, double largest, double exponent) {
  constexpr double no_digit = 0.05;  // as supported_digits has it
  if (!(error < no_digit * std::hypot(value.re.hi, value.im.hi))) return std::nullopt;
  constexpr double slack = 1e-9;  // of the logarithms
  const double log2_error = std::log2(error) + exponent + slack;
  const double log2_magnitudes = std::log2(largest) + exponent + slack;
  const auto places = static_cast<std::int64_t>(exponent);
  if constexpr (components_of<T> == 2) {
    return ComplexValue{{ScaledReal(value.re, places), ScaledReal(value.im, places)}, log2_error, log2_magnitudes};
  } else {
    return RealValue{ScaledReal(value.re, places), log2_error, log2_magnitudes};
  }
}

double log2_underflow(std::size_t rows, double log2_states) {
  return -1074 + log2_states + 8 + 2 * std::lgamma(static_cast<double>(rows) + 1) / std::log(2.0);
}

template <class T>
int scale_symmetric(std::vector<T>& entries, std::size_t n, bool loops) {
  double between = 0, loop = 0;
  for (std::size_t i = 0; i < entries.size(); ++i)
    (i % (n + 1) == 0 ? loop : between) = std::max(i % (n + 1) == 0 ? loop : between, magnitude(entries[i]));
  int half = std::numeric_limits<int>::min();
  if (between != 0) half = static_cast<int>(std::floor((std::ilogb(between) + 2) / 2.0));
  if (loops && loop != 0) half = std::max(half, std::ilogb(loop) + 1);
  if (half == std::numeric_limits<int>::min()) return 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const int by = i % (n + 1) == 0 ? -half : -2 * half;
    entries[i] = entries[i] * std::ldexp(1.0, by / 2) * std::ldexp(1.0, by - by / 2);
  }
  return half;
}

// ---- One matrix.

template <class T>
std::optional<AnswerOf<T>> PermanentProblem<T>::value(const RunContext& run, int num_threads, Scratch& scratch) const {
  if (!run.has_memory_for(shape.columns.memory_bytes())) return std::nullopt;
  DoubleDouble factor = 1;
  double log2_factor = 0;
  std::uint64_t integer_factor = 1;
  for (const std::uint32_t taken : shape.given.column_times) {
    for (std::uint32_t i = 2; i <= taken; ++i) {
      factor = factor * DoubleDouble(i);
      integer_factor *= i;
    }
    log2_factor += std::lgamma(taken + 1.0) / std::log(2.0);
  }
  const double log2_states = std::log2(static_cast<double>(shape.columns.num_blocks())) + 3;
  const double log2_lost = log2_underflow(shape.columns.size(), log2_states) + log2_factor;
  const Sum<T, ColumnShape> sum(shape.columns, factor, 2.0 * static_cast<double>(shape.columns.size()), log2_lost, run,
                                num_threads);
  if constexpr (is_integer<T>) {
    return exact_value(sum, entries, integer_factor, log2_bound(), scratch);
  } else {
    std::vector<T> scaled(entries.begin(), entries.end());
    const std::optional<double> exponent = scale_rows(scaled, shape.given.column_times.size());
    if (!exponent) return AnswerOf<T>{};
    return rounded_value(sum, std::span<const T>(scaled), *exponent, shape.columns.size() > rows_of_engine, scratch);
  }
}

// Returns the product of the rows' sums.
template <class T>
double PermanentProblem<T>::log2_bound() const {
  double bound = 0;
  for (std::size_t i = 0; i < entries.size(); i += shape.given.column_times.size()) {
    double sum = 0;
    for (std::size_t j = 0; j < shape.given.column_times.size(); ++j)
      sum += shape.given.column_times[j] * magnitude(entries[i + j]);
    bound += std::log2(sum) + 0x1p-40;
  }
  return bound;
}

// The diagonal counts in no bound, nor is it scaled, where it is not read.
template <class T>
std::vector<T> HafnianProblem<T>::read() const {
  std::vector<T> read(entries.begin(), entries.end());
  for (std::size_t v = 0; v < n && !loops; ++v) read[v * (n + 1)] = T(0);
  return read;
}

template <class T>
std::optional<AnswerOf<T>> HafnianProblem<T>::value(const RunContext& run, int num_threads, Scratch& scratch) const {
  const Sum<T, VertexShape> sum(shape, 1, 0, log2_underflow(n, static_cast<double>(n)), run, num_threads);
  std::vector<T> scaled = read();
  if constexpr (is_integer<T>) {
    return exact_value(sum, std::span<const T>(scaled), 1, log2_bound(scaled), scratch);
  } else {
    const int exponent = scale_symmetric(scaled, n, loops);
    return rounded_value(sum, std::span<const T>(scaled), static_cast<double>(exponent) * static_cast<double>(n), false,
                         scratch);
  }
}

// The square of the hafnian of magnitudes is at most their permanent. With loops, a vertex of the lowest number that
// is left has one of the entries of its row.
template <class T>
double HafnianProblem<T>::log2_bound(const std::vector<T>& read) const {
  double bound = 0;
  for (std::size_t u = 0; u < n; ++u) {
    double sum = loops ? 1 : 0;
    for (std::size_t v = 0; v < n; ++v) sum += magnitude(read[u * n + v]);
    bound += std::log2(sum) + 0x1p-40;
  }
  return loops ? bound : bound / 2;
}

template std::optional<RealValue> with_bound<double>(ComplexDoubleDouble, double, double, double);
template std::optional<ComplexValue> with_bound<std::complex<double>>(ComplexDoubleDouble, double, double, double);
template int scale_symmetric(std::vector<double>&, std::size_t, bool);
template int scale_symmetric(std::vector<std::complex<double>>&, std::size_t, bool);
template struct PermanentProblem<std::int64_t>;
template struct PermanentProblem<double>;
template struct PermanentProblem<std::complex<double>>;
template struct HafnianProblem<std::int64_t>;
template struct HafnianProblem<double>;
template struct HafnianProblem<std::complex<double>>;

}  // namespace matchcount::dense
