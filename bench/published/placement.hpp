#pragma once
// Runs inclusion-exclusion on GPUs as the papers' kernels do, with row sums and matrix in the memory that is asked for:
// bench/published/placement.cuh, compiled at run time. For comparison alone: permanent/ryser is several times
// faster.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/device.hpp"
#include "core/names.hpp"

namespace matchcount::bench {

enum class Memory { global, shared, registers, constant };
}  // namespace matchcount::bench

template <>
struct matchcount::Names<matchcount::bench::Memory> {
  static constexpr std::string_view what = "memory";
  static constexpr Named<bench::Memory> all[] = {{bench::Memory::global, "global memory"},
                                                 {bench::Memory::shared, "shared memory"},
                                                 {bench::Memory::registers, "registers"},
                                                 {bench::Memory::constant, "constant memory"}};
};

namespace matchcount::bench {

struct Placement {
  Memory sums = Memory::registers;  // not constant
  Memory matrix = Memory::shared;   // not registers
  bool coalesced = true;            // sums of neighbouring threads side by side; of no matter in registers
  bool sparse = false;              // only entries that are there are added to row sums
  bool aligned = true;              // chunks of 2^k terms, so that a warp's threads switch the same column
  unsigned threads = 128;           // a block
};
// Writes "x in registers, A in shared memory, chunks of 2^k"
std::string to_string(const Placement& placement);

// Writes CUDA C++ for a matrix of n x n doubles, row-major. The text has them where the row sums are in registers and
// the matrix is sparse.
std::string placement_source(const Placement& placement, std::span<const double> entries, std::size_t n);
// Returns the bytes of `Matrix` in that text.
std::vector<std::byte> placement_matrix(const Placement& placement, std::span<const double> entries, std::size_t n);

struct PlacementRun {
  double permanent = 0;  // of a whole run
  double seconds = 0;    // of all terms: of the device that took longest, by its own clock
  bool whole = true;     // else a part of the terms was run, and `seconds` is for all
  KernelInfo kernel;
  unsigned blocks = 0, shared_bytes = 0;
  double occupancy = 0;  // threads that a multiprocessor holds, over 2048
};
// Terms are shared by the devices. A run that would take longer than limit_s is one of so many terms as do not. Throws
// as compile_kernel and devices do.
PlacementRun run_placement(const Placement& placement, std::span<const double> entries, std::size_t n,
                           const std::vector<DeviceInfo>& devices, double limit_s);

}  // namespace matchcount::bench
