#pragma once
// Finds all minors of many matrices on a GPU, for photonics/gradients.cpp.

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/device.hpp"
#include "core/kernel_image.hpp"
#include "core/run.hpp"
#include "photonics/derivatives/minors_scaling.hpp"

namespace matchcount::gpu {

KernelImage minors_image();

struct MinorsPlan {
  MinorsFrame frame{};
  std::string kernel;
  unsigned shared_bytes = 0;
  // Returns how many doubles are summed for a matrix.
  std::size_t sums() const { return static_cast<std::size_t>(2 * frame.rows * frame.rows + minors_extra); }
};

// Plans for so many matrices of fewest_minor_rows to most_minor_rows, of as many doubles an entry.
MinorsPlan plan_minors(int rows, std::uint64_t count, int width = 2);

// MinorsMemory says where entries are and answers go, those of a matrix behind those of the one before: here, or on the
// device.
struct MinorsMemory {
  bool on_device;
  const double* entries;
  MinorsAnswers answers;
};

// Finds permanents and their derivatives of so many matrices, group after group; one call at a time works on a device,
// the others wait. Throws InputError for entries that are not finite, Unable for an answer beyond the range of doubles
// and where the build has no kernels for the device or memory lacks, Cancelled and OverLimit as run says, DeviceError.
void minors_on_gpu(const MinorsPlan& plan, std::size_t count, const MinorsMemory& memory, const DeviceInfo& device,
                   const RunContext& run);

}  // namespace matchcount::gpu
