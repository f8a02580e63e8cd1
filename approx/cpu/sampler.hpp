#pragma once
// One sample of an estimator: a number whose mean is the permanent of the block. A pure function of (problem, options,
// seed, stream, i); running many and summing them up is for others (approx/estimate.cpp).

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "approx/cpu/published.hpp"
#include "approx/cpu/residual.hpp"
#include "approx/estimator.hpp"
#include "core/random.hpp"

namespace matchcount {

// Keeps the buffers of one thread. Borrows the problem.
class Sampler {
 public:
  Sampler(const Problem& problem, const SampleOptions& options);

  // The natural logarithm of sample i; -infinity for a sample that ran into a dead end. `poll` is called every few
  // hundred steps, since a sample of a large block takes seconds; what it throws ends the sample.
  double log_sample(std::uint64_t seed, std::uint64_t i, const std::function<void()>& poll = {});

  // Edges looked at so far, roughly: a cost that does not depend on the machine.
  std::uint64_t work() const { return published_ ? published_->work() : work_; }

 private:
  // A sample under way.
  struct State {
    Residual graph;
    std::vector<std::uint32_t> mate;  // of the guided estimators
    double log_value = 0;             // of the factors so far, of which product holds the last
    double product = 1;

    void multiply(double factor) {
      product *= factor;
      if (!(product > 1e-150 && product < 1e150)) flush();
    }
    void flush();
  };

  double draw_population(Random& random);
  // One choice and all that it forces.
  void step(State& state, Random& random);
  void drop_impossible(State& state, std::uint32_t vertex);
  bool can_reach_partner(const State& state, std::uint32_t from, std::size_t& head);
  void join(const State& state, std::uint32_t from, std::uint32_t meeting);
  void poll();
  void take(State& state, std::uint32_t vertex, const Residual::Slot* slot);
  void refresh_messages(State& state);
  double log_left(const State& state) const;

  const Problem& problem_;
  SampleOptions options_;
  std::unique_ptr<PublishedSampler> published_;  // all else is of the guided estimators
  std::unique_ptr<const State> start_;
  std::vector<State> states_;
  std::vector<State> copies_;
  std::vector<std::uint32_t> touched_, next_touched_, queue_, follow_;
  std::vector<std::uint32_t> forward_, came_from_, came_through_;
  std::vector<std::uint64_t> mark_;  // by vertex: the last search that met it
  std::vector<std::uint64_t> forward_mark_;
  std::uint64_t search_ = 0, forward_search_ = 0;
  const std::function<void()>* poll_ = nullptr;
  std::uint32_t until_poll_ = 0;
  std::uint32_t own_ = 0;  // the vertex being matched
  std::uint64_t work_ = 0;
};

}  // namespace matchcount
