#include "core/error.hpp"
#include "core/work.hpp"
#include "graph/generate.hpp"
#include "matchcount/count.hpp"
#include "matchcount/matchings.hpp"
#include "permanent/power_traces/pair_sum.hpp"
#include "permanent/ryser/short_work.hpp"
#include "support/catch.hpp"
#include "support/clock.hpp"
#include "support/closed_forms.hpp"
#include "support/folder.hpp"
#include "support/graphs.hpp"
#include "support/matchings.hpp"
#include "support/truth.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

constexpr std::uint64_t seed = 20261125;

CountOptions by_pairs(int num_threads = 2) {
  return {.method = Method::power_traces, .prune = false, .reduce = false, .run = {.num_threads = num_threads}};
}

GraphBlock<std::int64_t> block_of(const UndirectedGraph& graph) {
  return {graph.pattern(), std::get<std::vector<std::int64_t>>(graph.weights())};
}

// Draws integers, some of them 0.
std::vector<Integer> integers(std::size_t count, std::int64_t least, std::uint64_t values, Random& random) {
  std::vector<Integer> result;
  for (std::size_t i = 0; i < count; ++i)
    result.emplace_back(random.below(5) == 0 ? 0 : least + static_cast<std::int64_t>(random.below(values)));
  return result;
}

// Sums up all matchings by their definition.
Integer matchings_by_oracle(const UndirectedGraph& graph, const std::vector<Integer>& edges,
                            const std::vector<Integer>& vertices) {
  Integer sum = 0;
  for (const Integer& of_size : matchings_by_size<Integer>(graph, edges, vertices)) sum += of_size;
  return sum;
}

std::vector<matchcount::GaussianInteger> gaussian(const std::vector<Integer>& values) {
  std::vector<matchcount::GaussianInteger> result;
  for (const Integer& value : values) result.push_back({value, 0});
  return result;
}

// Weights are w 2^scale or, complex, (1 + i)^turns w 2^scale.
std::vector<ComplexEntry> entries(const std::vector<Integer>& values, int scale, int turns) {
  std::vector<ComplexEntry> result;
  for (const Integer& value : values) {
    const double w = std::ldexp(nearest_real(value).to_double(), scale);
    const ComplexDoubleDouble entry{turns == 2 ? 0 : w, turns == 0 ? 0 : turns * w};
    result.push_back({entry, std::hypot(entry.re.hi, entry.im.hi) * (1 + 0x1p-50)});
  }
  return result;
}

MatchingOptions all_matchings(Method method, std::optional<Weights> loops) {
  return {.kind = MatchingKind::all,
          .weighted = true,
          .loops = std::move(loops),
          .count = {.method = method, .run = {.num_threads = 2}}};
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
      REQUIRE(hafnian_by_pairs(block_of(graph), RunContext({.max_isa = isa})) == truth);
    }
  }
  REQUIRE(positive > 50);
}

