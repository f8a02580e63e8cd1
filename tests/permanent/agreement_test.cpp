// Every way of counting against the oracles, on seeded instances of every kind, and against closed forms where the
// oracles do not reach. The truth is exact: long integers for integers, integers times powers of two for reals.

#include <array>
#include <cmath>
#include <cstdint>
#include <exception>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <variant>
#include <vector>

#include "core/error.hpp"
#include "graph/generate.hpp"
#include "permanent/permanent.hpp"
#include "permanent/reference/oracles.hpp"
#include "support/catch.hpp"
#include "support/instances.hpp"
#include "support/truth.hpp"

using namespace matchcount;
using test::ComplexDyadic;
using test::dyadic;
using test::Dyadic;
using test::Family;
using test::Instance;
using test::IntegerWeights;
using test::RealWeights;

namespace {

constexpr std::uint64_t seed = 20260301;

// Slack for the rounding of the logarithms in the comparison itself, relative 2^-30.
constexpr double log2_slack = 1e-9;

struct Configuration {
  std::string name;
  CountOptions options;
};

std::string_view name_of(FrontierStrategy strategy) {
  constexpr std::array<std::string_view, 4> names{"automatic", "mixed", "rows", "columns"};
  return names[static_cast<std::size_t>(strategy)];
}
std::string_view name_of(FrontierEngine engine) {
  constexpr std::array<std::string_view, 4> names{"automatic", "merge", "ranked", "twins"};
  return names[static_cast<std::size_t>(engine)];
}

constexpr std::array all_strategies{FrontierStrategy::automatic, FrontierStrategy::mixed, FrontierStrategy::rows,
                                    FrontierStrategy::columns};
constexpr std::array all_engines{FrontierEngine::automatic, FrontierEngine::merge, FrontierEngine::ranked,
                                 FrontierEngine::twins};
constexpr std::array all_thread_numbers{1, 2, 3, 5};
constexpr std::array all_isas{Isa::baseline, Isa::avx2, Isa::avx512};
constexpr std::array all_ryser_methods{Method::ryser, Method::skipper, Method::staged};

// Every method, order and engine, each with and without pruning and reductions; threads and instruction sets rotate so
// that each meets each of the former.
std::vector<Configuration> all_configurations() {
  std::vector<Configuration> list;
  const auto add = [&](const std::string& name, CountOptions options) {
    for (const bool prune : {true, false}) {
      for (const bool reduce : {true, false}) {
        options.prune = prune;
        options.reduce = reduce;
        options.run.num_threads = all_thread_numbers[list.size() * 7 / 5 % all_thread_numbers.size()];
        options.run.max_isa = all_isas[list.size() * 5 / 4 % all_isas.size()];
        options.run.seed = 1 + list.size();
        list.push_back({name + (prune ? " prune" : "") + (reduce ? " reduce" : "") + " " +
                            std::to_string(options.run.num_threads) + " threads " +
                            std::string(to_string(options.run.max_isa)),
                        options});
      }
    }
  };
  add("automatic", {});
  CountOptions options;
  for (const FrontierStrategy strategy : all_strategies) {
    for (const FrontierEngine engine : all_engines) {
      options.method = Method::frontier;
      options.frontier_strategy = strategy;
      options.frontier_engine = engine;
      add("frontier " + std::string(name_of(strategy)) + " " + std::string(name_of(engine)), options);
    }
  }
  for (const Method method : all_ryser_methods) {
    options = {};
    options.method = method;
    add(std::string(to_string(method)), options);
  }
  return list;
}

CountOptions with_threads(Method method, int num_threads, Isa isa = Isa::avx512) {
  CountOptions options;
  options.method = method;
  options.run.num_threads = num_threads;
  options.run.max_isa = isa;
  return options;
}

void check_checks(const Result& result) {
  for (const Check& check : result.checks) {
    INFO("check " << check.name << ": " << check.detail);
    CHECK(check.passed);
  }
}

void check_exact(const Result& result, const Integer& truth) {
  REQUIRE(std::holds_alternative<Integer>(result.value));
  const Integer& value = std::get<Integer>(result.value);
  REQUIRE(value == truth);
  CHECK(relative_error(result.value) == 0);
  check_checks(result);
}

// |difference| <= 2^log2_error, and a bound that says so little that it could hide an error fails too: it must be
// `useful_bits` below the permanent of the magnitudes.
void check_bound(double log2_difference, double log2_error, double log2_magnitude, double useful_bits) {
  CAPTURE(log2_difference, log2_error, log2_magnitude);
  REQUIRE_FALSE(std::isnan(log2_error));
  REQUIRE(log2_difference <= log2_error + log2_slack);
  if (std::isfinite(log2_error)) REQUIRE(log2_error <= log2_magnitude - useful_bits);
  CHECK(log2_error < std::numeric_limits<double>::infinity());
}

void check_real(const Result& result, const Dyadic& truth, double log2_magnitude, double useful_bits) {
  REQUIRE(std::holds_alternative<RealValue>(result.value));
  const auto& value = std::get<RealValue>(result.value);
  CAPTURE(to_string(result.value), result.method);
  check_bound(test::log2_abs(dyadic(value.value) - truth), value.log2_error, log2_magnitude, useful_bits);
  if (relative_error(result.value) < 0.04) CHECK(test::within_one_unit(to_string(result.value), truth));
  check_checks(result);
}

// The distance of two complex numbers is at least that of their real and of their imaginary parts, and at most
// sqrt(2) times the larger; the exact square decides.
void check_complex(const Result& result, const ComplexDyadic& truth, double log2_magnitude, double useful_bits) {
  REQUIRE(std::holds_alternative<ComplexValue>(result.value));
  const auto& value = std::get<ComplexValue>(result.value);
  CAPTURE(to_string(result.value), result.method);
  const Dyadic re = dyadic(value.value.re) - truth.re, im = dyadic(value.value.im) - truth.im;
  const Dyadic square =
      Dyadic{re.integer * re.integer, 2 * re.exponent} + Dyadic{im.integer * im.integer, 2 * im.exponent};
  check_bound(test::log2_abs(square) / 2, value.log2_error, log2_magnitude, useful_bits);
  check_checks(result);
}

double size_of(std::int64_t entry) { return std::fabs(static_cast<double>(entry)); }
double size_of(DoubleDouble entry) { return magnitude(entry); }
double size_of(const ComplexDoubleDouble& entry) { return magnitude(entry); }

template <class T>
double log2_permanent_of_magnitudes(const Instance<T>& instance) {
  Instance<DoubleDouble> magnitudes{"", 0, instance.rows, instance.columns, {}};
  for (const T& entry : instance.entries) magnitudes.entries.emplace_back(size_of(entry));
  return test::log2_abs(test::exact_permanent(magnitudes));
}

// How far below the permanent of the magnitudes the bound must be. The terms of an inclusion-exclusion sum cancel:
// their magnitudes add up to no more than about 2^n times the permanent of a scaled matrix, hence the allowance of 2 n.
double useful_bits(Precision precision, std::size_t n) {
  const double bits = precision == Precision::double_double ? 98 : 46;
  return bits - 2 * static_cast<double>(n) - 6;
}

Integer pattern_permanent(const Instance<std::int64_t>& instance) {
  Instance<std::int64_t> pattern = instance;
  for (std::int64_t& entry : pattern.entries) entry = entry != 0;
  return test::exact_permanent(pattern);
}

void check_zero_has_a_reason(const BipartiteGraph& graph, const Result& result) {
  REQUIRE(result.plan.hall_violator.has_value());
  CHECK(is_hall_violator(graph, *result.plan.hall_violator));
}

// The product, exactly.
Dyadic operator*(const Dyadic& a, const Dyadic& b) { return {a.integer * b.integer, a.exponent + b.exponent}; }

Integer factorial(unsigned n) {
  Integer product = 1;
  for (unsigned i = 2; i <= n; ++i) product *= i;
  return product;
}

Integer fibonacci(unsigned n) {
  Integer previous = 0, current = 1;
  for (unsigned i = 0; i < n; ++i) {
    const Integer next = previous + current;
    previous = current;
    current = next;
  }
  return previous;
}

Integer derangements(unsigned n) {
  Integer value = 1;
  for (unsigned i = 1; i <= n; ++i) value = i * value + (i % 2 == 0 ? 1 : -1);
  return value;
}

// Domino tilings of a height x width board, cell by cell with a bit for each column that the cell above fills.
Integer domino_tilings(unsigned height, unsigned width) {
  std::vector<Integer> ways(std::size_t{1} << width);
  ways[0] = 1;
  for (unsigned cell = 0; cell < height * width; ++cell) {
    const unsigned column = cell % width;
    std::vector<Integer> next(ways.size());
    for (std::size_t filled = 0; filled < ways.size(); ++filled) {
      if (ways[filled] == 0) continue;
      const std::size_t here = std::size_t{1} << column;
      if (filled & here) {
        next[filled ^ here] += ways[filled];
        continue;
      }
      if (cell / width + 1 < height) next[filled | here] += ways[filled];
      if (column + 1 < width && !(filled & (here << 1))) next[filled | (here << 1)] += ways[filled];
    }
    ways = std::move(next);
  }
  return ways[0];
}

// MacMahon: plane partitions in an a x b x c box.
Integer plane_partitions(unsigned a, unsigned b, unsigned c) {
  Integer numerator = 1, denominator = 1;
  for (unsigned i = 1; i <= a; ++i) {
    for (unsigned j = 1; j <= b; ++j) {
      for (unsigned k = 1; k <= c; ++k) {
        numerator *= i + j + k - 1;
        denominator *= i + j + k - 2;
      }
    }
  }
  return numerator / denominator;
}

// The direct sum of complete graphs, with or without their diagonals.
BipartiteGraph direct_sum(const std::vector<Vertex>& sizes, bool diagonal) {
  std::vector<Edge> edges;
  Vertex begin = 0;
  for (const Vertex size : sizes) {
    for (Vertex i = 0; i < size; ++i) {
      for (Vertex j = 0; j < size; ++j) {
        if (diagonal || i != j) edges.push_back({begin + i, begin + j});
      }
    }
    begin += size;
  }
  return BipartiteGraph::from_edges(begin, begin, edges);
}

// Frontier by each order and engine, several threads: for graphs too large for the oracles and inclusion-exclusion.
void check_count_by_frontier(const BipartiteGraph& graph, const Integer& truth) {
  int turn = 0;
  for (const FrontierStrategy strategy : all_strategies) {
    for (const FrontierEngine engine : all_engines) {
      CountOptions options = with_threads(Method::frontier, all_thread_numbers[static_cast<std::size_t>(turn % 4)]);
      options.frontier_strategy = strategy;
      options.frontier_engine = engine;
      options.reduce = turn % 3 != 1;
      ++turn;
      INFO("strategy " << name_of(strategy) << ", engine " << name_of(engine) << ", " << options.run.num_threads
                       << " threads, reduce " << options.reduce);
      check_exact(count_perfect_matchings(graph, options), truth);
    }
  }
  check_exact(count_perfect_matchings(graph), truth);
}

}  // namespace

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
      for (const Check& check : result.checks) verified += check.name == "verify";

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
        options.precision = static_cast<Precision>(turn % 4);
        INFO("precision " << turn % 4);
        ++turn;
        check_real(permanent(graph, options), truth, log2_magnitude, useful_bits(options.precision, n));
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
        options.precision = static_cast<Precision>(turn / 3 % 4);
        INFO("precision " << turn / 3 % 4);
        ++turn;
        check_complex(permanent(graph, options), truth, log2_magnitude, useful_bits(options.precision, n));
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
          options.precision = precision;
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
          options.precision = precision;
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
        options.precision = precision;
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
        options.precision = precision;
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
          options.precision = precision;
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

