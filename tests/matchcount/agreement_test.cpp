// Every way of counting against the oracles, on seeded instances of every kind.

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "graph/generate.hpp"
#include "matchcount/agreement.hpp"
#include "matchcount/count.hpp"
#include "support/catch.hpp"
#include "support/instances.hpp"
#include "support/oracles.hpp"
#include "support/truth.hpp"

using namespace matchcount;
using namespace matchcount::test::agreement;
using namespace matchcount::test;

TEST_CASE("every configuration gives the exact permanent of integers of every family, and count, n <= 16") {
  const auto configurations = all_configurations();
  std::size_t turn = 0;
  for (std::size_t n = 0; n <= 16; ++n) {
    for (const Family family : test::all_families) {
      for (const IntegerWeights weights : test::all_integer_weights) {
        if (n > 8 && weights != test::all_integer_weights[(n + static_cast<std::size_t>(family)) % 5]) continue;
        const Checked checked(test::integer_instance(family, weights, n, seed));
        checked.check();
        for (int i = 0; i < 3; ++i) checked.check(configurations[turn++ % configurations.size()]);
        if (weights != IntegerWeights::ones) continue;
        const Result count =
            count_perfect_matchings(checked.graph, configurations[turn % configurations.size()].options);
        check_exact(count, checked.truth);
        if (checked.truth == 0) check_zero_has_a_reason(checked.graph, count);
        if (checked.truth != 0) CHECK_FALSE(count.plan.hall_violator.has_value());
      }
    }
  }
}

TEST_CASE("the whole cross product of configurations agrees on a few instances of n = 9") {
  for (const auto& [family, weights] : {std::pair{Family::half, IntegerWeights::ones},
                                        {Family::complete, IntegerWeights::small},
                                        {Family::planted, IntegerWeights::large},
                                        {Family::triangular, IntegerWeights::mixed}}) {
    const Checked checked(test::integer_instance(family, weights, 9, seed + 2));
    for (const Configuration& configuration : all_configurations()) checked.check(configuration);
  }
}

TEST_CASE("expansion agrees on small matrices of integers, reals and complex numbers") {
  for (std::size_t n = 0; n <= 7; ++n) {
    for (const Family family : test::all_families) {
      const CountOptions options = with_threads(Method::expansion, 1);
      Checked(test::integer_instance(family, IntegerWeights::mixed, n, seed + 3)).check(options);
      Checked(test::real_instance(family, RealWeights::signs, n, seed + 3)).check(options);
      Checked(test::complex_instance(family, RealWeights::signs, n, seed + 3)).check(options);
    }
  }
}

// Beyond what 2^n integers of an oracle take, methods that share no code are compared (closed_forms_test.cpp).
TEST_CASE("every method counts exactly, n = 17 to 20") {
  std::size_t turn = 0;
  for (std::size_t n = 17; n <= 20; ++n) {
    for (const Family family : {Family::complete, Family::half, Family::sparse, Family::regular}) {
      const auto weights = test::all_integer_weights[(n + static_cast<std::size_t>(family)) % 5];
      const Checked checked(test::integer_instance(family, weights, n, seed + 5));
      for (const Method method : {Method::frontier, Method::staged, Method::skipper, Method::ryser}) {
        if (method == Method::ryser && n > 18) continue;
        checked.check(with_threads(method, all_thread_numbers[turn % 4], all_isas[turn % 3]));
        ++turn;
      }
    }
  }
}

TEST_CASE("exact answers do not depend on threads, instruction set or seed") {
  for (const IntegerWeights weights : test::all_integer_weights) {
    const Checked checked(test::integer_instance(Family::half, weights, 13, seed + 6));
    for (const Method method : {Method::frontier, Method::ryser, Method::skipper, Method::staged}) {
      for (const int num_threads : all_thread_numbers) {
        for (const Isa isa : all_isas) {
          CountOptions options = with_threads(method, num_threads, isa);
          options.run.seed = static_cast<std::uint64_t>(num_threads);
          checked.check(options);
        }
      }
    }
  }
}

