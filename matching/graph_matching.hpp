#pragma once
// Finds maximum matchings of graphs that need not be bipartite, with certificates that a stranger can check.

#include <vector>

#include "core/api.hpp"
#include "core/run.hpp"
#include "graph/undirected_graph.hpp"
#include "matching/maximum_matching.hpp"

namespace MATCHCOUNT_API matchcount {

struct GraphMatching {
  std::vector<Vertex> partner;  // by vertex, or unmatched
  Vertex size = 0;

  bool is_perfect() const { return 2 * std::size_t{size} == partner.size(); }
};

// Finds a maximum matching: by Hopcroft and Karp in components without odd cycles, in the others by Edmonds's algorithm
// (Edmonds 1965, doi:10.4153/CJM-1965-045-4), nearly O(edges) for each edge that a matching by fewest
// choices lacks. The same graph gives the same matching. Throws as run.check() does.
GraphMatching maximum_matching(const UndirectedGraph& graph, const RunContext& run);

// Proves that there is no perfect matching: vertices whose removal leaves more components with an odd number of
// vertices than were removed, each of which would need one of them for itself (Tutte 1947,
// doi:10.1112/jlms/s1-22.2.107).
struct TutteSet {
  std::vector<Vertex> removed;  // ascending; none where the graph has an odd component as it is
  Vertex odd_components = 0;    // of what is left; more than were removed
};

// Finds such a set from a maximum matching that is not perfect: no vertex at all if that will do, else vertices of one
// component, of the decomposition of Gallai and Edmonds or a Hall violator's neighbours. Throws InputError if the
// matching is perfect or seen not to be maximum. O(edges).
TutteSet tutte_set(const UndirectedGraph& graph, const GraphMatching& maximum);

// Says for each edge, by EdgeId, whether it is in some perfect matching. uv is in one exactly where some maximum
// matching of the graph without u leaves v out, which one search of Edmonds's tells for all v. O(vertices edges).
// Throws InputError if the matching is not perfect, and as run.check() does.
std::vector<bool> edges_in_perfect_matchings(const UndirectedGraph& graph, const GraphMatching& perfect,
                                             const RunContext& run);

// Checkers that share no code with the above. True: the certificate proves what it says.
bool is_matching(const UndirectedGraph& graph, const GraphMatching& matching);
bool is_tutte_set(const UndirectedGraph& graph, const TutteSet& set);

}  // namespace matchcount