TEST_CASE("tridiagonal bands have Fibonacci counts at 31, 32, 33, 63, 64 and 65") {
  for (const Vertex n : {31u, 32u, 33u, 63u, 64u, 65u}) {
    CAPTURE(n);
    check_count_by_frontier(band_graph(n, 1), fibonacci(n + 1));
  }
}

TEST_CASE("circulants I + P + P^2 have Lucas counts at 31, 32, 33, 63, 64 and 65") {
  for (const Vertex n : {31u, 32u, 33u, 63u, 64u, 65u}) {
    std::vector<Edge> edges;
    for (Vertex i = 0; i < n; ++i) {
      for (Vertex step = 0; step < 3; ++step) edges.push_back({i, (i + step) % n});
    }
    CAPTURE(n);
    // L(n) = F(n-1) + F(n+1), and the permanent is L(n) + 2 (Minc 1964).
    check_count_by_frontier(BipartiteGraph::from_edges(n, n, edges), fibonacci(n - 1) + fibonacci(n + 1) + 2);
  }
}

TEST_CASE("grids have the domino tilings of a profile count, with 31, 32, 33, 63, 64 and 65 cells of a colour") {
  const std::vector<std::array<unsigned, 2>> boards{{2, 31}, {4, 16}, {8, 8},   {6, 11}, {2, 33},
                                                    {7, 18}, {8, 16}, {10, 13}, {1, 64}, {2, 65}};
  for (const auto& [height, width] : boards) {
    CAPTURE(height, width);
    check_count_by_frontier(grid_graph(height, width), domino_tilings(width, height));
  }
  check_exact(count_perfect_matchings(grid_graph(8, 8)), 12988816);
  const Result odd = count_perfect_matchings(grid_graph(7, 9));
  check_exact(odd, 0);
  check_zero_has_a_reason(grid_graph(7, 9), odd);
}

