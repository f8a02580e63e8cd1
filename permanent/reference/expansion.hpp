#pragma once
// Gives the engine expansion by definition, for blocks of a few rows and to verify others.

#include "permanent/method.hpp"

namespace matchcount {

// Sums over all permutations, or all perfect matchings of a graph with odd cycles, in integers or double-doubles. Takes
// up to 12 rows or 20 vertices; about 20 ns a factor.
MethodVerbs expansion_method();

}  // namespace matchcount
