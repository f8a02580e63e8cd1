#pragma once
// Lists the perfect matchings of a graph, or those of a bipartite graph that saturate one side, each once, in
// lexicographic order, with a delay polynomial in the size of the graph and in memory linear in it.
//
//   MatchingList list(graph);
//   while (list.next()) use(list.edges());
//
// The order: the first vertex goes through its partners in ascending order; among the matchings in which it has the
// same partner, the next vertex that is left does, and so on. Without rows and columns the vertices are in the order of
// their numbers; of a bipartite graph they are the rows, or the columns where these are the side that is saturated. So
// matchings are in the lexicographic order of their ascending lists of EdgeId, but for saturated columns.
//
// A partner is tried only if what is left can be completed, which a search for one augmenting path tells: between two
// matchings there are at most as many searches as the graph has edges, O(edges) each in a bipartite graph. Backtracking
// with this test is Fukuda and Matsui's way (1994, doi:10.1016/0893-9659(94)90045-0), in a fixed order.

#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "core/api.hpp"
#include "core/run.hpp"
#include "graph/bipartite_graph.hpp"
#include "graph/undirected_graph.hpp"

namespace MATCHCOUNT_API matchcount {

class MatchingList {
 public:
  // `saturating`: the matchings that cover the smaller side (rows where both are equal), instead of perfect ones.
  // `run` is polled; the graph is copied. Throws as run.check() does.
  explicit MatchingList(const BipartiteGraph& graph, bool saturating = false, const RunContext& run = {});
  explicit MatchingList(const UndirectedGraph& graph, const RunContext& run = {});
  // Lists what the perfect matchings have on the first vertices alone, where those that follow stand for being left
  // alone, which a vertex is after its other partners: each of these may have one of them in its turn, or those that it
  // may have are alike, and the first that is left is taken. edges() has their names, but for no_name.
  static constexpr EdgeId no_name = std::numeric_limits<EdgeId>::max();
  MatchingList(const UndirectedGraph& graph, Vertex num_first, std::vector<EdgeId> names, const RunContext& run = {});
  MatchingList(MatchingList&&) noexcept;
  MatchingList& operator=(MatchingList&&) noexcept;
  ~MatchingList();

  // Goes to the next matching; false where there is none left. Throws as run.check() does.
  bool next();
  // Returns the matching that next went to: an edge for every vertex in the order above that was not matched before.
  std::span<const EdgeId> edges() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace matchcount
