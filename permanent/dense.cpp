// Entries are scaled by powers of 2 first, so that nothing overflows; what underflows is below 2^-1074 in every
// operation and grows by at most all products of what is left, which the bound on the error has as well. Integers are
// exact modulo 2^64, which is all where the sum over magnitudes is below 2^62; else the same sum in doubles must say
// the rest, to within 2^61.

#include "permanent/dense.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "permanent/dense/expansion.hpp"
#include "permanent/matchings.hpp"
#include "permanent/permanent.hpp"

namespace matchcount {
namespace {

using dense::ColumnShape;
using dense::Scratch;
using dense::VertexShape;

constexpr std::size_t most_rows = 16, most_vertices = 32, most_repeated_rows = 64;
constexpr double unit_roundoff = 0x1p-53;
// Of eight states each: one thread takes as long for them as others would take to start.
constexpr double blocks_worth_threads = 1 << 12;

// What an entry type gives.
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

double magnitude(double value) { return std::fabs(value); }
double magnitude(std::int64_t value) { return std::fabs(static_cast<double>(value)); }
double magnitude(std::complex<double> value) { return std::hypot(value.real(), value.imag()); }
bool is_positive(double value) { return value >= 0; }
bool is_positive(std::complex<double> value) { return value.imag() == 0 && value.real() >= 0; }

template <class T>
std::vector<double> magnitudes(std::span<const T> entries) {
  std::vector<double> result(entries.size());
  std::ranges::transform(entries, result.begin(), [](const T& entry) { return magnitude(entry); });
  return result;
}

template <class T>
void require_finite(std::span<const T> entries) {
  if constexpr (!is_integer<T>) {
    const bool finite = std::ranges::all_of(entries, [](const T& entry) { return std::isfinite(magnitude(entry)); });
    if (!finite) throw InputError("an entry that is not finite, or whose magnitude is not", "finite numbers");
  }
}

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
  // A complex product has three times as many roundings, and the sum over magnitudes was rounded itself.
  double error(double sum_of_magnitudes, bool extended = false) const {
    const double relative =
        roundings * (extended ? DoubleDouble::unit_roundoff * 3 : unit_roundoff * (components_of<T> == 2 ? 3 : 1));
    return relative * (1 + 4 * relative) * sum_of_magnitudes;
  }
};

DoubleDouble real_part(double value) { return value; }
DoubleDouble real_part(std::complex<double> value) { return value.real(); }
DoubleDouble real_part(ComplexDoubleDouble value) { return value.re; }
DoubleDouble imaginary_part(double) { return {}; }
DoubleDouble imaginary_part(std::complex<double> value) { return value.imag(); }
DoubleDouble imaginary_part(ComplexDoubleDouble value) { return value.im; }

// 2^exponent times the value, where the bound leaves a digit.
template <class T, class Number>
std::optional<AnswerOf<T>> with_bound(Number value, double error, double largest, double exponent) {
  const DoubleDouble re = real_part(value), im = imaginary_part(value);
  constexpr double no_digit = 0.05;  // as supported_digits has it
  if (!std::isfinite(largest) || !(error < no_digit * std::hypot(re.hi, im.hi))) return std::nullopt;
  constexpr double slack = 1e-9;  // of the logarithms
  const double log2_error = std::log2(error) + exponent + slack;
  const double log2_magnitudes = std::log2(largest) + exponent + slack;
  const auto places = static_cast<std::int64_t>(exponent);
  if constexpr (components_of<T> == 2) {
    return ComplexValue{{ScaledReal(re, places), ScaledReal(im, places)}, log2_error, log2_magnitudes};
  } else {
    return RealValue{ScaledReal(re, places), log2_error, log2_magnitudes};
  }
}

// Of reals and complex numbers, of which the sum is 2^exponent times that of `entries`; in double-doubles where doubles
// leave no digit and that is asked for. Nothing where there is none.
template <class T, class Shape>
std::optional<AnswerOf<T>> rounded_value(const Sum<T, Shape>& sum, std::span<const T> entries, double exponent,
                                         [[maybe_unused]] bool extend, Scratch& scratch) {
  const T value = sum.factor.hi * sum.of(entries.data(), scratch);
  const bool positive = std::ranges::all_of(entries, [](const T& entry) { return is_positive(entry); });
  const double largest = positive ? magnitude(value) : sum.of_magnitudes(entries, scratch);
  const double underflow = std::exp2(sum.log2_underflow);
  auto found = with_bound<T>(value, sum.error(largest) + underflow, largest, exponent);
  if constexpr (std::is_same_v<Shape, ColumnShape>) {
    if (!found && extend) {
      std::vector<ComplexDoubleDouble> extended;
      for (const T& entry : entries) extended.emplace_back(real_part(entry), imaginary_part(entry));
      const ComplexDoubleDouble again = ComplexDoubleDouble(sum.factor) * sum.of(extended.data(), scratch);
      found = with_bound<T>(again, sum.error(largest, true) + underflow, largest, exponent);
    }
  }
  return found;
}

// The integer that is `low` modulo 2^64 and within 2^61 of `near`.
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

// ---- The front door, for what is larger.

RunOptions what_is_left(const RunContext& run) {
  RunOptions options = run.options();
  options.time_limit_s = run.seconds_left();
  return options;
}

template <class T>
AnswerOf<T> of_value(const Value& value) {
  if (const auto* same = std::get_if<AnswerOf<T>>(&value)) return *same;
  if constexpr (!is_integer<T>) {
    if (const auto* integer = std::get_if<Integer>(&value)) {
      const ScaledReal real = nearest_real(*integer);
      const double log2_error = integer->sign() == 0 ? -std::numeric_limits<double>::infinity() : real.log2_abs() - 100;
      if constexpr (components_of<T> == 2) return {{real, {}}, log2_error};
      if constexpr (components_of<T> == 1) return {real, log2_error};
    }
  }
  throw Error("a permanent or hafnian is of another type than its entries");
}

template <class T>
auto as_weights(std::vector<T> entries) {
  if constexpr (is_integer<T>) {
    return entries;
  } else if constexpr (components_of<T> == 2) {
    std::vector<ComplexDoubleDouble> weights;
    for (const T& entry : entries) weights.emplace_back(DoubleDouble(entry.real()), DoubleDouble(entry.imag()));
    return weights;
  } else {
    return std::vector<DoubleDouble>(entries.begin(), entries.end());
  }
}

template <class T>
AnswerOf<T> permanent_by_front_door(std::span<const T> entries, std::size_t n, const RunContext& run) {
  std::vector<Edge> edges;
  std::vector<T> values;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i] == T(0)) continue;
    edges.push_back({static_cast<Vertex>(i / n), static_cast<Vertex>(i % n)});
    values.push_back(entries[i]);
  }
  const auto size = static_cast<Vertex>(n);
  CountOptions options;
  options.run = what_is_left(run);
  return of_value<T>(
      permanent(BipartiteGraph::from_edges(size, size, std::move(edges), as_weights(std::move(values))), options)
          .value);
}

