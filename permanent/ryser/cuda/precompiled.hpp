#pragma once
// Launches kernels compiled with the library, which take the matrix as data: they start at once and need no run-time
// compiler, but take several times as long as those that are written for the matrix (kernel_source.hpp).
//
// The walk is plain Gray code: blocks of the 4 or 8 leaves of the low bits, in which rows that those bits do not touch
// are multiplied once; flips visit only rows with entries; a block is passed over where the product of its unmoving
// rows is zero in a whole warp. Variants differ by their order and special column, and `ryser` in passing over nothing.
//
// Integers are summed modulo primes just below 2^48, up to four in a pass, in doubles with fused multiply-adds;
// products of as many row sums as stay exact in a double need no reduction. Where row sums are too large for that they
// are residues themselves, one prime a pass. The number of primes follows from the bound on the permanent, with 20 bits
// to spare: a result above the bound gives a wrong device away.
//
// The error bound of reals is that of kernel_source.hpp, with groups of plain rows in place of its factors.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/device.hpp"
#include "core/kernel_image.hpp"
#include "permanent/ryser/cuda/kernel_source.hpp"
#include "permanent/ryser/kernel.hpp"

namespace matchcount::gpu {

// Plans the order as it is given, the special column as one more bit where the numbers have no pairs.
// operations_per_leaf: additions and multiplications of doubles, all primes together (exact: for log2_bound).
WalkPlan plan_precompiled(const WalkMatrix& matrix, const RyserPlan& order, const Numbers& numbers, double log2_bound);

// Reals and complex numbers.
Kernel make_precompiled_kernel(const KernelInput& input);

// Integers. Sums of tasks are numbers of 96 bits, two's complement, one for each prime of the task's pass:
// primes[pass * primes_of_pass + i].
struct ExactKernel {
  Kernel kernel;
  std::vector<std::uint64_t> primes;
  std::size_t primes_of_pass = 1;
};
ExactKernel make_precompiled_exact(const KernelInput& input, double log2_bound);

// Returns all of them.
KernelImage precompiled_image();
inline bool precompiled_for(const DeviceInfo& device) { return precompiled_image().runs_on(device); }

// Seconds to search an order and to compile the kernel that is written for a matrix.
double compile_seconds(const Numbers& numbers);

// Predicts the time of precompiled kernels for so many operations (plan_precompiled); infinity where the build has none
// for one of the devices.
double precompiled_seconds(double operations, const std::vector<DeviceInfo>& devices);

// Says whether precompiled kernels are done before others would be compiled, or others cannot be.
bool precompiled_pays(double operations, const Numbers& numbers, const std::vector<DeviceInfo>& devices);

}  // namespace matchcount::gpu
