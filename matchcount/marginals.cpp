#include "matchcount/marginals.hpp"

#include "permanent/engine/completed_graph.hpp"
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
  return state_->plan_of_structure().hall_violator;
}
const std::optional<TutteSet>& MatchingDistribution::tutte_set() const { return state_->plan_of_structure().tutte_set; }
bool MatchingDistribution::has_matching() const { return state_->has_matching(); }
std::size_t MatchingDistribution::matching_size() const { return state_->matching_size(); }
double MatchingDistribution::bytes_of_sample() const { return state_->bytes_of_sample(); }
Marginals MatchingDistribution::marginals() { return state_->marginals(); }
std::vector<EdgeId> MatchingDistribution::samples(std::uint64_t first, std::size_t count) {
  return state_->samples(first, count);
}

MatchingList list_matchings(const BipartiteGraph& graph, MatchingKind kind, std::span<const Rational> fractions,
                            const RunContext& run, std::span<const Vertex> always_matched) {
  if (kind == MatchingKind::perfect || kind == MatchingKind::saturating)
    return MatchingList(graph, kind == MatchingKind::saturating, run);
  return list_completed(&graph, kind, fractions, always_matched, run);
}
MatchingList list_matchings(const UndirectedGraph& graph, MatchingKind kind, std::span<const Rational> fractions,
                            const RunContext& run, std::span<const Vertex> always_matched) {
  if (kind == MatchingKind::perfect) return MatchingList(graph, run);
  return list_completed(&graph, kind, fractions, always_matched, run);
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
