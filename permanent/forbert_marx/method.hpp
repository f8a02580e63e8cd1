#pragma once
// Gives the engine Forbert and Marx's expansion, whose terms are found by inclusion-exclusion on the CPU.

#include "permanent/method.hpp"

namespace matchcount {

// Takes bipartite blocks of which no term has more than 62 rows. options.expand_degree and options.expand_rows say how
// far it goes.
MethodVerbs forbert_marx_method();

}  // namespace matchcount
