#pragma once
// Finds one permanent or hafnian of a dense matrix by expansions, with a bound on its error.

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/numbers/integer.hpp"
#include "core/numbers/pair.hpp"
#include "core/numbers/value.hpp"
#include "permanent/dense/expansion.hpp"

namespace matchcount {

// DenseShape is shared by all matrices of a batch.
struct DenseShape {
  bool hafnian = false;  // of row_times.size() vertices; the diagonal is not read but with `loops`, or of repeated ones
  bool complex = false;
  // Rows and columns are taken so often, at least once each, together equally often.
  std::vector<std::uint32_t> row_times, column_times;
  bool loops = false;  // the loop hafnian: vertices may stay unmatched for the weight on the diagonal
};

namespace dense {

// Answer names the value that an entry type gives. T below: std::int64_t, double or std::complex<double>.
template <class T>
struct Answer {
  using type = RealValue;
};
template <>
struct Answer<std::complex<double>> {
  using type = ComplexValue;
};
template <>
struct Answer<std::int64_t> {
  using type = Integer;
};
template <class T>
using AnswerOf = typename Answer<T>::type;

template <class T>
constexpr bool is_integer = std::is_same_v<T, std::int64_t>;
template <class T>
constexpr int components_of = std::is_same_v<T, std::complex<double>> ? 2 : 1;

// A value of another way that has a greater relative error is computed again, so that less cancels.
constexpr double enough_digits = 1e-7;

// Returns 2^exponent times the value, if the bound on its error leaves a digit; `largest` bounds the sum over
// magnitudes. T: double or std::complex<double>.
template <class T>
std::optional<AnswerOf<T>> with_bound(ComplexDoubleDouble value, double error, double largest, double exponent);
// Scales a symmetric matrix so that no entry that is read is above 1; returns by what power of 2.
template <class T>
int scale_symmetric(std::vector<T>& entries, std::size_t n, bool loops);
// Returns log2 of what is lost where so many operations of a matrix scaled to 1 are below 2^-1074 each, times all that
// they may still be multiplied by.
double log2_underflow(std::size_t rows, double log2_states);

inline double magnitude(double value) { return std::fabs(value); }
inline double magnitude(std::int64_t value) { return std::fabs(static_cast<double>(value)); }
inline double magnitude(std::complex<double> value) { return std::hypot(value.real(), value.imag()); }
inline bool is_positive(double value) { return value >= 0; }
inline bool is_positive(std::complex<double> value) { return value.imag() == 0 && value.real() >= 0; }

template <class T>
std::vector<double> magnitudes(std::span<const T> entries) {
  std::vector<double> result(entries.size());
  std::ranges::transform(entries, result.begin(), [](const T& entry) { return magnitude(entry); });
  return result;
}

// Bounds what so many roundings do to a sum. A complex product has three times as many roundings, and the sum over
// magnitudes was rounded itself.
template <class T>
double rounding_error(double roundings, double sum_of_magnitudes, bool extended = false) {
  const double relative =
      roundings * (extended ? DoubleDouble::unit_roundoff * 3 : 0x1p-53 * (components_of<T> == 2 ? 3 : 1));
  return relative * (1 + 4 * relative) * sum_of_magnitudes;
}

// Says whether the precision that is asked for lets doubles answer.
inline bool doubles_will_do(const RunOptions& options) {
  return options.precision == Precision::automatic || options.precision == Precision::float64;
}

// Describes how permanents of one shape are expanded.
struct PermanentShape {
  explicit PermanentShape(DenseShape shape) : given(std::move(shape)), columns(given.column_times) {}

  DenseShape given;
  ColumnShape columns;
};

// Has no value if doubles do not tell it (of more than 16 rows, double-doubles either), or memory lacks.
template <class T>
struct PermanentProblem {
  const PermanentShape& shape;
  std::span<const T> entries;  // of every row, as often as it is taken

  std::optional<AnswerOf<T>> value(const RunContext& run, int num_threads, Scratch& scratch) const;

 private:
  double log2_bound() const;
};

template <class T>
struct HafnianProblem {
  const VertexShape& shape;
  std::size_t n;
  bool loops;
  std::span<const T> entries;

  std::optional<AnswerOf<T>> value(const RunContext& run, int num_threads, Scratch& scratch) const;

 private:
  std::vector<T> read() const;
  double log2_bound(const std::vector<T>& read) const;
};

}  // namespace dense
}  // namespace matchcount
