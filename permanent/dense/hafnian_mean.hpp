#pragma once
// Computes one hafnian, whose vertices may be repeated, as a sum over roots of unity.

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

}  // namespace matchcount::dense
