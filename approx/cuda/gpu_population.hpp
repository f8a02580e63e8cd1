#pragma once
// Draws populations on the GPUs of this host, several side by side: the same, to the last bit, as on a CPU
// (approx/cpu/population.hpp), on any number of devices.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "approx/estimator.hpp"
#include "approx/problem.hpp"
#include "core/device.hpp"
#include "core/kernel_image.hpp"

namespace matchcount {
struct PopulationStart;
}

namespace matchcount::gpu {

// Returns the kernels.
KernelImage population_image();

// DrawnPopulation is what Population::log_sample and log_pieces tell of one.
struct DrawnPopulation {
  double log_mean = 0;
  std::vector<double> log_pieces;
};

class GpuPopulations {
 public:
  // Copies the problem to each device, of whose memory this share is to be used. Throws DeviceError, and Unable where
  // there is no room for one population or the image is not for it.
  GpuPopulations(const Problem& problem, const SampleOptions& options, double share,
                 const std::vector<DeviceContext>& devices);
  ~GpuPopulations();

  // Populations that all devices would draw at once.
  std::uint64_t range() const;

  // Sets drawn[k] to population first + k. Between stages `over` is asked, by several threads: where it says so, or
  // throws, no more are drawn. Returns how many were, from drawn[0] on.
  std::size_t draw(std::uint64_t seed, std::uint64_t first, std::span<DrawnPopulation> drawn,
                   const std::function<bool()>& over);

  // Returns about how large a population of this device may be.
  static double capacity(const Problem& problem, const DeviceInfo& device);

 private:
  class Worker;
  std::unique_ptr<const PopulationStart> start_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace matchcount::gpu
