#pragma once
// Plans sums over roots of unity: how points are shared among threads, and how right their sum is. Private to the room.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/kernel_image.hpp"
#include "photonics/cuda/dense_gpu.hpp"
#include "photonics/cuda/root_sum_frame.hpp"

namespace matchcount::gpu {

// Returns the kernels that matchcount_fatbin compiled.
KernelImage root_sums_image();

struct RootSumPlan {
  RootFrame frame{};
  std::string kernel;
  unsigned threads = root_threads;  // of a block
  unsigned shared_bytes = 0;
  std::vector<Root> roots;  // by row of the kernel's table; of loop hafnians coefficients in place of roots
  std::vector<RootStep> steps;
  bool widen = false;     // entries are real and the kernel's complex
  int components = 1;     // of the kernel
  double operations = 0;  // of a matrix
  double factor = 1;      // of a sum
  double relative = 0;    // the error over the sum of sizes
  double underflow = 0;   // the error besides

  std::size_t doubles_of_matrix() const {
    return static_cast<std::size_t>(frame.rows) * static_cast<std::size_t>(frame.columns) *
           static_cast<std::size_t>(components);
  }
  // Finishes a matrix, from the sums of its parts.
  DenseSum finish(std::span<const RootSum> parts) const;
};

// Plans a batch of so many. Requires gpu_sums(shape).
RootSumPlan plan_root_sums(const DenseShape& shape, std::uint64_t count);

}  // namespace matchcount::gpu