TEST_CASE("hexagons have MacMahon's counts, with 31, 33, 63, 64 and 65 vertices a side") {
  const std::vector<std::array<unsigned, 3>> boxes{{2, 3, 5}, {3, 3, 4}, {1, 1, 31}, {4, 4, 6}, {1, 1, 32}, {3, 5, 6}};
  for (const auto& [a, b, c] : boxes) {
    CAPTURE(a, b, c);
    check_count_by_frontier(hexagon_graph(a, b, c), plane_partitions(a, b, c));
  }
}

TEST_CASE("Aztec diamonds of order k have 2^(k (k + 1) / 2) counts") {
  for (unsigned order = 1; order <= 7; ++order) {
    CAPTURE(order);
    check_count_by_frontier(aztec_graph(order), Integer(1) << (order * (order + 1) / 2));
  }
}

TEST_CASE("direct sums of complete graphs and of derangement matrices multiply, 31 to 33 and 63 to 65 rows") {
  const std::vector<std::vector<Vertex>> sums{
      {10, 10, 11}, {8, 8, 8, 8}, {11, 11, 11}, {9, 9, 9, 9, 9, 9, 9}, {8, 8, 8, 8, 8, 8, 8, 8}, {13, 13, 13, 13, 13}};
  for (const auto& sizes : sums) {
    Integer permutations = 1, deranged = 1;
    for (const Vertex size : sizes) {
      permutations *= factorial(size);
      deranged *= derangements(size);
    }
    CAPTURE(sizes);
    check_exact(count_perfect_matchings(direct_sum(sizes, true)), permutations);
    check_exact(count_perfect_matchings(direct_sum(sizes, false)), deranged);
    check_exact(count_perfect_matchings(direct_sum(sizes, true), with_threads(Method::staged, 2)), permutations);
    check_exact(count_perfect_matchings(direct_sum(sizes, false), with_threads(Method::skipper, 3)), deranged);
    check_exact(count_perfect_matchings(direct_sum(sizes, false), with_threads(Method::frontier, 2)), deranged);
  }
}

