#include "core/error.hpp"
#include "core/work.hpp"
#include "graph/generate.hpp"
#include "matchcount/count.hpp"
#include "permanent/power_traces/pair_sum.hpp"
#include "permanent/ryser/short_work.hpp"
#include "support/catch.hpp"
#include "support/folder.hpp"
#include "support/graphs.hpp"
#include "support/truth.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

constexpr std::uint64_t seed = 20261125;

CountOptions by_pairs(int num_threads = 2) {
  CountOptions options;
  options.method = Method::power_traces;
  options.prune = options.reduce = false;
  options.run.num_threads = num_threads;
  return options;
}

GraphBlock<std::int64_t> block_of(const UndirectedGraph& graph) {
  return {graph.pattern(), std::get<std::vector<std::int64_t>>(graph.weights())};
}

Integer double_factorial(int n) {
  Integer product = 1;
  for (; n > 1; n -= 2) product *= n;
  return product;
}

}  // namespace

TEST_CASE("sums over subsets of pairs are the hafnians of the definition, by every instruction set") {
  Random random(seed, 1);
  int positive = 0;
  for (int instance = 0; instance < 100; ++instance) {
    const auto n = static_cast<Vertex>(2 * (1 + random.below(6)));
    const bool large = instance % 5 == 0;
    // Not connected, without a perfect matching and without edges, too.
    const UndirectedGraph graph =
        with_integers(random_graph(n, random.uniform(), random), large ? -(std::int64_t{1} << 62) : -3,
                      large ? std::uint64_t{1} << 63 : 7, random);
    const Integer truth = hafnian_by_oracle(graph);
    CAPTURE(seed, instance, test::to_string(graph));
    positive += truth != 0;
    for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
      RunOptions options;
      options.max_isa = isa;
      REQUIRE(hafnian_by_pairs(block_of(graph), RunContext(options)) == truth);
    }
  }
  REQUIRE(positive > 50);
}

TEST_CASE("complete graphs have double factorials of perfect matchings, in one piece and in several") {
  for (const int n : {2, 4, 6, 8, 10, 20, 34, 36, 38})
    REQUIRE(std::get<Integer>(count_perfect_matchings(complete(static_cast<Vertex>(n)), by_pairs()).value) ==
            double_factorial(n - 1));
}

TEST_CASE("dense graphs of 22 to 28 vertices have the hafnians that the frontier method finds") {
  Random random(seed, 2);
  for (int instance = 0; instance < 12; ++instance) {
    const auto n = static_cast<Vertex>(22 + 2 * random.below(4));
    const UndirectedGraph graph = with_integers(random_graph(n, 0.4 + 0.5 * random.uniform(), random), -2, 5, random);
    CountOptions frontier = by_pairs();
    frontier.method = Method::frontier;
    CAPTURE(seed, instance, test::to_string(graph));
    CountOptions pairs = by_pairs();
    pairs.prune = pairs.reduce = instance % 2 == 0;
    REQUIRE(std::get<Integer>(hafnian(graph, pairs).value) == std::get<Integer>(hafnian(graph, frontier).value));
  }
}

