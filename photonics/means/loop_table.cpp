// The vertices stand in two parts. A loop hafnian is the sum, over sets R and C of as many vertices of either part that
// are matched with each other, of
//   lhaf(few - R) perm(A[R, C]) lhaf(many - C),
// a bilinear form for each size of R. The permanents are those of A; the loop hafnians of all sets of a part follow one
// from another. With a vertices in the first part, a form has choose(n, a) products, and the sets of the other part
// have (n - a) 2^(n - a - 1).
//
// The error is at most so many roundings of the same sum over magnitudes, which for each R is at most the 2-norms of
// perm(|A|[R, C]) and of lhaf(|many - C|) over all C (Cauchy and Schwarz).

#include "photonics/means/loop_table.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/cpu/dispatch.hpp"
#include "core/parallel.hpp"

namespace matchcount::dense {
namespace {

using loop_kernel::columns_at_once;
using loop_kernel::rows_at_once;

constexpr double largest_loop = 0x1p20;  // beside entries below 1: squares of what 22 such make stay within doubles
// Bounds what underflows, which is off by 2^-1074 and meets at most 22 loops, 2^22 sets and 22 vertices, and 2^45 ways
// to match them; and squares of it that are lost.
constexpr double underflow = 0x1p-500;

// Few vertices make few products, and many sets of the others. Measured.
constexpr std::size_t few_of(std::size_t n) { return 2 * n / 5; }

double times(double a, double b) { return a * b; }
std::complex<double> times(std::complex<double> a, std::complex<double> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
double scaled(double value, int exponent) { return std::ldexp(value, exponent); }
std::complex<double> scaled(std::complex<double> value, int exponent) {
  return {std::ldexp(value.real(), exponent), std::ldexp(value.imag(), exponent)};
}
double root_of(double squares) { return std::sqrt(squares + underflow * underflow); }

}  // namespace

template <class T>
double LoopTable<T>::products(std::size_t n) {
  double choices = 1;
  for (std::size_t i = 1; i <= few_of(n); ++i) choices *= static_cast<double>(n + 1 - i) / static_cast<double>(i);
  return choices;
}

template <class T>
double LoopTable<T>::memory_bytes(std::size_t n) {
  return products(n) * 2 * (sizeof(T) + sizeof(double));
}

template <class T>
double LoopTable<T>::scratch_bytes(std::size_t n) {
  return std::exp2(static_cast<double>(n - few_of(n))) * (parts + 1) * lanes * 2 * sizeof(double);
}

template <class T>
LoopTable<T>::Part::Part(std::size_t num_vertices)
    : vertices(num_vertices), sets(std::size_t{1} << vertices), place(sets.size()), begin(vertices + 2) {
  std::iota(sets.begin(), sets.end(), 0u);
  std::ranges::stable_sort(sets, {}, [](std::uint32_t set) { return std::popcount(set); });
  for (std::size_t i = 0; i < sets.size(); ++i) {
    place[sets[i]] = static_cast<std::uint32_t>(i);
    begin[static_cast<std::size_t>(std::popcount(sets[i])) + 1] = i + 1;
  }
}

template <class T>
LoopTable<T>::LoopTable(std::span<const T> entries, std::size_t n, const RunContext& run, int num_threads)
    : n_(n), few_(few_of(n)), many_(n - few_.vertices), norms_(few_.sets.size()) {
  double largest = 0;
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (i % (n + 1) != 0) largest = std::max(largest, std::abs(entries[i]));
  if (largest > 0) exponent_ = static_cast<int>(std::floor((std::ilogb(largest) + 2) / 2.0));
  std::vector<T> across;  // from the first part to the other
  std::vector<double> magnitudes_across;
  for (std::size_t i = 0; i < n * n; ++i) {
    const bool row_is_few = i / n < few_.vertices, column_is_few = i % n < few_.vertices;
    if (column_is_few && !row_is_few) continue;
    const T entry = scaled(entries[i], -2 * exponent_);
    (row_is_few == column_is_few ? (row_is_few ? few_ : many_).entries : across).push_back(entry);
    (row_is_few == column_is_few ? (row_is_few ? few_ : many_).magnitudes : magnitudes_across)
        .push_back(std::abs(entry));
  }

  std::vector<T> values{1};
  std::vector<double> bounds{1};
  for (std::size_t size = 0; size <= few_.vertices; ++size) {
    if (size > 0) {
      values = permanents(across, size, values, run, num_threads);
      bounds = permanents(magnitudes_across, size, bounds, run, num_threads);
    }
    const std::size_t first = few_.begin[few_.vertices - size], rows = few_.begin[few_.vertices - size + 1] - first;
    const std::size_t columns = values.size() / rows;
    std::vector<T>& table = tables_.emplace_back((rows + rows_at_once - 1) / rows_at_once * rows_at_once * columns);
    for (std::size_t row = 0; row < rows; ++row) {
      double squares = 0;
      for (std::size_t column = 0; column < columns; ++column) {
        const std::size_t at = row * columns + column;
        table[(row / rows_at_once * columns + column) * rows_at_once + row % rows_at_once] = values[at];
        squares += bounds[at] * bounds[at];
      }
      norms_[first + row] = root_of(squares);
    }
    roundings_.push_back(roundings(size));
  }
}

// Returns those of so many vertices of either part, by what they leave there, from those of one less: the lowest vertex
// of the first part has each of the other.
template <class T>
template <class Number>
std::vector<Number> LoopTable<T>::permanents(const std::vector<Number>& across, std::size_t size,
                                             const std::vector<Number>& smaller, const RunContext& run,
                                             int num_threads) const {
  const std::size_t first = few_.begin[few_.vertices - size], rows = few_.begin[few_.vertices - size + 1] - first;
  const std::size_t begin = many_.begin[many_.vertices - size],
                    columns = many_.begin[many_.vertices - size + 1] - begin;
  const std::size_t smaller_columns = smaller.size() / (few_.begin[few_.vertices - size + 2] - first - rows);
  const auto everything = static_cast<std::uint32_t>(many_.sets.size() - 1);
  std::vector<Number> found(rows * columns);
  parallel_for_chunks(num_threads, rows, [&](std::uint64_t row, int) {
    run.check();
    const std::uint32_t left = few_.sets[first + row], with = left | (left + 1);
    const Number* const entries = across.data() + static_cast<std::size_t>(std::countr_one(left)) * many_.vertices;
    const Number* const from = smaller.data() + (few_.place[with] - first - rows) * smaller_columns;
    for (std::size_t column = 0; column < columns; ++column) {
      const std::uint32_t left_there = many_.sets[begin + column];
      Number sum = 0;
      for (std::uint32_t taken = everything ^ left_there; taken != 0; taken &= taken - 1) {
        const std::uint32_t place = many_.place[left_there | (taken & -taken)];
        sum += times(entries[std::countr_zero(taken)], from[place - begin - columns]);
      }
      found[row * columns + column] = sum;
    }
  });
  return found;
}

// A product of complex numbers counts as 2.24 roundings, and each product of a sum that adds their parts one by one as
// 2.84. A loop hafnian of v vertices passes sums of v, v - 2 and so on, or such of a loop and less; a permanent of v
// rows sums of v, v - 1 and so on, once a product is made. The kernel says how forms are summed.
template <class T>
double LoopTable<T>::roundings(std::size_t size) const {
  const double product = parts == 2 ? 2.24 : 1, of_sum = parts == 2 ? 2.84 : 1, k = static_cast<double>(size);
  const auto of_part = [&](const Part& part) {
    const double left = static_cast<double>(part.vertices - size);
    return of_sum * (left + 1) * (left + 1) / 4;
  };
  const auto sets = [&](const Part& part) {
    const std::size_t left = part.vertices - size;
    return static_cast<double>(part.begin[left + 1] - part.begin[left]);
  };
  return of_part(few_) + of_part(many_) + k * product + k * (k - 1) / 2 +
         of_sum * (std::min<double>(columns_at_once, sets(many_)) + rows_at_once) + sets(many_) / columns_at_once +
         sets(few_) / rows_at_once + static_cast<double>(few_.vertices) + 3;
}

template <class T>
void LoopTable<T>::values(const T* loops, std::size_t count, const RunContext& run, Lanes& scratch,
                          std::optional<AnswerOf<T>>* found) const {
  constexpr std::size_t width = parts * lanes;
  const auto& kernels = kernels_for<loop_kernel::Kernels>(run.options().max_isa);
  const std::size_t rows = few_.sets.size() + rows_at_once, columns = many_.sets.size();  // more rows fill a group
  double* const by_row = scratch.resize((width + lanes) * (rows + columns + n_));
  double *const by_column = by_row + width * rows, *const by_vertex = by_column + width * columns;
  double* const row_bounds = by_vertex + width * n_;
  double *const column_bounds = row_bounds + lanes * rows, *const magnitudes = column_bounds + lanes * columns;
  std::ranges::fill(by_row + width * few_.sets.size(), by_column, 0.0);
  for (std::size_t first = 0; first < count; first += lanes) {
    run.check();
    const std::size_t taken = std::min(lanes, count - first);
    std::array<bool, lanes> moderate{};
    std::ranges::fill(by_vertex, row_bounds, 0.0);
    std::ranges::fill(magnitudes, magnitudes + lanes * n_, 0.0);
    for (std::size_t lane = 0; lane < taken; ++lane) {
      moderate[lane] = true;
      for (std::size_t v = 0; v < n_; ++v) {
        const T loop = scaled(loops[(first + lane) * n_ + v], -exponent_);
        by_vertex[v * width + lane] = std::real(loop);
        if (parts == 2) by_vertex[v * width + lanes + lane] = std::imag(loop);
        magnitudes[v * lanes + lane] = std::abs(loop);
        moderate[lane] = moderate[lane] && std::abs(loop) <= largest_loop;
      }
    }
    const auto expand = [&](const Part& part, std::size_t vertex, double* to, double* bounds_to) {
      const auto vertices = static_cast<int>(part.vertices);
      kernels.of_sets[parts - 1](reinterpret_cast<const double*>(part.entries.data()), by_vertex + vertex * width,
                                 vertices, part.place.data(), to);
      kernels.of_sets[0](part.magnitudes.data(), magnitudes + vertex * lanes, vertices, part.place.data(), bounds_to);
    };
    expand(few_, 0, by_row, row_bounds);
    expand(many_, few_.vertices, by_column, column_bounds);

    alignas(64) std::array<double, width> sum{};
    std::array<double, lanes> error{};
    for (std::size_t size = 0; size <= few_.vertices; ++size) {
      const auto range = [&](const Part& part) {
        return std::pair(part.begin[part.vertices - size], part.begin[part.vertices - size + 1]);
      };
      const auto [row, row_end] = range(few_);
      const auto [column, column_end] = range(many_);
      alignas(64) std::array<double, width> out{};
      kernels.form[parts - 1](reinterpret_cast<const double*>(tables_[size].data()), static_cast<int>(row_end - row),
                              static_cast<int>(column_end - column), by_row + row * width, by_column + column * width,
                              out.data());
      for (std::size_t i = 0; i < width; ++i) sum[i] += out[i];
      std::array<double, lanes> weighted{}, squares{};
      for (std::size_t i = row; i < row_end; ++i) {
        for (std::size_t lane = 0; lane < lanes; ++lane)
          weighted[lane] += (row_bounds[i * lanes + lane] + underflow) * norms_[i];
      }
      for (std::size_t i = column; i < column_end; ++i) {
        for (std::size_t lane = 0; lane < lanes; ++lane)
          squares[lane] += column_bounds[i * lanes + lane] * column_bounds[i * lanes + lane];
      }
      for (std::size_t lane = 0; lane < lanes; ++lane)
        error[lane] += roundings_[size] * weighted[lane] * root_of(squares[lane]);
    }
    for (std::size_t lane = 0; lane < taken; ++lane) {
      if (!moderate[lane]) continue;
      const DenseSum total{sum[lane], parts == 2 ? sum[width - lanes + lane] : 0,
                           1.001 * 0x1p-53 * error[lane] + underflow,
                           std::int64_t{exponent_} * static_cast<std::int64_t>(n_)};
      if (auto value = value_of<T>(total)) found[first + lane] = std::move(value);
    }
  }
}

template class LoopTable<double>;
template class LoopTable<std::complex<double>>;

}  // namespace matchcount::dense
