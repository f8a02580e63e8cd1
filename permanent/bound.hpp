#pragma once
// Proves upper bounds on permanents, from which the number of residues of an exact count follows.

#include <vector>

#include "matching/reduce.hpp"
#include "matching/reduce_graph.hpp"

namespace matchcount {

// Returns an upper bound on log2 of the permanent of |entries|: the least of the products of row sums and of column
// sums of |entries|, and of the product over rows (or over columns) of max|entry| (d!)^(1/d), d being the entries of
// the row (Bregman 1973, Minc's conjecture). Rounded up. -infinity where a row or column is empty; 0 for the 0 x 0
// matrix. Requires a square block. O(edges).
// Magnitudes are by EdgeId, not negative and finite.
double log2_sum_bound(const BipartiteGraph& pattern, const std::vector<double>& magnitudes);

// Returns an upper bound on log2 of the hafnian of |entries|: half of the same bound on the permanent of the symmetric
// matrix, rounded up. haf^2 <= per for entries that are not negative: two perfect matchings together are disjoint even
// cycles and doubled edges, and with every cycle directed so that its least vertex leaves by the first matching, they
// are a permutation of the vertices with the same product of entries, from which both can be read again (for 0/1
// matrices Alon and Friedland 2008, doi:10.37236/889). -infinity where a vertex has no edge. O(edges).
// `is_column`, where it is not empty, tells the sides of a bipartite graph, whose permanent is bounded then.
double log2_sum_bound(const UndirectedGraph& pattern, const std::vector<double>& magnitudes,
                      const std::vector<bool>& is_column = {});

// Magnitudes of integers, to 2^-53, and of other entries.
std::vector<double> magnitudes_of(const std::vector<std::int64_t>& entries);
template <class Entry>
std::vector<double> magnitudes_of(const std::vector<Entry>& entries) {
  std::vector<double> magnitudes;
  for (const Entry& entry : entries) magnitudes.push_back(entry.magnitude);
  return magnitudes;
}
// Bounds the value of a block of either shape.
template <class AnyBlock>
double log2_sum_bound(const AnyBlock& block) {
  return log2_sum_bound(block.pattern, magnitudes_of(block.entries));
}

}  // namespace matchcount