TEST_CASE("complete graphs have double factorials of perfect matchings, in one piece and in several") {
  for (const Vertex n : {2u, 4u, 6u, 8u, 10u, 20u, 34u, 36u, 38u})
    REQUIRE(std::get<Integer>(count_perfect_matchings(complete(n), by_pairs()).value) == odd_factorial(n / 2));
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

TEST_CASE("sums over all matchings by pairs are those of the definition, by every instruction set and in all numbers") {
  Random random(seed, 6);
  int positive = 0;
  for (int instance = 0; instance < 60; ++instance) {
    const auto n = static_cast<Vertex>(1 + random.below(12));
    const UndirectedGraph graph = random_graph(n, random.uniform(), random);
    const bool large = instance % 5 == 0;
    const std::vector<Integer> edges =
        integers(graph.num_edges(), large ? -(std::int64_t{1} << 30) : -3, large ? std::uint64_t{1} << 31 : 7, random);
    const std::vector<Integer> vertices = integers(n, -9, 19, random);
    const Integer truth = matchings_by_oracle(graph, edges, vertices);
    CAPTURE(seed, instance, n, test::to_string(graph));
    positive += truth != 0;
    const int of_vertices = static_cast<int>(random.below(31)) - 15, of_edges = 2 * of_vertices;
    Dyadic re{Integer(1), 0}, im{Integer(0), 0};  // (1 + i)^n
    for (Vertex k = 0; k < n; ++k) std::tie(re, im) = std::pair(re - im, re + im);
    for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
      const RunContext run({.max_isa = isa});
      REQUIRE(matchings_by_pairs(graph, gaussian(edges), gaussian(vertices), run).re == truth);
      if (truth == 0) continue;
      for (const Precision precision : {Precision::float64, Precision::double_double}) {
        for (const bool is_real : {true, false}) {
          const ComplexValue sum =
              matchings_by_pairs(graph, entries(edges, of_edges, is_real ? 0 : 2),
                                 entries(vertices, of_vertices, is_real ? 0 : 1), is_real, precision, run);
          const auto off = [&](const ScaledReal& part, const Dyadic& of_power) {
            return log2_abs(dyadic(part) - Dyadic{truth * of_power.integer, of_vertices * static_cast<int>(n)});
          };
          CHECK(off(sum.value.re, is_real ? Dyadic{1, 0} : re) <= sum.log2_error + 1e-9);
          CHECK(off(sum.value.im, is_real ? Dyadic{0, 0} : im) <= sum.log2_error + 1e-9);
          CHECK(sum.log2_error < log2_matchings_bound(graph, gaussian(edges), gaussian(vertices)) +
                                     (of_vertices + (is_real ? 0 : 0.5)) * n -
                                     (precision == Precision::float64 ? 15 : 60));
        }
      }
    }
  }
  REQUIRE(positive > 30);
}

TEST_CASE("loop hafnians of 16 to 24 vertices by pairs are those of the frontier method, fractions and reals too") {
  Random random(seed, 7);
  const std::vector<Rational> table = {0, Rational(1, 2), Rational(-2, 3), 1, Rational(5, 4), Rational(7, 6)};
  for (int instance = 0; instance < 18; ++instance) {
    const auto n = static_cast<Vertex>(16 + random.below(9));
    const UndirectedGraph graph = with_integers(random_graph(n, 0.3 + 0.7 * random.uniform(), random), 0, 6, random);
    std::vector<std::int64_t> places;
    std::vector<DoubleDouble> reals;
    for (Vertex v = 0; v < n; ++v) {
      places.push_back(static_cast<std::int64_t>(random.below(6)));
      reals.emplace_back(static_cast<double>(places.back()) / 8);
    }
    CAPTURE(seed, instance, n, test::to_string(graph));
    const auto sum = [&](Method method, int numbers) {
      MatchingOptions options = all_matchings(method, Weights(places));
      if (numbers == 1) options.fractions = table;
      if (numbers == 2) options.loops = Weights(reals);
      if (numbers == 3) options.loops.reset();
      const MatchingResult result = count_matchings(graph, options);
      CHECK(result.run.method == method);
      return std::pair(result.fraction, result.run.value);
    };
    for (const int numbers : {0, 1, 3}) {
      const auto [fraction, value] = sum(Method::power_traces, numbers);
      const auto [other_fraction, other] = sum(Method::frontier, numbers);
      REQUIRE(fraction == other_fraction);
      if (!fraction) REQUIRE(std::get<Integer>(value) == std::get<Integer>(other));
    }
    const auto value = std::get<RealValue>(sum(Method::power_traces, 2).second);
    const auto other = std::get<RealValue>(sum(Method::frontier, 2).second);
    CHECK(log2_abs(dyadic(value.value) - dyadic(other.value)) <= log2_sum(value.log2_error, other.log2_error) + 1e-9);
    CHECK(value.log2_error < value.value.log2_abs() - 50);
  }
}