TEST_CASE("complete graphs have n! and derangement matrices inclusion-exclusion's numbers up to n = 20") {
  for (const Vertex n : {0u, 1u, 2u, 7u, 15u, 16u, 17u, 20u}) {
    CAPTURE(n);
    check_exact(count_perfect_matchings(complete_graph(n, n)), factorial(n));
    check_exact(count_perfect_matchings(direct_sum({n}, false)), derangements(n));
  }
}

TEST_CASE("single cycles with huge weights are exact at 31, 32, 33, 63, 64 and 65") {
  // The permanent is the product of one half of the edges plus that of the other, thousands of bits long.
  for (const Vertex n : {31u, 32u, 33u, 63u, 64u, 65u}) {
    Random random(seed + 16, n);
    std::vector<Edge> edges;
    std::vector<std::int64_t> weights;
    Integer straight = 1, shifted = 1;
    for (Vertex i = 0; i < n; ++i) {
      for (const Vertex step : {0u, 1u}) {
        const std::int64_t sign = random.below(2) == 0 ? 1 : -1;
        const std::int64_t weight = sign * static_cast<std::int64_t>((std::uint64_t{1} << 62) - random.below(1 << 30));
        edges.push_back({i, (i + step) % n});
        weights.push_back(weight);
        (step == 0 ? straight : shifted) *= weight;
      }
    }
    const BipartiteGraph graph = BipartiteGraph::from_edges(n, n, edges, weights);
    CAPTURE(seed, n);
    check_exact(count_perfect_matchings(graph), 2);
    check_exact(permanent(graph), straight + shifted);
    for (const bool reduce : {true, false}) {
      for (const FrontierEngine engine : all_engines) {
        CountOptions options = with_threads(Method::frontier, 2);
        options.reduce = reduce;
        options.frontier_engine = engine;
        INFO(name_of(engine) << " reduce " << reduce);
        check_exact(permanent(graph, options), straight + shifted);
      }
    }
  }
}

