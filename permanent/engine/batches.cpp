#include "permanent/engine/batches.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "core/device_choice.hpp"
#include "core/error.hpp"
#include "core/parallel.hpp"
#include "permanent/dense/ways.hpp"
#include "permanent/engine/answer.hpp"
#include "permanent/engine/limits.hpp"

namespace matchcount {
namespace {

using dense::AnswerOf;
using dense::components_of;
using dense::HafnianProblem;
using dense::is_integer;
using dense::PermanentProblem;
using dense::PermanentShape;
using dense::Scratch;
using dense::VertexShape;

constexpr std::size_t most_rows = 16, most_vertices = 32, most_repeated_rows = 64;
// Blocks, of eight states each, that are worth threads: one thread takes as long for fewer as others would take to
// start.
constexpr double blocks_worth_threads = 1 << 12;

bool is_finite(double value) { return std::isfinite(value); }
bool is_finite(std::complex<double> value) {
  constexpr double safe = 0x1p1022;
  return (std::fabs(value.real()) < safe && std::fabs(value.imag()) < safe) ||
         std::isfinite(std::hypot(value.real(), value.imag()));
}

// ---- The engine, for what is larger.

template <class T>
AnswerOf<T> of_value(const Value& value) {
  if (const auto* same = std::get_if<AnswerOf<T>>(&value)) return *same;
  if constexpr (!is_integer<T>) {
    if (const auto* integer = std::get_if<Integer>(&value)) {
      const ScaledReal real = nearest_real(*integer);
      const bool is_exact = log2_abs(*integer) < 53;  // of 0 too
      const double log2_error = is_exact ? -std::numeric_limits<double>::infinity() : real.log2_abs() - 100;
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

// Names what the engine is asked for: the permanent of a matrix, or the hafnian of its upper triangle, with loops on
// the diagonal or without.
enum class DenseQuestion { permanent, hafnian, loop_hafnian };

template <class T>
AnswerOf<T> by_engine(std::span<const T> entries, std::size_t n, DenseQuestion wanted, const RunOptions& run) {
  std::vector<Edge> edges;
  std::vector<T> values, diagonal;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto row = static_cast<Vertex>(i / n), column = static_cast<Vertex>(i % n);
    if (row == column) diagonal.push_back(entries[i]);
    if (entries[i] == T(0) || (wanted != DenseQuestion::permanent && row >= column)) continue;
    edges.push_back({row, column});
    values.push_back(entries[i]);
  }
  const auto size = static_cast<Vertex>(n);
  CountOptions options;
  options.run = run;
  if (wanted == DenseQuestion::permanent) {
    const auto graph = BipartiteGraph::from_edges(size, size, std::move(edges), as_weights(std::move(values)));
    return of_value<T>(answer({&graph, options}).run.value);
  }
  const auto graph = UndirectedGraph::from_edges(size, std::move(edges), as_weights(std::move(values)));
  if (wanted == DenseQuestion::hafnian) return of_value<T>(answer({&graph, options}).run.value);
  const Weights loops = as_weights(std::move(diagonal));
  return of_value<T>(answer({&graph, options, MatchingKind::all, true, {}, nullptr, &loops}).run.value);
}

// ---- Many of them.

bool may_expand(const RunOptions& options) {
  return dense::doubles_will_do(options) && options.device.kind != DeviceChoice::Kind::cuda;
}

double difference(std::int64_t a, std::int64_t b) { return std::fabs(static_cast<double>(a) - static_cast<double>(b)); }
template <class T>
double difference(const T& a, const T& b) {
  return std::abs(a - b);
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

// Asks a wing first. What it finds with too few digits is kept if `other` has fewer, or none.
template <class T, class Other>
std::optional<AnswerOf<T>> best_of(const DenseShape& shape, std::span<const T> once, double enough,
                                   const RunContext& run, int num_threads, const Other& other) {
  if constexpr (is_integer<T>) {
    return other();
  } else {
    std::optional<AnswerOf<T>> first;
    if (const auto* const ways = dense::ways<T>()) first = ways->of_one(shape, once, run, num_threads);
    if (first && relative_error(*first) <= enough) return first;
    std::optional<AnswerOf<T>> second = other();
    return first && (!second || first->log2_error < second->log2_error) ? std::move(first) : std::move(second);
  }
}

// Returns the shape of n x n matrices.
template <class T>
DenseShape shape_of(std::size_t n, bool hafnian = false, bool loops = false) {
  const std::vector<std::uint32_t> once(n, 1);
  return {hafnian, components_of<T> == 2, once, once, loops};
}

template <class T>
std::vector<std::optional<AnswerOf<T>>> found_by_wings(const DenseShape& shape, std::span<const T> entries,
                                                       std::size_t count, const RunContext& run) {
  if constexpr (!is_integer<T>) {
    if (const auto* const ways = dense::ways<T>()) return ways->of_batch(shape, entries, count, run);
  }
  return std::vector<std::optional<AnswerOf<T>>>(count);
}

// Answers each: value(i, threads, scratch) is that of matrix i, or nothing where by_engine(i) has to find it. `found`:
// what needs no finding.
template <class T, class Find, class ByEngine>
std::vector<AnswerOf<T>> each(std::vector<std::optional<AnswerOf<T>>> found, double blocks, double bytes,
                              const RunContext& run, bool expand, const Find& value, const ByEngine& by_engine) {
  const std::size_t count = found.size();
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
      for (std::size_t i = index * chunk; i < std::min<std::size_t>(count, (index + 1) * chunk); ++i)
        if (!found[i]) found[i] = value(i, threads_within, scratch[static_cast<std::size_t>(thread)]);
    });
  }
  std::vector<AnswerOf<T>> values;
  values.reserve(count);
  for (std::size_t i = 0; i < count; ++i) values.push_back(found[i] ? std::move(*found[i]) : by_engine(i));
  return values;
}

// Returns the shape of n x n matrices, n <= most_rows; kept, because to make it takes as long as a small permanent.
template <class T>
const PermanentShape& square_shape(std::size_t n) {
  static std::array<std::once_flag, most_rows + 1> made;
  static std::array<std::unique_ptr<PermanentShape>, most_rows + 1> shapes;
  std::call_once(made[n], [&] { shapes[n] = std::make_unique<PermanentShape>(shape_of<T>(n)); });
  return *shapes[n];
}

// Writes out every row and every column as often as it is taken.
template <class T>
std::vector<T> written_out(std::span<const T> entries, std::span<const std::uint32_t> row_times,
                           std::span<const std::uint32_t> column_times) {
  std::vector<T> result;
  for (std::size_t row = 0; row < row_times.size(); ++row) {
    for (std::uint32_t copy = 0; copy < row_times[row]; ++copy)
      for (std::size_t column = 0; column < column_times.size(); ++column)
        result.insert(result.end(), column_times[column], entries[row * column_times.size() + column]);
  }
  return result;
}

std::vector<std::uint32_t> once_each(std::span<const std::uint32_t> times) {
  std::vector<std::uint32_t> result;
  for (const std::uint32_t taken : times) result.push_back(std::min(taken, 1u));
  return result;
}

std::vector<std::uint32_t> without_zeros(std::span<const std::uint32_t> times) {
  std::vector<std::uint32_t> result;
  std::ranges::copy_if(times, std::back_inserter(result), [](std::uint32_t taken) { return taken > 0; });
  return result;
}

template <class T>
std::vector<T> transposed(std::span<const T> entries, std::size_t rows) {
  const std::size_t columns = entries.size() / std::max<std::size_t>(rows, 1);
  std::vector<T> result(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) result[i % columns * rows + i / columns] = entries[i];
  return result;
}

}  // namespace

template <class T>
void require_finite(std::span<const T> entries) {
  if constexpr (!is_integer<T>) {
    const bool finite = std::ranges::all_of(entries, [](const T& entry) { return is_finite(entry); });
    if (!finite) throw InputError("an entry that is not finite, or whose magnitude is not", "finite numbers");
  }
}

template <class T>
void require_symmetric(std::span<const T> entries, std::size_t n) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::size_t row = i / n % n, column = i % n, first = i - row * n - column;
    if (entries[i] != entries[first + column * n + row])
      throw InputError("entries (" + std::to_string(row) + ", " + std::to_string(column) + ") and (" +
                           std::to_string(column) + ", " + std::to_string(row) + ") that differ by " +
                           rounded_up(difference(entries[i], entries[first + column * n + row]), 3),
                       "a symmetric matrix: (A + A.T) / 2, or a tolerance, where that is rounding");
  }
}

