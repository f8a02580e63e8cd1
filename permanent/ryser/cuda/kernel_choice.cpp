#include "permanent/ryser/cuda/kernel_choice.hpp"

#include <algorithm>
#include <limits>

#include "permanent/ryser/cuda/precompiled.hpp"

namespace matchcount::gpu {
namespace {

// The share of a device's peak that precompiled kernels reach: 0.41 (dense, double) to 0.95 (complex double-double) on
// an H200, at n = 27 to 36.
constexpr double precompiled_efficiency = 0.45;
constexpr double least_compile_s = 0.15;
// Products of integers are written out word by word: NVRTC took 0.8 s at 6 words, 17 to 27 s at 40 on a busy machine.
constexpr double compile_s_of_square_word = 0.006;

}  // namespace

double compile_seconds(const Numbers& numbers) {
  return least_compile_s + (numbers.exact() ? compile_s_of_square_word * numbers.words * numbers.words : 0);
}

double precompiled_seconds(double operations, const std::vector<DeviceInfo>& devices) {
  if (!std::all_of(devices.begin(), devices.end(), precompiled_for)) return std::numeric_limits<double>::infinity();
  return operations / (precompiled_efficiency * operations_per_second(devices));
}

bool precompiled_pays(double operations, const Numbers& numbers, const std::vector<DeviceInfo>& devices) {
  const double seconds = precompiled_seconds(operations, devices);
  return seconds < (kernel_compiler_found() ? compile_seconds(numbers) : std::numeric_limits<double>::infinity());
}

}  // namespace matchcount::gpu
