#pragma once
// Says from where on the layers of a sum over matchings that need not be perfect are dense.

#include <cstdint>

#include "permanent/frontier/cpu/steps.hpp"

namespace matchcount {

// Says where sorted states give way to the array, and what both do.
struct MatchingLayout {
  std::size_t first_dense = 0;  // step; as many as there are: none
  std::uint32_t slots = 0;      // of the dense array, which has 2^slots states
  double sparse_states = 0;     // of the two sparse layers in a row that have most
  double sparse_transitions = 0, dense_transitions = 0;
};
// Throws Unable where sparse layers are too wide to be held.
MatchingLayout matching_layout(const FrontierSteps& steps);

constexpr std::uint32_t max_sparse_width = 64;

}  // namespace matchcount
