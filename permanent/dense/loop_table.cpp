// A loop hafnian is the sum, over all sets S of vertices that are matched, of haf(A_S) times the loops of the others.
// With S in two parts that is a bilinear form: a matrix for A, and for each loop vector the products of its loops over
// sets of either half. The error is at most so many roundings of the same sum over magnitudes, which by size of S is at
// most the 2-norm of all haf(|A|_S) times that of the loops' products, a root of an elementary symmetric polynomial of
// their squares (Cauchy and Schwarz).

#include "permanent/dense/loop_table.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/cpu/dispatch.hpp"
#include "core/parallel.hpp"

namespace matchcount::dense {
namespace {

using loop_kernel::rows_at_once;

constexpr std::uint32_t sets_at_once = 1 << 12;
constexpr std::size_t columns_at_once = 64;  // summed before they come to other sums, which keeps roundings few
constexpr double largest_loop = 0x1p20;      // beside entries of about 1: 22 squares of such stay within doubles
// Bounds what underflows, which is off by 2^-1074 and meets at most 22 loops, 2^22 sets and 21!! ways to match each.
constexpr double underflow = 0x1p-500;

double times(double a, double b) { return a * b; }
std::complex<double> times(std::complex<double> a, std::complex<double> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
double scaled(double value, int exponent) { return std::ldexp(value, exponent); }
std::complex<double> scaled(std::complex<double> value, int exponent) {
  return {std::ldexp(value.real(), exponent), std::ldexp(value.imag(), exponent)};
}

std::vector<std::uint32_t> sets_by_parity(std::size_t bits) {
  std::vector<std::uint32_t> sets(std::size_t{1} << bits);
  std::iota(sets.begin(), sets.end(), 0u);
  std::ranges::stable_partition(sets, [](std::uint32_t set) { return std::popcount(set) % 2 == 0; });
  return sets;
}

}  // namespace

template <class T>
double LoopTable<T>::memory_bytes(std::size_t n) {
  return std::exp2(static_cast<double>(n)) * (1.5 * sizeof(T) + 8);
}

template <class T>
LoopTable<T>::LoopTable(std::span<const T> entries, std::size_t n, const RunContext& run, int num_threads)
    : n_(n), bits_(n / 2), row_bits_(n - n / 2), rows_(sets_by_parity(row_bits_)), columns_(sets_by_parity(bits_)) {
  double largest = 0;
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (i % (n + 1) != 0) largest = std::max(largest, std::abs(entries[i]));
  if (largest > 0) exponent_ = static_cast<int>(std::floor((std::ilogb(largest) + 2) / 2.0));
  std::vector<T> matrix;
  for (const T& entry : entries) matrix.push_back(scaled(entry, -2 * exponent_));
  std::vector<double> magnitudes(matrix.size());
  std::ranges::transform(matrix, magnitudes.begin(), [](const T& entry) { return std::abs(entry); });

  norms_.assign(n + 1, 0);
  const std::vector<double> bounds = hafnians(magnitudes, run, num_threads);
  for (std::size_t set = 0; set < bounds.size(); ++set)
    norms_[static_cast<std::size_t>(std::popcount(set))] += bounds[set] * bounds[set];
  for (double& norm : norms_) norm = std::sqrt(norm);

  const std::vector<T> all = hafnians(matrix, run, num_threads);
  table_.reserve(all.size() / 2);
  for (std::size_t first = 0; first < rows_.size(); first += rows_at_once) {
    const std::size_t half = columns_.size() / 2, begin = first < rows_.size() / 2 ? 0 : half;
    for (std::size_t column = begin; column < begin + half; ++column) {
      for (std::size_t row = first; row < first + rows_at_once; ++row)
        table_.push_back(all[std::size_t{rows_[row]} << bits_ | columns_[column]]);
    }
  }
}

// Returns that of every set, by its bits: its highest vertex, `first`, has each of the others.
template <class T>
template <class Number>
std::vector<Number> LoopTable<T>::hafnians(const std::vector<Number>& entries, const RunContext& run,
                                           int num_threads) const {
  std::vector<Number> found(std::size_t{1} << n_);
  found[0] = 1;
  for (std::size_t first = 0; first < n_; ++first) {
    const std::uint32_t sets = 1u << first;
    parallel_for_chunks(num_threads, (sets + sets_at_once - 1) / sets_at_once, [&](std::uint64_t chunk, int) {
      run.check();
      const auto begin = static_cast<std::uint32_t>(chunk) * sets_at_once;
      for (std::uint32_t others = begin; others < std::min(sets, begin + sets_at_once); ++others) {
        if (std::popcount(others) % 2 == 0) continue;
        Number sum = 0;
        for (std::uint32_t left = others; left != 0; left &= left - 1) {
          const auto other = static_cast<std::size_t>(std::countr_zero(left));
          sum += times(entries[first * n_ + other], found[others ^ 1u << other]);
        }
        found[sets | others] = sum;
      }
    });
  }
  return found;
}

// A product of complex numbers counts as 2.24 roundings, and a sum of them over products, whose parts are summed one
// by one, as 1.42 for each of two products and a sum. A hafnian of the table passes sums of n - 1 terms, n - 3 and so
// on; loops are multiplied, columns summed by columns_at_once, and rows four by four by sixteen such.
template <class T>
double LoopTable<T>::error(const T* loops) const {
  std::vector<double> symmetric(n_ + 1);  // polynomials of the loops' squares
  symmetric[0] = 1;
  for (std::size_t v = 0; v < n_; ++v) {
    const double square = std::norm(loops[v]);
    for (std::size_t k = v + 1; k > 0; --k) symmetric[k] += symmetric[k - 1] * square;
  }
  double sum = 0;
  for (std::size_t k = 0; k <= n_; k += 2) sum += norms_[k] * std::sqrt(symmetric[n_ - k]);
  const double n = static_cast<double>(n_), product = components_of<T> == 2 ? 2.24 : 1;
  const double columns = static_cast<double>(columns_.size()) / 2, rows = static_cast<double>(rows_.size());
  const double at_once = std::min(columns, static_cast<double>(columns_at_once));
  const double roundings = n * n / 4 + 1.5 * n * product + (components_of<T> == 2 ? 2.84 : 1) * (at_once + 1) +
                           columns / at_once + rows_at_once + rows / rows_at_once / 16 + 16 + 8 + product;
  return 1.001 * 0x1p-53 * roundings * sum + underflow;
}

template <class T>
void LoopTable<T>::values(const T* loops, std::size_t count, const RunContext& run,
                          std::optional<AnswerOf<T>>* found) const {
  constexpr std::size_t parts = components_of<T>, width = parts * lanes;
  const auto& kernels = kernels_for<loop_kernel::Kernels>(run.options().max_isa);
  const auto multiply = parts == 2 ? kernels.complex : kernels.real;
  const std::size_t groups = (count + lanes - 1) / lanes, half = columns_.size() / 2;
  const std::size_t of_columns = columns_.size() * width, of_rows = rows_.size() * width;
  std::vector<double> by_column(groups * of_columns), by_row(groups * of_rows);
  // Products over the vertices that a set of a half leaves out.
  std::vector<T> product(std::max(columns_.size(), rows_.size()));
  const auto fill = [&](const T* first, const std::vector<std::uint32_t>& sets, double* to) {
    const std::size_t everything = sets.size() - 1;
    product[everything] = 1;
    for (std::size_t out = 1; out <= everything; ++out) {
      const auto v = static_cast<std::size_t>(std::countr_zero(out));
      product[everything ^ out] = times(product[everything ^ (out & (out - 1))], first[v]);
    }
    for (std::size_t i = 0; i < sets.size(); ++i) {
      to[i * width] = std::real(product[sets[i]]);
      if (parts == 2) to[i * width + lanes] = std::imag(product[sets[i]]);
    }
  };
  std::vector<T> own(count * n_);
  for (std::size_t i = 0; i < own.size(); ++i) own[i] = scaled(loops[i], -exponent_);
  for (std::size_t i = 0; i < count; ++i) {
    fill(own.data() + i * n_, columns_, by_column.data() + i / lanes * of_columns + i % lanes);
    fill(own.data() + i * n_ + bits_, rows_, by_row.data() + i / lanes * of_rows + i % lanes);
  }
  // Sums of rows_at_once rows come to those of blocks_at_once such, and these to the total.
  constexpr std::size_t blocks_at_once = 16;
  std::vector<T> sums(groups * lanes), some(groups * lanes);
  const auto* const table = reinterpret_cast<const double*>(table_.data());
  for (std::size_t first = 0; first < rows_.size(); first += rows_at_once) {
    run.check();
    const double* const matrix = table + first * half * parts;
    const std::size_t begin = first < rows_.size() / 2 ? 0 : half;
    for (std::size_t group = 0; group < groups; ++group) {
      double total[rows_at_once * width] = {};
      for (std::size_t column = 0; column < half; column += columns_at_once) {
        alignas(64) double out[rows_at_once * width];
        multiply(matrix + column * rows_at_once * parts, static_cast<int>(std::min(columns_at_once, half - column)),
                 by_column.data() + group * of_columns + (begin + column) * width, out);
        for (std::size_t i = 0; i < rows_at_once * width; ++i) total[i] += out[i];
      }
      const double* const by = by_row.data() + group * of_rows + first * width;
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        T sum = 0;
        for (std::size_t at = lane; at < rows_at_once * width; at += width) {
          if constexpr (parts == 2) sum += times(T(total[at], total[at + lanes]), T(by[at], by[at + lanes]));
          if constexpr (parts == 1) sum += total[at] * by[at];
        }
        some[group * lanes + lane] += sum;
      }
    }
    if ((first / rows_at_once + 1) % blocks_at_once != 0 && first + rows_at_once < rows_.size()) continue;
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += std::exchange(some[i], T(0));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const T* const scaled_loops = own.data() + i * n_;
    if (!std::all_of(scaled_loops, scaled_loops + n_, [](const T& loop) { return std::abs(loop) <= largest_loop; }))
      continue;
    const DenseSum sum{std::real(sums[i]), std::imag(sums[i]), error(scaled_loops),
                       std::int64_t{exponent_} * static_cast<std::int64_t>(n_)};
    if (auto value = value_of<T>(sum)) found[i] = std::move(value);
  }
}

template class LoopTable<double>;
template class LoopTable<std::complex<double>>;

}  // namespace matchcount::dense
