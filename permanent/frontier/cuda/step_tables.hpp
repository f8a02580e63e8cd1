#pragma once
// Spells a step of the dense engine out as the tables that the kernels read (step_frame.hpp).

#include <cstdint>
#include <vector>

#include "permanent/frontier/cpu/dense.hpp"
#include "permanent/frontier/cpu/residues.hpp"
#include "permanent/frontier/cuda/step_frame.hpp"

namespace matchcount::gpu {

struct StepTables {
  FrontierGpuStep step;  // but for addresses and the high masks of a launch
  std::vector<std::uint64_t> words;
  std::vector<std::uint16_t> gather;  // empty: no low bit is touched
  bool weighted = false;              // some weight is not 1
  std::uint64_t num_highs = 0;        // valid ones

  // Dynamic, of a block of so many high masks.
  unsigned shared_bytes(unsigned highs) const {
    return static_cast<unsigned>(8 * (words.size() + std::size_t{highs} * step.num_choices));
  }
  const char* kernel() const;
  // How many valid high masks are below this one.
  std::uint64_t highs_below(Word high) const;
};

// Modulo the primes of the arithmetic, which was prepared for the step.
StepTables step_tables(const DenseStep& step, bool by_parity, const ResidueArithmetic& arithmetic);

}  // namespace matchcount::gpu
