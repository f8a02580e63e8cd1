#pragma once
// Computes one permanent, whose rows and columns may be repeated, or one hafnian, whose vertices may be, as a sum over
// roots of unity.

#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/run.hpp"
#include "permanent/dense/points.hpp"

namespace matchcount::dense {

// HafnianMean is for symmetric matrices whose rows and columns are taken `times` times each, all at least once, and in
// all at most 64 times; an even number of times unless there are loops.
class HafnianMean {
 public:
  HafnianMean(std::span<const std::uint32_t> times, bool loops);

  double num_points() const { return points_.number(); }
  std::size_t size() const { return points_.size; }

  // Entries row-major; of those that are not moderate nothing is said. The diagonal is what matches two copies of a
  // vertex, and with loops, one with itself.
  Mean of(std::span<const std::complex<double>> entries, const RunContext& run, int num_threads) const;

 private:
  struct Matrix {  // 2^exponent times this
    std::vector<std::complex<double>> pairs, loops;
    double exponent = 0;
  };
  std::optional<Matrix> scaled(std::span<const std::complex<double>> entries) const;  // nothing: a vertex has no edge
  std::vector<double> inner_forms(const Matrix& matrix) const;
  // Return the t of the error bound (permanent_mean.cpp): t times a sum of magnitudes is about what the forms are, or
  // less.
  double pair_share() const { return 1 / (3 * static_cast<double>(points_.num_lines())); }
  double loop_share() const { return 1 / (3 * std::sqrt(static_cast<double>(points_.num_lines()))); }
  double relative_error() const;

  Points points_;
  bool loops_;
  std::size_t half_;
  std::vector<std::size_t> place_;                // by line: coordinates of a block stand first
  std::vector<double> coefficient_, coordinate_;  // as point_kernel::Pairs has them
};

// PermanentMean is for matrices whose rows are taken row_times times each and whose columns column_times times, all at
// least once, and in all at most 64 times.
class PermanentMean {
 public:
  PermanentMean(std::span<const std::uint32_t> row_times, std::span<const std::uint32_t> column_times);

  double num_points() const { return points_.number(); }

  // Entries row-major; of those that are not moderate nothing is said. T: double or std::complex<double>.
  template <class T>
  Mean of(const T* entries, const RunContext& run, int num_threads) const;

 private:
  template <class T>
  std::vector<T> lines_of(const T* entries) const;
  template <class Number>
  std::vector<Number> steps_of(const std::vector<Number>& matrix) const;
  template <class Number>
  std::vector<double> lanes_of(const std::vector<Number>& steps) const;
  template <class Number>
  Mean mean_of(const std::vector<Number>& matrix, const RunContext& run, int num_threads) const;
  double relative_error() const;

  bool transposed_;  // a line is a column and a form a row, else a line is a row
  Points points_;
  std::vector<std::uint32_t> form_times_;  // forms that are taken equally often stand together
  std::vector<std::size_t> form_;          // of the caller's, by place
  std::vector<int> group_end_;
  std::vector<unsigned> group_exponent_;
};

// Finds the means of `count` n x n matrices, 1 to 8 of them one behind the other, side by side, 2 <= n <=
// most_rows_of_eight. The error is infinite where another way is better: all entries are positive, or far from 1.
// T: double or std::complex<double>.
constexpr std::size_t most_rows_of_eight = 12;
template <class T>
std::array<Mean, 8> means_of_eight(const T* entries, std::size_t n, std::size_t count, Isa max_isa);

}  // namespace matchcount::dense
