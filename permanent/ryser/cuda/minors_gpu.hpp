#pragma once
// Sums all minors of many complex matrices on a GPU, for permanent/ryser/minors.cpp.

#include <cstdint>
#include <span>
#include <string>

#include "core/device.hpp"
#include "core/kernel_image.hpp"
#include "core/run.hpp"
#include "permanent/ryser/cuda/minors_frame.hpp"

namespace matchcount::gpu {

KernelImage minors_image();

struct MinorsPlan {
  MinorsFrame frame{};
  std::string kernel;
  unsigned shared_bytes = 0;
  // Returns how many doubles are summed for a matrix.
  std::size_t sums() const { return static_cast<std::size_t>(2 * frame.rows * frame.rows + minors_extra); }
  // Bounds the errors of a sum of products without a row, and of that of all, relative to their magnitudes.
  double relative_error() const;
  double relative_error_of_total() const;
};

// Plans for so many matrices of fewest_minor_rows to most_minor_rows.
MinorsPlan plan_minors(int rows, std::uint64_t count);

// Writes what minors_frame.hpp says, of the parts together, for every matrix in the place of all matrices: plan.sums()
// numbers each, where `numbers` begins with matrices one behind the other, row-major. floors: by row. Throws Unable
// where the build has no kernels for the device or its memory is too small, Cancelled and OverLimit as run says,
// DeviceError.
void minors_on_gpu(const MinorsPlan& plan, std::span<double> numbers, std::span<const double> floors,
                   const DeviceInfo& device, const RunContext& run);

}  // namespace matchcount::gpu
