#pragma once
// Sums up the permanent of a square matrix of low rank by monomials (Barvinok 1996, doi:10.1287/moor.21.1.65), modulo
// primes of 31 bits.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/numbers/integer.hpp"
#include "core/run.hpp"
#include "graph/bipartite_graph.hpp"

namespace matchcount {

struct SquareMatrix {
  std::size_t size = 0;
  std::vector<std::int64_t> entries;  // row by row
  std::int64_t at(std::size_t row, std::size_t column) const { return entries[row * size + column]; }
};

// Names rows and columns of a minor that is not 0 modulo a prime, while no larger one with them is: the rank, or less
// where the prime divides such minors.
struct Pivots {
  std::vector<Vertex> rows, columns;
};
// Nothing where there are more than `most`, or where the prime divides all entries. Throws as run.check() does.
// O(most^2 size) then, else O(rank size^2).
std::optional<Pivots> pivots_of(const SquareMatrix& matrix, std::size_t most, const RunContext& run);

// The permanent, by the pivots of this matrix, of absolute value at most 2^log2_bound; nothing where the rank is more
// than that. Throws as run.check() does. Primes are what threads and ranks share and a checkpoint keeps, under
// run.part().
std::optional<Integer> permanent_of_low_rank(const SquareMatrix& matrix, const Pivots& pivots, double log2_bound,
                                             const RunContext& run);

// Multiplications modulo one prime, and monomials of the full degree.
double multiplications_of_low_rank(std::size_t size, std::size_t rank);
double monomials_of_low_rank(std::size_t size, std::size_t rank);

}  // namespace matchcount
