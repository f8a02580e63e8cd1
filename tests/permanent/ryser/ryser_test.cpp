#include "permanent/ryser/ryser.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/error.hpp"
#include "core/random.hpp"
#include "permanent/ryser/kernel_support.hpp"
#include "support/catch.hpp"
#include "support/clock.hpp"
#include "support/closed_forms.hpp"
#include "support/instances.hpp"
#include "support/truth.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

constexpr std::uint64_t seed = 90210;
constexpr std::array all_isas{Isa::avx512, Isa::avx2, Isa::baseline};

RunOptions run_with(int num_threads, Isa isa) { return {.num_threads = num_threads, .max_isa = isa}; }

Integer count(const Block<std::int64_t>& block, Method variant = Method::staged, int num_threads = 1,
              Isa isa = Isa::avx512) {
  const RunContext context(run_with(num_threads, isa));
  return permanent_ryser(block, plan_ryser(block.pattern, variant, seed), context);
}

template <class Entry>
auto value(const Block<Entry>& block, Precision precision, Method variant = Method::staged, int num_threads = 1,
           Isa isa = Isa::avx512) {
  const RunContext context(run_with(num_threads, isa));
  return permanent_ryser(block, plan_ryser(block.pattern, variant, seed), precision, context);
}

Instance<std::int64_t> constant(std::size_t n, std::int64_t entry) {
  return {"constant", 0, static_cast<Vertex>(n), static_cast<Vertex>(n), std::vector<std::int64_t>(n * n, entry)};
}

// log2 of the distance between value and truth, and its bound.
void check_within_bound(const RealValue& result, const Dyadic& truth) {
  const double log2_difference = test::log2_abs(test::dyadic(result.value) - truth);
  CAPTURE(log2_difference, result.log2_error, result.value.to_double());
  REQUIRE(log2_difference <= result.log2_error + 1e-9);
}

double log2_permanent_of_magnitudes(const Instance<DoubleDouble>& instance) {
  Instance<DoubleDouble> magnitudes = instance;
  for (DoubleDouble& entry : magnitudes.entries) entry = abs(entry);
  return test::log2_abs(test::exact_permanent(magnitudes));
}

}  // namespace

TEST_CASE("inclusion-exclusion is exact on integers of every kind, variant, instruction set and thread number") {
  int turn = 0;
  for (std::size_t n = 0; n <= 14; ++n) {
    for (const Family family : test::all_families) {
      for (const IntegerWeights weights : test::all_integer_weights) {
        if (n > 11 && (turn++ % 3) != 0) continue;
        const auto instance = test::integer_instance(family, weights, n, seed);
        INFO(to_string(instance));
        const auto block = block_of(instance);
        const Integer truth = test::exact_permanent(instance);
        ++turn;
        for (const Method variant : test::all_ryser_variants) {
          const Isa isa = all_isas[static_cast<std::size_t>(turn++ % 3)];
          const int num_threads = 1 + turn / 3 % 3;
          CAPTURE(static_cast<int>(variant), to_string(isa), num_threads);
          REQUIRE(count(block, variant, num_threads, isa) == truth);
        }
      }
    }
  }
}

TEST_CASE("every variant and instruction set counts the same random matrix") {
  for (const std::size_t n : {9, 10, 12, 15, 16}) {
    for (const IntegerWeights weights : test::all_integer_weights) {
      const auto instance = test::integer_instance(Family::half, weights, n, seed + 1);
      INFO(to_string(instance));
      const auto block = block_of(instance);
      const Integer truth = test::exact_permanent(instance);
      for (const Method variant : test::all_ryser_variants) {
        for (const Isa isa : all_isas) {
          CAPTURE(static_cast<int>(variant), to_string(isa));
          REQUIRE(count(block, variant, 2, isa) == truth);
        }
      }
    }
  }
}

