// Particles take the same number of rows, are ranked by value so far times the Bethe approximation of what is left, and
// those that fall behind are replaced. Whatever the ranks, the mean is the permanent; good ranks make it vary little.
//
// Two things make ranks good. Of the vertices of fewest choices the first in breadth-first order is matched, so that on
// grids and their like what is left keeps a short boundary and is much the same in all particles, instead of having
// holes everywhere. And messages are brought up to date three rings around a change. Log variances of a population of
// 64 (40 to 60 of them, so 20 % noise; with an answered share of 1 and a floor of 0.001), at 32 x 32, in the cube of
// side 8, dwt__361 and bcspwr04: 0.10, 0.048, 0.014, 0.093; with the lowest number of fewest choices instead 0.46,
// 0.038, 0.025, 0.086; in breadth-first order without a look at choices 0.11, 0.064, 0.046, 0.42; rows before columns
// 0.34, 0.043, 0.017, 0.068. With one ring, 32 x 32 has 0.65; with 6 0.063 at four times the time, with 10 0.04 at 14
// times.
//
// Other guides did not pay there: rounds in eight rings around all that changed, once a stage (0.078 instead of
// 0.117 at four times the time); the vertex of least entropy, or of the surest choice (0.16, 0.32).

#include "approx/cpu/population.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "approx/cpu/population_start.hpp"
#include "approx/population_mean.hpp"
#include "core/numbers/infinity.hpp"

namespace matchcount {
namespace {

template <class Tuning>
class Population final : public Sampler {
 public:
  Population(const Problem& problem, Guide guide, int size, bool doubles)
      : start_(problem, guide),
        scratch_(start_.scratch_length),
        walk_(start_.view, scratch_.data()),
        doubles_(doubles) {
    particles_.resize(static_cast<std::size_t>(size));
  }

  double log_sample(std::uint64_t seed, std::uint64_t i, const std::function<void()>& poll) override;
  void take_matchings(std::vector<double>& weight, std::vector<std::uint32_t>& partners) override;
  std::span<const double> log_increments() const override { return mean_.log_increments(); }
  std::span<const double> log_pieces() const override { return mean_.log_pieces(); }
  std::uint64_t work() const override { return work_ + walk_.work(); }

 private:
  struct Particle {
    std::vector<std::uint64_t> memory;
    Product left;  // of the Bethe approximation
  };

  PopulationStart start_;
  std::vector<std::uint64_t> scratch_;
  ParticleWalk<Tuning> walk_;
  bool doubles_;
  std::vector<Particle> particles_;
  PopulationMean mean_{0, 0, 0, Uniforms(0, 0)};
  std::uint64_t work_ = 0;
  std::uint64_t next_poll_ = 0;  // at this work
};

template <class Tuning>
double Population<Tuning>::log_sample(std::uint64_t seed, std::uint64_t i, const std::function<void()>& poll) {
  walk_.forget_changes();  // of a sample that was broken off
  const std::size_t size = particles_.size(), copy_work = start_.problem.target.size() / 4;
  for (Particle& particle : particles_) particle = {start_.particle, start_.left};
  work_ += size * copy_work;
  std::vector<Uniforms> uniforms;
  for (std::size_t k = 0; k < size; ++k) uniforms.push_back(PopulationStart::uniforms(seed, i, k));
  mean_ = PopulationMean(size, start_.steps, start_.left.sample().log(), Uniforms(seed, i), 0, doubles_);
  const auto poll_now_and_then = [&] {
    if (walk_.work() < next_poll_) return;
    next_poll_ = walk_.work() + edges_a_poll;
    if (poll) poll();
  };
  std::vector<double> log_values(size), log_left(size);
  while (!mean_.over()) {
    for (std::size_t k = 0; k < mean_.size(); ++k) {
      if (mean_.is_dead(k)) continue;
      Product value;
      walk_.attach(particles_[k].memory.data(), start_.state_length);
      const bool alive =
          walk_.advance(mean_.first_step(), mean_.steps(), uniforms[k], value, particles_[k].left, poll_now_and_then);
      log_values[k] = alive ? value.sample().log() : minus_infinity;
      log_left[k] = particles_[k].left.sample().log();
    }
    for (const auto& [from, to] : mean_.end_stage(log_values, log_left)) {
      Particle &source = particles_[from], &target = particles_[to];
      work_ += copy_particle(start_.view, source.memory.size(), source.memory.data(), target.memory.data()) / 4;
      std::copy(source.memory.end() - window_words, source.memory.end(), target.memory.end() - window_words);
      target.left = source.left;
    }
  }
  return mean_.log_mean();
}

template <class Tuning>
void Population<Tuning>::take_matchings(std::vector<double>& weight, std::vector<std::uint32_t>& partners) {
  const std::size_t n = start_.problem.num_vertices();
  std::vector<std::uint32_t> vertex(n);  // by name
  for (std::uint32_t v = 0; v < n; ++v) vertex[start_.name[v]] = v;
  const std::vector<double>& worth = mean_.weights();
  const double sum = std::max(std::reduce(worth.begin(), worth.end()), std::numeric_limits<double>::min());
  weight.clear();
  partners.clear();
  for (std::size_t k = 0; k < particles_.size(); ++k) {
    weight.push_back(worth[k] / sum);
    walk_.attach(particles_[k].memory.data(), start_.state_length);
    const std::uint32_t* const drawn = worth[k] > 0 ? walk_.partners() : start_.problem.mate.data();
    for (std::uint32_t v = 0; v < n; ++v) partners.push_back(vertex[drawn[start_.name[v]]]);
  }
}

}  // namespace

std::unique_ptr<Sampler> population_sampler(const Problem& problem, int size, bool far_messages, bool doubles) {
  const Guide guide = guide_of(problem, far_messages);
  return with_tuning(guide, [&](auto tuning) -> std::unique_ptr<Sampler> {
    return std::make_unique<Population<decltype(tuning)>>(problem, guide, size, doubles);
  });
}

double population_bytes(const Problem& problem, int size) {
  return 8.0 * PopulationStart::particle_length(problem) * (size + 1) +
         80.0 * static_cast<double>(problem.target.size());
}

}  // namespace matchcount
