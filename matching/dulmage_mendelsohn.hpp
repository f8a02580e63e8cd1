#pragma once
// Finds the Dulmage-Mendelsohn decomposition, coarse and fine (1958; Pothen and Fan 1990, doi:10.1145/98267.98287), and
// what it says of perfect matchings: which edges lie in one, and into which independent blocks the graph falls.

#include <vector>

#include "core/api.hpp"
#include "matching/maximum_matching.hpp"

namespace MATCHCOUNT_API matchcount {

enum class CoarsePart : unsigned char {
  horizontal,  // more columns than rows: reached from an unmatched column
  square,      // perfectly matched within itself
  vertical     // more rows than columns: reached from an unmatched row
};

struct CoarseDecomposition {
  std::vector<CoarsePart> part_of_row;
  std::vector<CoarsePart> part_of_column;
};
CoarseDecomposition coarse_decomposition(const BipartiteGraph& graph, const Matching& maximum);

// The fine blocks of the square part: strongly connected components of the graph with matched edges contracted.
struct FineDecomposition {
  static constexpr Vertex no_block = unmatched;  // for vertices outside the square part
  Vertex num_blocks = 0;
  std::vector<Vertex> block_of_row;  // in a topological order: the matrix permuted by block is block upper triangular
  std::vector<Vertex> block_of_column;
};
FineDecomposition fine_decomposition(const BipartiteGraph& graph, const Matching& maximum,
                                     const CoarseDecomposition& coarse);

// keep[id]: the edge lies in some perfect matching. Requires that the matching is perfect. It is so exactly when both
// ends lie in one block.
std::vector<bool> edges_in_perfect_matchings(const BipartiteGraph& graph, const FineDecomposition& fine);

// keep[id]: the edge lies in some maximum matching, for any graph.
std::vector<bool> edges_in_maximum_matchings(const BipartiteGraph& graph, const Matching& maximum,
                                             const CoarseDecomposition& coarse, const FineDecomposition& fine);

}  // namespace matchcount
