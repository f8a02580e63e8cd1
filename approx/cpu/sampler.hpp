#pragma once
// Draws one sample of an estimator: a number whose mean is the permanent of the block. A pure function of (problem,
// options, seed, stream, i); running many and summing them up is for others (approx/estimate.cpp).

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "approx/cpu/annealing.hpp"
#include "approx/cpu/determinants.hpp"
#include "approx/cpu/guided_thread.hpp"
#include "approx/cpu/population.hpp"
#include "approx/cpu/published.hpp"
#include "approx/estimator.hpp"

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
  Sampler(const Problem& problem, const SampleOptions& options);

  // Returns the natural logarithm of sample i; -infinity for a sample that ran into a dead end. `poll` is called every
  // few hundred steps or ten thousand edges, since a sample of a large block takes seconds; what it throws ends the
  // sample.
  double log_sample(std::uint64_t seed, std::uint64_t i, const std::function<void()>& poll = {});

  // Returns, for guided samples and populations, the matchings that the last sample was drawn or averaged from, with
  // weights that sum to 1, and partners by vertex, one matching behind the other. Throws Unable for another estimator.
  void take_matchings(std::vector<double>& weight, std::vector<std::uint32_t>& partners);

  // Returns Population::log_increments of the last sample of a population; of another estimator none.
  std::span<const double> log_increments() const;

  // Returns Population::log_pieces in the same way, and those of annealing.
  std::span<const double> log_pieces() const;

  // Edges looked at so far, roughly: a cost that does not depend on the machine.
  std::uint64_t work() const;

  // Bytes of such a sampler.
  static double bytes(const Problem& problem, const SampleOptions& options);

 private:
  template <class Walk>
  class Guided {
   public:
    explicit Guided(const Problem& problem);
    Sample sample(std::uint64_t seed, std::uint64_t i, const std::function<void()>& poll);
    std::span<const std::uint32_t> partners() const { return {walk_.partners(), view_.num_vertices()}; }
    std::uint64_t work() const { return work_ + walk_.work(); }

   private:
    const GuidedView view_;
    const std::vector<std::uint64_t> start_;
    std::vector<std::uint64_t> scratch_, state_;
    Walk walk_;
    std::uint64_t work_ = 0;
    std::uint64_t next_poll_ = 0;  // at this work
  };

  // One of them.
  std::unique_ptr<PublishedSampler> published_;
  std::unique_ptr<Guided<GuidedWalk>> guided_;
  std::unique_ptr<Guided<OddGuidedWalk>> odd_guided_;
  std::unique_ptr<Population> population_;
  std::unique_ptr<Annealing> annealing_;
  std::unique_ptr<DeterminantSampler> determinants_;
};

}  // namespace matchcount
