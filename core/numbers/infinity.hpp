#pragma once
// Names the infinite doubles, which costs and logarithms of bounds take.
#include <limits>

namespace matchcount {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double minus_infinity = -infinity;

}  // namespace matchcount