template <class T>
std::vector<AnswerOf<T>> Batch<T>::permanents(Entries entries, std::size_t n, const RunOptions& options) {
  const std::size_t count = number_of_matrices(entries, n);
  const RunContext run(options);
  const bool small = n <= most_rows;
  const auto matrix = [&](std::size_t i) { return entries.subspan(i * n * n, n * n); };
  const double states = std::exp2(static_cast<double>(n));
  return each<T>(
      found_by_wings(shape_of<T>(n), entries, count, run), states / 8, states * components_of<T> * 8, run,
      small && may_expand(options),
      [&](std::size_t i, int threads, Scratch& scratch) {
        const PermanentShape& shape = square_shape<T>(n);
        return best_of(shape.given, matrix(i), dense::enough_digits, run, threads, [&] {
          return PermanentProblem<T>{shape, matrix(i)}.value(run, threads, scratch);
        });
      },
      [&](std::size_t i) { return by_engine(matrix(i), n, DenseQuestion::permanent, what_is_left(run)); });
}

template <class T>
std::vector<AnswerOf<T>> Batch<T>::hafnians(Entries entries, std::size_t n, bool loops, const RunOptions& options) {
  const std::size_t count = number_of_matrices(entries, n);
  require_symmetric(entries, n);
  const RunContext run(options);
  if (n % 2 == 1 && !loops) return std::vector<AnswerOf<T>>(count);
  const bool small = n >= 4 && n <= most_vertices;
  const std::optional<VertexShape> shape = small ? std::make_optional<VertexShape>(n, loops) : std::nullopt;
  const auto matrix = [&](std::size_t i) { return entries.subspan(i * n * n, n * n); };
  return each<T>(
      found_by_wings(shape_of<T>(n, true, loops), entries, count, run),
      small && shape->is_worth_threads(count) ? static_cast<double>(shape->num_blocks()) : 1,
      small ? shape->memory_bytes(components_of<T>) : 0, run, small && may_expand(options),
      [&](std::size_t i, int threads, Scratch& scratch) {
        return HafnianProblem<T>{*shape, n, loops, matrix(i)}.value(run, threads, scratch);
      },
      [&](std::size_t i) {
        return by_engine(matrix(i), n, loops ? DenseQuestion::loop_hafnian : DenseQuestion::hafnian, what_is_left(run));
      });
}