TEST_CASE("the permanent of all ones is a factorial") {
  for (const unsigned n : {0u, 1u, 2u, 8u, 9u, 10u, 13u, 20u, 22u}) {
    CAPTURE(n);
    for (const Isa isa : all_isas) REQUIRE(count(block_of(constant(n, 1)), Method::staged, 2, isa) == factorial(n));
  }
  REQUIRE(count(block_of(constant(16, -3)), Method::staged) == factorial(16) * Integer("43046721"));
  // 2^61 times 10!: row sums beyond 2^63, so that they are kept modulo each prime.
  REQUIRE(count(block_of(constant(10, std::int64_t{1} << 61))) == (factorial(10) << 610));
}

TEST_CASE("the value does not depend on the number of threads") {
  const auto reals = block_of(test::real_instance(Family::complete, RealWeights::signs, 17, seed + 2));
  const auto complex = block_of(test::complex_instance(Family::half, RealWeights::signs, 15, seed + 2));
  for (const Precision precision : test::all_precisions) {
    const RealValue one = value(reals, precision, Method::staged, 1);
    const ComplexValue complex_one = value(complex, precision, Method::staged, 1);
    for (const int num_threads : {2, 3, 5}) {
      const RealValue many = value(reals, precision, Method::staged, num_threads);
      CHECK(many.value.mantissa == one.value.mantissa);
      CHECK(many.value.exponent == one.value.exponent);
      CHECK(many.log2_error == one.log2_error);
      const ComplexValue complex_many = value(complex, precision, Method::staged, num_threads);
      CHECK(complex_many.value.re.mantissa == complex_one.value.re.mantissa);
      CHECK(complex_many.value.im.mantissa == complex_one.value.im.mantissa);
    }
  }
}

TEST_CASE("reals are within their bound, which is not loose") {
  int turn = 0;
  for (std::size_t n = 0; n <= 14; ++n) {
    for (const Family family : test::all_families) {
      for (const RealWeights weights : test::all_real_weights) {
        if (weights == RealWeights::wide_rows) continue;  // must be scaled first
        if (n > 10 && (turn++ % 4) != 0) continue;
        const auto instance = test::real_instance(family, weights, n, seed + 3);
        INFO(to_string(instance));
        const auto block = block_of(instance);
        const Dyadic truth = test::exact_permanent(instance);
        const double log2_magnitude = log2_permanent_of_magnitudes(instance);
        for (const Precision precision : test::all_precisions) {
          const Method variant = test::all_ryser_variants[static_cast<std::size_t>(turn / 3 % 4)];
          const Isa isa = all_isas[static_cast<std::size_t>(turn++ % 3)];
          CAPTURE(static_cast<int>(precision), static_cast<int>(variant), to_string(isa));
          const RealValue result = value(block, precision, variant, 1 + turn % 2, isa);
          check_within_bound(result, truth);
          if (weights == RealWeights::wide_entries || !std::isfinite(log2_magnitude)) continue;
          const double bits = precision == Precision::double_double ? 96 : 46;
          CHECK(result.log2_error <= log2_magnitude - bits + 2.5 * static_cast<double>(n) + 8);
        }
      }
    }
  }
}

TEST_CASE("complex numbers are within their bound") {
  int turn = 0;
  for (std::size_t n = 0; n <= 12; ++n) {
    for (const Family family : test::all_families) {
      for (const RealWeights weights : {RealWeights::signs, RealWeights::halves, RealWeights::long_decimals}) {
        const auto instance = test::complex_instance(family, weights, n, seed + 4);
        INFO(to_string(instance));
        const auto block = block_of(instance);
        const test::ComplexDyadic truth = test::exact_permanent(instance);
        for (const Precision precision : {Precision::float64, Precision::double_double}) {
          const Method variant = test::all_ryser_variants[static_cast<std::size_t>(turn / 3 % 4)];
          const Isa isa = all_isas[static_cast<std::size_t>(turn++ % 3)];
          CAPTURE(static_cast<int>(precision), static_cast<int>(variant), to_string(isa));
          const ComplexValue result = value(block, precision, variant, 1, isa);
          const double re = test::log2_abs(test::dyadic(result.value.re) - truth.re);
          const double im = test::log2_abs(test::dyadic(result.value.im) - truth.im);
          CAPTURE(re, im, result.log2_error);
          REQUIRE(std::max(re, im) <= result.log2_error + 1e-9);
        }
      }
    }
  }
}

