#pragma once
// Lists configurations of every method, and checks their answers against exact truth: long integers for integers,
// integers times powers of two for reals.

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "matchcount/count.hpp"
#include "support/catch.hpp"
#include "support/instances.hpp"
#include "support/truth.hpp"

namespace matchcount::test::agreement {

inline constexpr std::uint64_t seed = 20260301;

// Slack for the rounding of the logarithms in the comparison itself, relative 2^-30.
inline constexpr double log2_slack = 1e-9;

struct Configuration {
  std::string name;
  CountOptions options;
};

inline std::string_view name_of(FrontierStrategy strategy) {
  constexpr std::array<std::string_view, 4> names{"automatic", "mixed", "rows", "columns"};
  return names[static_cast<std::size_t>(strategy)];
}
inline std::string_view name_of(FrontierEngine engine) {
  constexpr std::array<std::string_view, 5> names{"automatic", "sparse", "dense", "twins", "lean"};
  return names[static_cast<std::size_t>(engine)];
}

inline constexpr std::array all_strategies{FrontierStrategy::automatic, FrontierStrategy::mixed, FrontierStrategy::rows,
                                           FrontierStrategy::columns};
inline constexpr std::array all_engines{FrontierEngine::automatic, FrontierEngine::sparse, FrontierEngine::dense,
                                        FrontierEngine::twins, FrontierEngine::lean};
inline constexpr std::array all_thread_numbers{1, 2, 3, 5};
inline constexpr std::array all_isas{Isa::baseline, Isa::avx2, Isa::avx512};
inline constexpr std::array all_ryser_methods{Method::ryser, Method::sparyser, Method::skipper, Method::staged};

// Lists every method, order and engine, each with and without pruning and reductions; threads and instruction sets
// rotate so that each meets each of the former.
inline std::vector<Configuration> all_configurations() {
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
  // Expands down to matrices of one row, of a few, and of so many that nothing is expanded.
  for (const Vertex rows : {1u, 4u, 30u}) {
    options = {};
    options.method = Method::forbert_marx;
    options.expand_rows = rows;
    options.expand_degree = rows == 4 ? 3 : 4;
    add("forbert-marx " + std::to_string(rows), options);
  }
  return list;
}

inline CountOptions with_threads(Method method, int num_threads, Isa isa = Isa::avx512) {
  return {.method = method, .run = {.num_threads = num_threads, .max_isa = isa}};
}

inline void check_checks(const Result& result) {
  for (const Check& check : result.checks) {
    INFO("check " << to_string(check.kind) << ": " << check.detail);
    CHECK(check.passed);
  }
}

inline void check_exact(const Result& result, const Integer& truth) {
  REQUIRE(std::holds_alternative<Integer>(result.value));
  const Integer& value = std::get<Integer>(result.value);
  REQUIRE(value == truth);
  CHECK(relative_error(result.value) == 0);
  check_checks(result);
}

// |difference| <= 2^log2_error, and a bound that says so little that it could hide an error fails too: it must be
// `useful_bits` below the permanent of the magnitudes.
inline void check_bound(double log2_difference, double log2_error, double log2_magnitude, double useful_bits) {
  CAPTURE(log2_difference, log2_error, log2_magnitude);
  REQUIRE_FALSE(std::isnan(log2_error));
  REQUIRE(log2_difference <= log2_error + log2_slack);
  if (std::isfinite(log2_error)) REQUIRE(log2_error <= log2_magnitude - useful_bits);
  CHECK(log2_error < std::numeric_limits<double>::infinity());
}

inline void check_real(const Result& result, const Dyadic& truth, double log2_magnitude, double useful_bits) {
  REQUIRE(std::holds_alternative<RealValue>(result.value));
  const auto& value = std::get<RealValue>(result.value);
  CAPTURE(to_string(result.value), result.method);
  check_bound(log2_abs(dyadic(value.value) - truth), value.log2_error, log2_magnitude, useful_bits);
  if (relative_error(result.value) < 0.04) CHECK(within_one_unit(to_string(result.value), truth));
  check_checks(result);
}

// The distance of two complex numbers is at least that of their real and of their imaginary parts, and at most
// sqrt(2) times the larger; the exact square decides.
inline void check_complex(const Result& result, const ComplexDyadic& truth, double log2_magnitude, double useful_bits) {
  REQUIRE(std::holds_alternative<ComplexValue>(result.value));
  const auto& value = std::get<ComplexValue>(result.value);
  CAPTURE(to_string(result.value), result.method);
  const Dyadic re = dyadic(value.value.re) - truth.re, im = dyadic(value.value.im) - truth.im;
  const Dyadic square =
      Dyadic{re.integer * re.integer, 2 * re.exponent} + Dyadic{im.integer * im.integer, 2 * im.exponent};
  check_bound(log2_abs(square) / 2, value.log2_error, log2_magnitude, useful_bits);
  check_checks(result);
}

inline double size_of(std::int64_t entry) { return std::fabs(static_cast<double>(entry)); }
inline double size_of(DoubleDouble entry) { return magnitude(entry); }
inline double size_of(const ComplexDoubleDouble& entry) { return magnitude(entry); }

template <class T>
double log2_permanent_of_magnitudes(const Instance<T>& instance) {
  Instance<DoubleDouble> magnitudes{"", 0, instance.rows, instance.columns, {}};
  for (const T& entry : instance.entries) magnitudes.entries.emplace_back(size_of(entry));
  return log2_abs(exact_permanent(magnitudes));
}

// Returns how far below the permanent of the magnitudes the bound must be. The terms of an inclusion-exclusion sum
// cancel: their magnitudes add up to no more than about 2^n times the permanent of a scaled matrix, hence the allowance
// of 2 n.
inline double useful_bits(Precision precision, std::size_t n) {
  const double bits = precision == Precision::double_double ? 98 : 46;
  return bits - 2 * static_cast<double>(n) - 6;
}

// Knows the exact permanent of an instance, and checks answers against it.
template <class T>
class Checked {
 public:
  explicit Checked(Instance<T> given)
      : instance(std::move(given)), graph(instance.graph()), truth(exact_permanent(instance)) {
    if constexpr (!is_exact) log2_magnitude_ = log2_permanent_of_magnitudes(instance);
  }