template <class T>
AnswerOf<T> hafnian_by_front_door(std::span<const T> entries, std::size_t n, bool loops, const RunContext& run) {
  std::vector<Edge> edges;
  std::vector<T> values, diagonal;
  for (std::size_t u = 0; u < n; ++u) {
    diagonal.push_back(entries[u * n + u]);
    for (std::size_t v = u + 1; v < n; ++v) {
      if (entries[u * n + v] == T(0)) continue;
      edges.push_back({static_cast<Vertex>(u), static_cast<Vertex>(v)});
      values.push_back(entries[u * n + v]);
    }
  }
  const auto graph =
      UndirectedGraph::from_edges(static_cast<Vertex>(n), std::move(edges), as_weights(std::move(values)));
  MatchingOptions options;
  options.count.run = what_is_left(run);
  if (!loops) return of_value<T>(hafnian(graph, options.count).value);
  options.kind = MatchingKind::all;
  options.weighted = true;
  options.loops = as_weights(std::move(diagonal));
  return of_value<T>(count_matchings(graph, options).run.value);
}

// ---- One matrix. Nothing where doubles do not tell.

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

// Operations, each below 2^-1074, times all that they may still be multiplied by.
double log2_underflow(std::size_t rows, double log2_states) {
  return -1074 + log2_states + 8 + 2 * std::lgamma(static_cast<double>(rows) + 1) / std::log(2.0);
}

