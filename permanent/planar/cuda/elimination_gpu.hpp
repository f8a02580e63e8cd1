#pragma once
// Replays elimination programs on GPUs; see permanent/planar/cuda/elimination_kernels.cuh.

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/device.hpp"
#include "core/kernel_image.hpp"
#include "core/run.hpp"
#include "permanent/planar/cpu/elimination_replay.hpp"
#include "permanent/planar/cuda/elimination_frame.hpp"

namespace matchcount::gpu {

// A program's fronts level by level of their tree, the deepest first, with a place for each in an arena of which two
// levels are in use at a time. Fronts of one launch do not depend on each other.
struct EliminationLayout {
  struct Launch {
    unsigned first, count;  // fronts
    unsigned warps;         // a front
    double multiplications;
  };
  std::vector<GpuFront> fronts;
  std::vector<GpuChild> children;
  std::vector<std::uint32_t> maps;
  std::vector<EliminationEntry> entries;
  std::vector<Launch> launches;
  unsigned num_roots = 0;           // the last fronts
  std::uint64_t arena_entries = 0;  // of a group of primes
  std::uint64_t slack_entries = 0;  // behind the last group's
};
// Requires a program that is complete and not empty. O(the program).
EliminationLayout layout_of(const EliminationProgram& program);

EliminationModulus elimination_modulus(const ReplayModulus& modulus);

struct ReplayReport {
  double kernel_s = 0;  // by the clock of the device that took longest
};

// Replays as replay_elimination of permanent/planar/cpu/elimination_replay.hpp on these devices (not empty), which
// share the moduli. Takes as many of them at a time as fit a device's free memory, or `most_bytes` of it. Throws as the
// devices do, Unable where the memory does not suffice for 32, and as run.check() does.
std::vector<std::uint64_t> replay_elimination(const EliminationProgram& program, const EntryTable& table,
                                              std::span<const ReplayModulus> moduli,
                                              const std::vector<DeviceInfo>& devices, const RunContext& run,
                                              Stretch stretch = {}, ReplayReport* report = nullptr,
                                              std::uint64_t most_bytes = std::numeric_limits<std::uint64_t>::max());

KernelImage elimination_image();

}  // namespace matchcount::gpu