TEST_CASE("hafnians of reals and complex numbers by pairs lie within bounds that say something, at any scale") {
  Random random(seed, 3);
  for (int instance = 0; instance < 60; ++instance) {
    const auto n = static_cast<Vertex>(2 * (1 + random.below(6)));
    const UndirectedGraph integers = with_integers(random_graph(n, 0.8, random), -99, 199, random);
    const int scale = static_cast<int>(random.below(101)) - 50;
    std::vector<DoubleDouble> reals;
    std::vector<ComplexDoubleDouble> complexes;
    for (const std::int64_t weight : std::get<std::vector<std::int64_t>>(integers.weights())) {
      reals.emplace_back(std::ldexp(static_cast<double>(weight), scale));
      // (1 + i) w: the hafnian times (1 + i)^(n / 2).
      complexes.emplace_back(reals.back(), reals.back());
    }
    const Integer exact = hafnian_by_oracle(integers);
    const Dyadic truth{exact, std::int64_t{scale} * n / 2};
    Dyadic re{Integer(1), 0}, im{Integer(0), 0};
    for (Vertex k = 0; k < n / 2; ++k) {
      const Dyadic sum = re + im;
      re = re - im;
      im = sum;
    }
    CAPTURE(seed, instance, n, test::to_string(integers));
    for (const Precision precision : {Precision::float64, Precision::double_double}) {
      CountOptions options = by_pairs();
      options.run.precision = precision;
      const double useful = precision == Precision::float64 ? 25 : 70;
      const auto real = std::get<RealValue>(hafnian(integers.with_weights(reals), options).value);
      CHECK(log2_abs(dyadic(real.value) - truth) <= real.log2_error + 1e-9);
      CHECK(real.log2_error < real.log2_magnitudes - useful);
      const auto complex = std::get<ComplexValue>(hafnian(integers.with_weights(complexes), options).value);
      const auto off = [&](const ScaledReal& part, const Dyadic& of_power) {
        return log2_abs(dyadic(part) - Dyadic{truth.integer * of_power.integer, truth.exponent + of_power.exponent});
      };
      CHECK(off(complex.value.re, re) <= complex.log2_error + 1e-9);
      CHECK(off(complex.value.im, im) <= complex.log2_error + 1e-9);
      CHECK(complex.log2_error < complex.log2_magnitudes - useful);
    }
  }
}

TEST_CASE("a sum over pairs in short runs, on any number of threads, gives the bits of one run") {
  Random random(seed, 4);
  const UndirectedGraph graph = with_integers(random_graph(40, 0.5, random), 1, 1, random);
  std::vector<DoubleDouble> weights;
  for (EdgeId e = 0; e < graph.num_edges(); ++e) weights.emplace_back(random.uniform() - 0.5);
  for (const UndirectedGraph& each : {graph, graph.with_weights(std::move(weights))}) {
    CountOptions options = by_pairs();
    options.run.precision = Precision::float64;
    const Value whole = hafnian(each, options).value;
    const Folder folder;
    CheckpointOptions file;
    file.file = folder.path() / "c";
    file.resume = true;
    file.program = "tests";
    std::optional<Value> value;
    int runs = 0;
    for (; !value && runs < 100; ++runs) {
      Checkpoint checkpoint(file);
      ShortWork work(&checkpoint, 3 + 2 * static_cast<std::uint64_t>(runs));
      options.run.num_threads = 1 + runs % 3;
      try {
        value = hafnian(each, options, &work).value;
      } catch (const Cancelled&) {
      }
    }
    REQUIRE(value);
    CHECK(runs > 1);
    CHECK(to_string(*value) == to_string(whole));
    if (const auto* real = std::get_if<RealValue>(&*value)) {
      CHECK(real->value.mantissa == std::get<RealValue>(whole).value.mantissa);
      CHECK(real->log2_error == std::get<RealValue>(whole).log2_error);
    }
  }
}

TEST_CASE("dense graphs with odd cycles are planned by pairs, and limits and refusals are kept") {
  Random random(seed, 5);
  const UndirectedGraph graph = random_graph(56, 0.6, random);
  const Plan plan = plan_hafnian(graph);
  REQUIRE(plan.blocks.size() == 1);
  CHECK(plan.blocks[0].forecasts.front().method == Method::power_traces);
  CHECK(plan.memory_bytes < 1e9);
  CountOptions options = by_pairs();
  options.run.time_limit_s = 0.2;
  CHECK_THROWS_AS(count_perfect_matchings(graph, options), Unable);
  options = by_pairs();
  CHECK_THROWS_WITH(count_perfect_matchings(complete(82), options), ContainsSubstring("power traces take 80"));
  options.prune = true;
  CHECK_THROWS_WITH(count_perfect_matchings(UndirectedGraph::from_bipartite(grid_graph(4, 4)), options),
                    ContainsSubstring("no odd cycle"));
}
