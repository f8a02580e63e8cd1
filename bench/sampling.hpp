#pragma once
// Draws samples of square grids and other graphs by one estimator, for the benchmarks that set estimates beside exact
// counts.

#include <string>

#include "approx/estimate.hpp"
#include "bench/runner.hpp"

namespace matchcount::bench {

struct Sampler {
  Estimator estimator = Estimator::guided;
  int interval = 1;  // of the scaling ones: rows between two scalings

  bool scales() const { return estimator == Estimator::scaling || estimator == Estimator::scaling_plus; }
  std::string name() const {  // "guided", "scaling/5"
    return std::string(to_string(estimator)) + (scales() ? "/" + std::to_string(interval) : "");
  }
};

struct Sampled {
  Estimate estimate;
  double seconds = 0;
  std::string unable;  // why there is no estimate; else empty

  // Return the logarithm of the estimate, and of the ends of its interval, over an exact count.
  double log_ratio(double log_exact) const { return estimate.log_value - log_exact; }
  double log_low(double log_exact) const;
  double log_high(double log_exact) const;
  // Says whether somebody is told of a wrong estimate: it warns, or is at most three times as far off as the interval
  // allows, which honest intervals are but in one of 10^8.
  bool is_honest(double log_exact) const;
};
// Draws so many samples without counting any part exactly; takes rounds of scaling, the limits and the device of the
// options.
Sampled draw(const BipartiteGraph& graph, const Sampler& sampler, std::uint64_t samples, EstimateOptions options);

// Returns ln of the number of perfect matchings of the size x size grid, size even: the product over j, k <= size / 2
// of 4 cos^2(pi j / (size + 1)) + 4 cos^2(pi k / (size + 1)) (Kasteleyn 1961, doi:10.1016/0031-8914(61)90063-5).
double log_grid_matchings(int size);

}  // namespace matchcount::bench
