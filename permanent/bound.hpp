#pragma once
// Proven upper bounds on permanents, from which the number of residues of an exact count follows.

#include "matching/reduce.hpp"

namespace matchcount {

// An upper bound on log2 of the permanent of |entries|: the least of the products of row sums and of column sums of
// |entries| and, where all entries are 0 or 1 in absolute value, of Bregman and Minc's product of (d!)^(1/d) over rows and
// over columns (Bregman 1973). Rounded up. -infinity where a row or column is empty; 0 for the 0 x 0 matrix.
double log2_permanent_bound(const Block<std::int64_t>& block);

}  // namespace matchcount