TEST_CASE("a sum over pairs in short runs, on any number of threads, gives the bits of one run") {
  Random random(seed, 4);
  const UndirectedGraph graph = with_integers(random_graph(40, 0.5, random), 1, 1, random);
  std::vector<DoubleDouble> weights;
  for (EdgeId e = 0; e < graph.num_edges(); ++e) weights.emplace_back(random.uniform() - 0.5);
  const UndirectedGraph odd = random_graph(37, 0.5, random);
  const UndirectedGraph reals = graph.with_weights(std::move(weights));
  const auto sum = [&](int numbers, const RunOptions& run, Work* work) {
    CountOptions options = by_pairs();
    options.run = run;
    if (numbers < 2) return hafnian(numbers == 0 ? graph : reals, options, work).value;
    MatchingOptions loops = all_matchings(Method::power_traces, Weights(std::vector<std::int64_t>(37, 1)));
    loops.count.run = run;
    return count_matchings(odd, loops, work).run.value;
  };
  for (const int numbers : {0, 1, 2}) {
    RunOptions run = by_pairs().run;
    run.precision = Precision::float64;
    const Value whole = sum(numbers, run, nullptr);
    const Folder folder;
    const CheckpointOptions file{.file = folder.path() / "c", .resume = true, .program = "tests"};
    std::optional<Value> value;
    int runs = 0;
    for (; !value && runs < 100; ++runs) {
      Checkpoint checkpoint(file);
      ShortWork work(&checkpoint, 3 + 2 * static_cast<std::uint64_t>(runs));
      run.num_threads = 1 + runs % 3;
      try {
        value = sum(numbers, run, &work);
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
  const Plan plan = plan_hafnian(graph, {.throughput = Throughput{}});
  REQUIRE(plan.blocks.size() == 1);
  CHECK(plan.blocks[0].forecasts.front().method == Method::power_traces);
  CHECK(plan.memory_bytes < 1e9);
  MatchingOptions matchings = all_matchings(Method::automatic, Weights(std::vector<std::int64_t>(56, 2)));
  matchings.count.throughput = Throughput{};
  CHECK(plan_matchings(graph, matchings).blocks[0].forecasts.front().method == Method::power_traces);
  // On a GPU, too, where the build has its kernels.
  MatchingOptions with_gpu = matchings;
  with_gpu.count.method = Method::power_traces;
  with_gpu.count.run.device.assumed = {known_device("h200")};
  double least = 0;
  for (const int numbers : {0, 1, 2, 3}) {
    with_gpu.count.run.precision = numbers == 1 ? Precision::float64 : Precision::double_double;
    const std::size_t edges = graph.num_edges();
    const UndirectedGraph weighted = numbers == 0 ? graph
                                     : numbers == 3
                                         ? graph.with_weights(std::vector<ComplexDoubleDouble>(edges, {1, 1}))
                                         : graph.with_weights(std::vector<DoubleDouble>(edges, 0.5));
    for (const bool has_loops : {false, true}) {
      CAPTURE(numbers, has_loops);
      const Forecast found = (has_loops ? plan_matchings(weighted, with_gpu) : plan_hafnian(weighted, with_gpu.count))
                                 .blocks[0]
                                 .forecasts.front();
      CHECK(found.on_gpu == built_with_cuda());
      CHECK(found.seconds > least);
      if (numbers != 0) least = found.seconds;
    }
  }
  CountOptions options = by_pairs();
  StepClock clock(1e-3);
  clock.drive(options.run);
  options.run.time_limit_s = 0.2;
  CHECK_THROWS_AS(count_perfect_matchings(graph, options), Unable);
  options = by_pairs();
  CHECK_THROWS_WITH(count_perfect_matchings(complete(82), options), ContainsSubstring("power traces take 80"));
  options.prune = true;
  CHECK_THROWS_WITH(count_perfect_matchings(UndirectedGraph::from_bipartite(grid_graph(4, 4)), options),
                    ContainsSubstring("no odd cycle"));
}
