#include "approx/cpu/published.hpp"

#include <cmath>
#include <optional>

#include "approx/blocks.hpp"
#include "graph/generate.hpp"
#include "support/catch.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

constexpr std::uint64_t seed = 77;

constexpr Estimator published[] = {Estimator::rasmussen, Estimator::rasmussen_plus, Estimator::scaling,
                                   Estimator::scaling_plus};

// Draws a sample by definition, on a dense matrix; nothing is kept but what is left.
double slow_log_sample(std::vector<std::vector<double>> a, const SampleOptions& options, std::uint64_t i) {
  const std::size_t n = a.size();
  const bool plus = options.estimator == Estimator::rasmussen_plus || options.estimator == Estimator::scaling_plus;
  const bool scaled = options.estimator == Estimator::scaling || options.estimator == Estimator::scaling_plus;
  Random random(seed, i);
  std::vector<bool> row_gone(n), column_gone(n);
  std::vector<double> factor(n, 1), row_factor(n);
  int until_scaling = 0;
  double log_value = 0;
  for (std::size_t taken = 0; taken < n; ++taken) {
    const auto is_left = [&](std::size_t r, std::size_t c) { return !row_gone[r] && !column_gone[c] && a[r][c] != 0; };
    const auto row_degree = [&](std::size_t r) {
      std::size_t degree = 0;
      for (std::size_t c = 0; c < n; ++c) degree += is_left(r, c);
      return degree;
    };
    std::optional<std::size_t> forced_row, forced_column, first_row, fewest_row;
    for (std::size_t r = 0; r < n; ++r) {
      if (row_gone[r]) continue;
      const std::size_t degree = row_degree(r);
      if (degree == 0) return -INFINITY;
      if (degree == 1 && !forced_row) forced_row = r;
      if (!first_row) first_row = r;
      if (!fewest_row || degree < row_degree(*fewest_row)) fewest_row = r;
    }
    for (std::size_t c = 0; c < n; ++c) {
      if (column_gone[c]) continue;
      std::size_t degree = 0;
      for (std::size_t r = 0; r < n; ++r) degree += is_left(r, c);
      if (degree == 0) return -INFINITY;
      if (degree == 1 && !forced_column) forced_column = c;
    }
    std::size_t row = 0, column = n;
    if (forced_row || forced_column) {
      for (std::size_t r = 0; r < n; ++r) {
        for (std::size_t c = 0; c < n; ++c) {
          if (is_left(r, c) && (forced_row ? r == *forced_row : c == *forced_column)) row = r, column = c;
        }
      }
      log_value += std::log(a[row][column]);
    } else {
      if (scaled && until_scaling-- == 0) {
        until_scaling = options.scaling_interval - 1;
        std::fill(factor.begin(), factor.end(), 1.0);
        std::fill(row_factor.begin(), row_factor.end(), 1.0);
        for (int round = 0; round < options.scaling_rounds; ++round) {
          for (std::size_t c = 0; c < n; ++c) {
            double sum = 0;
            for (std::size_t r = 0; r < n; ++r) sum += is_left(r, c) ? a[r][c] * row_factor[r] : 0;
            if (!column_gone[c]) factor[c] = 1 / sum;
          }
          for (std::size_t r = 0; r < n; ++r) {
            double sum = 0;
            for (std::size_t c = 0; c < n; ++c) sum += is_left(r, c) ? a[r][c] * factor[c] : 0;
            if (!row_gone[r]) row_factor[r] = 1 / sum;
          }
        }
      }
      row = plus ? *fewest_row : *first_row;
      double sum = 0;
      for (std::size_t c = 0; c < n; ++c) sum += is_left(row, c) ? a[row][c] * factor[c] : 0;
      double at = random.uniform() * sum;
      for (std::size_t c = 0; c < n; ++c) {
        if (!is_left(row, c)) continue;
        column = c;
        if (at < a[row][c] * factor[c]) break;
        at -= a[row][c] * factor[c];
      }
      log_value += std::log(sum / factor[column]);
    }
    row_gone[row] = column_gone[column] = true;
  }
  return log_value;
}

