#pragma once
// Keeps the account of a population: what its particles are worth from stage to stage, which of them are replaced, and
// the logarithm of their mean. Whoever walks the particles asks it.

#include <cstdint>
#include <span>
#include <vector>

#include "approx/population_walk.hpp"

namespace matchcount {

class PopulationMean {
 public:
  // Begins with so many particles that take `steps` steps in so many stages, 0: as many as suit walks, each from a
  // Bethe approximation of this logarithm; `uniforms` is the stream of the replacements. doubles: it begins with half
  // of them, and each has a copy from three quarters of the stages on, if there are enough of both.
  PopulationMean(std::size_t size, std::uint32_t steps, double log_start, const Uniforms& uniforms,
                 std::uint32_t stages = 0, bool doubles = false);

  // Returns the particles that there are now.
  std::size_t size() const { return log_value_.size(); }

  // A stage: its first step, and how many it has. Over: all steps are taken, or all particles are in dead ends.
  bool over() const { return over_; }
  std::uint32_t first_step() const { return taken_; }
  std::uint32_t steps() const;
  // Says whether this particle takes no more steps.
  bool is_dead(std::size_t particle) const;

  // Ends a stage, in which particles were worth log_values (-infinity: a dead end), and in which log_left is what the
  // Bethe approximation says of what they have left. Returns which particle is to be overwritten by which, new ones
  // too; no one is both.
  std::span<const Replacement> end_stage(std::span<const double> log_values, std::span<const double> log_left);

  // Return what the last stage leaves. The logarithm is -infinity where all ran into dead ends.
  double log_mean() const { return log_mean_; }
  const std::vector<double>& weights() const { return weight_; }  // by particle, of any sum
  // Return what Sampler does (approx/cpu/sampler.hpp).
  const std::vector<double>& log_increments() const { return log_increments_; }
  const std::vector<double>& log_pieces() const { return log_pieces_; }

  // Says whether particles of these weights are replaced at the end of a stage.
  static bool replaces(std::span<const double> weights);

 private:
  void replace(double sum, std::span<const double> log_left);
  void double_particles();

  std::uint32_t total_, stages_, stage_ = 0, taken_ = 0;
  bool over_ = false, doubles_;
  double log_start_, log_total_ = 0, log_before_ = 0, log_mean_ = 0;
  Uniforms uniforms_;
  std::vector<double> log_value_;  // of the steps so far, less what the population has been given for them
  std::vector<double> log_rank_, weight_, log_increments_, log_pieces_;
  std::vector<Replacement> replacements_;
};

}  // namespace matchcount