template <class T>
struct PermanentProblem {
  const ColumnShape& shape;
  std::span<const std::uint32_t> times;  // of the columns
  std::span<const T> entries;            // of every row, as often as it is taken

  std::optional<AnswerOf<T>> value(const RunContext& run, int num_threads, Scratch& scratch) const {
    DoubleDouble factor = 1;
    double log2_factor = 0;
    std::uint64_t integer_factor = 1;
    for (const std::uint32_t taken : times) {
      for (std::uint32_t i = 2; i <= taken; ++i) {
        factor = factor * DoubleDouble(i);
        integer_factor *= i;
      }
      log2_factor += std::lgamma(taken + 1.0) / std::log(2.0);
    }
    const double log2_states = std::log2(static_cast<double>(shape.num_blocks())) + 3;
    const double log2_lost = log2_underflow(shape.size(), log2_states) + log2_factor;
    const Sum<T, ColumnShape> sum(shape, factor, 2.0 * static_cast<double>(shape.size()), log2_lost, run, num_threads);
    if constexpr (is_integer<T>) {
      return exact_value(sum, entries, integer_factor, log2_bound(), scratch);
    } else {
      std::vector<T> scaled(entries.begin(), entries.end());
      const std::optional<double> exponent = scale_rows(scaled, times.size());
      if (!exponent) return AnswerOf<T>{};
      // The engine has double-doubles for the small ones, in less time.
      return rounded_value(sum, std::span<const T>(scaled), *exponent, shape.size() > most_rows, scratch);
    }
  }

 private:
  // The product of the rows' sums.
  double log2_bound() const {
    double bound = 0;
    for (std::size_t i = 0; i < entries.size(); i += times.size()) {
      double sum = 0;
      for (std::size_t j = 0; j < times.size(); ++j) sum += times[j] * magnitude(entries[i + j]);
      bound += std::log2(sum) + 0x1p-40;
    }
    return bound;
  }
};

// Scales so that no entry that is read is above 1; returns by what power of 2.
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

template <class T>
struct HafnianProblem {
  const VertexShape& shape;
  std::size_t n;
  bool loops;
  std::span<const T> entries;

  std::optional<AnswerOf<T>> value(const RunContext& run, int num_threads, Scratch& scratch) const {
    const Sum<T, VertexShape> sum(shape, 1, 0, log2_underflow(n, static_cast<double>(n)), run, num_threads);
    // The diagonal counts in no bound, nor is it scaled, where it is not read.
    std::vector<T> read(entries.begin(), entries.end());
    for (std::size_t v = 0; v < n && !loops; ++v) read[v * (n + 1)] = T(0);
    if constexpr (is_integer<T>) {
      return exact_value(sum, std::span<const T>(read), 1, log2_bound(read), scratch);
    } else {
      const int exponent = scale_symmetric(read, n, loops);
      return rounded_value(sum, std::span<const T>(read), static_cast<double>(exponent) * static_cast<double>(n), false,
                           scratch);
    }
  }

 private:
  // The square of the hafnian of magnitudes is at most their permanent. With loops, a vertex of the lowest number that
  // is left has one of the entries of its row.
  double log2_bound(const std::vector<T>& read) const {
    double bound = 0;
    for (std::size_t u = 0; u < n; ++u) {
      double sum = loops ? 1 : 0;
      for (std::size_t v = 0; v < n; ++v) sum += magnitude(read[u * n + v]);
      bound += std::log2(sum) + 0x1p-40;
    }
    return loops ? bound : bound / 2;
  }
};

// ---- Many of them.

bool may_expand(const RunOptions& options) {
  const bool precise = options.precision == Precision::automatic || options.precision == Precision::float64;
  return precise && options.device.kind != DeviceChoice::Kind::cuda;
}

template <class T>
std::size_t number_of_matrices(std::span<const T> entries, std::size_t n) {
  if (n == 0 || entries.size() % (n * n) != 0)
    throw InputError(
        std::to_string(entries.size()) + " entries for matrices of " + std::to_string(n) + " x " + std::to_string(n),
        "as many as some matrices of at least one row have");
  require_finite(entries);
  return entries.size() / (n * n);
}

