#include "approx/cpu/sampler.hpp"

#include <algorithm>
#include <cstring>

#include "approx/cpu/annealing.hpp"
#include "approx/cpu/determinants.hpp"
#include "approx/cpu/population.hpp"
#include "approx/cpu/published.hpp"
#include "core/error.hpp"

namespace matchcount {

GuidedView guided_view(const Problem& problem) {
  GuidedView view;
  view.problem = problem_view(problem);
  view.reverse = problem.reverse.data();
  view.alone = problem.alone;
  view.has_equal_weights = std::ranges::all_of(problem.weight, [&](double w) { return w == problem.weight.front(); });
  view.num_slots = static_cast<std::uint32_t>(problem.target.size());
  view.largest_degree = problem.largest_degree();
  // Degrees far above the mean are not told apart: their sets would take more memory than the messages.
  constexpr std::uint32_t most_told_apart = 16;
  const std::uint32_t mean_degree = view.num_slots / std::max(problem.num_vertices(), 1u) + 1;
  view.sets = DegreeSetsSize::of(problem.size, std::min(view.largest_degree, most_told_apart * mean_degree));
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

namespace {

template <class Walk>
class Guided final : public Sampler {
 public:
  explicit Guided(const Problem& problem)
      : view_(guided_view(problem)),
        start_(guided_start(problem, view_)),
        scratch_(Walk::scratch_length(view_)),
        walk_(view_, scratch_.data()) {}

  double log_sample(std::uint64_t seed, std::uint64_t i, const std::function<void()>& poll) override {
    Uniforms uniforms(seed, i);
    work_ += view_.num_slots / 4;
    state_ = start_;
    walk_.attach(state_.data());
    Product value;
    for (std::uint32_t left = view_.problem.size; left > 0; --left) {
      if (walk_.work() >= next_poll_) {
        next_poll_ = walk_.work() + edges_a_poll;
        if (poll) poll();
      }
      walk_.step(uniforms, value);
    }
    return value.sample().log();
  }
  void take_matchings(std::vector<double>& weight, std::vector<std::uint32_t>& partners) override {
    weight.assign(1, 1.0);
    partners.assign(walk_.partners(), walk_.partners() + view_.num_vertices());
  }
  std::uint64_t work() const override { return work_ + walk_.work(); }

 private:
  const GuidedView view_;
  const std::vector<std::uint64_t> start_;
  std::vector<std::uint64_t> scratch_, state_;
  Walk walk_;
  std::uint64_t work_ = 0;
  std::uint64_t next_poll_ = 0;  // at this work
};

}  // namespace

bool takes_odd_cycles(Estimator estimator) {
  return estimator == Estimator::guided || estimator == Estimator::population || estimator == Estimator::annealing ||
         is_by_determinants(estimator);
}

std::unique_ptr<Sampler> Sampler::make(const Problem& problem, const SampleOptions& options) {
  if (!problem.bipartite && !takes_odd_cycles(options.estimator))
    throw Unable("graphs with odd cycles have guided samples, populations, annealing or determinants alone");
  if (is_by_determinants(options.estimator))
    return std::make_unique<DeterminantSampler>(problem, options.estimator == Estimator::karmarkar);
  if (options.estimator == Estimator::population)
    return population_sampler(problem, options.population, options.far_messages, options.doubles);
  if (options.estimator == Estimator::annealing)
    return std::make_unique<Annealing>(problem, options.population, options.stages);
  if (!problem.bipartite) return std::make_unique<Guided<OddGuidedWalk>>(problem);
  if (options.estimator == Estimator::guided) return std::make_unique<Guided<GuidedWalk>>(problem);
  return std::make_unique<PublishedSampler>(problem, options);
}

void Sampler::take_matchings(std::vector<double>&, std::vector<std::uint32_t>&) {
  throw Unable("only guided samples and populations keep the matchings that they draw");
}

double Sampler::bytes(const Problem& problem, const SampleOptions& options) {
  if (options.estimator == Estimator::population) return population_bytes(problem, options.population);
  if (options.estimator == Estimator::annealing) return Annealing::bytes(problem, options.population);
  if (is_by_determinants(options.estimator))
    return DeterminantSampler::bytes(problem, options.estimator == Estimator::karmarkar);
  // Slots, in the state and twice beside it; vertices.
  return 24.0 * static_cast<double>(problem.target.size()) + 64.0 * problem.num_vertices();
}

}  // namespace matchcount
