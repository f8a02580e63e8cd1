#pragma once
// Reduces a square graph with a perfect matching to small independent blocks with the same permanent:
//   permanent(graph) = product of factors * product over blocks of permanent(block).
// Edges in no perfect matching go (Dulmage-Mendelsohn), the rest falls apart into blocks; in each block a vertex of
// degree 1 becomes a factor and a vertex of degree 2 merges its two neighbours into one (equation (6) of Forbert and
// Marx, 2003, doi:10.1016/S0010-4655(02)00671-1): where row r has only the columns a and b, r and b go and column a
// becomes A[r][b] * A[.][a] + A[r][a] * A[.][b]; the same for columns. Vertices of degree 3 and 4 are not expanded into
// two permanents here (matching/expand.hpp does that), and vertices with equal neighbourhoods stay:
// permanent/frontier/twins.cpp says why, with figures.
//
//   auto reduced = reduce(graph, std::vector<std::int64_t>(graph.num_edges(), 1), maximum_matching(graph));
//
// A graph with odd cycles and a perfect matching is reduced to independent parts with the same hafnian (the sum over
// perfect matchings of the product of their entries):
//   hafnian(graph) = product of factors * permanent(bipartite part) * product over blocks of hafnian(block).
// Components without odd cycles are put into one bipartite graph, to be reduced as above. In the others edges in no
// perfect matching go where finding them is cheap, vertices of degree 1 become factors, and vertices of degree 2 merge
// their two neighbours into one. What falls off without odd cycles joins the bipartite graph.

#include <vector>

#include "core/numbers/pair.hpp"
#include "core/run.hpp"
#include "graph/undirected_graph.hpp"
#include "matching/dulmage_mendelsohn.hpp"
#include "matching/graph_matching.hpp"
#include "matching/reduction_counts.hpp"

namespace matchcount {

// The number types in which reductions compute. `magnitude` >= |value| bounds what cancellation hides: it carries the
// same sums and products over absolute values, rounded up, so that the permanent of the magnitudes is kept too. A
// caller's magnitude may be any such bound; the tighter, the better.
struct RealEntry {
  DoubleDouble value;
  double magnitude = 0;
};
struct ComplexEntry {
  ComplexDoubleDouble value;
  double magnitude = 0;
};

// A square block of at least 2 x 2 (a 1 x 1 block is a factor). Entry i belongs to edge id i of the pattern.
// Decomposed, it is connected and every edge lies in some perfect matching; fully reduced, every degree is at least 3,
// but for the vertices whose merge was refused.
template <class Graph, class Entry>
struct BlockOf {
  Graph pattern;
  std::vector<Entry> entries;
  // Names in the graph that was reduced; a merged vertex has the name of one of its parts. All are rows where there are
  // no sides.
  std::vector<Vertex> rows = {}, columns = {};
};
template <class Entry>
using Block = BlockOf<BipartiteGraph, Entry>;

template <class Entry>
struct Reduced {
  std::vector<Entry> factors;        // other than 1
  std::vector<Block<Entry>> blocks;  // most rows first, then most edges, then by the first row
  ReductionCounts counts;
};

struct ReduceOptions {
  bool decompose = true;  // drop edges in no perfect matching and split; false: at most one block, maybe not connected
  bool degree1 = true;  // matters only where not decomposed (a forced edge is a block of its own) or entries cancelled
  bool degree2 = true;
};

// Entry is std::int64_t, RealEntry or ComplexEntry; `entries` by EdgeId of `graph`, none of them 0.
// - Integers are exact. A merge is refused when an entry would pass 2^62 in absolute value, except that common
//   factors of the vertex of degree 2 are taken out first. Entries that cancel to 0 are dropped, and what is left is
//   decomposed again; where no perfect matching is left, the result is the one factor 0 and no blocks.
// - Reals and complex numbers: a merge is refused when a magnitude would leave [2^-500, 2^500]; entries that cancel
// stay.
//   The permanent of the result differs from that of the given matrix by at most counts.degree2 * 2^-99 * the permanent
//   of the result's magnitudes, factors included.
// Requires that `perfect` is a perfect matching of `graph`; throws InputError where the sizes or `entries` don't fit,
// and Unable beyond 2^32 - 2 edges. Deterministic. Cost: O(edges) for the decomposition, and for a merge about the
// degree of the neighbour of smaller degree, or the sum of both where the other must be multiplied by something but 1.
// Throws as run.check() does.
template <class Entry>
Reduced<Entry> reduce(const BipartiteGraph& graph, const std::vector<Entry>& entries, const Matching& perfect,
                      const ReduceOptions& options = {}, const RunContext& run = {});

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
