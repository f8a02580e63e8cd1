#pragma once
// Sums over the perfect matchings of graphs that a few edges keep from being planar: each of them contains some of
// these edges, and for each set of them that meet nowhere it is a matching of a planar graph, in which these edges are
// all that their ends have.

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/run.hpp"
#include "graph/planar.hpp"
#include "matching/reduce.hpp"
#include "permanent/block_marginals.hpp"
#include "permanent/planar/kasteleyn.hpp"

namespace matchcount {

// Terms double with each of these edges: a graph that has more is left to other methods.
inline constexpr std::size_t most_extra_edges = 14;

// PlanarTerm is a planar graph on the same vertices: the given one without the edges that are in no matching of this
// kind.
struct PlanarTerm {
  std::vector<EdgeId> edges;  // of the given graph, by EdgeId here
  UndirectedGraph graph;
  KasteleynPlan plan;

  template <class Entry>
  GraphBlock<Entry> block(const std::vector<Entry>& entries) const {
    GraphBlock<Entry> result{graph, {}};
    for (const EdgeId id : edges) result.entries.push_back(entries[id]);
    return result;
  }
};

// PlanarTerms lists them.
class PlanarTerms {
 public:
  // Holds the graph as it is, which is planar or in another surface: one term.
  PlanarTerms(const UndirectedGraph& graph, KasteleynPlan plan);
  // The same where it is planar without these edges. Throws InputError where it is not.
  PlanarTerms(const UndirectedGraph& graph, const std::vector<EdgeId>& extra, std::uint64_t seed,
              const RunContext& run);

  // Returns the number of terms: as many as there are sets of extra edges that leave as many rows as columns; 2^extra
  // at most, less those without a matching before the first one that has some.
  std::size_t size() const { return taken_.size(); }
  std::size_t num_extra() const { return num_extra_; }
  // Takes O(edges). All share one dissection.
  PlanarTerm term(std::size_t number) const;
  // The plan of the planar graph that is left without the extra edges.
  const KasteleynPlan& plan() const { return plan_; }

 private:
  UndirectedGraph graph_;
  std::size_t num_extra_ = 0;
  std::vector<std::vector<EdgeId>> taken_;  // by term
  std::vector<EdgeId> rest_edges_;          // all but the extra ones
  PlanarEmbedding embedding_;               // of these alone
  KasteleynPlan plan_;
};

// Says in which graphs that have no plan (permanent/planar/kasteleyn.hpp) edges are looked for without which they have
// one. Small graphs are counted by other methods before such edges are found.
enum class ExtraEdges { of_none, of_large_graphs, of_all };

// Keeps what was found out about large graphs, which an answer may plan several times: before and after other methods,
// and again when what cuts leave of a graph is counted. One thread at a time uses it.
class KnownPlanarGraphs {
 public:
  struct Graph {
    Vertex num_vertices = 0;
    std::vector<Edge> edges;
    const RotationSystem* rotation = nullptr;
    bool was_planned = false, was_searched = false;
    std::shared_ptr<const PlanarTerms> whole, terms;  // of the graph as it is, and without the extra edges
    std::optional<std::vector<EdgeId>> extra;
  };
  // Returns what is known, or a new entry. References hold until the next call.
  Graph& of(const UndirectedGraph& graph, const RotationSystem* rotation);

 private:
  std::list<Graph> graphs_;  // the latest first
};

// Returns null where the graph has no plan and no few edges are found without which it has one, at most
// most_extra_edges and fewer in large graphs. If more edges than that are found, says in `why_not` how many. A rotation
// that is given is taken where the graph is not planar.
std::shared_ptr<const PlanarTerms> plan_planar_terms(const UndirectedGraph& graph, ExtraEdges searched,
                                                     std::uint64_t seed, const RunContext& run,
                                                     std::string* why_not = nullptr,
                                                     const RotationSystem* rotation = nullptr,
                                                     KnownPlanarGraphs* known = nullptr);

// TermSampler draws a term in proportion to its matchings, and a matching of that.
class TermSampler : public PartSampler {
 public:
  // Entries are above 0. Throws as planar_sampler does. `run` outlives this.
  TermSampler(GraphBlock<RealEntry> block, std::shared_ptr<const PlanarTerms> terms, const RunContext& run);

  std::size_t matching_size() const override { return block_.pattern.num_vertices() / 2; }
  // Throws as those of planar_sampler do. Samples are drawn term by term, each of which is eliminated once a call.
  std::vector<EdgeId> draw(std::uint64_t seed, std::uint32_t stream, std::uint64_t first, std::size_t count) override;

 private:
  GraphBlock<RealEntry> block_;
  std::shared_ptr<const PlanarTerms> terms_;
  const RunContext& run_;
  std::vector<double> up_to_;  // by term, the share of it and of those before it
};

}  // namespace matchcount
