#pragma once
// Draws a population of guided samples side by side (sequential Monte Carlo), on one thread.

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "approx/population_mean.hpp"
#include "approx/problem.hpp"

namespace matchcount {

// A population. Keeps the buffers of one thread.
class Population {
 public:
  // Makes one of `size` particles, >= 2, whose messages are brought up to date near a change, or far around it until
  // they change little. doubles: as PopulationMean does.
  static std::unique_ptr<Population> make(const Problem& problem, int size, bool far_messages, bool doubles = false);
  virtual ~Population() = default;

  // Returns the natural logarithm of the population's mean, -infinity where all run into dead ends. `poll` as in
  // approx/cpu/sampler.hpp.
  virtual double log_sample(std::uint64_t seed, std::uint64_t i, const std::function<void()>& poll) = 0;
  // Returns the parts of the last sample's mean: each particle's weight, of a sum of 1 (0 if all ran into dead ends),
  // and its partners by vertex of the problem that was given, one particle behind the other; any matching if it weighs
  // 0.
  virtual void take_matchings(std::vector<double>& weight, std::vector<std::uint32_t>& partners) = 0;
  // Returns for every stage of the last sample the logarithms of the particles' weights there, since they were last
  // replaced: one stage behind the other.
  virtual const std::vector<double>& log_increments() const = 0;
  // Returns the logarithm of the last sample in up to 16 pieces, one behind the other; none of -infinity.
  virtual const std::vector<double>& log_pieces() const = 0;
  // Edges looked at so far, roughly.
  virtual std::uint64_t work() const = 0;

  // Bytes of such a population.
  static double bytes(const Problem& problem, int size);
};

}  // namespace matchcount