TEST_CASE("the second method of --verify agrees") {
  int verified = 0;
  for (const Family family : test::all_families) {
    const Checked integers(test::integer_instance(family, IntegerWeights::mixed, 10, seed + 7));
    const Checked reals(test::real_instance(family, RealWeights::signs, 10, seed + 7));
    for (const Method method : {Method::automatic, Method::frontier, Method::staged}) {
      CountOptions options = with_threads(method, 2);
      options.verify = true;
      integers.check(options);
      reals.check(options);
      for (const Check& check : permanent(integers.graph, options).checks)
        verified += check.kind == Check::Kind::verify;
    }
  }
  CHECK(verified > 0);
}

TEST_CASE("sides of different size give 0 and a Hall violator") {
  const auto configurations = all_configurations();
  std::size_t turn = 0;
  for (const std::size_t rows : {0u, 1u, 2u, 5u, 8u, 31u, 33u, 65u}) {
    for (const std::size_t columns : {0u, 1u, 3u, 5u, 9u, 32u, 64u}) {
      if (rows == columns) continue;
      for (const double density : {0.0, 0.3, 1.0}) {
        const auto instance = test::rectangular_instance(rows, columns, density, seed);
        INFO(to_string(instance));
        const BipartiteGraph graph = instance.graph();
        const Configuration& configuration = configurations[turn++ % configurations.size()];
        INFO(configuration.name);
        for (const CountOptions& options : {CountOptions{}, configuration.options}) {
          const Result count = count_perfect_matchings(graph, options);
          check_exact(count, 0);
          check_zero_has_a_reason(graph, count);
          if (density == 1.0) CHECK(count.plan.hall_violator->of_rows == (rows > columns));
          const Result value = permanent(graph, options);
          check_exact(value, 0);
          check_zero_has_a_reason(graph, value);
        }
      }
    }
  }
}

TEST_CASE("no perfect matching gives exactly 0 and a Hall violator, also for reals and complex numbers") {
  for (std::size_t n = 1; n <= 12; ++n) {
    for (const Family family : {Family::deficient, Family::isolated, Family::empty}) {
      const auto reals = test::real_instance(family, RealWeights::signs, n, seed + 8);
      const auto complex = test::complex_instance(family, RealWeights::signs, n, seed + 8);
      INFO(to_string(reals));
      const BipartiteGraph graph = reals.graph();
      const Result real = permanent(graph);
      check_real(real, {}, -std::numeric_limits<double>::infinity(), 0);
      CHECK(relative_error(real.value) == 0);
      CHECK(to_string(real.value) == "0");
      check_zero_has_a_reason(graph, real);
      const BipartiteGraph complex_graph = complex.graph();
      const Result other = permanent(complex_graph);
      check_complex(other, {}, -std::numeric_limits<double>::infinity(), 0);
      check_zero_has_a_reason(complex_graph, other);
    }
  }
}

TEST_CASE("counts ignore weights and permanents do not; a stored zero is an edge of the pattern only") {
  for (std::size_t n = 0; n <= 8; ++n) {
    for (const Family family : test::all_families) {
      const auto instance = test::integer_instance(family, IntegerWeights::small, n, seed + 9);
      INFO(to_string(instance));
      const BipartiteGraph graph = instance.graph();
      check_exact(count_perfect_matchings(graph), pattern_permanent(instance));
      check_exact(permanent(graph.pattern()), pattern_permanent(instance));

      // Every third weight becomes a stored zero.
      std::vector<std::int64_t> weights(graph.num_edges());
      Instance<std::int64_t> zeroed = instance;
      const auto edges = graph.edges();
      for (std::size_t i = 0; i < edges.size(); ++i) {
        auto& entry = zeroed.entries[edges[i].row * n + edges[i].column];
        if (i % 3 == 0) entry = 0;
        weights[i] = entry;
      }
      const BipartiteGraph with_zeros = graph.with_weights(weights);
      check_exact(count_perfect_matchings(with_zeros), pattern_permanent(instance));
      check_exact(permanent(with_zeros), test::exact_permanent(zeroed));
      const std::vector<DoubleDouble> reals(weights.begin(), weights.end());
      const Integer truth = test::exact_permanent(zeroed);
      check_real(permanent(graph.with_weights(reals)), {truth, 0}, log2_permanent_of_magnitudes(zeroed), 10);
    }
  }
}

