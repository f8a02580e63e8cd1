#pragma once
// Computes the messages that a vertex sends by belief propagation.

#include <algorithm>

#include "approx/walk.hpp"

namespace matchcount {

// Beyond this share of the sum, the sum of the others is added up anew rather than got by subtraction.
constexpr double large_share = 0.9;

// Returns the message along an edge of this weight, to a neighbour, if the other slots' messages (weight included) sum
// to others; weight included. It is kept within what a product of three stays finite in.
MATCHCOUNT_ANYWHERE double outgoing(double weight, double others) {
  return std::clamp(weight / std::max(others, 1e-90), 1e-90, 1e90);
}

}  // namespace matchcount