TEST_CASE("reals that are integers agree with the exact count within a bound of a few digits") {
  auto ones = test::real_instance(Family::complete, RealWeights::unit, 20, seed);
  for (DoubleDouble& entry : ones.entries) entry = 1;
  const Dyadic truth{factorial(20), 0};
  for (const Isa isa : all_isas) {
    for (const Precision precision : test::all_precisions) {
      const RealValue result = value(block_of(ones), precision, Method::staged, 2, isa);
      check_within_bound(result, truth);
      CHECK(result.log2_error - 61.08 < (precision == Precision::double_double ? -70 : -22));
    }
  }
}

TEST_CASE("a wide range inside a row neither overflows nor lies") {
  auto instance = test::real_instance(Family::complete, RealWeights::signs, 10, seed + 5);
  for (std::size_t j = 1; j < 10; ++j) instance.entries[j] = instance.entries[j] * DoubleDouble(1e-290);
  for (std::size_t j = 0; j < 10; ++j)
    instance.entries[90 + j] = instance.entries[90 + j] * DoubleDouble(j == 3 ? 1 : 0x1p-80);
  INFO(to_string(instance));
  const Dyadic truth = test::exact_permanent(instance);
  for (const Method variant : test::all_ryser_variants) {
    for (const Precision precision : test::all_precisions) {
      const RealValue result = value(block_of(instance), precision, variant);
      CHECK(std::isfinite(result.log2_error));
      check_within_bound(result, truth);
    }
  }
}

TEST_CASE("zero skipping changes nothing: grids and other sparse graphs of known count") {
  // A 6 x 6 grid has 6728 domino tilings, a 4 x 9 grid 6336.
  const auto grid = [](Vertex height, Vertex width) {
    std::vector<Edge> edges;
    const auto half = [&](Vertex i, Vertex j) { return (i * width + j) / 2; };
    for (Vertex i = 0; i < height; ++i) {
      for (Vertex j = 0; j < width; ++j) {
        if ((i + j) % 2 != 0) continue;
        if (i > 0) edges.push_back({half(i, j), half(i - 1, j)});
        if (i + 1 < height) edges.push_back({half(i, j), half(i + 1, j)});
        if (j > 0) edges.push_back({half(i, j), half(i, j - 1)});
        if (j + 1 < width) edges.push_back({half(i, j), half(i, j + 1)});
      }
    }
    const Vertex n = height * width / 2;
    auto graph = BipartiteGraph::from_edges(n, n, edges);
    std::vector<std::int64_t> ones(graph.num_edges(), 1);
    return Block<std::int64_t>{std::move(graph), std::move(ones)};
  };
  for (const Method variant : test::all_ryser_variants) {
    for (const Isa isa : all_isas) {
      CHECK(count(grid(6, 6), variant, 2, isa) == 6728);
      CHECK(count(grid(4, 9), variant, 2, isa) == 6336);
    }
  }
  Block<RealEntry> reals{grid(6, 6).pattern, std::vector<RealEntry>(grid(6, 6).entries.size(), RealEntry{1.0, 1.0})};
  for (const Method variant : test::all_ryser_variants) {
    for (const Precision precision : test::all_precisions) {
      const RealValue result = value(reals, precision, variant);
      check_within_bound(result, {6728, 0});
    }
  }
}

TEST_CASE("a plan is a function of the matrix and the seed, and names every column once") {
  for (const std::size_t n : {0, 1, 2, 3, 9, 31, 32, 33, 62, 63, 64, 65}) {
    const auto instance = test::integer_instance(Family::half, IntegerWeights::ones, n, seed + 6);
    const BipartiteGraph pattern = instance.graph().pattern();
    for (const Method variant : test::all_ryser_variants) {
      CAPTURE(n, static_cast<int>(variant));
      const RyserPlan plan = plan_ryser(pattern, variant, 7), again = plan_ryser(pattern, variant, 7);
      CHECK(plan.bit_column == again.bit_column);
      CHECK(plan.special_column == again.special_column);
      std::vector<int> uses(n, 0);
      for (const Vertex column : plan.bit_column) ++uses[column];
      if (plan.special_column != unmatched) ++uses[plan.special_column];
      if (n > 0) ++uses[plan.fixed_column];
      CHECK(uses == std::vector<int>(n, 1));
      CHECK(plan.log2_leaves == static_cast<double>(plan.bit_column.size()));
    }
  }
}

