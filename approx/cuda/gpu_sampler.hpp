#pragma once
// Samples of one block, drawn on the GPUs of this host: the same, to the last bit, as on a CPU (approx/walk.hpp), on
// any number of devices.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "approx/estimator.hpp"
#include "approx/problem.hpp"
#include "approx/walk.hpp"
#include "core/device.hpp"
#include "core/kernel_image.hpp"

namespace matchcount::gpu {

// Says whether there are kernels for it.
bool draws(Estimator estimator);
// Returns the kernels.
KernelImage sampler_image();

class GpuSampler {
 public:
  // Copies the problem to each device. Throws DeviceError, and Unable where a device's memory is too small or the image
  // is not for it.
  GpuSampler(const Problem& problem, const SampleOptions& options, const std::vector<DeviceContext>& devices);
  ~GpuSampler();

  // Samples that all devices would draw at once now.
  std::uint64_t range() const;

  // Sets samples[k] to sample first + k. Devices take ranges of some tenths of a second in turn, between which `over`
  // is asked, by several threads: where it says so, or throws, no more are begun. Returns how many were drawn, from
  // samples[0] on. One sample is never cut short.
  std::size_t draw(std::uint64_t seed, std::uint64_t first, std::span<Sample> samples,
                   const std::function<bool()>& over);

 private:
  class Worker;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace matchcount::gpu
