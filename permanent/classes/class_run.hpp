#pragma once
// Sums up a graph's perfect matchings along steps of classes, modulo primes of 31 bits.

#include <cstddef>

#include "core/numbers/integer.hpp"
#include "core/run.hpp"
#include "permanent/classes/class_steps.hpp"

namespace matchcount {

// The sum, whose absolute value is at most 2^log2_bound. Groups of primes are pieces of run.work(), named after
// run.part(). Throws as run.check() does.
Integer sum_by_classes(const ClassSteps& steps, double log2_bound, const RunContext& run);

// Predicts the cost of that on so many threads.
struct ClassCost {
  double seconds = 0, memory_bytes = 0;
  std::size_t primes = 0;
};
ClassCost cost_by_classes(const ClassSteps& steps, double log2_bound, int num_threads);

}  // namespace matchcount