TEST_CASE("a dense plan costs three operations a row and leaf, a sparse one far fewer") {
  CHECK(std::fabs(plan_ryser(block_of(constant(40, 1)).pattern, Method::staged, 1).operations_per_leaf - 120) < 1e-6);
  CHECK(plan_ryser(block_of(constant(40, 1)).pattern, Method::ryser, 1).operations_per_leaf == 80);
}

TEST_CASE("random sparse plans of n = 40 cost what the design promises") {
  // Densities 0.1, 0.2, 0.3 with the diagonal added: 4.3, 11 and 21 operations a leaf are the figures to come near to.
  const std::array<double, 3> limits{5.5, 12.0, 22.0};
  for (std::size_t i = 0; i < limits.size(); ++i) {
    Random random(seed, i);
    auto instance = constant(40, 0);
    for (std::size_t k = 0; k < 1600; ++k) {
      instance.entries[k] = k % 41 == 0 || random.uniform() < 0.1 * static_cast<double>(i + 1) ? 1 : 0;
    }
    const RyserPlan plan = plan_ryser(block_of(instance).pattern, Method::staged, seed);
    CHECK(plan.operations_per_leaf < limits[i]);
    CHECK(plan.operations_with_skipping < plan.operations_per_leaf);
  }
}

TEST_CASE("the predicted time follows leaves, threads, primes and precision") {
  const auto plan_of = [](std::size_t n) { return plan_ryser(block_of(constant(n, 1)).pattern, Method::staged, 1); };
  const auto seconds = [&](std::size_t n, WeightKind kind, Precision precision, int primes, Isa isa, int threads) {
    return ryser_seconds(plan_of(n), kind, precision, primes, isa, threads);
  };
  for (const Isa isa : all_isas) {
    const double one = seconds(30, WeightKind::real, Precision::float64, 0, isa, 1);
    CHECK(one / seconds(30, WeightKind::real, Precision::float64, 0, isa, 2) > 1.8);
    CHECK(seconds(31, WeightKind::real, Precision::float64, 0, isa, 1) > 2 * one * 0.99);
    CHECK(seconds(30, WeightKind::real, Precision::double_double, 0, isa, 1) > 3 * one);
    CHECK(seconds(30, WeightKind::complex, Precision::float64, 0, isa, 1) > one);
    CHECK(seconds(30, WeightKind::none, Precision::automatic, 6, isa, 1) >
          seconds(30, WeightKind::none, Precision::automatic, 3, isa, 1));
  }
  CHECK(seconds(30, WeightKind::real, Precision::float64, 0, Isa::avx512, 1) <
        seconds(30, WeightKind::real, Precision::float64, 0, Isa::baseline, 1));
}

TEST_CASE("what inclusion-exclusion can't do is refused") {
  const RunContext context;
  const auto large = block_of(constant(63, 1));
  REQUIRE_THROWS_AS(permanent_ryser(large, plan_ryser(large.pattern, Method::staged, 1), context), Unable);
  const auto block = block_of(constant(12, 1));
  RyserPlan wrong = plan_ryser(block.pattern, Method::staged, 1);
  wrong.fixed_column = wrong.bit_column[0];
  REQUIRE_THROWS_AS(permanent_ryser(block, wrong, context), InputError);
}

TEST_CASE("a time limit and a stop are heeded", "[timing]") {
  const auto block = block_of(constant(45, 1));
  const RyserPlan plan = plan_ryser(block.pattern, Method::staged, 1);
  RunOptions run{.num_threads = 2};
  test::StepClock clock;
  clock.end_at_look(20, run);
  const RunContext context(run);
  REQUIRE_THROWS_AS(permanent_ryser(block, plan, context), Unable);
  CHECK(clock.looks_after() <= 2);
  const RunContext stopped_context({.stop = test::raised_stop()});
  REQUIRE_THROWS_AS(permanent_ryser(block, plan, stopped_context), Cancelled);
}
