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
// What was tried and did not pay there: rounds in eight rings around all that changed, once a stage (0.078 instead of
// 0.117 at four times the time); the vertex of least entropy, or of the surest choice (0.16, 0.32).

#include "approx/cpu/population.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "approx/cpu/sampler.hpp"
#include "core/numbers/infinity.hpp"

namespace matchcount {
namespace {

// A population is looked at this often: between stages a particle stays in the cache. At 64 x 64 36 to 128 rows gave
// the same error in the same time, 18 twice the time.
constexpr std::uint32_t rows_a_stage = 32, fewest_stages = 8;
// and resampled where its effective size is below this share. At 32 x 32 0.5 gave 1.5 times the variance of 0.9.
constexpr double least_effective_share = 0.9;
// Searches for a vertex at the rim.
constexpr int searches = 4;

// Rows and columns numbered as they come in this order.
std::vector<std::uint32_t> names_of(const Problem& problem, const std::vector<std::uint32_t>& order) {
  std::vector<std::uint32_t> name(order.size());
  std::uint32_t row = 0, column = problem.size;
  for (const std::uint32_t v : order) name[v] = v < problem.size ? row++ : column++;
  return name;
}

// Returns the place in the order by name.
std::vector<std::uint32_t> positions_of(const std::vector<std::uint32_t>& order,
                                        const std::vector<std::uint32_t>& name) {
  std::vector<std::uint32_t> position(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) position[name[order[i]]] = i;
  return position;
}

}  // namespace

std::vector<std::uint32_t> breadth_first_order(const Problem& problem) {
  const std::uint32_t n = problem.num_vertices();
  std::vector<std::uint32_t> order;
  for (int search = 0; search < searches && n > 0; ++search) {
    const std::uint32_t from = order.empty() ? 0 : order.back();
    std::vector<bool> met(n, false);
    order.clear();
    for (std::uint32_t i = 0; i <= n; ++i) {
      const std::uint32_t root = i == 0 ? from : i - 1;  // of the first component, then of the others
      if (met[root]) continue;
      met[root] = true;
      order.push_back(root);
      for (std::size_t head = order.size() - 1; head < order.size(); ++head) {
        const std::uint32_t v = order[head];
        for (std::uint32_t s = problem.offset[v]; s < problem.offset[v + 1]; ++s) {
          if (met[problem.target[s]]) continue;
          met[problem.target[s]] = true;
          order.push_back(problem.target[s]);
        }
      }
    }
  }
  return order;
}

Problem renamed(const Problem& problem, const std::vector<std::uint32_t>& name) {
  const std::uint32_t n = problem.num_vertices();
  std::vector<std::uint32_t> vertex(n);  // by name
  for (std::uint32_t v = 0; v < n; ++v) vertex[name[v]] = v;
  Problem result;
  result.size = problem.size;
  result.offset.push_back(0);
  std::vector<std::uint32_t> slot(problem.target.size());  // new, by old
  for (std::uint32_t v = 0; v < n; ++v) {
    for (std::uint32_t s = problem.offset[vertex[v]]; s < problem.offset[vertex[v] + 1]; ++s) {
      slot[s] = static_cast<std::uint32_t>(result.target.size());
      result.target.push_back(name[problem.target[s]]);
      result.weight.push_back(problem.weight[s]);
      result.message.push_back(problem.message[s]);
    }
    result.offset.push_back(static_cast<std::uint32_t>(result.target.size()));
    result.mate.push_back(name[problem.mate[vertex[v]]]);
  }
  result.reverse.resize(slot.size());
  for (std::size_t s = 0; s < slot.size(); ++s) result.reverse[slot[s]] = slot[problem.reverse[s]];
  return result;
}

Population::Population(const Problem& problem, int size)
    : order_(breadth_first_order(problem)),
      name_(names_of(problem, order_)),
      position_(positions_of(order_, name_)),
      problem_(renamed(problem, name_)),
      view_(guided_view(problem_)),
      scratch_(TunedGuidedWalk<PopulationTuning>::scratch_length(view_)),
      walk_(view_, scratch_.data()) {
  view_.position = position_.data();
  start_.state = guided_start(problem_, view_);
  start_.log_term.resize(problem_.num_vertices());
  walk_.attach(start_.state.data());
  for (std::uint32_t v = 0; v < problem_.num_vertices(); ++v) start_.log_left += start_.log_term[v] = log_term(v);
  particles_.assign(static_cast<std::size_t>(size), start_);
}

double Population::bytes(const Problem& problem, int size) {
  const double state = 8.0 * static_cast<double>(guided_view(problem).state_length() + problem.num_vertices());
  return state * (size + 1) + 80.0 * static_cast<double>(problem.target.size());
}

double Population::log_term(std::uint32_t vertex) const {
  if (walk_.degree(vertex) == 0) return 0;
  Product value;
  double sum = 0;
  for (std::uint32_t s = problem_.offset[vertex]; s < problem_.offset[vertex + 1]; ++s) {
    const double in = walk_.message(s);
    sum += in;
    if (vertex < problem_.size && in != 0)
      value.multiply(1 / (1 + in / problem_.weight[s] * walk_.message(problem_.reverse[s])));
  }
  value.multiply(sum);
  return value.sample().log();
}

void Population::rank(Particle& particle) {
  for (std::uint32_t i = 0; i < walk_.num_changed(); ++i) {
    const std::uint32_t v = walk_.changed(i);
    const double now = log_term(v);
    work_ += problem_.degree(v);
    particle.log_left += now - particle.log_term[v];
    particle.log_term[v] = now;
  }
  walk_.forget_changes();
  particle.log_rank = particle.log_value + particle.log_left;
}

void Population::advance(Particle& particle, std::uint32_t steps, Uniforms& uniforms,
                         const std::function<void()>& poll) {
  constexpr std::uint32_t steps_a_poll = 256;
  Product value;
  walk_.attach(particle.state.data());
  for (; steps > 0; --steps) {
    if (++until_poll_ == steps_a_poll) {
      until_poll_ = 0;
      if (poll) poll();
    }
    walk_.step(uniforms, value);
  }
  particle.log_value += value.sample().log();
}

// Systematic resampling: one random number. A particle that stays is not copied.
void Population::resample(const std::vector<double>& weight, double sum, double uniform) {
  const std::size_t size = particles_.size();
  const double spacing = sum / static_cast<double>(size);
  std::vector<std::uint32_t> copies(size, 0);
  double at = uniform * spacing, below = 0;
  std::size_t k = 0;
  for (std::size_t drawn = 0; drawn < size; ++drawn) {
    while (k + 1 < size && below + weight[k] <= at) below += weight[k++];
    ++copies[k];
    at += spacing;
  }
  std::size_t from = 0;
  for (std::size_t to = 0; to < size; ++to) {
    if (copies[to] > 0) continue;
    while (copies[from] < 2) ++from;
    --copies[from];
    particles_[to] = particles_[from];
    work_ += problem_.target.size() / 4;
  }
  for (Particle& particle : particles_) particle.log_value = -particle.log_left;
}

double Population::log_sample(std::uint64_t seed, std::uint64_t i, const std::function<void()>& poll) {
  walk_.forget_changes();  // of a sample that was broken off
  Uniforms uniforms(seed, i);
  const std::size_t size = particles_.size();
  for (Particle& particle : particles_) particle = start_;
  work_ += size * problem_.target.size() / 4;
  const std::uint32_t n = problem_.size;
  const std::uint32_t stages = std::max(1u, std::min(n, std::max(n / rows_a_stage, fewest_stages)));
  std::uint32_t left = n;
  double log_total = 0, log_start = start_.log_left;
  std::vector<double>& weight = weight_;
  weight.resize(size);
  log_increments_.clear();
  for (std::uint32_t stage = 1; stage <= stages; ++stage) {
    const auto until = static_cast<std::uint32_t>(std::uint64_t{n} * (stages - stage) / stages);
    double top = minus_infinity;
    for (Particle& particle : particles_) {
      advance(particle, left - until, uniforms, poll);
      rank(particle);
      // Nothing is left at the end, but for rounding in the sum.
      if (until == 0) particle.log_rank = particle.log_value;
      top = std::max(top, particle.log_rank);
      log_increments_.push_back(particle.log_rank - log_start);
    }
    left = until;
    double sum = 0, squares = 0;
    for (std::size_t k = 0; k < size; ++k) {
      weight[k] = std::exp(particles_[k].log_rank - top);
      sum += weight[k];
      squares += weight[k] * weight[k];
    }
    const double log_mean = top + std::log(sum / static_cast<double>(size));
    if (until == 0) return log_total + log_mean;
    if (sum * sum > least_effective_share * static_cast<double>(size) * squares) continue;
    log_total += log_mean;
    log_start = 0;
    resample(weight, sum, uniforms.next());
  }
  return log_total;
}

void Population::take_matchings(std::vector<double>& weight, std::vector<std::uint32_t>& partners) {
  const std::size_t n = problem_.num_vertices();
  std::vector<std::uint32_t> vertex(n);  // by name
  for (std::uint32_t v = 0; v < n; ++v) vertex[name_[v]] = v;
  const double sum = std::reduce(weight_.begin(), weight_.end());
  weight.clear();
  partners.clear();
  for (std::size_t k = 0; k < particles_.size(); ++k) {
    weight.push_back(weight_[k] / sum);
    walk_.attach(particles_[k].state.data());
    for (std::uint32_t v = 0; v < n; ++v) partners.push_back(vertex[walk_.partners()[name_[v]]]);
  }
}

}  // namespace matchcount
