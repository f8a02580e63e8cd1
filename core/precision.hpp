#pragma once
// Names the arithmetics in which reals and complex numbers are counted.

#include <string_view>

#include "core/api.hpp"
#include "core/names.hpp"

namespace MATCHCOUNT_API matchcount {

// Arithmetic of reals and complex numbers. Integers are always exact.
enum class Precision {
  automatic,      // double-double where it is affordable, else double
  float64,        // double
  compensated,    // double terms, double-double sums
  double_double,  // double-double throughout
  // None is rounded: entries count as they are held, and only the answer is rounded, to a relative 2^-94; a 0 is
  // proven. Of permanents and hafnians.
  exact
};
template <>
struct Names<Precision> {
  static constexpr std::string_view what = "precision";
  static constexpr Named<Precision> all[] = {{Precision::automatic, "auto"},
                                             {Precision::float64, "double"},
                                             {Precision::compensated, "compensated"},
                                             {Precision::double_double, "double-double"},
                                             {Precision::exact, "exact"}};
};

}  // namespace matchcount
