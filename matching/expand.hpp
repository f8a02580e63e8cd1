#pragma once
// Expands a permanent along rows and columns of few entries into a sum of permanents of smaller matrices.
//
// Of a row r with entries in the columns a, b, c (and d) the permanent is that of the matrix without r and b, in which
// column a became A[r][b] A[.][a] + A[r][a] A[.][b], plus the same for c and d, or plus A[r][c] times that without r
// and c: equations (6) to (8) of Forbert and Marx (2003, doi:10.1016/S0010-4655(02)00671-1). Two to the half of the
// degree, rounded up, is what each step multiplies the matrices by. reduce() (matching/reduce.hpp) takes the steps of
// degree 1 and 2 alone, which leave one matrix.

#include <cstdint>
#include <functional>
#include <vector>

#include "matching/reduce.hpp"

namespace matchcount {

struct ExpandOptions {
  Vertex most_degree = 4;  // rows and columns with more entries are not expanded; 1 to 4
  Vertex least_rows = 30;  // matrices of so few rows are not expanded further; at least 1
};

// The permanent of a term is the product of its factors and of the permanent of its block, which may have 1 row.
template <class Entry>
struct ExpandedTerm {
  std::vector<Entry> factors;
  Block<Entry> block;
  Vertex merges = 0;  // each of which rounds
};

// Calls `use` for one term after another; terms that are 0 by their pattern are left out. The row or column of fewest
// entries is expanded first, and columns are paired that share most rows. A matrix in which a merged entry would not
// fit (matching/reduce.hpp: 2^62 of integers, magnitudes in [2^-500, 2^500]) is a term as it is. Requires a square
// block. The sum differs from the permanent by at most the greatest number of merges times 2^-99 times the permanent of
// the terms' magnitudes. Throws InputError for options out of range, and as run.check() does.
template <class Entry>
void expand(const Block<Entry>& block, const ExpandOptions& options,
            const std::function<void(ExpandedTerm<Entry>&&)>& use, const RunContext& run = {});

// Says how many terms there are if no entries cancel.
struct ExpansionSize {
  double terms = 0;
  double mean_rows = 0, mean_edges = 0;  // of their blocks
  Vertex most_rows = 0;
  bool estimated = false;               // from random walks down the tree (Knuth 1975, doi:10.2307/2005469)
  std::vector<BipartiteGraph> samples;  // some of the blocks
};
// Counts exactly up to some thousand terms. A function of its arguments alone.
ExpansionSize expansion_size(const BipartiteGraph& pattern, const ExpandOptions& options, std::uint64_t seed,
                             const RunContext& run = {});

}  // namespace matchcount
