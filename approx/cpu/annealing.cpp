// The activity of edges grows from where a matching has one edge in the mean: there edges that are taken each by itself
// form a matching often enough to start from, and the sum over all choices of edges is a product. So the mean of a
// sample is the sum over matchings, however badly the chain mixes; a chain that mixes badly shows as a large variance.
//
// Variance of the logarithm times time of populations of 64 (30 of them, so 30 % noise, and 15 of the last) with 1, 4
// and 16 events a vertex and stage: 0.10, 0.07, 0.26 on the 16 x 16 grid, 0.37, 0.43, 2.1 in the cube of side 8. With 1
// the variances are 2.2 and 2.7, and logarithms lean to the left.

#include "approx/cpu/annealing.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "approx/cpu/population_start.hpp"
#include "core/error.hpp"
#include "core/numbers/infinity.hpp"

namespace matchcount {
namespace {

constexpr std::uint32_t alone = std::uint32_t{1} << 31;
// The logarithm of a stage's factor varies by the first, and that of the activity grows by at most the second.
constexpr double deviation_a_stage = 0.5, largest_step = 1;
constexpr double events_a_vertex = 4, fewest_events = 16;
// An event takes as long as so many edges that are looked at.
constexpr double work_an_event = 12;
// Stages over the root of the number of vertices.
constexpr double stages_a_root = 8;
constexpr double share_at_the_end = 0.75;
// A variance that a few particles tell is blended with those of the stages before.
constexpr double kept_variance = 0.7;
// The variance is larger by this factor, for matchings are alike from a stage to the next: 1.2 to 1.8 on grids and
// cubes.
constexpr double of_neighbours = 1.5;
constexpr std::size_t most_stages = 1 << 16;

template <class Visit>
void for_each_edge(const Problem& problem, const Visit& visit) {
  for (std::uint32_t v = 0; v < problem.num_vertices(); ++v) {
    for (std::uint32_t s = problem.offset[v]; s < problem.offset[v + 1]; ++s)
      if (v < problem.target[s]) visit(v, s);
  }
}

double events_a_stage(double num_vertices) { return std::max(fewest_events, events_a_vertex * num_vertices); }

}  // namespace

MatchingChain::MatchingChain(const Problem& problem) : problem_(problem), num_vertices_(problem.num_vertices()) {
  if (problem.target.size() >= alone) throw Unable("annealing takes at most 2^30 edges");
  set_activity(0);
}

void MatchingChain::set_activity(double log_activity) {
  log_activity_ = log_activity;
  removal_ = std::exp(-log_activity);
  most_removals_ = 0;
  for (std::uint32_t v = 0; v < num_vertices_; ++v) {
    for (std::uint32_t s = problem_.offset[v]; s < problem_.offset[v + 1]; ++s)
      most_removals_ = std::max(most_removals_, std::min(1.0, removal_ / problem_.weight[s]) / problem_.degree(v));
  }
}

void MatchingChain::take_from_list(LooseMatching& matching, std::uint32_t vertex) {
  const std::uint32_t place = matching.at[vertex] - alone, last = matching.left.back();
  matching.left[place] = last;
  matching.at[last] = alone + place;
  matching.left.pop_back();
}

void MatchingChain::leave_alone(LooseMatching& matching, std::uint32_t vertex) {
  matching.at[vertex] = alone + static_cast<std::uint32_t>(matching.left.size());
  matching.left.push_back(vertex);
}

void MatchingChain::match(LooseMatching& matching, std::uint32_t slot, std::uint32_t vertex) {
  matching.at[vertex] = slot;
  matching.at[problem_.target[slot]] = problem_.reverse[slot];
}

// The rate of a vertex at one of its edges is 1 / degree, so that an edge between two that are alone comes at the sum
// of both, and is taken out at the same sum times 1 / (activity x weight), or both less where that is above 1. A slide
// from x - u to v - u comes at 1 / degree(v), back at 1 / degree(x).
void MatchingChain::run(LooseMatching& matching, double time, Uniforms& uniforms) {
  const double removals = most_removals_ * num_vertices_;
  for (;;) {
    const auto alone_now = static_cast<double>(matching.left.size());
    const double total = alone_now + removals;
    if (total == 0) return;
    time += std::log1p(-uniforms.next()) / total;
    if (time < 0) return;
    ++events_;
    double at = uniforms.next() * total;
    if (at < alone_now) {
      const auto place = static_cast<std::uint32_t>(at);
      const std::uint32_t v = matching.left[place], degree = problem_.degree(v);
      if (degree == 0) continue;
      at = (at - place) * degree;
      const std::uint32_t choice = std::min(static_cast<std::uint32_t>(at), degree - 1);
      const std::uint32_t slot = problem_.offset[v] + choice, u = problem_.target[slot], of_u = matching.at[u];
      at -= choice;
      if (of_u >= alone) {
        if (at * removal_ >= problem_.weight[slot]) continue;
        take_from_list(matching, v);
        take_from_list(matching, u);
        match(matching, slot, v);
        continue;
      }
      const std::uint32_t x = problem_.target[of_u];
      if (at * problem_.weight[of_u] * problem_.degree(x) >= problem_.weight[slot] * degree) continue;
      match(matching, slot, v);
      matching.left[place] = x;
      matching.at[x] = alone + place;
      continue;
    }
    at = (at - alone_now) / most_removals_;
    const std::uint32_t v = std::min(static_cast<std::uint32_t>(at), num_vertices_ - 1), slot = matching.at[v];
    if (slot >= alone) continue;
    at = (at - v) * most_removals_ * problem_.degree(v);
    if (at >= 1 || at * problem_.weight[slot] >= removal_) continue;
    leave_alone(matching, problem_.target[slot]);
    leave_alone(matching, v);
  }
}

bool MatchingChain::draw_edges(LooseMatching& matching, double log_activity, Uniforms& uniforms) {
  matching.at.assign(num_vertices_, 0);
  matching.left.clear();
  for (std::uint32_t v = 0; v < num_vertices_; ++v) leave_alone(matching, v);
  bool fits = true;
  for_each_edge(problem_, [&](std::uint32_t v, std::uint32_t slot) {
    const double odds = std::exp(log_activity) * problem_.weight[slot];
    if (uniforms.next() * (1 + odds) >= odds) return;
    const std::uint32_t u = problem_.target[slot];
    fits = fits && matching.at[v] >= alone && matching.at[u] >= alone;
    if (!fits) return;
    take_from_list(matching, v);
    take_from_list(matching, u);
    match(matching, slot, v);
  });
  return fits;
}

double MatchingChain::log_choices(double log_activity) const {
  double sum = 0;
  for_each_edge(problem_, [&](std::uint32_t, std::uint32_t slot) {
    sum += std::log1p(std::exp(log_activity) * problem_.weight[slot]);
  });
  return sum;
}

Annealing::Annealing(const Problem& problem, int size, std::vector<AnnealingStage> stages)
    : problem_(problem), chain_(problem), stages_(std::move(stages)), particles_(static_cast<std::size_t>(size)) {
  if (problem.alone == 0 || stages_.empty()) return;
  // Every size is told where it is nearest to the mean.
  std::size_t stage = 0;
  for (std::uint32_t k = 0; k <= problem.size; ++k) {
    const auto apart = [&](std::size_t j) { return std::fabs(stages_[j].edges - k); };
    while (stage + 1 < stages_.size() && apart(stage + 1) <= apart(stage)) ++stage;
    stage_of_size_.push_back(stage);
  }
}

std::uint32_t Annealing::edges(std::size_t particle) const {
  return static_cast<std::uint32_t>(problem_.num_vertices() - particles_[particle].left.size()) / 2;
}

double Annealing::log_sample(std::uint64_t seed, std::uint64_t i, const std::function<void()>& poll) {
  return run(seed, i, poll, false);
}

std::vector<AnnealingStage> Annealing::find_stages(const Problem& problem, std::uint32_t most_edges, int size,
                                                   std::uint64_t seed, const std::function<void()>& poll) {
  if (problem.weight.empty()) return {AnnealingStage{}};
  double sum = 0;
  for_each_edge(problem, [&](std::uint32_t, std::uint32_t slot) { sum += problem.weight[slot]; });
  AnnealingStage first;
  first.log_activity = -std::log(std::max(sum, most_edges == 0 ? 1.0 : 0.0));
  Annealing annealing(problem, size, {});
  annealing.stages_ = {first};
  annealing.most_edges_ = most_edges;
  // A chain that finds no matching of that size by then finds none.
  const double weight = *std::max_element(problem.weight.begin(), problem.weight.end());
  annealing.log_end_ = most_edges == 0 ? 0 : 60 + 6 * std::log(problem.num_vertices()) - std::log(weight);
  annealing.smooth_variance_ = 1;
  annealing.run(seed, 0, poll, true);
  return std::move(annealing.stages_);
}

bool Annealing::add_stage() {
  AnnealingStage& now = stages_.back();
  double sum = 0, squares = 0, at_end = 0, count = 0;
  for (std::size_t k = 0; k < particles_.size(); ++k) {
    if (mean_.is_dead(k)) continue;
    const double of = edges(k);
    ++count;
    sum += of;
    squares += of * of;
    at_end += most_edges_ > 0 && of == most_edges_;
  }
  const double mean = sum / count, variance = count > 1 ? std::max(0.0, squares - sum * mean) / (count - 1) : 0;
  now.edges = mean;
  if (stages_.size() == most_stages || (most_edges_ > 0 && at_end >= share_at_the_end * count)) return false;
  if (now.log_activity >= log_end_) return false;
  smooth_variance_ = kept_variance * smooth_variance_ + (1 - kept_variance) * variance;
  const double step = std::min(largest_step, deviation_a_stage / std::sqrt(std::max(smooth_variance_, 1e-9)));
  AnnealingStage next = now;
  next.log_activity = std::min(now.log_activity + step, log_end_);
  stages_.push_back(next);
  return true;
}

void Annealing::keep_sizes(std::size_t stage) {
  const std::vector<double>& weight = mean_.weights();
  double sum = 0;
  for (const double of : weight) sum += of;
  const auto [first, end] = std::equal_range(stage_of_size_.begin(), stage_of_size_.end(), stage);
  for (auto at = first; at != end; ++at) {
    const auto size = static_cast<std::uint32_t>(at - stage_of_size_.begin());
    double share = 0;
    for (std::size_t k = 0; k < particles_.size(); ++k)
      if (weight[k] > 0 && edges(k) == size) share += weight[k] / sum;
    log_sizes_[size] =
        share > 0 ? mean_.log_mean() + std::log(share) - size * stages_[stage].log_activity : minus_infinity;
  }
}

double Annealing::run(std::uint64_t seed, std::uint64_t i, const std::function<void()>& poll, bool finds_stages) {
  const std::size_t size = particles_.size();
  std::vector<Uniforms> uniforms;
  for (std::size_t k = 0; k < size; ++k) uniforms.push_back(PopulationStart::uniforms(seed, i, k));
  const auto steps = static_cast<std::uint32_t>((finds_stages ? most_stages : stages_.size()) + 1);
  mean_ = PopulationMean(size, steps, 0, Uniforms(seed, i), steps);
  log_sizes_.assign(stage_of_size_.size(), minus_infinity);
  std::vector<double> log_values(size), nothing_left(size, 0.0);
  double activity_before = stages_.front().log_activity;
  const double log_choices = chain_.log_choices(activity_before);
  for (std::size_t k = 0; k < size; ++k) {
    const bool fits = chain_.draw_edges(particles_[k], activity_before, uniforms[k]);
    log_values[k] = fits ? log_choices : minus_infinity;
  }
  for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
    const double log_activity = stages_[stage].log_activity;
    for (std::size_t k = 0; k < size && stage > 0; ++k)
      log_values[k] = mean_.is_dead(k) ? 0 : edges(k) * (log_activity - activity_before);
    activity_before = log_activity;
    const auto replacements = mean_.end_stage(log_values, nothing_left);
    if (mean_.over()) return minus_infinity;
    keep_sizes(stage);
    for (const auto& [from, to] : replacements) particles_[to] = particles_[from];
    chain_.set_activity(log_activity);
    if (finds_stages) {
      double left = 0;
      for (const LooseMatching& particle : particles_) left += static_cast<double>(particle.left.size());
      // A chain at rest, where all matchings are perfect and edges come out once in a blue moon, has no time to lose.
      const double rate = std::max(chain_.rate(left / static_cast<double>(size)), 1e-6);
      stages_[stage].time = events_a_stage(problem_.num_vertices()) / rate;
    }
    for (std::size_t k = 0; k < size; ++k) {
      if (mean_.is_dead(k)) continue;
      if (poll) poll();
      chain_.run(particles_[k], stages_[stage].time, uniforms[k]);
    }
    if (finds_stages && stage + 1 == stages_.size() && !add_stage()) return 0;
  }
  for (std::size_t k = 0; k < size; ++k) {
    const bool counts = problem_.alone != 0 || particles_[k].left.empty();
    log_values[k] = !counts ? minus_infinity : problem_.alone != 0 ? 0 : -activity_before * problem_.size;
  }
  mean_.end_stage(log_values, nothing_left);
  return mean_.log_mean();
}

std::uint64_t Annealing::work() const {
  return static_cast<std::uint64_t>(work_an_event * static_cast<double>(chain_.events()));
}

double Annealing::bytes(const Problem& problem, int size) { return 8.0 * problem.num_vertices() * size; }

std::size_t Annealing::likely_stages(const Problem& problem) {
  return static_cast<std::size_t>(stages_a_root * std::sqrt(problem.num_vertices())) + 1;
}

double Annealing::work(const Problem& problem, std::size_t stages) {
  return work_an_event * static_cast<double>(stages) * events_a_stage(problem.num_vertices());
}

double Annealing::log_variance(std::size_t stages) {
  return of_neighbours * static_cast<double>(stages) * deviation_a_stage * deviation_a_stage;
}

}  // namespace matchcount
