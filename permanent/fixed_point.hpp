#pragma once
// Turns reals and complex numbers on the edges of a graph into integers: rounded to some significant bits, and every
// vertex multiplied by a power of two, so that a hafnian can be had exactly, by residues. Private to permanent/.

#include <cstdint>
#include <vector>

#include "graph/undirected_graph.hpp"
#include "matching/reduce.hpp"
#include "permanent/gaussian_integer.hpp"

namespace matchcount {

struct FixedPoint {
  std::vector<GaussianInteger> entries;  // by EdgeId
  std::int64_t exponent = 0;             // their hafnian is 2^exponent times that of the rounded numbers
  bool exact = true;                     // nothing had to be rounded
};

// Rounds each value to the nearest with `bits` significant bits (of the larger part of a complex number): by at most
// 2^-bits of itself, complex ones by twice that. The vertices' powers of two are as small as an assignment problem
// makes them, nearly: numbers of very different sizes cost bits only as far as all perfect matchings have them.
// Requires a perfect matching in the pattern; throws InputError for a value that is not finite.
FixedPoint fixed_point(const UndirectedGraph& pattern, const std::vector<RealEntry>& entries, int bits);
FixedPoint fixed_point(const UndirectedGraph& pattern, const std::vector<ComplexEntry>& entries, int bits);

// The same of the magnitudes, rounded up by less than 2^(1 - bits) of themselves.
FixedPoint fixed_point_above(const UndirectedGraph& pattern, const std::vector<double>& magnitudes, int bits);

}  // namespace matchcount
