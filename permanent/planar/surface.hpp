#pragma once
// Says how the Pfaffians of a graph in a surface add up to the sum over its perfect matchings (Galluccio and Loebl
// 1999, doi:10.37236/1438; Tesler 2000, doi:10.1006/jctb.1999.1941; Cimasoni and Reshetikhin 2007,
// doi:10.1007/s00220-007-0302-7; Cimasoni 2009 for surfaces that are not orientable).

#include <cstdint>
#include <optional>
#include <vector>

#include "core/run.hpp"
#include "graph/surface.hpp"
#include "graph/undirected_graph.hpp"

namespace matchcount {

// SurfacePfaffians says that the sum is 2^-log2_divisor times that of the coefficients times the Pfaffians of the
// matrix with edges so directed, the entries of twisted edges multiplied by i. Where some are twisted and entries are
// real the Pfaffians are two and two conjugate, and so are their multiples: those of `first_half` alone, twice the real
// part, are the sum.
struct SurfacePfaffians {
  struct Term {
    int re = 0, im = 0;                    // coefficient
    std::vector<std::int8_t> orientation;  // by EdgeId, as kasteleyn_orientation has it
    bool first_half = true;
  };
  SurfaceEmbedding embedding;
  std::vector<bool> twisted;  // by EdgeId; empty: none is
  int log2_divisor = 0;       // the Euler genus
  std::vector<Term> terms;    // 2^log2_divisor of them
};

// Returns nothing where the graph has no perfect matching, or is not connected. Throws as run.check() does. O(2^genus
// edges).
std::optional<SurfacePfaffians> surface_pfaffians(const UndirectedGraph& graph, const SurfaceEmbedding& embedding,
                                                  const RunContext& run);

// Returns vertices, ascending, so that the surface falls into discs if it is cut along all edges between two of them:
// those on cycles that end where a spanning tree and one of the faces leave edges. As few as the best of some trees
// has. Requires a connected graph. O(edges log edges).
std::vector<Vertex> cutting_vertices(const UndirectedGraph& graph, const SurfaceEmbedding& embedding);

}  // namespace matchcount