// ---- Rows and columns that are repeated.

template <class T>
AnswerOf<T> Batch<T>::repeated_permanent(Entries entries, Repeats row_times, Repeats column_times,
                                         const RunOptions& options) {
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
  if (dense::ColumnShape::states(row_times) < dense::ColumnShape::states(column_times))
    return repeated_permanent(transposed(entries, row_times.size()), column_times, row_times, options);
  const RunContext run(options);
  if (rows <= most_repeated_rows) {
    const std::vector<std::uint32_t> rows_taken = without_zeros(row_times), columns_taken = without_zeros(column_times);
    const PermanentShape shape({false, components_of<T> == 2, rows_taken, columns_taken, false});
    const std::vector<T> once = written_out(entries, once_each(row_times), once_each(column_times));
    if (auto found = found_by_wings(shape.given, std::span<const T>(once), 1, run).front()) return std::move(*found);
    if (dense::doubles_will_do(options)) {
      const std::vector<T> matrix = written_out(entries, row_times, once_each(column_times));
      const int threads = dense::ColumnShape::states(columns_taken) / 8 < blocks_worth_threads ? 1 : run.num_threads();
      auto value = best_of(shape.given, std::span<const T>(once), dense::enough_digits, run, threads, [&] {
        Scratch scratch;
        return PermanentProblem<T>{shape, matrix}.value(run, threads, scratch);
      });
      if (value) return std::move(*value);
    }
  }
  const std::vector<T> matrix = written_out(entries, row_times, column_times);
  RunOptions left = what_is_left(run);
  AnswerOf<T> value = by_engine<T>(matrix, rows, DenseQuestion::permanent, left);
  if constexpr (!is_integer<T>) {
    // Sums near the range of doubles may lose all digits there.
    if (left.precision == Precision::automatic && !(relative_error(value) <= dense::enough_digits)) try {
        left = what_is_left(run);
        left.precision = Precision::exact;
        return by_engine<T>(matrix, rows, DenseQuestion::permanent, left);
      } catch (const Cancelled&) {
        throw;
      } catch (const Unable&) {
      }
  }
  return value;
}

template <class T>
AnswerOf<T> Batch<T>::repeated_hafnian(Entries entries, Repeats times, bool loops, const RunOptions& options) {
  const std::size_t n = times.size();
  if (entries.size() != n * n)
    throw InputError(std::to_string(entries.size()) + " entries", std::to_string(n) + " x " + std::to_string(n));
  require_finite(entries);
  require_symmetric(entries, n);
  const std::uint64_t size = std::accumulate(times.begin(), times.end(), std::uint64_t{0});
  if (size == 0) return of_value<T>(Integer(1));
  if (size % 2 == 1 && !loops) return {};
  if (options.device.kind == DeviceChoice::Kind::cuda) choose_devices(options.device);  // that there is one
  const RunContext run(options);
  const auto written = [&]() -> std::optional<AnswerOf<T>> {
    return std::move(hafnians(written_out(entries, times, times), size, loops, what_is_left(run)).front());
  };
  const std::vector<std::uint32_t> taken = without_zeros(times);
  const bool repeated = std::ranges::any_of(taken, [](std::uint32_t count) { return count > 1; });
  if (!repeated || size > most_repeated_rows || !dense::doubles_will_do(options)) return *written();
  const std::vector<T> once = written_out(entries, once_each(times), once_each(times));
  const int threads = dense::ColumnShape::states(taken) / 8 < blocks_worth_threads ? 1 : run.num_threads();
  const double enough = size > most_vertices ? std::numeric_limits<double>::infinity() : dense::enough_digits;
  return *best_of({true, components_of<T> == 2, taken, taken, loops}, std::span<const T>(once), enough, run, threads,
                  written);
}

template void require_finite(std::span<const double>);
template void require_finite(std::span<const std::complex<double>>);
template void require_symmetric(std::span<const double>, std::size_t);
template void require_symmetric(std::span<const std::complex<double>>, std::size_t);
template struct Batch<std::int64_t>;
template struct Batch<double>;
template struct Batch<std::complex<double>>;

}  // namespace matchcount
