// Every way of counting against the oracles, on seeded instances of every kind.

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
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
using test::ComplexDyadic;
using test::Dyadic;
using test::Family;
using test::Instance;
using test::IntegerWeights;
using test::RealWeights;

TEST_CASE("every configuration counts exactly on every family, n <= 8") {
  const auto configurations = all_configurations();
  std::size_t turn = 0;
  for (std::size_t n = 0; n <= 8; ++n) {
    for (const Family family : test::all_families) {
      const auto instance = test::integer_instance(family, IntegerWeights::ones, n, seed);
      INFO(to_string(instance));
      const BipartiteGraph graph = instance.graph();
      const Integer truth = test::exact_permanent(instance);
      const Result automatic = count_perfect_matchings(graph);
      check_exact(automatic, truth);
      if (truth == 0) check_zero_has_a_reason(graph, automatic);
      if (truth != 0) CHECK_FALSE(automatic.plan.hall_violator.has_value());
      for (int i = 0; i < 8; ++i) {
        const Configuration& configuration = configurations[turn++ % configurations.size()];
        INFO(configuration.name);
        check_exact(count_perfect_matchings(graph, configuration.options), truth);
      }
    }
  }
}

TEST_CASE("every configuration gives the exact permanent of signed and large integers, n <= 8") {
  const auto configurations = all_configurations();
  std::size_t turn = 0;
  for (std::size_t n = 0; n <= 8; ++n) {
    for (const Family family : test::all_families) {
      for (const IntegerWeights weights : test::all_integer_weights) {
        const auto instance = test::integer_instance(family, weights, n, seed + 1);
        INFO(to_string(instance));
        const BipartiteGraph graph = instance.graph();
        const Integer truth = test::exact_permanent(instance);
        check_exact(permanent(graph), truth);
        for (int i = 0; i < 2; ++i) {
          const Configuration& configuration = configurations[turn++ % configurations.size()];
          INFO(configuration.name);
          check_exact(permanent(graph, configuration.options), truth);
        }
      }
    }
  }
}

TEST_CASE("the whole cross product of configurations agrees on a few instances of n = 9") {
  const auto configurations = all_configurations();
  const std::vector<Instance<std::int64_t>> instances{
      test::integer_instance(Family::half, IntegerWeights::ones, 9, seed + 2),
      test::integer_instance(Family::complete, IntegerWeights::small, 9, seed + 2),
      test::integer_instance(Family::planted, IntegerWeights::large, 9, seed + 2),
      test::integer_instance(Family::triangular, IntegerWeights::mixed, 9, seed + 2)};
  for (const auto& instance : instances) {
    INFO(to_string(instance));
    const BipartiteGraph graph = instance.graph();
    const Integer truth = test::exact_permanent(instance);
    for (const Configuration& configuration : configurations) {
      INFO(configuration.name);
      check_exact(permanent(graph, configuration.options), truth);
    }
  }
}

TEST_CASE("expansion agrees on small matrices of integers, reals and complex numbers") {
  for (std::size_t n = 0; n <= 7; ++n) {
    for (const Family family : test::all_families) {
      const auto integers = test::integer_instance(family, IntegerWeights::mixed, n, seed + 3);
      INFO(to_string(integers));
      check_exact(permanent(integers.graph(), with_threads(Method::expansion, 1)), test::exact_permanent(integers));
      const auto reals = test::real_instance(family, RealWeights::signs, n, seed + 3);
      INFO(to_string(reals));
      check_real(permanent(reals.graph(), with_threads(Method::expansion, 1)), test::exact_permanent(reals),
                 log2_permanent_of_magnitudes(reals), 30);
      const auto complex = test::complex_instance(family, RealWeights::signs, n, seed + 3);
      INFO(to_string(complex));
      check_complex(permanent(complex.graph(), with_threads(Method::expansion, 1)), test::exact_permanent(complex),
                    log2_permanent_of_magnitudes(complex), 30);
    }
  }
}

TEST_CASE("every method counts exactly, n = 9 to 16") {
  const auto configurations = all_configurations();
  std::size_t turn = 0;
  for (std::size_t n = 9; n <= 16; ++n) {
    for (const Family family : test::all_families) {
      const auto weights = test::all_integer_weights[(n + static_cast<std::size_t>(family)) % 5];
      const auto instance = test::integer_instance(family, weights, n, seed + 4);
      INFO(to_string(instance));
      const BipartiteGraph graph = instance.graph();
      const Integer truth = test::exact_permanent(instance);
      check_exact(permanent(graph), truth);
      for (int i = 0; i < 3; ++i) {
        const Configuration& configuration = configurations[turn++ % configurations.size()];
        INFO(configuration.name);
        check_exact(permanent(graph, configuration.options), truth);
      }
    }
  }
}

