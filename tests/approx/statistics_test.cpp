#include "approx/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/random.hpp"
#include "support/catch.hpp"

using namespace matchcount;

TEST_CASE("sums of samples give mean, variance and skewness at any magnitude") {
  // 1, 2, 3, 6 and a zero: mean 2.4, central moments 4.24 and 6.048 (population).
  for (const double shift : {0.0, 5000.0, -5000.0}) {
    SampleSums sums;
    for (const double x : {2.0, 1.0, 6.0, 0.0, 3.0}) sums.add(x == 0 ? -INFINITY : std::log(x) + shift);
    CHECK(sums.count == 5);
    CHECK(sums.zeros == 1);
    CHECK(sums.log_mean() - shift == Approx(std::log(2.4)));
    CHECK(sums.relative_variance() == Approx(4.24 * 5 / 4 / (2.4 * 2.4)));
    const double third =
        (std::pow(-0.4, 3) + std::pow(-1.4, 3) + std::pow(3.6, 3) + std::pow(-2.4, 3) + std::pow(0.6, 3)) / 5;
    CHECK(sums.relative_third() == Approx(third * 25 / (4 * 3) / std::pow(2.4, 3)));
    CHECK(sums.effective_samples() == Approx(144.0 / 50));
    CHECK(sums.largest_share() == Approx(0.5));
    CHECK(sums.largest_square_share() == Approx(36.0 / 50));
  }
}

TEST_CASE("sums of sums are sums") {
  Random random(5);
  SampleSums all, halves[2];
  for (int i = 0; i < 1000; ++i) {
    const double x = 50 * random.uniform();
    all.add(x);
    halves[i % 2].add(x);
  }
  halves[0].add(halves[1]);
  CHECK(halves[0].count == 1000);
  CHECK(halves[0].log_mean() == Approx(all.log_mean()));
  CHECK(halves[0].relative_variance() == Approx(all.relative_variance()));
  CHECK(halves[0].relative_third() == Approx(all.relative_third()));
}

TEST_CASE("no samples and zeros alone have no error to state") {
  SampleSums sums;
  CHECK(sums.log_mean() == -INFINITY);
  sums.add(-INFINITY);
  sums.add(-INFINITY);
  CHECK(sums.log_mean() == -INFINITY);
  CHECK(std::isinf(sums.relative_variance()));
}

TEST_CASE("quantiles are those of the tables") {
  CHECK(normal_quantile(0.975) == Approx(1.959963984540054).epsilon(1e-12));
  CHECK(normal_quantile(0.5) == Approx(0).margin(1e-12));
  CHECK(normal_quantile(1e-10) == Approx(-6.361340902404056).epsilon(1e-12));
  CHECK(student_quantile(0.975, 3) == Approx(3.182446305).epsilon(1e-6));
  CHECK(student_quantile(0.975, 10) == Approx(2.228138852).epsilon(1e-6));
  CHECK(student_quantile(0.995, 30) == Approx(2.749995654).epsilon(1e-6));
  CHECK(student_quantile(0.025, 10) == Approx(-2.228138852).epsilon(1e-6));
}

TEST_CASE("an interval without skewness is Student's, and skewness to the right moves it right") {
  const RelativeInterval plain = skewed_interval(1e-4, 0, 1e9, 0.95);
  CHECK(plain.low == Approx(1 - 0.0195996));
  CHECK(plain.high == Approx(1 + 0.0195996));
  const RelativeInterval skewed = skewed_interval(1e-4, 0.5e-6, 1e9, 0.95);
  CHECK(skewed.low > plain.low);
  CHECK(skewed.high > plain.high);
  CHECK(skewed_interval(4, 8, 5, 0.95).low == 0);
}

TEST_CASE("the tail index of Pareto samples is theirs, and that of bounded ones is no cause for alarm") {
  // An estimate from 1800 tail samples has a standard error of about (1 + k) / sqrt(1800) = 0.04.
  for (const double k : {0.3, 0.9}) {
    Random random(11);
    std::vector<double> logs;
    constexpr std::uint64_t count = 360000;
    for (std::uint64_t i = 0; i < count; ++i) logs.push_back(-k * std::log(1 - random.uniform()));
    std::sort(logs.begin(), logs.end(), std::greater<>());
    logs.resize(4096);
    CHECK(tail_index(logs, count) == Approx(k).margin(0.16));
  }
  Random random(12);
  std::vector<double> logs;
  for (int i = 0; i < 4000; ++i) logs.push_back(std::log(1 + random.uniform()));
  std::sort(logs.begin(), logs.end(), std::greater<>());
  CHECK(tail_index(logs, logs.size()) < 0.2);
  CHECK(tail_index(std::vector<double>(100, 1.0), 100) == -INFINITY);
}

TEST_CASE("logarithms tell nothing of samples one of which is 0") {
  LogSums logs;
  for (int i = 0; i < 8; ++i) logs.add(std::vector<double>(16, 0.25 * (i % 3)));
  REQUIRE(logs.is_log_normal());
  LogSums dead;
  dead.add(std::vector<double>());
  logs.add(dead);
  CHECK(std::isinf(logs.variance().value));
  CHECK(!logs.is_log_normal());
}

TEST_CASE("logarithms in pieces tell the mean of log-normal numbers, and how far it is off") {
  // Sums of 16 normal pieces, each 0.6 of its neighbour's noise and 0.8 of its own: variance of a sum 0.15 * (16 + 2 *
  // 0.48 * 15).
  constexpr int pieces = 16, runs = 400;
  constexpr double scale = 0.15, variance = scale * (pieces + 2 * 0.48 * (pieces - 1)), truth = 100;
  Random random(3);
  const auto normal = [&] {
    return std::sqrt(-2 * std::log(1 - random.uniform())) * std::cos(2 * std::acos(-1.0) * random.uniform());
  };
  int holds = 0;
  double sum = 0;
  for (int run = 0; run < runs; ++run) {
    LogSums halves[2];
    for (int sample = 0; sample < 8; ++sample) {
      std::vector<double> of_sample;
      double before = normal();
      for (int i = 0; i < pieces; ++i) {
        const double now = normal();
        of_sample.push_back(std::sqrt(scale) * (0.6 * before + 0.8 * now) + (truth - variance / 2) / pieces);
        before = now;
      }
      halves[sample % 2].add(of_sample);
    }
    halves[0].add(halves[1]);
    CHECK(halves[0].count == 8);
    sum += halves[0].variance().value;
    holds += std::fabs(halves[0].log_mean() - truth) <=
             student_quantile(0.975, halves[0].degrees()) * std::sqrt(halves[0].log_mean_variance());
  }
  CHECK(sum / runs == Approx(variance).epsilon(0.05));
  CHECK(holds > 0.91 * runs);
  CHECK(holds < 0.99 * runs);
  CHECK_FALSE(LogSums().is_log_normal());
}