// value(i, threads, scratch) is that of matrix i, or nothing where by_front_door(i) has to find it.
template <class T, class Find, class FrontDoor>
std::vector<AnswerOf<T>> each(std::size_t count, double blocks, double bytes, const RunContext& run, bool expand,
                              const Find& value, const FrontDoor& by_front_door) {
  std::vector<std::optional<AnswerOf<T>>> found(count);
  int num_threads = blocks * static_cast<double>(count) < blocks_worth_threads ? 1 : run.num_threads();
  const int threads_within = count == 1 ? num_threads : 1;
  if (count == 1) num_threads = 1;
  while (num_threads > 1 && !run.has_memory_for(bytes * num_threads)) --num_threads;
  if (expand && run.has_memory_for(bytes)) {
    std::vector<Scratch> scratch(static_cast<std::size_t>(num_threads));
    // Few enough that nobody waits long for a check, many enough that nobody waits for the next.
    const auto chunk = static_cast<std::size_t>(std::max(1.0, blocks_worth_threads / 8 / blocks));
    parallel_for_chunks(num_threads, (count + chunk - 1) / chunk, [&](std::uint64_t index, int thread) {
      run.check();
      for (std::size_t i = index * chunk; i < std::min(count, (index + 1) * chunk); ++i)
        found[i] = value(i, threads_within, scratch[static_cast<std::size_t>(thread)]);
    });
  }
  std::vector<AnswerOf<T>> values;
  values.reserve(count);
  for (std::size_t i = 0; i < count; ++i) values.push_back(found[i] ? std::move(*found[i]) : by_front_door(i));
  return values;
}

template <class T>
std::vector<AnswerOf<T>> permanents_of(std::span<const T> entries, std::size_t n, const RunOptions& options) {
  const std::size_t count = number_of_matrices(entries, n);
  const RunContext run(options);
  const std::vector<std::uint32_t> times(n, 1);
  const bool small = n <= most_rows;
  const std::optional<ColumnShape> shape = small ? std::make_optional<ColumnShape>(times) : std::nullopt;
  const auto matrix = [&](std::size_t i) { return entries.subspan(i * n * n, n * n); };
  const double states = ColumnShape::states(times);
  return each<T>(
      count, states / 8, states * components_of<T> * 8, run, small && may_expand(options),
      [&](std::size_t i, int threads, Scratch& scratch) {
        return PermanentProblem<T>{*shape, times, matrix(i)}.value(run, threads, scratch);
      },
      [&](std::size_t i) { return permanent_by_front_door(matrix(i), n, run); });
}

template <class T>
std::vector<AnswerOf<T>> hafnians_of(std::span<const T> entries, std::size_t n, bool loops, const RunOptions& options) {
  const std::size_t count = number_of_matrices(entries, n);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::size_t row = i / n % n, column = i % n, first = i - row * n - column;
    if (entries[i] != entries[first + column * n + row])
      throw InputError("entries (" + std::to_string(row) + ", " + std::to_string(column) + ") and (" +
                           std::to_string(column) + ", " + std::to_string(row) + ") that differ",
                       "a symmetric matrix");
  }
  const RunContext run(options);
  if (n % 2 == 1 && !loops) return std::vector<AnswerOf<T>>(count);
  const bool small = n >= 4 && n <= most_vertices;
  const std::optional<VertexShape> shape = small ? std::make_optional<VertexShape>(n, loops) : std::nullopt;
  const auto matrix = [&](std::size_t i) { return entries.subspan(i * n * n, n * n); };
  return each<T>(
      count, small ? static_cast<double>(shape->num_blocks()) : 1, small ? shape->memory_bytes(components_of<T>) : 0,
      run, small && may_expand(options),
      [&](std::size_t i, int threads, Scratch& scratch) {
        return HafnianProblem<T>{*shape, n, loops, matrix(i)}.value(run, threads, scratch);
      },
      [&](std::size_t i) { return hafnian_by_front_door(matrix(i), n, loops, run); });
}

// ---- Rows and columns that are repeated.

// Every row as often as it is taken, and of the columns those that are taken.
template <class T>
std::vector<T> repeated_rows(std::span<const T> entries, std::span<const std::uint32_t> row_times,
                             std::span<const std::uint32_t> column_times, bool each_column) {
  std::vector<T> result;
  for (std::size_t row = 0; row < row_times.size(); ++row) {
    for (std::uint32_t copy = 0; copy < row_times[row]; ++copy) {
      for (std::size_t column = 0; column < column_times.size(); ++column) {
        const std::uint32_t times = each_column ? column_times[column] : std::min(column_times[column], 1u);
        result.insert(result.end(), times, entries[row * column_times.size() + column]);
      }
    }
  }
  return result;
}

