#pragma once
// Bounds what errors of the entries do to products of row sums, so that a kernel can bound its sum: see
// kernel_source.hpp.

#include <cstdint>

namespace matchcount::gpu {

struct KernelInput;

// Sets of rows are bits of a word.
class RowErrors {
 public:
  // Rows of `special` enter as pairs, whose magnitudes need no floor. Keeps the input's address.
  RowErrors(const KernelInput& input, std::uint64_t special);

  // Rows whose product shares a floor; to be called for all of them before floor_of and error_per_size.
  void include(std::uint64_t rows);

  // Returns the power of two that brings a product of these rows near 1, and its logarithm.
  double scale(std::uint64_t rows) const;
  int log2_scale(std::uint64_t rows) const;
  // Returns the floor of the magnitude of a product of these rows, scaled.
  double floor_of(std::uint64_t rows) const;
  // Returns the bound's factor, `roundings` being relative to the magnitudes.
  double error_per_size(double roundings) const;

 private:
  double absolute_error(std::uint64_t rows) const;
  double relative_error(std::uint64_t rows) const;

  const KernelInput& in_;
  std::uint64_t special_;
  double kappa_ = 0;
};

}  // namespace matchcount::gpu
