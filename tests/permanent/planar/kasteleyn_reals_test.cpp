// Planar graphs with real and complex entries, against exact rational numbers and against other methods.

#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "graph/generate.hpp"
#include "matchcount/count.hpp"
#include "permanent/fixed_point.hpp"
#include "permanent/frontier/frontier.hpp"
#include "permanent/planar/kasteleyn.hpp"
#include "permanent/reference/oracles.hpp"
#include "support/catch.hpp"
#include "support/clock.hpp"
#include "support/exact.hpp"
#include "support/frontier.hpp"
#include "support/graphs.hpp"
#include "support/planar_graphs.hpp"
#include "support/truth.hpp"

namespace matchcount {
namespace {

using namespace test;

constexpr std::uint64_t seed = 20261121;
constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

using RationalPair = test::Gaussian<Rational>;

RationalPair pair_of(const RealEntry& entry) { return {exact(entry.value), 0}; }
RationalPair pair_of(const ComplexEntry& entry) { return {exact(entry.value.re), exact(entry.value.im)}; }
RationalPair pair_of(const RealValue& value) { return {exact(value.value), 0}; }
RationalPair pair_of(const ComplexValue& value) { return {exact(value.value.re), exact(value.value.im)}; }

template <class Entry>
RationalPair truth(const GraphBlock<Entry>& block, bool of_magnitudes = false) {
  const std::size_t n = block.pattern.num_vertices();
  std::vector<RationalPair> matrix(n * n);
  for (EdgeId id = 0; id < block.entries.size(); ++id) {
    const Edge edge = block.pattern.edges()[id];
    matrix[edge.row * n + edge.column] =
        of_magnitudes ? exact(block.entries[id].magnitude) : pair_of(block.entries[id]);
  }
  return reference::hafnian_by_expansion(matrix, n);
}

// |x|^2 <= (2^log2_bound)^2 (1 + 2^-30).
bool is_within(const RationalPair& x, double log2_bound) {
  if (log2_bound == minus_infinity) return x == RationalPair{};
  const double whole = std::floor(log2_bound);
  const Rational bound = exact(std::exp2(log2_bound - whole)) * test::power_of_two(static_cast<std::int64_t>(whole));
  return x.re * x.re + x.im * x.im <= bound * bound * (1 + test::power_of_two(-30));
}

template <class Entry>
auto value_of(const GraphBlock<Entry>& block, Precision precision, const RunOptions& run = {}) {
  const RunContext context(run);
  const auto plan = plan_kasteleyn(block.pattern, seed, context);
  REQUIRE(plan);
  return hafnian_kasteleyn(block, *plan, precision, context);
}

template <class Entry>
void check_against_truth(const GraphBlock<Entry>& block, Precision precision) {
  const auto value = value_of(block, precision);
  const RationalPair found = pair_of(value), expected = truth(block);
  const RationalPair off{found.re - expected.re, found.im - expected.im};
  CHECK(is_within(off, value.log2_error));
  // The bound of the magnitudes holds, is close, and the error is a small part of it.
  const Rational magnitudes = truth(block, true).re;
  if (magnitudes == 0) {
    CHECK(value.log2_magnitudes == minus_infinity);
    CHECK(value.log2_error == minus_infinity);
    return;
  }
  CHECK(is_within(magnitudes, value.log2_magnitudes));
  CHECK_FALSE(is_within(magnitudes, value.log2_magnitudes - 0.3));
  CHECK(value.log2_error <= value.log2_magnitudes - (precision == Precision::double_double ? 92 : 58));
}

enum class Law { uniform, signs, double_doubles, wide, subnormal, few };
constexpr Law laws[] = {Law::uniform, Law::signs, Law::double_doubles, Law::wide, Law::subnormal, Law::few};

DoubleDouble draw(Law law, Random& random) {
  const double sign = random.below(2) == 0 ? 1 : -1;
  switch (law) {
    case Law::uniform:
      return random.uniform();
    case Law::signs:
      return sign * random.uniform();
    case Law::double_doubles:
      return fast_two_sum(sign * (1 + random.uniform()), std::ldexp(random.uniform(), -55));
    case Law::wide:
      return sign * std::ldexp(1 + random.uniform(), static_cast<int>(random.below(2000)) - 1000);
    case Law::subnormal:
      return sign * std::ldexp(std::floor(random.uniform() * 100), -1074);
    case Law::few:
      return (static_cast<double>(random.below(5)) - 2) / 4;
  }
  return 0;
}
RealEntry real_entry(Law law, Random& random) {
  const DoubleDouble value = draw(law, random);
  return {value, std::fabs(value.hi) * (1 + 0x1p-51)};
}
ComplexEntry complex_entry(Law law, Random& random) {
  const ComplexDoubleDouble value(draw(law, random), draw(law, random));
  return {value, std::hypot(value.re.hi, value.im.hi) * (1 + 0x1p-50)};
}

template <class Draw>
auto block_of(const UndirectedGraph& graph, Draw&& draw) {
  GraphBlock<decltype(draw())> block{graph, {}};
  for (EdgeId id = 0; id < graph.num_edges(); ++id) block.entries.push_back(draw());
  return block;
}

}  // namespace

TEST_CASE("random planar graphs with real and complex entries have the hafnian that exact fractions give") {
  for (std::uint64_t i = 0; i < 240; ++i) {
    Random random(seed, i);
    const auto n = static_cast<Vertex>(random.below(13));
    const UndirectedGraph graph = test::random_planar(n, 0.4 + 0.6 * random.uniform(), random);
    const Law law = laws[i % std::size(laws)];
    const Precision precision = random.below(2) == 0 ? Precision::float64 : Precision::double_double;
    CAPTURE(seed, i, n, static_cast<int>(law), static_cast<int>(precision));
    check_against_truth(block_of(graph, [&] { return real_entry(law, random); }), precision);
    check_against_truth(block_of(graph, [&] { return complex_entry(law, random); }), precision);
  }
}

TEST_CASE("entries that cancel give 0, and one that is changed in its last bit does not") {
  const UndirectedGraph square = test::cycle(4);  // edges 01 03 12 23: 01 * 23 + 03 * 12
  const auto of = [&](double a, double b, double c, double d) {
    GraphBlock<RealEntry> block{square, {}};
    for (const double x : {a, b, c, d}) block.entries.push_back({x, std::fabs(x)});
    return value_of(block, Precision::double_double);
  };
  CHECK(of(0.1, 0.1, -0.1, 0.1).value.is_zero());
  CHECK(of(1e300, 1e-300, -1e300, 1e-300).value.is_zero());
  const double next = std::nextafter(0.1, 1.0);
  CHECK(exact(of(0.1, 0.1, -0.1, next).value) == exact(0.1) * (exact(next) - exact(0.1)));
  CHECK(of(0.1, 0.1, -0.1, 0.1).log2_error < -100);
  // (1 + i)(1 + i) + (1 - i)(1 - i) = 0
  const GraphBlock<ComplexEntry> complex{square, {{{1, 1}, 1.5}, {{1, -1}, 1.5}, {{1, -1}, 1.5}, {{1, 1}, 1.5}}};
  const ComplexValue zero = value_of(complex, Precision::double_double);
  CHECK(zero.value.re.is_zero());
  CHECK(zero.value.im.is_zero());
  CHECK(zero.log2_magnitudes >= std::log2(4.5));
}

TEST_CASE("hafnians far beyond all doubles keep their exponents") {
  for (const double entry : {1e300, 1e-300, 0x1p-1074}) {
    for (const Vertex n : {31, 32, 33, 64, 65}) {
      const UndirectedGraph graph = UndirectedGraph::from_bipartite(grid_graph(2, n));
      const GraphBlock<RealEntry> block{graph, std::vector<RealEntry>(graph.num_edges(), {entry, entry})};
      Integer a = 0, b = 1;  // Fibonacci
      for (Vertex i = 0; i <= n; ++i) std::swap(a += b, b);
      Rational expected = a;
      for (Vertex i = 0; i < n; ++i) expected *= exact(entry);
      CAPTURE(entry, n);
      CHECK(test::within_relative(exact(value_of(block, Precision::float64).value), expected, test::power_of_two(-99)));
    }
  }
}

TEST_CASE("grids with random entries, on a torus too, are counted as the frontier method counts them, in any threads") {
  for (std::uint64_t i = 0; i < 7; ++i) {
    const BipartiteGraph grid = i < 4 ? grid_graph(8, 9 + static_cast<Vertex>(i)) : torus_graph(6, i == 6 ? 8 : 6);
    const UndirectedGraph graph = UndirectedGraph::from_bipartite(grid);
    Random random(seed, 2000 + i);
    // Equal entries make one of the four Pfaffians of a torus 0.
    const auto reals = block_of(graph, [&] {
      return i == 4 ? RealEntry{0.5, 0.5} : real_entry(i % 2 == 0 ? Law::uniform : Law::signs, random);
    });
    const auto numbers = block_of(graph, [&] { return complex_entry(Law::double_doubles, random); });
    const RunOptions run{.num_threads = 1 + static_cast<int>(i % 3),
                         .max_isa = i == 0   ? Isa::baseline
                                    : i == 1 ? Isa::avx2
                                             : Isa::avx512};
    const RunContext context(run);
    const FrontierOrder order = find_frontier_order(grid, FrontierStrategy::automatic, 1, context);
    CAPTURE(seed, i);
    const RealValue real = frontier_value(Block<RealEntry>{grid, reals.entries}, order, FrontierEngine::automatic,
                                          Precision::double_double, context);
    const RealValue found = value_of(reals, i < 4 ? Precision::float64 : Precision::double_double, run);
    CHECK((found.value + -real.value).log2_abs() <= log2_sum(found.log2_error, real.log2_error));
    const ComplexValue complex = frontier_value(Block<ComplexEntry>{grid, numbers.entries}, order,
                                                FrontierEngine::automatic, Precision::double_double, context);
    const ComplexValue seen = value_of(numbers, i < 4 ? Precision::double_double : Precision::float64, run);
    CHECK(log2_abs(ScaledComplex{seen.value.re + -complex.value.re, seen.value.im + -complex.value.im}) <=
          log2_sum(seen.log2_error, complex.log2_error));
    if (i < 4) CHECK(std::fabs(seen.log2_magnitudes - complex.log2_magnitudes) < 0.3);
  }
}

TEST_CASE("fixed-point numbers are the entries times powers of two, with as few bits as a matching asks for") {
  for (std::uint64_t i = 0; i < 60; ++i) {
    Random random(seed, 4000 + i);
    const UndirectedGraph graph = test::random_planar(2 + static_cast<Vertex>(random.below(10)), 0.9, random);
    const Law law = laws[i % std::size(laws)];
    const auto block = block_of(graph, [&] { return real_entry(law, random); });
    CAPTURE(seed, i);
    const RunOptions run;
    if (!maximum_matching(graph, RunContext(run)).is_perfect()) continue;
    const FixedPoint numbers = fixed_point(graph, block.entries, 200);
    CHECK(numbers.exact);
    const std::size_t n = graph.num_vertices();
    std::vector<Integer> matrix(n * n, 0);
    for (EdgeId id = 0; id < graph.num_edges(); ++id) {
      matrix[graph.edges()[id].row * n + graph.edges()[id].column] = numbers.entries[id].re;
      CHECK(numbers.entries[id].im == 0);
    }
    CHECK(reference::hafnian_by_expansion(matrix, n) == truth(block).re * test::power_of_two(numbers.exponent));
  }
  // One entry of 2^-1000 on a path: that one row pays for it, once.
  const UndirectedGraph path = UndirectedGraph::from_edges(4, {{0, 1}, {1, 2}, {2, 3}});
  CHECK(fixed_point(path, std::vector<RealEntry>{{0x1p-1000, 0x1p-1000}, {1, 1}, {3, 3}}, 60).exponent == 1000);
  // An edge in no perfect matching costs nothing.
  CHECK(fixed_point(path, std::vector<RealEntry>{{0.5, 1}, {0x1p-1000, 1}, {0.25, 3}}, 60).exponent <= 1000);
  // Rounding: 5 to 2 bits is 4, its magnitude 6.
  const UndirectedGraph edge = UndirectedGraph::from_edges(2, {{0, 1}});
  const FixedPoint five = fixed_point(edge, std::vector<RealEntry>{{5.0, 5.0}}, 2),
                   above = fixed_point_above(edge, {5}, 2);
  CHECK_FALSE(five.exact);
  CHECK(Rational(five.entries[0].re) / test::power_of_two(five.exponent) == 6);
  CHECK(Rational(above.entries[0].re) / test::power_of_two(above.exponent) == 6);
  CHECK_THROWS_AS(fixed_point(edge, std::vector<RealEntry>{{std::numeric_limits<double>::infinity(), 1}}, 9),
                  InputError);
}

TEST_CASE("the front door takes the planar method for reals and complex numbers and others agree") {
  for (std::uint64_t i = 0; i < 6; ++i) {
    const BipartiteGraph pattern = random_planar_graph(40, 0.7, seed + i);
    RandomWeights law;
    law.law = RandomWeights::Law::uniform;
    const BipartiteGraph graph = with_random_weights(pattern, law, seed + i);
    CountOptions options{.method = Method::planar, .prune = i % 2 == 0, .reduce = i % 2 == 0, .verify = true};
    CAPTURE(seed, i);
    const Result result = permanent(graph, options);
    CHECK(relative_error(result.value) < 1e-25);
    std::vector<ComplexDoubleDouble> turned;
    for (const DoubleDouble& w : std::get<std::vector<DoubleDouble>>(graph.weights()))
      turned.push_back({w, w * 0.25 - 0.1});
    const Result complex = permanent(graph.pattern().with_weights(turned), options);
    CHECK(std::holds_alternative<ComplexValue>(complex.value));
    options.method = Method::automatic;
    const UndirectedGraph general = UndirectedGraph::from_bipartite(graph);
    const RealValue whole = std::get<RealValue>(hafnian(general, options).value);
    CHECK((whole.value + -std::get<RealValue>(result.value).value).log2_abs() <=
          log2_sum(whole.log2_error, std::get<RealValue>(result.value).log2_error));
  }
}

TEST_CASE("in exact precision only the answer is rounded, and 0 is proven") {
  for (std::uint64_t i = 0; i < 120; ++i) {
    Random random(seed, 7000 + i);
    const UndirectedGraph graph = test::random_planar(static_cast<Vertex>(random.below(13)), 0.9, random);
    const Law law = laws[i % std::size(laws)];
    const auto reals = block_of(graph, [&] { return real_entry(law, random); });
    const auto numbers = block_of(graph, [&] { return complex_entry(law, random); });
    CAPTURE(seed, i, static_cast<int>(law));
    const RealValue real = value_of(reals, Precision::exact);
    CHECK(test::within_relative(exact(real.value), truth(reals).re, test::power_of_two(-100)));
    CHECK(real.log2_error <= real.value.log2_abs() - 100);
    const ComplexValue complex = value_of(numbers, Precision::exact);
    CHECK(test::within_relative(exact(complex.value.re), truth(numbers).re, test::power_of_two(-100)));
    CHECK(test::within_relative(exact(complex.value.im), truth(numbers).im, test::power_of_two(-100)));

    // The public function drops and splits before it counts.
    if (law == Law::subnormal) continue;  // doubles of its own bounds end there
    std::vector<DoubleDouble> weights;
    for (const RealEntry& entry : reals.entries) weights.push_back(entry.value);
    const CountOptions options{.verify = law != Law::wide && i % 2 == 0, .run = {.precision = Precision::exact}};
    const RealValue value = std::get<RealValue>(hafnian(graph.with_weights(weights), options).value);
    CHECK(test::within_relative(exact(value.value), truth(reals).re, test::power_of_two(-94)));
    CHECK(relative_error(value) <= 0x1p-94);
  }
  CountOptions options{.run = {.precision = Precision::exact}};
  const Matrix cancelling = BipartiteGraph::from_dense(2, 2, std::vector<double>{1e200, 1e200, -1e200, 1e200});
  CHECK(std::get<RealValue>(permanent(cancelling, options).value).value.is_zero());
  CHECK(relative_error(permanent(cancelling, options).value) == 0);
  options.method = Method::frontier;
  CHECK(std::get<RealValue>(permanent(cancelling, options).value).value.is_zero());
  // Graphs that are not planar are counted as integers, unless the planar method is asked for.
  const Matrix halves = BipartiteGraph::from_dense(6, 6, std::vector<double>(36, 0.5));
  options.method = Method::automatic;
  CHECK(std::get<RealValue>(permanent(halves, options).value).value.to_double() == 11.25);
  options.method = Method::planar;
  CHECK_THROWS_AS(permanent(halves, options), Unable);
  // Integers are exact whatever the precision.
  options.method = Method::automatic;
  CHECK(std::get<Integer>(count_perfect_matchings(complete_graph(6, 6), options).value) == 720);
}

TEST_CASE("a planar hafnian of reals keeps to limits and can be stopped") {
  const UndirectedGraph graph = UndirectedGraph::from_bipartite(grid_graph(40, 40));
  Random random(seed, 5000);
  const auto block = block_of(graph, [&] { return real_entry(Law::uniform, random); });
  RunOptions run;
  const RunContext planning(run);
  const auto plan = plan_kasteleyn(graph, 1, planning);
  run.stop = test::raised_stop();
  const RunContext context(run);
  CHECK_THROWS_AS(hafnian_kasteleyn(block, *plan, Precision::float64, context), Cancelled);
  const RunContext unlimited({.memory_limit_bytes = 1000});
  CHECK_THROWS_AS(hafnian_kasteleyn(block, *plan, Precision::float64, unlimited), Unable);
  CHECK_THROWS_AS(hafnian_kasteleyn(GraphBlock<RealEntry>{graph, {}}, *plan, Precision::float64, unlimited),
                  InputError);
}

TEST_CASE("what the planner is told of sizes grows with precision, signs and complex numbers") {
  const UndirectedGraph graph = UndirectedGraph::from_bipartite(grid_graph(10, 10));
  Random random(seed, 6000);
  const RunContext context;
  const auto plan = plan_kasteleyn(graph, 1, context);
  const auto positive = block_of(graph, [&] {
    const DoubleDouble value = abs(draw(Law::double_doubles, random));
    return RealEntry{value, value.hi};
  });
  const KasteleynSizes rough = kasteleyn_sizes(positive, *plan, Precision::float64);
  const KasteleynSizes fine = kasteleyn_sizes(positive, *plan, Precision::double_double);
  CHECK(rough.log2_magnitudes == minus_infinity);
  CHECK(fine.log2_value > rough.log2_value + 50 * 30);
  CHECK(fine.log2_value < 50 * 110.0);
  const auto signs = block_of(graph, [&] { return real_entry(Law::signs, random); });
  CHECK(kasteleyn_sizes(signs, *plan, Precision::float64).log2_magnitudes > 0);
  CHECK(kasteleyn_cost(*plan, fine, Isa::baseline, 1).seconds > kasteleyn_cost(*plan, rough, Isa::baseline, 1).seconds);
  const auto complex = block_of(graph, [&] { return complex_entry(Law::uniform, random); });
  CHECK(kasteleyn_sizes(complex, *plan, Precision::float64).complex);
}

}  // namespace matchcount
