#pragma once
// Sums the pieces of a torontonian on GPUs, for photonics/torontonian/torontonian.cpp.

#include <span>
#include <vector>

#include "core/device.hpp"
#include "core/kernel_image.hpp"
#include "core/run.hpp"
#include "core/work.hpp"
#include "photonics/torontonian/cuda/torontonian_frame.hpp"

namespace matchcount::gpu {

KernelImage torontonian_image();

// Runs the job's pieces, those of frame.piece_bits: `record` makes the record of a piece from its tasks' sums; returns
// that of all. `values`
// are what values_of_matrix counts, of one double each or of two. Requires fewest_torontonian_modes or more. Throws
// Unable where the build has no kernels for a device or memory lacks, Cancelled and OverLimit as run says, DeviceError.
Bytes torontonian_on_gpus(const TorontonianFrame& frame, std::span<const double> values, bool is_double, const Job& job,
                          const std::vector<DeviceInfo>& devices, const RunContext& run,
                          const std::function<Bytes(std::span<const TorontonianSum>)>& record);

// Sums as many matrices as there are values for, of fewest_batch_modes and fewer than fewest_torontonian_modes; gives
// the sums of each matrix's tasks, one behind the other, and of more matrices that fill a block. Throws likewise.
TorontonianFrame batch_frame(int num_modes, bool has_loops);
std::vector<TorontonianSum> torontonians_on_gpu(const TorontonianFrame& frame, std::vector<double> values,
                                                bool is_double, const DeviceInfo& device, const RunContext& run);

}  // namespace matchcount::gpu