TEST_CASE("arrow matrices of reals keep their bound at 31, 32, 33, 63, 64 and 65, over 1e-200 to 1e200") {
  // Diagonal d, first row r and first column c: the permanent is prod d + sum over i > 0 of r_i c_i prod over j not 0,
  // i of d_j.
  for (const Vertex n : {31u, 32u, 33u, 63u, 64u, 65u}) {
    for (const bool wide : {false, true}) {
      for (const bool with_signs : {false, true}) {
        Random random(seed + 17, 4 * n + (wide ? 2 : 0) + (with_signs ? 1 : 0));
        const auto draw = [&] {
          const double scale = wide ? std::pow(10.0, static_cast<double>(random.below(401)) - 200) : 1;
          const double sign = with_signs && random.below(2) == 0 ? -1 : 1;
          return sign * (0.5 + random.uniform()) * scale;
        };
        std::vector<double> diagonal(n), row(n), column(n);
        for (Vertex i = 0; i < n; ++i) {
          diagonal[i] = draw();
          row[i] = draw();
          column[i] = draw();
        }
        std::vector<Edge> edges;
        std::vector<DoubleDouble> weights;
        for (Vertex i = 0; i < n; ++i) {
          edges.push_back({i, i});
          weights.emplace_back(diagonal[i]);
          if (i == 0) continue;
          edges.push_back({0, i});
          weights.emplace_back(row[i]);
          edges.push_back({i, 0});
          weights.emplace_back(column[i]);
        }
        Dyadic truth{1, 0}, magnitudes{1, 0};
        for (Vertex i = 0; i < n; ++i) {
          truth = truth * dyadic(diagonal[i]);
          magnitudes = magnitudes * dyadic(std::fabs(diagonal[i]));
        }
        for (Vertex i = 1; i < n; ++i) {
          Dyadic term = dyadic(row[i]) * dyadic(column[i]);
          for (Vertex j = 1; j < n; ++j) {
            if (j != i) term = term * dyadic(diagonal[j]);
          }
          truth = truth + term;
          magnitudes = magnitudes + Dyadic{abs(term.integer), term.exponent};
        }
        const BipartiteGraph graph = BipartiteGraph::from_edges(n, n, edges, weights);
        CAPTURE(seed, n, wide, with_signs);
        for (const Precision precision :
             {Precision::automatic, Precision::float64, Precision::compensated, Precision::double_double}) {
          for (const bool reduce : {true, false}) {
            CountOptions options = with_threads(Method::frontier, 2);
            options.precision = precision;
            options.reduce = reduce;
            INFO("precision " << static_cast<int>(precision) << " reduce " << reduce);
            check_real(permanent(graph, options), truth, test::log2_abs(magnitudes),
                       precision == Precision::double_double ? 85 : 35);
          }
        }
      }
    }
  }
}

