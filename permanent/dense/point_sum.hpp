#pragma once
// Computes one permanent, whose rows and columns may be repeated, as a mean over points whose coordinates are roots of
// unity.

#include <complex>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/double_double.hpp"
#include "core/run.hpp"

namespace matchcount::dense {

// 2^exponent times a number, the number with an error of at most `error`.
struct PointMean {
  std::complex<double> value;
  double error = std::numeric_limits<double>::infinity();
  double exponent = 0;
};

// For matrices whose rows are taken row_times times each and whose columns column_times times, all at least once, and
// in all at most 64 times.
class PointShape {
 public:
  PointShape(std::span<const std::uint32_t> row_times, std::span<const std::uint32_t> column_times);

  double num_points() const { return static_cast<double>(num_blocks_) * static_cast<double>(num_inner_); }

  // Entries row-major and finite. T: double or std::complex<double>.
  template <class T>
  PointMean mean(const T* entries, const RunContext& run, int num_threads) const;

 private:
  struct Coordinate {
    std::size_t line;
    std::vector<std::complex<double>> root;  // of 1, by power
    std::size_t first_step;                  // of its powers among those of all coordinates
  };
  template <class Number>
  struct Walk;
  template <class Number>
  struct Part;

  void choose_coordinates();
  void group_forms(std::span<const std::uint32_t> times);
  void fill_weights();
  template <class T>
  std::vector<T> lines_of(const T* entries) const;
  template <class Number>
  std::vector<Number> steps_of(const std::vector<Number>& matrix) const;
  template <class Number>
  std::vector<double> lanes_of(const std::vector<Number>& steps) const;
  template <class Number>
  Part<Number> sum_of(const Walk<Number>& walk, const RunContext& run, int num_threads) const;
  template <class Number>
  PointMean mean_of(const std::vector<Number>& matrix, const RunContext& run, int num_threads) const;
  double relative_error() const;

  bool transposed_ =
      false;  // a line is a column, and what lines make linear forms of is a row; else a row and a column
  std::vector<std::uint32_t> line_times_, form_times_;  // forms that are taken equally often stand together
  std::vector<std::size_t> form_;                       // of the caller's, by place
  std::vector<int> group_end_;
  std::vector<unsigned> group_exponent_;
  std::size_t size_ = 0, fixed_line_ = 0;
  std::vector<Coordinate> inner_, outer_;  // of points within a block, and of blocks
  std::uint64_t num_inner_ = 1, num_blocks_ = 1;
  bool signs_alone_ = true;                           // all roots are 1 and -1
  std::vector<double> real_weight_, complex_weight_;  // as point_kernel::Block has it
  DoubleDouble factorials_ = 1;                       // of line_times_
};

}  // namespace matchcount::dense
