#include "photonics/photons.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <vector>

#include "core/error.hpp"
#include "support/catch.hpp"

using namespace matchcount;

namespace {

using Counts = std::vector<std::uint32_t>;
using Complex = std::complex<double>;

std::map<Counts, double> tally(const Counts& drawn, std::size_t modes) {
  std::map<Counts, double> times;
  for (auto shot = drawn.begin(); shot != drawn.end(); shot += static_cast<std::ptrdiff_t>(modes))
    ++times[Counts(shot, shot + static_cast<std::ptrdiff_t>(modes))];
  return times;
}

// Pearson's statistic over patterns that are expected five times or more, less its degrees of freedom, in units of its
// deviation: above 5 once in a million, by its tail.
double excess(const std::map<Counts, double>& times, const std::map<Counts, double>& probabilities, double shots) {
  double statistic = 0, freedom = -1, rest = shots, rest_expected = shots;
  const auto add = [&](double seen, double expected) {
    statistic += (seen - expected) * (seen - expected) / expected;
    ++freedom;
  };
  for (const auto& [pattern, probability] : probabilities) {
    const auto found = times.find(pattern);
    const double expected = probability * shots, seen = found == times.end() ? 0 : found->second;
    if (expected < 5) continue;
    add(seen, expected);
    rest -= seen;
    rest_expected -= expected;
  }
  if (rest_expected >= 5) add(rest, rest_expected);
  return (statistic - freedom) / std::sqrt(2 * std::max(freedom, 1.0));
}

// Two modes squeezed together, of mean photons sinh(r)^2 each, with displacements of both along x.
GaussianState squeezed(double r, double displacement) {
  const double c = std::cosh(2 * r), s = std::sinh(2 * r);
  const std::vector<double> covariance{c, s, 0, 0, s, c, 0, 0, 0, 0, c, -s, 0, 0, -s, c};
  const std::vector<double> means{displacement, displacement, 0, 0};
  return {covariance, means};
}

}  // namespace

TEST_CASE("two photons that meet at a beam splitter leave it together", "[cpu]") {
  const double half = std::sqrt(0.5);
  const std::vector<Complex> splitter{half, half, half, -half};
  constexpr std::size_t shots = 2000;
  const auto times = tally(sample_photons(splitter, Counts{1, 1}, shots), 2);
  CHECK(times.size() == 2);
  CHECK(excess(times, {{{2, 0}, 0.5}, {{0, 2}, 0.5}}, shots) < 5);
}

TEST_CASE("photons of one mode leave independently of each other", "[cpu]") {
  const std::vector<Complex> matrix{{0.6, 0}, {0, -0.8}, {0, 0.8}, {-0.6, 0}};
  constexpr std::size_t shots = 4000;
  for (const std::uint32_t photons : {0u, 1u, 2u, 5u}) {
    std::map<Counts, double> binomial;
    for (std::uint32_t k = 0; k <= photons; ++k)
      binomial[{k, photons - k}] = std::tgamma(photons + 1.0) / std::tgamma(k + 1.0) / std::tgamma(photons - k + 1.0) *
                                   std::pow(0.36, k) * std::pow(0.64, photons - k);
    CHECK(excess(tally(sample_photons(matrix, Counts{photons, 0}, shots), 2), binomial, shots) < 5);
  }
}

TEST_CASE("samples depend on the seed, not on the threads", "[cpu]") {
  const std::vector<Complex> matrix{{0.6, 0}, {0, -0.8}, {0, 0.8}, {-0.6, 0}};
  const GaussianState state = squeezed(0.5, 0.4);
  RunOptions one, four, other;
  one.num_threads = 1;
  four.num_threads = 4;
  other.seed = 2;
  CHECK(sample_photons(matrix, Counts{2, 1}, 1000, one) == sample_photons(matrix, Counts{2, 1}, 1000, four));
  CHECK(sample_photons(matrix, Counts{2, 1}, 1000) != sample_photons(matrix, Counts{2, 1}, 1000, other));
  for (const bool threshold : {false, true}) {
    CHECK(state.sample(1000, threshold, {}, one) == state.sample(1000, threshold, {}, four));
    CHECK(state.sample(1000, threshold) != state.sample(1000, threshold, {}, other));
  }
}

