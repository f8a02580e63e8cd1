#pragma once
// Finds the sums over the matchings with each edge of a part, by the cheapest method that applies.

#include <optional>
#include <string>
#include <vector>

#include "core/run.hpp"
#include "permanent/block_marginals.hpp"
#include "permanent/engine/covered_graph.hpp"
#include "permanent/engine/part_needs.hpp"
#include "permanent/engine/question.hpp"
#include "permanent/engine/structure.hpp"
#include "permanent/planar/kasteleyn.hpp"

namespace matchcount {

// A method for a part.
struct PartChoice {
  Method method = Method::frontier;
  std::optional<KasteleynPlan> planar;
  PartNeeds needs;
  std::string what;  // it does, for people
};

class PartMarginals {
 public:
  // All outlive this.
  PartMarginals(const CoveredGraph& graph, const DistributionOptions& options, const RunContext& run)
      : graph_(graph), options_(options), run_(run), orders_(graph.num_parts()) {}

  // Whether integers are summed as such: where that was asked for, and those of both signs.
  bool is_exact() const { return options_.exact || !graph_.positive; }

  // What could sum up a part, the one to be followed first, then by their seconds. No limit on time is kept. Throws
  // Unable where the method asked for does not apply.
  std::vector<PartChoice> candidates(std::size_t part);
  // The first of them. Throws as candidates and require_affordable do.
  PartChoice choose(std::size_t part, double seconds_before);
  // `all` are the graph's entries, as they are or as reals. Throws as the methods do.
  template <class Entry>
  BlockMarginals<BlockValue<Entry>> run(std::size_t part, const std::vector<Entry>& all, const PartChoice& choice);

 private:
  const FrontierOrder& order_of(std::size_t part, double useful_s);
  bool may_take_planar(std::size_t part) const;
  std::optional<KasteleynPlan> planar_plan(std::size_t part) const;
  PartNeeds planar_needs(std::size_t part, const KasteleynPlan& plan) const;
  std::optional<PartNeeds> ryser_needs(std::size_t part) const;

  const CoveredGraph& graph_;
  const DistributionOptions& options_;
  const RunContext& run_;
  std::vector<std::optional<FrontierOrder>> orders_;
};

extern template BlockMarginals<Integer> PartMarginals::run(std::size_t, const std::vector<std::int64_t>&,
                                                           const PartChoice&);
extern template BlockMarginals<RealValue> PartMarginals::run(std::size_t, const std::vector<RealEntry>&,
                                                             const PartChoice&);
extern template BlockMarginals<ComplexValue> PartMarginals::run(std::size_t, const std::vector<ComplexEntry>&,
                                                                const PartChoice&);

}  // namespace matchcount
