#include "approx/cpu/sampler.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace matchcount {
namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();
// A population is looked at this often,
constexpr std::uint32_t rows_a_stage = 18;
// and resampled where its effective size is below this share.
constexpr double least_effective_share = 0.5;

}  // namespace

GuidedView guided_view(const Problem& problem) {
  GuidedView view;
  view.problem = problem_view(problem);
  view.reverse = problem.reverse.data();
  view.num_slots = static_cast<std::uint32_t>(problem.target.size());
  view.largest_degree = problem.largest_degree();
  view.sets = DegreeSetsSize::of(problem.size, view.largest_degree);
  return view;
}

std::vector<std::uint64_t> guided_start(const Problem& problem, const GuidedView& view) {
  std::vector<std::uint64_t> start(view.state_length());
  std::memcpy(start.data(), problem.message.data(), view.num_slots * sizeof(double));
  std::uint64_t* const sets = start.data() + view.num_slots;
  auto* const degree = reinterpret_cast<std::uint32_t*>(sets + 2 * view.sets.length());
  DegreeSets rows(view.sets, sets), columns(view.sets, sets + view.sets.length());
  for (std::uint32_t v = 0; v < problem.num_vertices(); ++v) {
    degree[v] = problem.degree(v);
    if (v < problem.size) {
      rows.insert(v, degree[v]);
    } else {
      columns.insert(v - problem.size, degree[v]);
    }
  }
  std::copy(problem.mate.begin(), problem.mate.end(), degree + problem.num_vertices());
  return start;
}

Sampler::Sampler(const Problem& problem, const SampleOptions& options) {
  if (options.estimator == Estimator::guided || options.estimator == Estimator::population) {
    guided_ = std::make_unique<Guided>(problem, options);
  } else {
    published_ = std::make_unique<PublishedSampler>(problem, options);
  }
}

double Sampler::log_sample(std::uint64_t seed, std::uint64_t i, const std::function<void()>& poll) {
  return published_ ? published_->sample(seed, i, poll).log() : guided_->log_sample(seed, i, poll);
}

Sampler::Guided::Guided(const Problem& problem, const SampleOptions& options)
    : problem_(problem),
      view_(guided_view(problem)),
      start_(guided_start(problem, view_)),
      scratch_(view_.scratch_length()),
      walk_(view_, scratch_.data()),
      particles_(options.estimator == Estimator::population ? static_cast<std::size_t>(options.population) : 1) {}

double Sampler::Guided::log_sample(std::uint64_t seed, std::uint64_t i, const std::function<void()>& poll) {
  poll_ = &poll;
  Uniforms uniforms(seed, i);
  work_ += view_.num_slots / 4;
  if (particles_.size() > 1) return draw_population(uniforms);
  Particle& particle = particles_.front();
  start(particle);
  advance(particle, problem_.size, uniforms);
  return particle.log_value;
}

void Sampler::Guided::start(Particle& particle) {
  particle.state = start_;
  particle.log_value = 0;
}

void Sampler::Guided::advance(Particle& particle, std::uint32_t steps, Uniforms& uniforms) {
  constexpr std::uint32_t steps_a_poll = 256;
  Product value;
  walk_.attach(particle.state.data());
  for (; steps > 0; --steps) {
    if (++until_poll_ == steps_a_poll) {
      until_poll_ = 0;
      if (*poll_) (*poll_)();
    }
    walk_.step(uniforms, value);
  }
  particle.log_value += value.sample().log();
}

double Sampler::Guided::log_left() const {
  Product value;
  for (std::uint32_t v = 0; v < problem_.num_vertices(); ++v) {
    if (walk_.degree(v) == 0) continue;
    double sum = 0;
    for (std::uint32_t s = problem_.offset[v]; s < problem_.offset[v + 1]; ++s) {
      const double in = walk_.message(s);
      sum += in;
      if (v < problem_.size && in != 0)
        value.multiply(1 / (1 + in / problem_.weight[s] * walk_.message(problem_.reverse[s])));
    }
    value.multiply(sum);
  }
  return value.sample().log();
}

double Sampler::Guided::draw_population(Uniforms& uniforms) {
  const auto size = particles_.size();
  for (Particle& particle : particles_) start(particle);
  const std::uint32_t stages = std::max(1u, (problem_.size + rows_a_stage / 2) / rows_a_stage);
  double log_total = 0;
  std::vector<double> log_rank(size);
  std::uint32_t left = problem_.size;
  for (std::uint32_t stage = 1; stage <= stages; ++stage) {
    const auto until = static_cast<std::uint32_t>(std::uint64_t{problem_.size} * (stages - stage) / stages);
    double top = minus_infinity;
    for (std::size_t k = 0; k < size; ++k) {
      advance(particles_[k], left - until, uniforms);
      log_rank[k] = particles_[k].log_value + (until > 0 ? log_left() : 0);
      top = std::max(top, log_rank[k]);
    }
    left = until;
    double sum = 0, squares = 0;
    for (const double rank : log_rank) {
      const double w = std::exp(rank - top);
      sum += w;
      squares += w * w;
    }
    if (stage == stages) return log_total + top + std::log(sum / static_cast<double>(size));
    if (sum * sum > least_effective_share * static_cast<double>(size) * squares) continue;
    // Systematic resampling: one random number.
    copies_.resize(size);
    log_total += top + std::log(sum / static_cast<double>(size));
    const double spacing = sum / static_cast<double>(size);
    double at = uniforms.next() * spacing, below = 0;
    std::size_t k = 0;
    for (std::size_t copy = 0; copy < size; ++copy) {
      while (k + 1 < size && below + std::exp(log_rank[k] - top) <= at) below += std::exp(log_rank[k++] - top);
      copies_[copy].state = particles_[k].state;
      copies_[copy].log_value = particles_[k].log_value - log_rank[k];
      at += spacing;
    }
    std::swap(particles_, copies_);
  }
  return log_total;
}

}  // namespace matchcount
