#include "permanent/ryser/cuda/row_errors.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "permanent/ryser/cuda/kernel_source.hpp"

namespace matchcount::gpu {
namespace {

template <class Take>
void for_each_row(std::uint64_t rows, const Take& take) {
  for (; rows != 0; rows &= rows - 1) take(static_cast<std::size_t>(std::countr_zero(rows)));
}

}  // namespace

RowErrors::RowErrors(const KernelInput& input, std::uint64_t special) : in_(input), special_(special) {}

int RowErrors::log2_scale(std::uint64_t rows) const {
  int exponent = 0;
  for_each_row(rows, [&](std::size_t row) {
    if (in_.row_rms[row] > 0) exponent -= std::ilogb(in_.row_rms[row]);
  });
  return exponent;
}

double RowErrors::scale(std::uint64_t rows) const { return std::ldexp(1, log2_scale(rows)); }

double RowErrors::absolute_error(std::uint64_t rows) const {
  // prod (R + delta) - prod R, without cancellation.
  double product = 1, error = 0;
  for_each_row(rows, [&](std::size_t row) {
    error = error * (in_.row_bound[row] + in_.row_error[row]) + product * in_.row_error[row];
    product *= in_.row_bound[row];
  });
  return error * (1 + 0x1p-40);
}

double RowErrors::relative_error(std::uint64_t rows) const {
  double sum = 0;
  for_each_row(rows, [&](std::size_t row) {
    if (in_.row_rms[row] > 0) sum += in_.row_error[row] / in_.row_rms[row];
  });
  return sum;
}

void RowErrors::include(std::uint64_t rows) {
  const double relative = relative_error(rows);
  if (in_.numbers.floors && relative > 0) kappa_ = std::max(kappa_, 4 * absolute_error(rows) * scale(rows) / relative);
}

double RowErrors::floor_of(std::uint64_t rows) const {
  const double relative = relative_error(rows);
  if (!in_.numbers.floors || relative == 0) return 0;
  return absolute_error(rows) * scale(rows) / (kappa_ * relative);
}

double RowErrors::error_per_size(double roundings) const {
  double log_factor = roundings;
  if (in_.numbers.floors) {
    for (std::size_t row = 0; row < in_.row_error.size(); ++row) {
      const std::uint64_t bit = std::uint64_t{1} << row;
      log_factor +=
          std::log1p((special_ & bit) != 0 ? (in_.row_error[row] + in_.special_error[row]) / in_.special_value[row]
                                           : kappa_ * relative_error(bit));
    }
  }
  // Floats and sums of magnitudes round by less than one part in a thousand in all.
  return std::expm1(log_factor) * 1.001;
}

}  // namespace matchcount::gpu
