#include "matchcount/marginals.hpp"

#include "permanent/engine/distribution.hpp"

namespace matchcount {

struct MatchingDistribution::State : Distribution {
  using Distribution::Distribution;
};

MatchingDistribution::MatchingDistribution(const BipartiteGraph& graph, const DistributionOptions& options)
    : state_(std::make_unique<State>(&graph, options)) {}
MatchingDistribution::MatchingDistribution(const UndirectedGraph& graph, const DistributionOptions& options)
    : state_(std::make_unique<State>(&graph, options)) {}
MatchingDistribution::MatchingDistribution(MatchingDistribution&&) noexcept = default;
MatchingDistribution& MatchingDistribution::operator=(MatchingDistribution&&) noexcept = default;
MatchingDistribution::~MatchingDistribution() = default;

const std::optional<HallViolator>& MatchingDistribution::hall_violator() const {
  return state_->graph().plan.hall_violator;
}
const std::optional<TutteSet>& MatchingDistribution::tutte_set() const { return state_->graph().plan.tutte_set; }
std::size_t MatchingDistribution::matching_size() const { return state_->graph().matching_size; }
double MatchingDistribution::bytes_of_sample() const { return state_->bytes_of_sample(); }
Marginals MatchingDistribution::marginals() { return state_->marginals(); }
std::vector<EdgeId> MatchingDistribution::samples(std::uint64_t first, std::size_t count) {
  return state_->samples(first, count);
}

DistributionPlan plan_marginals(const BipartiteGraph& graph, const DistributionOptions& options) {
  return plan_distribution(&graph, options, false);
}
DistributionPlan plan_marginals(const UndirectedGraph& graph, const DistributionOptions& options) {
  return plan_distribution(&graph, options, false);
}
DistributionPlan plan_samples(const BipartiteGraph& graph, const DistributionOptions& options) {
  return plan_distribution(&graph, options, true);
}
DistributionPlan plan_samples(const UndirectedGraph& graph, const DistributionOptions& options) {
  return plan_distribution(&graph, options, true);
}

}  // namespace matchcount