TEST_CASE("every method counts exactly, n = 17 to 20") {
  int turn = 0;
  for (std::size_t n = 17; n <= 20; ++n) {
    for (const Family family : {Family::complete, Family::half, Family::sparse, Family::regular}) {
      const auto weights = test::all_integer_weights[(n + static_cast<std::size_t>(family)) % 5];
      const auto instance = test::integer_instance(family, weights, n, seed + 5);
      INFO(to_string(instance));
      const BipartiteGraph graph = instance.graph();
      const Integer truth = test::exact_permanent(instance);
      for (const Method method : {Method::frontier, Method::staged, Method::skipper, Method::ryser}) {
        if (method == Method::ryser && n > 18) continue;
        const CountOptions options = with_threads(method, all_thread_numbers[static_cast<std::size_t>(turn % 4)],
                                                  all_isas[static_cast<std::size_t>(turn % 3)]);
        ++turn;
        INFO(to_string(method) << ", " << options.run.num_threads << " threads, " << to_string(options.run.max_isa));
        check_exact(permanent(graph, options), truth);
      }
    }
  }
}

TEST_CASE("exact answers do not depend on threads, instruction set or seed") {
  for (const Method method : {Method::frontier, Method::ryser, Method::skipper, Method::staged}) {
    for (const IntegerWeights weights : test::all_integer_weights) {
      const auto instance = test::integer_instance(Family::half, weights, 13, seed + 6);
      INFO(to_string(instance));
      const BipartiteGraph graph = instance.graph();
      const Integer truth = test::exact_permanent(instance);
      for (const int num_threads : all_thread_numbers) {
        for (const Isa isa : all_isas) {
          CountOptions options = with_threads(method, num_threads, isa);
          options.run.seed = static_cast<std::uint64_t>(num_threads);
          INFO(to_string(method) << ", " << num_threads << " threads, " << to_string(isa));
          check_exact(permanent(graph, options), truth);
        }
      }
    }
  }
}

