#pragma once
// Distribution answers questions about the single perfect matchings of a graph: marginals and samples.

#include <memory>
#include <vector>

#include "permanent/block_marginals.hpp"
#include "permanent/engine/covered_graph.hpp"
#include "permanent/engine/part_marginals.hpp"
#include "permanent/engine/question.hpp"

namespace matchcount {

// As MatchingDistribution (matchcount/marginals.hpp), which is its door, says.
class Distribution {
 public:
  template <class Graph>
  Distribution(const Graph& given, const DistributionOptions& options)
      : options_(checked(options)), run_(options.run), graph_(given, run_), part_marginals_(graph_, options_, run_) {}
  Distribution(const Distribution&) = delete;
  Distribution& operator=(const Distribution&) = delete;

  const CoveredGraph& graph() const { return graph_; }
  Marginals marginals();
  double bytes_of_sample() const;
  std::vector<EdgeId> samples(std::uint64_t first, std::size_t count);

 private:
  static const DistributionOptions& checked(const DistributionOptions& options);
  template <class Entry>
  Marginals marginals_of(const std::vector<Entry>& all);

  DistributionOptions options_;
  RunContext run_;
  CoveredGraph graph_;
  PartMarginals part_marginals_;
  std::vector<std::unique_ptr<PartSampler>> samplers_;
};

// What marginals() would do, and samples() until the first one is there. Graph is BipartiteGraph or UndirectedGraph.
template <class Graph>
DistributionPlan plan_of_marginals(const Graph& graph, const DistributionOptions& options);
template <class Graph>
DistributionPlan plan_of_samples(const Graph& graph, const DistributionOptions& options);

}  // namespace matchcount