TEST_CASE("cycle covers agree with covers walked arc by arc") {
  const auto configurations = all_configurations();
  std::size_t turn = 0;
  for (std::size_t n = 0; n <= 7; ++n) {
    for (const Family family : test::all_families) {
      const auto instance = test::integer_instance(family, IntegerWeights::ones, n, seed + 10);
      INFO(to_string(instance));
      const Digraph digraph = Digraph::from_arcs(static_cast<Vertex>(n), instance.graph().edges());
      const std::vector<Integer> weights(instance.entries.begin(), instance.entries.end());
      const Integer truth = reference::cycle_covers_by_walking(weights, n);
      check_exact(count_cycle_covers(digraph), truth);
      const Configuration& configuration = configurations[turn++ % configurations.size()];
      INFO(configuration.name);
      check_exact(count_cycle_covers(digraph, configuration.options), truth);
      const std::vector<std::int64_t> weights_of_arcs(digraph.num_arcs(), -3);
      check_exact(
          count_cycle_covers(Digraph::from_arcs(static_cast<Vertex>(n), instance.graph().edges(), weights_of_arcs)),
          truth);
    }
  }
}

TEST_CASE("self-loops are cycles of length one and u -> v -> u of length two") {
  check_exact(count_cycle_covers(Digraph::from_arcs(0, {})), 1);
  check_exact(count_cycle_covers(Digraph::from_arcs(1, {})), 0);
  check_exact(count_cycle_covers(Digraph::from_arcs(1, {{0, 0}})), 1);
  check_exact(count_cycle_covers(Digraph::from_arcs(2, {{0, 1}, {1, 0}})), 1);
  check_exact(count_cycle_covers(Digraph::from_arcs(2, {{0, 0}, {0, 1}, {1, 0}, {1, 1}})), 2);
  check_exact(count_cycle_covers(Digraph::from_arcs(3, {{0, 1}, {1, 2}, {2, 0}})), 1);
  check_exact(count_cycle_covers(Digraph::from_arcs(3, {{0, 1}, {1, 2}, {0, 2}})), 0);
  // Both directions of a triangle and a loop at each vertex: 1 + 3 + 2.
  check_exact(count_cycle_covers(
                  Digraph::from_arcs(3, {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 0}, {1, 2}, {2, 1}, {0, 2}, {2, 0}})),
              6);
}

namespace {

// draw(family, weights, n) in every configuration, and as it is by default.
template <class Draw>
void check_bounds_in_every_configuration(std::size_t last, const Draw& draw) {
  const auto configurations = all_configurations();
  std::size_t turn = 0;
  for (std::size_t n = 0; n <= last; ++n) {
    for (const Family family : test::all_families) {
      for (const RealWeights weights : test::all_real_weights) {
        const Checked checked(draw(family, weights, n));
        Configuration configuration = configurations[turn % configurations.size()];
        configuration.options.run.precision = static_cast<Precision>(turn / 3 % 4);
        checked.check(configuration);
        if (++turn % 4 == 0) checked.check();
      }
    }
  }
}

// draw(family, weights, n) by every method and precision that rounds.
template <class Draw>
void check_bounds_of_every_method(std::size_t last, const std::vector<Family>& families, const Draw& draw) {
  std::size_t turn = 0;
  for (std::size_t n = 10; n <= last; ++n) {
    for (const Family family : families) {
      const Checked checked(draw(family, test::all_real_weights[(n + static_cast<std::size_t>(family)) % 6], n));
      for (const Method method : {Method::frontier, Method::ryser, Method::skipper, Method::staged}) {
        for (const Precision precision : {Precision::float64, Precision::compensated, Precision::double_double}) {
          CountOptions options = with_threads(method, all_thread_numbers[turn % 4], all_isas[turn / 4 % 3]);
          options.run.precision = precision;
          options.reduce = turn % 5 != 0;
          ++turn;
          checked.check(options);
        }
      }
    }
  }
}

}  // namespace