template <class T>
AnswerOf<T> repeated_permanent_of(std::span<const T> entries, std::span<const std::uint32_t> row_times,
                                  std::span<const std::uint32_t> column_times, const RunOptions& options) {
  if (entries.size() != row_times.size() * column_times.size())
    throw InputError(std::to_string(entries.size()) + " entries",
                     std::to_string(row_times.size()) + " x " + std::to_string(column_times.size()));
  require_finite(entries);
  const auto total = [](std::span<const std::uint32_t> times) {
    return std::accumulate(times.begin(), times.end(), std::uint64_t{0});
  };
  const std::uint64_t rows = total(row_times);
  if (rows != total(column_times)) return {};
  if (rows == 0) return of_value<T>(Integer(1));
  if (ColumnShape::states(row_times) < ColumnShape::states(column_times)) {
    std::vector<T> transposed(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i)
      transposed[i % column_times.size() * row_times.size() + i / column_times.size()] = entries[i];
    return repeated_permanent_of(std::span<const T>(transposed), column_times, row_times, options);
  }
  const RunContext run(options);
  const double bytes = ColumnShape::states(column_times) * 4 * 8 * 8 / 3;  // double-doubles, in three lanes at least
  if (rows <= most_repeated_rows && may_expand(options) && run.has_memory_for(bytes)) {
    std::vector<std::uint32_t> taken;
    std::ranges::copy_if(column_times, std::back_inserter(taken), [](std::uint32_t times) { return times > 0; });
    std::vector<std::uint32_t> kept(column_times.begin(), column_times.end());
    const std::vector<T> matrix = repeated_rows(entries, row_times, column_times, false);
    const ColumnShape shape(taken);
    Scratch scratch;
    const double blocks = static_cast<double>(shape.num_blocks());
    const int threads = blocks < blocks_worth_threads ? 1 : run.num_threads();
    if (auto value = PermanentProblem<T>{shape, taken, matrix}.value(run, threads, scratch)) return std::move(*value);
  }
  return permanent_by_front_door<T>(repeated_rows(entries, row_times, column_times, true), rows, run);
}

}  // namespace

std::vector<Integer> permanents(std::span<const std::int64_t> entries, std::size_t n, const RunOptions& run) {
  return permanents_of(entries, n, run);
}
std::vector<RealValue> permanents(std::span<const double> entries, std::size_t n, const RunOptions& run) {
  return permanents_of(entries, n, run);
}
std::vector<ComplexValue> permanents(std::span<const std::complex<double>> entries, std::size_t n,
                                     const RunOptions& run) {
  return permanents_of(entries, n, run);
}

std::vector<Integer> hafnians(std::span<const std::int64_t> entries, std::size_t n, bool loops, const RunOptions& run) {
  return hafnians_of(entries, n, loops, run);
}
std::vector<RealValue> hafnians(std::span<const double> entries, std::size_t n, bool loops, const RunOptions& run) {
  return hafnians_of(entries, n, loops, run);
}
std::vector<ComplexValue> hafnians(std::span<const std::complex<double>> entries, std::size_t n, bool loops,
                                   const RunOptions& run) {
  return hafnians_of(entries, n, loops, run);
}

Integer repeated_permanent(std::span<const std::int64_t> entries, std::span<const std::uint32_t> row_times,
                           std::span<const std::uint32_t> column_times, const RunOptions& run) {
  return repeated_permanent_of(entries, row_times, column_times, run);
}
RealValue repeated_permanent(std::span<const double> entries, std::span<const std::uint32_t> row_times,
                             std::span<const std::uint32_t> column_times, const RunOptions& run) {
  return repeated_permanent_of(entries, row_times, column_times, run);
}
ComplexValue repeated_permanent(std::span<const std::complex<double>> entries, std::span<const std::uint32_t> row_times,
                                std::span<const std::uint32_t> column_times, const RunOptions& run) {
  return repeated_permanent_of(entries, row_times, column_times, run);
}

}  // namespace matchcount