TEST_CASE("modes squeezed together have as many photons, by a geometric law", "[cpu]") {
  const GaussianState state = squeezed(0.8, 0);
  const double step = std::tanh(0.8) * std::tanh(0.8);
  std::map<Counts, double> law, within;
  for (std::uint32_t k = 0; k < 30; ++k) {
    law[{k, k}] = (1 - step) * std::pow(step, k);
    if (k < 10) CHECK(std::fabs(state.probability(Counts{k, k}, false) - law[{k, k}]) < 1e-12);
    if (k < 10) CHECK(std::fabs(state.probability(Counts{k, k + 1}, false)) < 1e-12);
    if (k <= 2) within[{k, k}] = law[{k, k}] / (1 - std::pow(step, 3));
  }
  constexpr std::size_t shots = 4000;
  CHECK(excess(tally(state.sample(shots, false), 2), law, shots) < 5);
  CHECK(excess(tally(state.sample(shots, false, 2), 2), within, shots) < 5);
  CHECK(excess(tally(state.sample(shots, true), 2), {{{0, 0}, 1 - step}, {{1, 1}, step}}, shots) < 5);
}

TEST_CASE("samples of displaced modes have their probabilities", "[cpu]") {
  const GaussianState state = squeezed(0.4, 1.2);
  std::map<Counts, double> counts, clicks;
  double total = 0;
  for (std::uint32_t a = 0; a < 16; ++a) {
    for (std::uint32_t b = 0; b < 16; ++b) {
      total += counts[{a, b}] = state.probability(Counts{a, b}, false);
      clicks[{a > 0, b > 0}] += counts[{a, b}];
    }
  }
  CHECK(std::fabs(total - 1) < 1e-6);
  for (const auto& [pattern, probability] : clicks)
    CHECK(std::fabs(state.probability(pattern, true) - probability) < 1e-6);
  constexpr std::size_t shots = 4000;
  CHECK(excess(tally(state.sample(shots, false), 2), counts, shots) < 5);
  CHECK(excess(tally(state.sample(shots, true), 2), clicks, shots) < 5);
}

TEST_CASE("no shots, modes or photons are no difficulty", "[cpu]") {
  const GaussianState none({}, {});
  CHECK(none.probability({}, false) == 1);
  CHECK(none.sample(3, false).empty());
  CHECK(squeezed(0.1, 0).sample(0, true).empty());
  const std::vector<Complex> one{1};
  CHECK(sample_photons(one, Counts{0}, 2) == Counts{0, 0});
  CHECK(sample_photons(one, Counts{3}, 0).empty());
}

TEST_CASE("what is no interferometer, state or pattern is refused", "[cpu]") {
  const std::vector<Complex> half{0.5, 0, 0, 0.5};
  CHECK_THROWS_AS(sample_photons(half, Counts{1, 0}, 1), InputError);
  CHECK_THROWS_AS(sample_photons(half, Counts{1, 0, 0}, 1), InputError);
  const std::vector<Complex> one{1};
  CHECK_THROWS_AS(sample_photons(one, Counts{61}, 1), Unable);
  const std::vector<double> below{0.5, 0, 0, 0.5}, uneven{1, 0.1, 0, 1}, vacuum{1, 0, 0, 1}, means{1};
  CHECK_THROWS_AS(GaussianState(below, {}), InputError);
  CHECK_THROWS_AS(GaussianState(uneven, {}), InputError);
  CHECK_THROWS_AS(GaussianState(vacuum, means), InputError);
  CHECK_THROWS_AS(GaussianState(vacuum, {}, 0), InputError);
  const GaussianState state(vacuum, {});
  CHECK_THROWS_AS(state.probability(Counts{0, 0}, false), InputError);
  CHECK_THROWS_AS(state.probability(Counts{2}, true), InputError);
  CHECK_THROWS_AS(state.sample(1, true, 1), InputError);
  const std::vector<double> bright{40, 0};
  CHECK_THROWS_AS(GaussianState(vacuum, bright).sample(1, false, 0), Unable);
}
