#pragma once
// Draws a population of guided samples side by side (sequential Monte Carlo), on one thread.

#include <memory>

#include "approx/cpu/sampler.hpp"

namespace matchcount {

// Makes one of `size` particles, >= 2, whose messages are brought up to date near a change, or far around it until
// they change little. doubles: as PopulationMean does. A sample is the logarithm of the population's mean, -infinity
// where all run into dead ends.
std::unique_ptr<Sampler> population_sampler(const Problem& problem, int size, bool far_messages, bool doubles = false);

// Bytes of such a population.
double population_bytes(const Problem& problem, int size);

}  // namespace matchcount