TEST_CASE("reals and complex numbers are within the stated bound of the exact truth in every configuration") {
  check_bounds_in_every_configuration(9, [](Family family, RealWeights weights, std::size_t n) {
    return test::real_instance(family, weights, n, seed + 11);
  });
  check_bounds_in_every_configuration(8, [](Family family, RealWeights weights, std::size_t n) {
    return test::complex_instance(family, weights, n, seed + 12);
  });
}

TEST_CASE("every method and precision keeps its bound on reals and complex numbers, n = 10 to 15") {
  check_bounds_of_every_method(15, {Family::complete, Family::half, Family::planted, Family::twins, Family::band},
                               [](Family family, RealWeights weights, std::size_t n) {
                                 return test::real_instance(family, weights, n, seed + 13);
                               });
  check_bounds_of_every_method(12, {Family::complete, Family::half, Family::planted},
                               [](Family family, RealWeights weights, std::size_t n) {
                                 return test::complex_instance(family, weights, n, seed + 13);
                               });
}

TEST_CASE("a real answer has the same bits on any number of threads") {
  for (const Method method : {Method::frontier, Method::ryser, Method::skipper, Method::staged}) {
    for (const Precision precision : {Precision::float64, Precision::compensated, Precision::double_double}) {
      const auto instance = test::real_instance(Family::half, RealWeights::signs, 14, seed + 14);
      INFO(to_string(instance) << " " << to_string(method) << " precision " << static_cast<int>(precision));
      std::optional<ScaledReal> first;
      for (const int num_threads : all_thread_numbers) {
        CountOptions options = with_threads(method, num_threads);
        options.run.precision = precision;
        const Result result = permanent(instance.graph(), options);
        REQUIRE(std::holds_alternative<RealValue>(result.value));
        const ScaledReal value = std::get<RealValue>(result.value).value;
        if (!first) first = value;
        CAPTURE(num_threads);
        CHECK(value.mantissa == first->mantissa);
        CHECK(value.exponent == first->exponent);
      }
    }
  }
}

TEST_CASE("more precision never widens the bound, and double-double earns its name on positive matrices") {
  for (const Method method : {Method::frontier, Method::staged}) {
    for (const Family family : {Family::complete, Family::half, Family::band}) {
      const auto instance = test::real_instance(family, RealWeights::unit, 12, seed + 15);
      INFO(to_string(instance) << " " << to_string(method));
      std::array<double, 3> bounds{};
      for (const Precision precision : {Precision::float64, Precision::compensated, Precision::double_double}) {
        CountOptions options = with_threads(method, 2);
        options.run.precision = precision;
        const Result result = permanent(instance.graph(), options);
        bounds[static_cast<std::size_t>(precision) - 1] = std::get<RealValue>(result.value).log2_error;
      }
      CHECK(bounds[1] <= bounds[0] + 1);
      CHECK(bounds[2] <= bounds[1]);
      CHECK(bounds[2] <= bounds[0] - 30);
    }
  }
}

TEST_CASE("a matrix whose permanent cancels to exactly 0 is never given a sign") {
  // Rows (1, 1) and (1, -1), and products of such blocks hidden in larger matrices.
  for (const std::size_t n : {2u, 4u, 6u, 8u}) {
    std::vector<double> entries(n * n, 0.0);
    for (std::size_t i = 0; i < n; i += 2) {
      entries[i * n + i] = 0.1;
      entries[i * n + i + 1] = 0.3;
      entries[(i + 1) * n + i] = 0.7;
      entries[(i + 1) * n + i + 1] = -2.1;  // 0.1 * -2.1 + 0.3 * 0.7 is about 1e-17, not 0, in doubles
      for (std::size_t j = i + 2; j < n; ++j) entries[i * n + j] = 1;
    }
    const auto size = static_cast<Vertex>(n);
    const Instance<DoubleDouble> instance{"cancelling", 0, size, size, {entries.begin(), entries.end()}};
    const Checked checked(instance);
    for (const Method method : {Method::automatic, Method::frontier, Method::ryser, Method::skipper, Method::staged}) {
      for (const Precision precision : {Precision::float64, Precision::compensated, Precision::double_double}) {
        for (const bool reduce : {true, false}) {
          CountOptions options = with_threads(method, 1);
          options.run.precision = precision;
          options.reduce = options.prune = reduce;
          checked.check(options);
        }
      }
    }
  }
}