TEST_CASE("the second method of --verify agrees") {
  int verified = 0;
  for (const Family family : test::all_families) {
    for (const Method method : {Method::automatic, Method::frontier, Method::staged}) {
      CountOptions options = with_threads(method, 2);
      options.verify = true;
      const auto instance = test::integer_instance(family, IntegerWeights::mixed, 10, seed + 7);
      INFO(to_string(instance) << " " << to_string(method));
      const Result result = permanent(instance.graph(), options);
      check_exact(result, test::exact_permanent(instance));
      for (const Check& check : result.checks) verified += check.kind == Check::Kind::verify;

      const auto reals = test::real_instance(family, RealWeights::signs, 10, seed + 7);
      INFO(to_string(reals));
      check_real(permanent(reals.graph(), options), test::exact_permanent(reals), log2_permanent_of_magnitudes(reals),
                 10);
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

TEST_CASE("reals are within the stated bound of the exact truth in every configuration, n <= 9") {
  const auto configurations = all_configurations();
  std::size_t turn = 0;
  for (std::size_t n = 0; n <= 9; ++n) {
    for (const Family family : test::all_families) {
      for (const RealWeights weights : test::all_real_weights) {
        const auto instance = test::real_instance(family, weights, n, seed + 11);
        INFO(to_string(instance));
        const BipartiteGraph graph = instance.graph();
        const Dyadic truth = test::exact_permanent(instance);
        const double log2_magnitude = log2_permanent_of_magnitudes(instance);
        check_real(permanent(graph), truth, log2_magnitude, useful_bits(Precision::automatic, n));
        CountOptions options = configurations[turn % configurations.size()].options;
        INFO(configurations[turn % configurations.size()].name);
        options.run.precision = static_cast<Precision>(turn % 4);
        INFO("precision " << turn % 4);
        ++turn;
        check_real(permanent(graph, options), truth, log2_magnitude, useful_bits(options.run.precision, n));
      }
    }
  }
}

TEST_CASE("complex numbers are within the stated bound of the exact truth in every configuration, n <= 8") {
  const auto configurations = all_configurations();
  std::size_t turn = 0;
  for (std::size_t n = 0; n <= 8; ++n) {
    for (const Family family : test::all_families) {
      for (const RealWeights weights : test::all_real_weights) {
        const auto instance = test::complex_instance(family, weights, n, seed + 12);
        INFO(to_string(instance));
        const BipartiteGraph graph = instance.graph();
        const ComplexDyadic truth = test::exact_permanent(instance);
        const double log2_magnitude = log2_permanent_of_magnitudes(instance);
        CountOptions options = configurations[turn % configurations.size()].options;
        INFO(configurations[turn % configurations.size()].name);
        options.run.precision = static_cast<Precision>(turn / 3 % 4);
        INFO("precision " << turn / 3 % 4);
        ++turn;
        check_complex(permanent(graph, options), truth, log2_magnitude, useful_bits(options.run.precision, n));
        if (turn % 4 == 0) {
          check_complex(permanent(graph), truth, log2_magnitude, useful_bits(Precision::automatic, n));
        }
      }
    }
  }
}

TEST_CASE("every method and precision keeps its bound on reals and complex numbers, n = 10 to 15") {
  int turn = 0;
  for (std::size_t n = 10; n <= 15; ++n) {
    for (const Family family : {Family::complete, Family::half, Family::planted, Family::twins, Family::band}) {
      const auto weights = test::all_real_weights[(n + static_cast<std::size_t>(family)) % 6];
      const auto instance = test::real_instance(family, weights, n, seed + 13);
      INFO(to_string(instance));
      const BipartiteGraph graph = instance.graph();
      const Dyadic truth = test::exact_permanent(instance);
      const double log2_magnitude = log2_permanent_of_magnitudes(instance);
      for (const Method method : {Method::frontier, Method::ryser, Method::skipper, Method::staged}) {
        for (const Precision precision : {Precision::float64, Precision::compensated, Precision::double_double}) {
          CountOptions options = with_threads(method, all_thread_numbers[static_cast<std::size_t>(turn % 4)],
                                              all_isas[static_cast<std::size_t>(turn / 4 % 3)]);
          options.run.precision = precision;
          options.reduce = turn % 5 != 0;
          ++turn;
          INFO(to_string(method) << " precision " << static_cast<int>(precision) << " " << options.run.num_threads
                                 << " threads " << to_string(options.run.max_isa) << " reduce " << options.reduce);
          check_real(permanent(graph, options), truth, log2_magnitude, useful_bits(precision, n));
        }
      }
    }
  }
  for (std::size_t n = 10; n <= 12; ++n) {
    for (const Family family : {Family::complete, Family::half, Family::planted}) {
      const auto weights = test::all_real_weights[(n + static_cast<std::size_t>(family)) % 6];
      const auto instance = test::complex_instance(family, weights, n, seed + 13);
      INFO(to_string(instance));
      const BipartiteGraph graph = instance.graph();
      const ComplexDyadic truth = test::exact_permanent(instance);
      const double log2_magnitude = log2_permanent_of_magnitudes(instance);
      for (const Method method : {Method::frontier, Method::ryser, Method::skipper, Method::staged}) {
        for (const Precision precision : {Precision::float64, Precision::compensated, Precision::double_double}) {
          CountOptions options = with_threads(method, all_thread_numbers[static_cast<std::size_t>(turn % 4)],
                                              all_isas[static_cast<std::size_t>(turn / 4 % 3)]);
          options.run.precision = precision;
          ++turn;
          INFO(to_string(method) << " precision " << static_cast<int>(precision) << " " << options.run.num_threads
                                 << " threads " << to_string(options.run.max_isa));
          check_complex(permanent(graph, options), truth, log2_magnitude, useful_bits(precision, n));
        }
      }
    }
  }
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
    INFO(to_string(instance));
    for (const Method method : {Method::automatic, Method::frontier, Method::ryser, Method::skipper, Method::staged}) {
      for (const Precision precision : {Precision::float64, Precision::compensated, Precision::double_double}) {
        for (const bool reduce : {true, false}) {
          CountOptions options = with_threads(method, 1);
          options.run.precision = precision;
          options.reduce = reduce;
          options.prune = reduce;
          INFO(to_string(method) << " precision " << static_cast<int>(precision) << " reduce " << reduce);
          check_real(permanent(instance.graph(), options), test::exact_permanent(instance),
                     log2_permanent_of_magnitudes(instance), useful_bits(precision, n));
        }
      }
    }
  }
}