TEST_CASE("the least and the greatest 64-bit integers are weights like others") {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t greatest = std::numeric_limits<std::int64_t>::max();
  for (Vertex n = 1; n <= 6; ++n) {
    for (const bool mixed : {false, true}) {
      Instance<std::int64_t> instance{"extreme", 0, n, n, std::vector<std::int64_t>(n * n, least)};
      if (mixed) {
        for (std::size_t i = 0; i < instance.entries.size(); i += 2) instance.entries[i] = greatest;
      }
      INFO(to_string(instance));
      const Integer truth = test::exact_permanent(instance);
      for (const Method method :
           {Method::automatic, Method::frontier, Method::ryser, Method::skipper, Method::staged, Method::expansion}) {
        for (const bool reduce : {true, false}) {
          CountOptions options = with_threads(method, 1);
          options.reduce = reduce;
          INFO(to_string(method) << " reduce " << reduce);
          check_exact(permanent(instance.graph(), options), truth);
        }
      }
    }
  }
}

TEST_CASE("the greatest and the least doubles, subnormal ones too, neither overflow nor vanish") {
  for (Vertex n = 1; n <= 6; ++n) {
    for (int kind = 0; kind < 4; ++kind) {
      Instance<DoubleDouble> instance{"extreme", 0, n, n, {}};
      for (std::size_t i = 0; i < std::size_t{n} * n; ++i) {
        const std::array<double, 4> values{std::numeric_limits<double>::max(), 5e-324, -1, 2.3e-308};
        instance.entries.emplace_back(values[kind == 3 ? i * 7 % 4 : static_cast<std::size_t>(kind == 2 ? 3 : kind)]);
      }
      INFO(to_string(instance));
      const Dyadic truth = test::exact_permanent(instance);
      const double log2_magnitude = log2_permanent_of_magnitudes(instance);
      for (const Method method :
           {Method::automatic, Method::frontier, Method::ryser, Method::skipper, Method::staged, Method::expansion}) {
        for (const bool reduce : {true, false}) {
          CountOptions options = with_threads(method, 1);
          options.reduce = reduce;
          INFO(to_string(method) << " reduce " << reduce);
          check_real(permanent(instance.graph(), options), truth, log2_magnitude, 30);
        }
      }
    }
  }
}

TEST_CASE("large easy graphs: paths, cycles and many small blocks of 20000 rows") {
  constexpr Vertex n = 20000;
  std::vector<Edge> path, cycle, pairs;
  for (Vertex i = 0; i < n; ++i) {
    path.push_back({i, i});
    if (i + 1 < n) path.push_back({i, i + 1});
    cycle.push_back({i, i});
    cycle.push_back({i, (i + 1) % n});
    pairs.push_back({i, i});
    pairs.push_back({i, i ^ 1u});
  }
  check_exact(count_perfect_matchings(BipartiteGraph::from_edges(n, n, path)), 1);
  check_exact(count_perfect_matchings(BipartiteGraph::from_edges(n, n, cycle)), 2);
  check_exact(count_perfect_matchings(BipartiteGraph::from_edges(n, n, pairs)), Integer(1) << (n / 2));
  check_exact(count_perfect_matchings(band_graph(n, 0)), 1);
  check_exact(count_perfect_matchings(band_graph(2000, 1)), fibonacci(2001));
}

