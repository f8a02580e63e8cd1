#pragma once
// Finds one permanent or hafnian of a dense matrix by sums over roots of unity and expansions, with a bound on its
// error.

#include <complex>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "core/numbers/gradients.hpp"
#include "core/numbers/integer.hpp"
#include "core/numbers/value.hpp"
#include "permanent/dense/dense_gpu.hpp"
#include "permanent/dense/expansion.hpp"
#include "permanent/dense/permanent_mean.hpp"

namespace matchcount::dense {

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

// A sum over roots of unity that has a greater relative error is computed again in another way, in which less cancels.
constexpr double enough_digits = 1e-7;

// Describes how permanents of one shape are walked.
struct PermanentShape {
  PermanentShape(std::span<const std::uint32_t> row_times, std::span<const std::uint32_t> column_times)
      : times(column_times.begin(), column_times.end()), columns(column_times), mean(row_times, column_times) {}

  std::vector<std::uint32_t> times;  // of the columns
  ColumnShape columns;
  PermanentMean mean;
};

// Has no value if doubles do not tell it (of more than 16 rows, double-doubles either), or memory lacks.
template <class T>
struct PermanentProblem {
  const PermanentShape& shape;
  std::span<const T> entries;  // of every row, as often as it is taken
  std::span<const T> once;     // of every row once

  std::optional<AnswerOf<T>> value(const RunContext& run, int num_threads, Scratch& scratch) const;

 private:
  std::optional<AnswerOf<T>> expanded_value(const RunContext& run, int num_threads, Scratch& scratch) const;
  double log2_bound() const;
};

// Finds the permanents of eight n x n matrices or fewer, side by side, 2 <= n <= most_rows_of_eight; nothing where one
// by one they have more digits.
template <class T>
void permanents_of_eight(const T* entries, std::size_t n, Isa max_isa, std::span<std::optional<AnswerOf<T>>> found);

template <class T>
struct HafnianProblem {
  const VertexShape& shape;
  std::size_t n;
  bool loops;
  std::span<const T> entries;

  std::optional<AnswerOf<T>> value(const RunContext& run, int num_threads, Scratch& scratch) const;
  // Finds it with its derivatives, as pair_sum.hpp has them. Returns the largest bound on a derivative's error over the
  // largest derivative; 0 where all are.
  double derive(const RunContext& run, int num_threads, Scratch& scratch, const GradientView<T>& out) const
      requires(!is_integer<T>);

 private:
  std::vector<T> read() const;
  double log2_bound(const std::vector<T>& read) const;
};

// Sums over roots of unity, for reals or complex numbers; no value if it has no digit.
template <class T>
std::optional<AnswerOf<T>> value_of(const HafnianMean& mean, std::span<const T> entries, const RunContext& run,
                                    int num_threads);

// Returns the value that GPUs summed; nothing where it has too few digits.
template <class T>
std::optional<AnswerOf<T>> value_of(const DenseSum& sum);

}  // namespace matchcount::dense
