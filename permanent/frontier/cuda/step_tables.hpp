#pragma once
// Spells a step of the dense engine out as the tables that the kernels read (step_frame.hpp).

#include <cstdint>
#include <string>
#include <vector>

#include "permanent/frontier/cpu/dense.hpp"
#include "permanent/frontier/cuda/step_frame.hpp"

namespace matchcount::gpu {

// The numbers of a run, for one step.
struct StepNumbers {
  std::vector<std::uint32_t> primes;  // of residues; else none
  unsigned count = 1;                 // side by side
  unsigned words_of_weight = 1;
  // Weights of each number that stands side by side: of being matched already, then of each of the step's choices.
  std::vector<std::uint64_t> weights;
  std::string kernel;
};

struct StepTables {
  FrontierGpuStep step;  // but for addresses and the high masks of a launch
  std::vector<std::uint64_t> words;
  std::vector<std::uint16_t> gather;  // empty: no low bit is touched
  std::uint64_t num_highs = 0;        // valid ones
  std::string kernel;

  // Returns the dynamic shared memory of a block of so many high masks.
  unsigned shared_bytes(unsigned highs) const {
    return static_cast<unsigned>(8 * (words.size() + std::size_t{highs} * step.most_sources));
  }
  // Counts the valid high masks below this one.
  std::uint64_t highs_below(Word high) const;
};

StepTables step_tables(const DenseStep& step, bool by_parity, const StepNumbers& numbers);

}  // namespace matchcount::gpu
