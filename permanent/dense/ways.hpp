#pragma once
// Says in which ways a build finds values of dense matrices before it expands them. The house has none; the wing
// photonics has sums over roots of unity, on GPUs too.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/run.hpp"
#include "permanent/dense/one_matrix.hpp"

namespace matchcount::dense {

// T: double or std::complex<double>. Ways throw Unable, OverLimit and Cancelled as run says.
template <class T>
struct Ways {
  using Answer = std::optional<AnswerOf<T>>;
  // Finds values of as many matrices as stand one behind the other, on GPUs or side by side; nothing of those that are
  // better expanded or given to the engine.
  std::vector<Answer> (*of_batch)(const DenseShape& shape, std::span<const T> entries, std::size_t count,
                                  const RunContext& run);
  // Finds that of one, with as many digits as doubles leave it; nothing where none is left, or an expansion is better.
  Answer (*of_one)(const DenseShape& shape, std::span<const T> entries, const RunContext& run, int num_threads);
};

// Returns null in a build without.
template <class T>
const Ways<T>* ways();

}  // namespace matchcount::dense
