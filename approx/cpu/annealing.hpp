#pragma once
// Draws a population of matchings whose edges' activity grows (annealing by sequential Monte Carlo), on one thread.

#include <cstdint>
#include <functional>
#include <vector>

#include "approx/cpu/sampler.hpp"
#include "approx/population_mean.hpp"

namespace matchcount {

// A matching, and the vertices that it leaves alone.
struct LooseMatching {
  std::vector<std::uint32_t> at;  // by vertex: the slot of its edge, or `alone` + its place below
  std::vector<std::uint32_t> left;
};

// Walks over the matchings of a problem, in continuous time: a vertex that is left alone tries an edge at rate 1, each
// of its edges as often, and takes it, from another that is alone too or from the edge that its end has now; edges are
// taken out at the rate that keeps the distribution with weights activity^edges times the edges' own. The events that
// change nothing are few at every activity. Borrows the problem.
class MatchingChain {
 public:
  explicit MatchingChain(const Problem& problem);

  void set_activity(double log_activity);
  // Runs for so long.
  void run(LooseMatching& matching, double time, Uniforms& uniforms);
  // Returns events a unit of time, with so many vertices left alone; at this activity.
  double rate(double left) const { return left + most_removals_ * num_vertices_; }
  std::uint64_t events() const { return events_; }

  // Makes of edges that are taken or not, each by itself, a matching. False: they are none.
  bool draw_edges(LooseMatching& matching, double log_activity, Uniforms& uniforms);
  // Returns the logarithm of the sum over all such choices.
  double log_choices(double log_activity) const;

 private:
  void match(LooseMatching& matching, std::uint32_t slot, std::uint32_t vertex);
  void leave_alone(LooseMatching& matching, std::uint32_t vertex);
  void take_from_list(LooseMatching& matching, std::uint32_t vertex);

  const Problem& problem_;
  std::uint32_t num_vertices_;
  double log_activity_ = 0, removal_ = 1;  // 1 / activity
  double most_removals_ = 0;               // the largest rate of a vertex
  std::uint64_t events_ = 0;
};

// A population. Keeps the buffers of one thread. The logarithm of its mean is a sample.
class Annealing final : public Sampler {
 public:
  Annealing(const Problem& problem, int size, std::vector<AnnealingStage> stages);

  // Finds the stages by a run of this population: the number of edges times the step of the logarithm of the activity
  // varies by about half. They end where most matchings have `most_edges` edges, or, 0, at activity 1.
  static std::vector<AnnealingStage> find_stages(const Problem& problem, std::uint32_t most_edges, int size,
                                                 std::uint64_t seed, const std::function<void()>& poll);

  double log_sample(std::uint64_t seed, std::uint64_t i, const std::function<void()>& poll) override;
  std::span<const double> log_pieces() const override { return mean_.log_pieces(); }
  std::uint64_t work() const override;
  // Returns for every number of edges the logarithm of what the last sample says of all matchings of that size.
  const std::vector<double>& log_sizes() const { return log_sizes_; }

  static double bytes(const Problem& problem, int size);
  // Predict how many stages there will be, and the work of one particle.
  static std::size_t likely_stages(const Problem& problem);
  static double work(const Problem& problem, std::size_t stages);
  // Returns the variance of a particle's logarithm.
  static double log_variance(std::size_t stages);

 private:
  double run(std::uint64_t seed, std::uint64_t i, const std::function<void()>& poll, bool finds_stages);
  void keep_sizes(std::size_t stage);
  // Adds a stage. False: the last one ends the run.
  bool add_stage();
  std::uint32_t edges(std::size_t particle) const;

  const Problem& problem_;
  MatchingChain chain_;
  std::vector<AnnealingStage> stages_;
  std::vector<LooseMatching> particles_;
  std::vector<std::size_t> stage_of_size_;
  PopulationMean mean_{0, 0, 0, Uniforms(0, 0)};
  std::vector<double> log_sizes_;
  std::uint32_t most_edges_ = 0;
  double smooth_variance_ = 0, log_end_ = 0;
};

}  // namespace matchcount
