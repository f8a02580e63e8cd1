#pragma once
// Draws a population of guided samples side by side (sequential Monte Carlo), on one thread.

#include <cstdint>
#include <functional>
#include <vector>

#include "approx/guided_walk.hpp"
#include "approx/problem.hpp"

namespace matchcount {

// Lists every vertex once: breadth first from a vertex that is as far from the others as a few searches find (George
// and Liu 1979, doi:10.1145/355841.355845).
std::vector<std::uint32_t> breadth_first_order(const Problem& problem);
// The same problem, vertex v named name[v]; rows stay rows. Slots stay in their order at a vertex.
Problem renamed(const Problem& problem, const std::vector<std::uint32_t>& name);

// Between particles a better guide pays, since the particles share what one of them finds out.
struct PopulationTuning {
  static constexpr int rings = 3;
  static constexpr double tolerance = 0.001;
  static constexpr double answered_share = 0.9;
  // The floor bounds how long a particle that is worth many others stays hidden where messages err. On a random
  // weighted matrix of 12 rows with 46 entries, populations of 16 had a relative variance of 0.83, 0.30 and 0.11 with
  // floors of 0.001, 0.01 and 0.03 beside an answered share of 1, and 87 % and 91 % of the intervals of 100 of them
  // held the permanent at the first and the last; with 0.03 and 0.95 it is 0.016, with 0.05 and 0.9 0.008. On the 32 x
  // 32 grid the log variance of 64 is 0.16, 0.18 and 0.11 with the last three (50 of them, 20 % noise).
  static constexpr double floor_share = 0.05;
  static constexpr bool lists_changes = true;
  static constexpr bool odd_cycles = false;
};

// Keeps the buffers of one thread.
class Population {
 public:
  // Keeps `size` particles, >= 2.
  Population(const Problem& problem, int size);

  // Returns the natural logarithm of the population's mean. `poll` as in approx/cpu/sampler.hpp.
  double log_sample(std::uint64_t seed, std::uint64_t i, const std::function<void()>& poll);
  // Returns the parts of the last sample's mean: each particle's weight, of a sum of 1, and its partners by vertex of
  // the problem that was given, one particle behind the other.
  void take_matchings(std::vector<double>& weight, std::vector<std::uint32_t>& partners);
  // Returns for every stage of the last sample the logarithms of the particles' weights there, since they were last
  // replaced: one stage behind the other.
  const std::vector<double>& log_increments() const { return log_increments_; }
  // Edges looked at so far, roughly.
  std::uint64_t work() const { return work_ + walk_.work(); }

  // Bytes of such a population.
  static double bytes(const Problem& problem, int size);

 private:
  struct Particle {
    std::vector<std::uint64_t> state;  // of the walk
    std::vector<double> log_term;      // by vertex: its share in the Bethe approximation of what is left
    double log_left = 0;               // their sum
    double log_value = 0;              // of the steps so far, less what the population has been given for them
    double log_rank = 0;               // log_value + log_left
  };

  void advance(Particle& particle, std::uint32_t steps, Uniforms& uniforms, const std::function<void()>& poll);
  // Brings log_left up to date where the walk has changed something. The particle is the one that is attached.
  void rank(Particle& particle);
  double log_term(std::uint32_t vertex) const;
  // Replaces those that fall behind by copies of those ahead, in proportion to weight.
  void resample(const std::vector<double>& weight, double sum, double uniform);

  std::vector<std::uint32_t> order_, name_, position_;
  Problem problem_;
  GuidedView view_;
  std::vector<std::uint64_t> scratch_;
  TunedGuidedWalk<PopulationTuning> walk_;
  Particle start_;
  std::vector<Particle> particles_;
  std::vector<double> weight_;  // by particle, in the last stage
  std::vector<double> log_increments_;
  std::uint64_t work_ = 0;
  std::uint32_t until_poll_ = 0;
};

}  // namespace matchcount