TEST_CASE("frontiers on both sides of 32, 64 and 128 vertices are counted by every order and engine") {
  // An arrow by rows only: until the hub row comes every column with a processed neighbour waits, with few states.
  for (const Vertex n : {31u, 32u, 33u, 63u, 64u, 65u, 66u, 127u, 128u, 129u, 130u, 200u}) {
    Random random(seed + 18, n);
    const auto draw = [&] { return static_cast<std::int64_t>(random.below(7)) * 2 - 7; };
    std::vector<std::int64_t> diagonal(n), row(n), column(n);
    std::vector<Edge> edges;
    std::vector<std::int64_t> weights;
    for (Vertex i = 0; i < n; ++i) {
      diagonal[i] = draw();
      edges.push_back({i, i});
      weights.push_back(diagonal[i]);
      if (i == 0) continue;
      row[i] = draw();
      column[i] = draw();
      edges.push_back({0, i});
      weights.push_back(row[i]);
      edges.push_back({i, 0});
      weights.push_back(column[i]);
    }
    Integer truth = 1;
    for (const std::int64_t entry : diagonal) truth *= entry;
    for (Vertex i = 1; i < n; ++i) {
      Integer term = Integer(row[i]) * column[i];
      for (Vertex j = 1; j < n; ++j) {
        if (j != i) term *= diagonal[j];
      }
      truth += term;
    }
    const BipartiteGraph graph = BipartiteGraph::from_edges(n, n, edges, weights);
    const RunOptions run;
    const RunContext context(run);
    CAPTURE(seed, n);
    CHECK(find_frontier_order(graph.pattern(), FrontierStrategy::rows, 1, context).max_width >= n - 3);
    for (const FrontierStrategy strategy : all_strategies) {
      for (const FrontierEngine engine : all_engines) {
        for (const bool reduce : {true, false}) {
          CountOptions options = with_threads(Method::frontier, 2);
          options.frontier_strategy = strategy;
          options.frontier_engine = engine;
          options.reduce = reduce;
          INFO("strategy " << name_of(strategy) << ", engine " << name_of(engine) << ", reduce " << reduce);
          try {
            check_exact(permanent(graph, options), truth);
            check_exact(count_perfect_matchings(graph, options), Integer(n));
          } catch (const Unable& unable) {  // the ranked engine stops at frontiers of 62 vertices, and says so
            INFO(unable.what());
            CHECK((engine == FrontierEngine::ranked && n > 62));
          }
        }
      }
    }
  }
}

TEST_CASE("methods that share no code agree where the oracles are too slow, n = 21 to 26") {
  for (const std::size_t n : {21u, 22u, 23u, 24u, 25u, 26u}) {
    for (const double density : {0.2, 0.35, 0.6}) {
      if (density > 0.5 && n > 23) continue;
      const BipartiteGraph graph = random_graph(static_cast<Vertex>(n), static_cast<Vertex>(n), density, seed + n);
      CAPTURE(seed, n, density);
      const Result frontier = count_perfect_matchings(graph, with_threads(Method::frontier, 2));
      const Result staged = count_perfect_matchings(graph, with_threads(Method::staged, 2));
      REQUIRE(std::holds_alternative<Integer>(frontier.value));
      check_exact(staged, std::get<Integer>(frontier.value));
      // The same graph as reals: its exact count lies within the bound.
      const std::vector<DoubleDouble> ones(graph.num_edges(), 1.0);
      const double log2_count = log2_abs(std::get<Integer>(frontier.value));
      check_real(permanent(graph.with_weights(ones)), {std::get<Integer>(frontier.value), 0}, log2_count, 20);
    }
  }
}

TEST_CASE("counts that run at the same time do not disturb each other") {
  constexpr std::size_t num_runs = 4;
  std::vector<Instance<std::int64_t>> instances;
  std::vector<Integer> truths;
  for (std::size_t i = 0; i < num_runs; ++i) {
    instances.push_back(test::integer_instance(Family::half, IntegerWeights::mixed, 12 + i % 2, seed + 19 + i));
    truths.push_back(test::exact_permanent(instances.back()));
  }
  std::vector<int> right(num_runs, 0);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < num_runs; ++i) {
    threads.emplace_back([&, i] {
      const BipartiteGraph graph = instances[i].graph();
      for (const Method method : {Method::automatic, Method::frontier, Method::staged, Method::skipper}) {
        try {
          const Result result = permanent(graph, with_threads(method, 2));
          right[i] += std::get<Integer>(result.value) == truths[i];
        } catch (const std::exception&) {  // counts as wrong below
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (std::size_t i = 0; i < num_runs; ++i) {
    INFO(to_string(instances[i]));
    CHECK(right[i] == 4);
  }
}
