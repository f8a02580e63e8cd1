#pragma once
// Proven upper bounds on permanents, from which the number of residues of an exact count follows.

#include "matching/reduce.hpp"

namespace matchcount {

// An upper bound on log2 of the permanent of |entries|: the least of the products of row sums and of column sums of
// |entries|, and of the product over rows (or over columns) of max|entry| (d!)^(1/d), d being the entries of the row
// (Bregman 1973, Minc's conjecture). Rounded up. -infinity where a row or column is empty; 0 for the 0 x 0 matrix.
// Requires a square block. O(edges).
double log2_permanent_bound(const Block<std::int64_t>& block);

}  // namespace matchcount
