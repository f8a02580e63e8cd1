#pragma once
// Draws samples of one block in chunks, by the estimator that a pilot run finds best, on CPU threads or GPUs.

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "approx/cpu/sampler.hpp"
#include "approx/cuda/gpu_population.hpp"
#include "approx/cuda/gpu_sampler.hpp"
#include "approx/estimate.hpp"
#include "approx/problem.hpp"
#include "approx/statistics.hpp"
#include "core/run.hpp"

namespace matchcount {

// Seconds of the CPU for an edge looked at in a sample.
inline constexpr double seconds_a_work = 4e-9;

// A chunk is a range of sample numbers; chunks are summed in the order of their numbers, so that threads don't show.
class BlockSampler {
 public:
  BlockSampler(Problem problem, std::uint64_t seed) : problem_(std::move(problem)), seed_(seed) {}

  const Problem& problem() const { return problem_; }
  const SampleOptions& options() const { return options_; }
  const SampleSums& sums() const { return sums_; }
  const LogSums& log_sums() const { return log_sums_; }  // of populations
  // Logarithms of the largest samples, falling, for the tail index.
  const std::vector<double>& largest() const { return largest_; }
  double work_a_sample() const { return work_a_sample_; }
  // Returns the variance of a sample, by a pilot run; infinity where there was none.
  double expected_variance() const { return expected_variance_; }
  // Predicts how long so many threads, or the GPUs, take for populations large enough to be believed, and so many that
  // they tell their mean; infinity where none are drawn, or of a size that was asked for. `drawn_s`: the samples so far
  // took so long, and are not believed.
  double enough_s(int threads, double drawn_s = 0) const;
  // The first look at the error is taken after that many populations.
  std::uint64_t first_populations() const { return first_populations_; }
  std::uint64_t samples_a_chunk() const;
  // Return the bytes of one thread's sampler, and of the samples that GPUs draw ahead.
  double bytes() const;
  double bytes_drawn_ahead() const;

  // Settles the estimator and its options by pilot runs where they are open. A population is chosen where it fits into
  // most_bytes. Throws as run.check() does.
  void choose(const EstimateOptions& asked, double most_bytes, const RunContext& run);
  // Settles them as they were settled before, or by the first rank: pilot runs look at limits too.
  void agree(const RunContext& run);

  // Chooses anew between single samples and populations, by what GPUs do fastest; before agree.
  void choose_for_gpus(const EstimateOptions& asked, const RunContext& run);
  // Makes populations as large as suits this share of these devices; before agree.
  void enlarge_population(const EstimateOptions& asked, double share, const std::vector<DeviceInfo>& gpus);
  // Says whether a walk of theirs ends in the share of this time that the first samples may take.
  bool suits_gpus(double time_limit_s) const;
  // Draws on these devices from now on, with this share of their memory.
  void use(const std::vector<DeviceContext>& gpus, double share);
  bool on_gpus() const { return gpus_ || gpu_populations_; }

  // Draws samples until there are `total`, or until `over` says so; then fewer, a contiguous range. GPUs draw some
  // ahead. `report` is told the share that is done.
  void draw(std::uint64_t total, const RunContext& run, const std::function<bool()>& over,
            const std::function<void(double)>& report);

 private:
  struct Pilot;
  class Drawing;

  void choose_annealing(const EstimateOptions& asked, double most_bytes, const RunContext& run);
  std::uint64_t pilot_length() const;
  // Returns the seconds of a walk on a GPU for an edge looked at.
  double gpu_seconds_a_work() const;
  // Settles, by a few small populations, whether messages go far and particles double late, and returns the factor that
  // this has on the variance of a population. `pair_work`: of one of two particles.
  double choose_walks(double pair_work, bool on_gpus, const RunContext& run);
  // Runs a few small populations.
  Pilot population_pilot(int particles, int populations, bool is_far, const RunContext& run) const;
  // Draws samples, fewer where they would take more than most_pilot_work_.
  Pilot pilot(const SampleOptions& options, std::uint64_t samples, const RunContext& run) const;
  SampleOptions with(Estimator estimator, int population = 2) const;
  std::string description() const;

  Problem problem_;
  std::uint64_t seed_;
  SampleOptions options_;
  SampleSums sums_;
  LogSums log_sums_;
  double enough_s_ = std::numeric_limits<double>::infinity();
  double most_pilot_work_ = std::numeric_limits<double>::infinity();
  double work_a_sample_ = 0, expected_variance_ = std::numeric_limits<double>::infinity();
  double log_variance_ = 0;  // of guided samples, as far as messages travel
  double enough_gpu_s_ = std::numeric_limits<double>::infinity();
  std::uint64_t first_populations_ = 16;
  std::unique_ptr<gpu::GpuSampler> gpus_;
  std::unique_ptr<gpu::GpuPopulations> gpu_populations_;
  std::vector<Sample> ahead_;  // drawn by GPUs, from number ahead_from_ on
  std::uint64_t ahead_from_ = 0;
  std::vector<double> largest_;
  std::vector<std::unique_ptr<Sampler>> samplers_;
};

}  // namespace matchcount
