#pragma once
// Runs the frontier method modulo primes on a GPU that holds the states of a layer as sorted masks
// (sorted_kernels.cuh), for orders with twins and layers too wide for arrays of all states.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/device.hpp"
#include "core/kernel_image.hpp"
#include "permanent/frontier/cpu/drive.hpp"
#include "permanent/frontier/cpu/numbers.hpp"
#include "permanent/frontier/cuda/sorted_frame.hpp"

namespace matchcount::gpu {

KernelImage sorted_image();
// Says whether the kernels take these steps: masks of at most 128 bits, and moves that fit into a tile.
bool sorts(const FrontierSteps& steps);
// Predicts what a run does: old states that moves look at, and the device's memory, by the bounds on the states.
struct SortedWork {
  double looks = 0, bytes = 0;
};
SortedWork sorted_work(const FrontierSteps& steps, std::size_t num_primes);

// A step from so many states of planes of `number`, but for addresses, and its tables: moves, weights and primes.
struct SortedTables {
  SortedStep step;
  std::vector<std::uint64_t> words;

  // Tells where they are.
  void set_address(std::uint64_t address);
  unsigned shared_bytes(std::size_t key_words) const {  // of sorted_count and sorted_make
    return static_cast<unsigned>((8 * key_words + 12) * step.tile + 4 * (step.num_moves + 2));
  }
};
SortedTables sorted_tables(const SparseStates::Step& moves, const Residues& number, std::size_t num_states,
                           unsigned tile = sorted_tile);

// Smaller layers are made here before they are sent to the device, where those that follow stay.
constexpr std::size_t least_sorted_states = 1 << 14;
// Returns what run_on_gpu does. Throws Unable where two layers don't fit into the device's memory.
std::vector<std::uint32_t> run_sorted_on_gpu(const FrontierSteps& steps, Residues& number, const DeviceContext& device,
                                             const RunContext& run, std::string name, const std::string& description,
                                             ShareOfRuns share = {}, std::size_t least_states = least_sorted_states);

}  // namespace matchcount::gpu