std::vector<std::vector<double>> dense(const Problem& problem) {
  std::vector<std::vector<double>> a(problem.size, std::vector<double>(problem.size, 0));
  for (Vertex r = 0; r < problem.size; ++r) {
    for (std::uint32_t s = problem.offset[r]; s < problem.offset[r + 1]; ++s)
      a[r][problem.target[s] - problem.size] = problem.weight[s];
  }
  return a;
}

void check_samples(const Problem& problem, const SampleOptions& options, std::uint64_t count) {
  PublishedSampler sampler(problem, options);
  const auto a = dense(problem);
  for (std::uint64_t i = 0; i < count; ++i) {
    CAPTURE(i);
    const double log_sample = sampler.sample(seed, i, {}).log(), truth = slow_log_sample(a, options, i);
    if (std::isinf(truth)) {
      CHECK(log_sample == truth);
    } else {
      CHECK(log_sample == Approx(truth).margin(1e-10));
    }
  }
}

}  // namespace

TEST_CASE("published samples are what their definition says, on blocks of every kind") {
  std::size_t turn = 0;
  for (const Family family : {Family::complete, Family::half, Family::planted, Family::band, Family::arrow,
                              Family::triangular, Family::twins, Family::circulant, Family::regular, Family::path}) {
    for (const std::size_t n : {1u, 2u, 9u, 31u, 33u, 63u, 64u, 65u}) {
      for (const bool weighted : {false, true}) {
        const BipartiteGraph graph = small_matrix(family, n, weighted, n).graph();
        if (!maximum_matching(graph).is_perfect()) continue;
        const Problem problem = problem_of(graph);
        SampleOptions options;
        options.scaling_interval = 1 + static_cast<int>(turn % 3);
        options.scaling_rounds = static_cast<int>(turn % 4);
        options.estimator = published[turn++ % 4];
        // The bit masks have no others.
        if (!weighted && n <= 64 && turn % 2) options.estimator = published[turn / 2 % 2];
        INFO(to_string(family) << " " << n << (weighted ? " weighted " : " ") << to_string(options.estimator));
        check_samples(problem, options, 10);
      }
    }
  }
}

TEST_CASE("the masks of one and of several words choose as the sparse walk does") {
  for (const Vertex n : {5u, 33u, 63u, 64u}) {
    for (const double density : {0.1, 0.5, 1.0}) {
      const BipartiteGraph graph = random_graph(n, n, density, n);
      if (!maximum_matching(graph).is_perfect()) continue;
      const Problem problem = problem_of(graph);
      const auto one = bitmask_block<1, 7>(problem);
      const auto two = std::make_unique<BitmaskBlock<2, 8>>(bitmask_block<2, 8>(problem));
      for (std::uint64_t i = 0; i < 200; ++i) {
        const Sample a = bitmask_sample<true>(one, seed, i), b = bitmask_sample<true>(*two, seed, i);
        CHECK(a.mantissa == b.mantissa);
        CHECK(a.exponent == b.exponent);
      }
    }
  }
}

TEST_CASE("products of any magnitude keep their digits") {
  Product product;
  double log_value = 0;
  for (const double factor : {0x1p-900, 0x1.8p1000, 3.0, 1e-280, 1e300, 1e300, 7e-12}) {
    product.multiply(factor);
    log_value += std::log(factor);
  }
  CHECK(product.sample().log() == Approx(log_value).epsilon(1e-14));
  Product exact;
  for (int i = 0; i < 40; ++i) exact.multiply(0x1p200);
  CHECK(std::ldexp(exact.sample().mantissa, static_cast<int>(exact.sample().exponent) - 8000) == 1);
}

TEST_CASE("a walk's uniform numbers are those of Random") {
  Random random(0x123456789abcdef, 1ull << 40);
  Uniforms uniforms(0x123456789abcdef, 1ull << 40);
  for (int i = 0; i < 100; ++i) CHECK(uniforms.next() == random.uniform());
}
