#include "bench/sampling.hpp"

#include <cmath>
#include <numbers>

#include "core/error.hpp"

namespace matchcount::bench {

double Sampled::log_low(double log_exact) const { return estimate.low.log2_abs() * std::numbers::ln2 - log_exact; }
double Sampled::log_high(double log_exact) const { return estimate.high.log2_abs() * std::numbers::ln2 - log_exact; }

bool Sampled::is_honest(double log_exact) const {
  if (!unable.empty() || !estimate.warning.empty() || estimate.unknown) return true;
  const double off = log_ratio(log_exact), reach = (off < 0 ? log_high(log_exact) : log_low(log_exact)) - off;
  return std::fabs(off) <= 3 * std::fabs(reach) + 1e-9;
}

Sampled draw(const BipartiteGraph& graph, const Sampler& sampler, std::uint64_t samples, EstimateOptions options) {
  options.method = sampler.estimator;
  options.scaling_interval = sampler.interval;
  options.exact_rows = 0;
  options.samples = samples;
  Sampled sampled;
  sampled.seconds = seconds_of([&] {
    try {
      sampled.estimate = estimate_perfect_matchings(graph, options);
    } catch (const Unable& error) {
      sampled.unable = error.what();
    }
  });
  return sampled;
}

double log_grid_matchings(int size) {
  const long double step = std::acos(-1.0L) / static_cast<long double>(size + 1);
  long double sum = 0;
  for (int j = 1; j <= size / 2; ++j) {
    for (int k = 1; k <= size / 2; ++k) {
      const long double a = std::cos(step * static_cast<long double>(j)),
                        b = std::cos(step * static_cast<long double>(k));
      sum += std::log(4 * a * a + 4 * b * b);
    }
  }
  return static_cast<double>(sum);
}

}  // namespace matchcount::bench