  // Checks the permanent by these options: it is the truth, or the truth is within a bound that says something.
  void check(const CountOptions& options = {}, const std::string& name = {}) const {
    INFO(to_string(instance) << " by " << to_string(options.method) << " " << name << ", "
                             << to_string(options.run.precision) << ", " << options.run.num_threads << " threads, "
                             << to_string(options.run.max_isa) << ", reduce " << options.reduce);
    const Result result = permanent(graph, options);
    const double bits = useful_bits(options.run.precision, instance.rows);
    if constexpr (is_exact) {
      check_exact(result, truth);
    } else if constexpr (std::is_same_v<T, DoubleDouble>) {
      check_real(result, truth, log2_magnitude_, bits);
    } else {
      check_complex(result, truth, log2_magnitude_, bits);
    }
  }
  void check(const Configuration& configuration) const { check(configuration.options, configuration.name); }

  Instance<T> instance;
  BipartiteGraph graph;
  decltype(exact_permanent(Instance<T>())) truth;

 private:
  static constexpr bool is_exact = std::is_same_v<T, std::int64_t>;
  double log2_magnitude_ = 0;
};

inline Integer pattern_permanent(const Instance<std::int64_t>& instance) {
  Instance<std::int64_t> pattern = instance;
  for (std::int64_t& entry : pattern.entries) entry = entry != 0;
  return exact_permanent(pattern);
}

inline void check_zero_has_a_reason(const BipartiteGraph& graph, const Result& result) {
  REQUIRE(result.plan.hall_violator.has_value());
  CHECK(is_hall_violator(graph, *result.plan.hall_violator));
}

}  // namespace matchcount::test::agreement
