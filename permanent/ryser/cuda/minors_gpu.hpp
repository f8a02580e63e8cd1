#pragma once
// Sums all minors of many complex matrices on a GPU, for permanent/ryser/minors.cpp.

#include <cstddef>
#include <cstdint>
#include <functional>
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

// Writes a group of matrices from `first` on, one behind the other and row-major, and behind all of them their floors
// by row.
using FillMinors = std::function<void(std::size_t first, std::size_t count, std::span<double> numbers)>;
// Reads what minors_frame.hpp says, of the parts together: plan.sums() numbers for each matrix of a group.
using TakeMinors = std::function<void(std::size_t first, std::size_t count, std::span<const double> numbers)>;

// Sums the minors of so many matrices, group after group; one call at a time works on a device, the others wait. Throws
// Unable where the build has no kernels for the device or memory lacks, Cancelled and OverLimit as run says,
// DeviceError.
void minors_on_gpu(const MinorsPlan& plan, std::size_t count, const FillMinors& fill, const TakeMinors& take,
                   const DeviceInfo& device, const RunContext& run);

}  // namespace matchcount::gpu
