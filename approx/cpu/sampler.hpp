#pragma once
// Draws one sample of an estimator: a number whose mean is the permanent of the block. A pure function of (problem,
// options, seed, stream, i); running many and summing them up is for others (approx/estimate.cpp).

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "approx/cpu/guided_thread.hpp"
#include "approx/estimator.hpp"
#include "approx/problem.hpp"

namespace matchcount {

// Returns the problem as a guided walk takes it. Borrows it.
GuidedView guided_view(const Problem& problem);
// Returns the state that every guided sample starts from.
std::vector<std::uint64_t> guided_start(const Problem& problem, const GuidedView& view);

// Says whether graphs with odd cycles have it.
bool takes_odd_cycles(Estimator estimator);

// Keeps the buffers of one thread. Borrows the problem.
class Sampler {
 public:
  // Throws Unable where the problem has odd cycles and the estimator is one of bipartite graphs alone.
  static std::unique_ptr<Sampler> make(const Problem& problem, const SampleOptions& options);
  virtual ~Sampler() = default;

  // Returns the natural logarithm of sample i; -infinity for a sample that ran into a dead end. `poll` is called every
  // few hundred steps or ten thousand edges, since a sample of a large block takes seconds; what it throws ends the
  // sample.
  virtual double log_sample(std::uint64_t seed, std::uint64_t i, const std::function<void()>& poll = {}) = 0;

  // Returns, for guided samples and populations, the matchings that the last sample was drawn or averaged from, with
  // weights that sum to 1 (0 if all particles ran into dead ends), and partners by vertex, one matching behind the
  // other; any matching if it weighs 0. Throws Unable for another estimator.
  virtual void take_matchings(std::vector<double>& weight, std::vector<std::uint32_t>& partners);

  // Returns for every stage of the last sample of a population the logarithms of the particles' weights there, since
  // they were last replaced: one stage behind the other. Of another estimator none.
  virtual std::span<const double> log_increments() const { return {}; }

  // Returns the logarithm of the last sample of a population, or of annealing, in up to 16 pieces, one behind the
  // other; none of -infinity.
  virtual std::span<const double> log_pieces() const { return {}; }

  // Edges looked at so far, roughly: a cost that does not depend on the machine.
  virtual std::uint64_t work() const = 0;

  // Bytes of such a sampler.
  static double bytes(const Problem& problem, const SampleOptions& options);
};

}  // namespace matchcount
