#pragma once
// Distribution answers questions about the single matchings of a graph, marginals and samples, part by part; those of
// another kind than perfect as perfect ones of a larger graph (completed_graph.hpp).

#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "core/error.hpp"
#include "graph/rotation.hpp"
#include "matching/covered_parts.hpp"
#include "permanent/engine/completed_graph.hpp"
#include "permanent/engine/question.hpp"
#include "permanent/method.hpp"

namespace matchcount {

using Entries = std::variant<std::vector<std::int64_t>, std::vector<RealEntry>, std::vector<ComplexEntry>>;

// A block of either shape and any number type.
using OwnedBlock = std::variant<Block<std::int64_t>, Block<RealEntry>, Block<ComplexEntry>, GraphBlock<std::int64_t>,
                                GraphBlock<RealEntry>, GraphBlock<ComplexEntry>>;

// CoveredGraph holds a graph as questions about its single perfect matchings need it: its numbers, the edges that are
// in some perfect matching, and the parts that these fall into. Without weights all entries are 1. Edges of weight 0
// are left out.
struct CoveredGraph {
  // Throws as run.check() does.
  CoveredGraph(GraphView graph, const RunContext& run);

  EdgeId num_edges = 0;            // of the graph that was given
  std::vector<EdgeId> given_edge;  // of those that are not 0: the edge there
  Entries entries;                 // of these
  bool positive = false;           // none is negative or complex
  std::size_t matching_size = 0;   // of perfect ones
  Plan plan;                       // sizes, and why there is no perfect matching
  CoveredParts parts;

  bool has_perfect_matching() const { return plan.has_perfect_matching(); }
  std::size_t num_parts() const { return parts.parts.size(); }
  // Returns a part with its entries, and integers among these as reals where that is asked for.
  OwnedBlock block(std::size_t part, bool in_reals) const;
};

// Distribution does what MatchingDistribution (matchcount/marginals.hpp), which is its door, says.
class Distribution {
 public:
  Distribution(GraphView given, const DistributionOptions& options)
      : Distribution(given, options, RunContext(options.run)) {}
  Distribution(const Distribution&) = delete;
  Distribution& operator=(const Distribution&) = delete;

  // Says whether there is a matching of the kind that counts, and where not, why: nothing where weights are 0.
  bool has_matching() const { return graph_.has_perfect_matching(); }
  const Plan& plan_of_structure() const { return has_own_plan() ? completed_->plan : graph_.plan; }
  // Edges of a matching, or of a largest.
  std::size_t matching_size() const;
  Marginals marginals();
  double bytes_of_sample() const;
  std::vector<EdgeId> samples(std::uint64_t first, std::size_t count);

 private:
  friend DistributionPlan plan_distribution(GraphView graph, const DistributionOptions& options, bool of_samples);

  // Runs by `run`, whose limits may be others than those of the options.
  Distribution(GraphView given, const DistributionOptions& options, const RunContext& run);
  static CountOptions count_options(const DistributionOptions& options);
  std::optional<CompletedGraph> completed(GraphView given, const DistributionOptions& options) const;
  bool has_own_plan() const { return completed_ && completed_->has_new_vertices; }
  // Returns the options with the order that is to be followed there, and the rotation system that is given.
  CountOptions options_of(std::size_t part) const;

  // The ways to sum up a part, the one to be followed first.
  struct Ways {
    std::vector<Way> ways;
    std::optional<OverLimit> unseen;  // why the planar method was not looked at
  };
  Ways marginals_ways(std::size_t part) const;
  template <class V>
  BlockMarginals<V> marginals_of_part(std::size_t part, Way& way) const;
  template <class V>
  void add_marginals(std::vector<Way>& chosen, Marginals& result) const;

  void require_positive() const;
  Way sampler_way(std::size_t part) const;
  std::vector<std::unique_ptr<PartSampler>> make_samplers() const;

  // Says whether integers are summed as such: if that was asked for, and those of both signs.
  bool is_exact() const { return is_exact_ || !graph_.positive; }
  NumberType number() const;
  RunContext run_of(std::size_t part) const { return run_.in_part("part " + std::to_string(part + 1)); }
  DistributionPlan plan(bool of_samples) const;

  CountOptions options_;
  bool is_exact_;
  RunContext run_;
  std::optional<CompletedGraph> completed_;  // nothing: perfect matchings
  CoveredGraph graph_;
  std::vector<std::shared_ptr<const RotationSystem>> rotations_;  // by part, where one is given
  std::vector<std::unique_ptr<PartSampler>> samplers_;
};

// Plans marginals(), or samples() until the first one is there.
DistributionPlan plan_distribution(GraphView graph, const DistributionOptions& options, bool of_samples);

}  // namespace matchcount
