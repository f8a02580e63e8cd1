#pragma once
// From a square graph with a perfect matching to small independent blocks with the same permanent:
//   permanent(graph) = product of factors * product over blocks of permanent(block).
// Edges in no perfect matching go (Dulmage-Mendelsohn), the rest falls apart into blocks; in each block a vertex of
// degree 1 becomes a factor and a vertex of degree 2 merges its two neighbours into one (equation (6) of Forbert and Marx,
// 2003, doi:10.1016/S0010-4655(02)00671-1), vertices with proportional neighbourhoods staying as they are.

#include <cstdint>
#include <vector>

#include "core/double_double.hpp"
#include "matching/dulmage_mendelsohn.hpp"

namespace matchcount {

// The number types in which reductions compute. `magnitude` bounds what cancellation hides: it carries the same sums and
// products over absolute values, so that the permanent of the magnitudes is kept too.
struct RealEntry {
  DoubleDouble value;
  double magnitude = 0;
};
struct ComplexEntry {
  ComplexDoubleDouble value;
  double magnitude = 0;
};

// A square block in which every edge lies in some perfect matching, connected, every degree at least 2 when reduced, or
// 1 x 1 never (it is a factor). Entry i belongs to edge id i of the pattern.
template <class Entry>
struct Block {
  BipartiteGraph pattern;
  std::vector<Entry> entries;
  std::vector<Vertex> rows;     // names in the graph that was given; a merged vertex has the name of one of its parts
  std::vector<Vertex> columns;
};

struct ReductionCounts {
  EdgeId useless_edges = 0;      // in no perfect matching
  Vertex fine_blocks = 0;        // before degree reductions
  Vertex degree1 = 0;            // vertices removed so
  Vertex degree2 = 0;
  Vertex refused_merges = 0;     // a merged integer entry would not fit into 64 bits, or the merge would add edges
};

template <class Entry>
struct Reduced {
  std::vector<Entry> factors;
  std::vector<Block<Entry>> blocks;  // largest first
  ReductionCounts counts;
};

struct ReduceOptions {
  bool degree1 = true;
  bool degree2 = true;
};

// Entry is std::int64_t (exact: a merge that would overflow is not made), RealEntry or ComplexEntry; `entries` by EdgeId of
// `graph`, none of them 0. Integer entries that cancel to 0 in a merge are dropped and the block is decomposed again;
// real and complex ones stay. Requires that `perfect` is a perfect matching of `graph`. Deterministic.
// A merge is made only where it adds no more than a few edges (it pays on every method that follows).
// The result may have a factor 0 (integers that cancelled until no perfect matching was left).
template <class Entry>
Reduced<Entry> reduce(const BipartiteGraph& graph, const std::vector<Entry>& entries, const Matching& perfect,
                      const ReduceOptions& options = {});

extern template Reduced<std::int64_t> reduce(const BipartiteGraph&, const std::vector<std::int64_t>&, const Matching&,
                                             const ReduceOptions&);
extern template Reduced<RealEntry> reduce(const BipartiteGraph&, const std::vector<RealEntry>&, const Matching&,
                                          const ReduceOptions&);
extern template Reduced<ComplexEntry> reduce(const BipartiteGraph&, const std::vector<ComplexEntry>&, const Matching&,
                                             const ReduceOptions&);

}  // namespace matchcount
