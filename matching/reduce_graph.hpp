#pragma once
// Reduces a graph with a perfect matching, bipartite or not, to small independent parts with the same hafnian (the sum
// over perfect matchings of the product of their entries):
//   hafnian(graph) = product of factors * permanent(bipartite part) * product over blocks of hafnian(block).
// Components without odd cycles are put into one bipartite graph, for matching/reduce.hpp. In the others edges in no
// perfect matching go where finding them is cheap, vertices of degree 1 become factors, and vertices of degree 2 merge
// their two neighbours into one. What falls off without odd cycles joins the bipartite graph.

#include <vector>

#include "core/run.hpp"
#include "graph/undirected_graph.hpp"
#include "matching/graph_matching.hpp"
#include "matching/reduce.hpp"

namespace matchcount {

// Entry i belongs to edge id i of the pattern. Decomposed, it is connected and has an odd cycle; reduced, every degree
// is at least 3, but for the vertices whose merge was refused.
template <class Entry>
using GraphBlock = BlockOf<UndirectedGraph, Entry>;

template <class Entry>
struct ReducedGraph {
  std::vector<Entry> factors;  // other than 1
  BipartiteGraph bipartite;    // square, with a perfect matching; without weights
  std::vector<Entry> bipartite_entries;
  std::vector<Vertex> bipartite_rows, bipartite_columns;  // their names, as in a block
  std::vector<GraphBlock<Entry>> blocks;                  // most vertices first, then most edges
  ReductionCounts counts;  // of what is not bipartite; fine_blocks: its components without useless edges
};

// Entry is std::int64_t, RealEntry or ComplexEntry; `entries` by EdgeId of `graph`, none of them 0. Merges are refused,
// cancellation is treated and errors are bounded as matching/reduce.hpp says for permanents. Without options.decompose
// there is one block at the most, maybe bipartite or not connected. Requires that `perfect` is a perfect matching of
// `graph`; throws InputError where it or `entries` do not fit, and as run.check() does. Deterministic. A merge costs
// about the lesser of the two neighbours' degrees, or the sum of both where the other must be multiplied by something
// but 1; useless edges are looked for in up to 2^21 / edges vertices at a time, by a search in each.
template <class Entry>
ReducedGraph<Entry> reduce(const UndirectedGraph& graph, const std::vector<Entry>& entries,
                           const GraphMatching& perfect, const ReduceOptions& options, const RunContext& run);

}  // namespace matchcount
