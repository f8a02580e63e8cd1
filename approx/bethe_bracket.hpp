#pragma once
// BetheBracket holds a lower and an upper bound on a permanent.

#include "core/api.hpp"

namespace MATCHCOUNT_API matchcount {

// log lower <= log permanent <= log upper, natural logarithms.
// - lower: for any doubly stochastic X on the edges of A,
//   log per(A) >= sum over edges of x log(a / x) + (1 - x) log(1 - x)
//   (Gurvits 2011, arXiv:1106.2844, from Schrijver's inequality, 1998, doi:10.1006/jctb.1998.1842). The greatest such
//   value is the Bethe permanent (Vontobel 2013, doi:10.1109/TIT.2012.2227109). Here X is belief propagation's fixed
//   point, made doubly stochastic by scaling. What rows and columns still lack is allowed for to first order: where
//   scaling has converged (to 1e-9) that is nothing, else the bounds are as good as that allowance.
// - upper: 2^(size/2) times the Bethe permanent (Anari and Rezaei 2019, doi:10.1109/FOCS.2019.000-2), where the Bethe
//   permanent itself is bounded from above by the dual of its concave problem at the multipliers found: sound for
//   any multipliers.
struct BetheBracket {
  double log_lower = 0;
  double log_upper = 0;
};

}  // namespace matchcount
