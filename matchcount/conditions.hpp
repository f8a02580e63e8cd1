#pragma once
// Makes a graph whose matchings are those of another that have some edges and lack others.
//
//   const auto given = matchcount::conditioned(graph, {first_edge}, {});
//   auto marginals = matchcount::MatchingDistribution(given.graph).marginals();   // of those with the first edge

#include <vector>

#include "core/api.hpp"
#include "graph/bipartite_graph.hpp"
#include "graph/undirected_graph.hpp"

namespace MATCHCOUNT_API matchcount {

// A graph with all vertices and some edges of another, whose perfect matchings are those that meet the conditions. The
// same holds for matchings that saturate the smaller side and, where options.always_matched are these, for all
// matchings and those by size. Others, maximum and lightest ones, may become smaller or heavier by conditions.
template <class Graph>
struct Conditioned {
  Graph graph;
  std::vector<EdgeId> edges;           // by its EdgeId: that of the graph that was given
  std::vector<Vertex> always_matched;  // rows before columns, where it has sides
};

// Takes an edge that is to be there by leaving its ends no other. Conditions that contradict each other have no
// matching. Throws InputError for an EdgeId that the graph does not have.
Conditioned<BipartiteGraph> conditioned(const BipartiteGraph& graph, const std::vector<EdgeId>& with,
                                        const std::vector<EdgeId>& without);
Conditioned<UndirectedGraph> conditioned(const UndirectedGraph& graph, const std::vector<EdgeId>& with,
                                         const std::vector<EdgeId>& without);

}  // namespace matchcount
