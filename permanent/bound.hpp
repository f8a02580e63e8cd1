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
double log2_permanent_bound(const Block<std::int64_t>& block);
// The same for magnitudes, by EdgeId, that are not negative and finite.
double log2_permanent_bound(const BipartiteGraph& pattern, const std::vector<double>& magnitudes);

// Returns an upper bound on log2 of the hafnian of |entries|: half of the same bound on the permanent of the symmetric
// matrix, rounded up. haf^2 <= per for entries that are not negative: two perfect matchings together are disjoint even
// cycles and doubled edges, and with every cycle directed so that its least vertex leaves by the first matching, they
// are a permutation of the vertices with the same product of entries, from which both can be read again (for 0/1
// matrices Alon and Friedland 2008, doi:10.37236/889). -infinity where a vertex has no edge. O(edges).
double log2_hafnian_bound(const GraphBlock<std::int64_t>& block);
double log2_hafnian_bound(const UndirectedGraph& pattern, const std::vector<double>& magnitudes);
// Magnitudes of integers, to 2^-53.
std::vector<double> magnitudes_of(const std::vector<std::int64_t>& entries);

}  // namespace matchcount
