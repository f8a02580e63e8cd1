#pragma once
// Finds the decomposition of Gallai and Edmonds of any graph (Lovasz and Plummer, Matching Theory, 1986, section 3.2),
// and what it says of maximum matchings: how large they are, with a proof, and which edges are in one.

#include <vector>

#include "core/api.hpp"
#include "core/run.hpp"
#include "graph/undirected_graph.hpp"
#include "matching/graph_matching.hpp"

namespace MATCHCOUNT_API matchcount {

// Every maximum matching matches C within itself, each vertex of A to another component of D, and all of a component
// of D but one vertex within it. A graph with a perfect matching is all C.
enum class GallaiEdmondsPart : unsigned char {
  d,  // some maximum matching leaves the vertex out
  a,  // not so, but it has a neighbour in D
  c   // the rest
};

// Finds the part of each vertex. It is the same for every maximum matching; nearly O(edges). Throws InputError if
// `maximum` is no matching of the graph or can be augmented.
std::vector<GallaiEdmondsPart> gallai_edmonds(const UndirectedGraph& graph, const GraphMatching& maximum);

// Returns A, and how many components without it are odd: those of D. No matching leaves fewer vertices out than their
// number exceeds that of A by, and a maximum one leaves out no more (Berge 1958). It is a Tutte set unless all is C.
// `parts` belong to `maximum`'s graph.
TutteSet tutte_berge_barrier(const GraphMatching& maximum, const std::vector<GallaiEdmondsPart>& parts);

// Says for each edge, by EdgeId, whether it is in some maximum matching. Those with an end in D are: a maximum matching
// that leaves the end out can take the edge in exchange for another. Of the others those within C and in some perfect
// matching of it are. O(vertices edges) of C. `maximum` and `parts` belong to the graph; throws as run.check() does.
std::vector<bool> edges_in_maximum_matchings(const UndirectedGraph& graph, const GraphMatching& maximum,
                                             const std::vector<GallaiEdmondsPart>& parts, const RunContext& run);

// Checks in a way that shares no code with the above. True: the set proves that no matching of the graph is larger than
// this one, and it is a matching.
bool is_maximum(const UndirectedGraph& graph, const GraphMatching& matching, const TutteSet& barrier);

}  // namespace matchcount
