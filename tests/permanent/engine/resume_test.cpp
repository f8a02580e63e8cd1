// Runs that are ended and gone on with: the same answer, to the last bit, and refusals of what is another run's.

#include <cmath>
#include <memory>
#include <variant>

#include "core/error.hpp"
#include "core/random.hpp"
#include "core/work.hpp"
#include "graph/generate.hpp"
#include "matchcount/count.hpp"
#include "permanent/ryser/short_work.hpp"
#include "support/catch.hpp"
#include "support/clock.hpp"
#include "support/folder.hpp"
#include "support/instances.hpp"
#include "support/truth.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

constexpr std::uint64_t seed = 20261121;

CheckpointOptions file_options(const Folder& folder, double interval_s = 1000) {
  return {.file = folder.path() / "c", .interval_s = interval_s, .resume = true, .program = "tests"};
}

// Returns the value that is reached after ends upon ends, each time on other threads, and how many runs it took.
template <class Make>
std::pair<Value, int> in_short_runs(const Matrix& matrix, CountOptions options, const Make& make_work) {
  const Folder folder;
  for (int attempt = 0; attempt < 1000; ++attempt) {
    Checkpoint checkpoint(file_options(folder, attempt % 2 ? 0 : 1000));
    const auto work = make_work(checkpoint, attempt);
    options.run.num_threads = 1 + attempt % 3;
    try {
      return {permanent(matrix, options, work.get()).value, attempt + 1};
    } catch (const Cancelled&) {
    }
  }
  throw Error("never done");
}

std::unique_ptr<ShortWork> a_few_pieces(Checkpoint& checkpoint, int attempt) {
  return std::make_unique<ShortWork>(&checkpoint, 5 + 3 * static_cast<std::uint64_t>(attempt));
}

bool same_bits(const Value& a, const Value& b) {
  if (const auto* x = std::get_if<Integer>(&a)) return *x == std::get<Integer>(b);
  const auto same = [](const ScaledReal& x, const ScaledReal& y) {
    return x.mantissa == y.mantissa && x.exponent == y.exponent;
  };
  if (const auto* x = std::get_if<RealValue>(&a)) {
    const auto& y = std::get<RealValue>(b);
    return same(x->value, y.value) && x->log2_error == y.log2_error;
  }
  const auto& x = std::get<ComplexValue>(a);
  const auto& y = std::get<ComplexValue>(b);
  return same(x.value.re, y.value.re) && same(x.value.im, y.value.im) && x.log2_error == y.log2_error;
}

}  // namespace

TEST_CASE("inclusion-exclusion in short runs gives the bits of one run, by every variant and number") {
  for (const Method method : {Method::staged, Method::skipper, Method::ryser}) {
    const auto check = [&](const auto& instance, Precision precision) {
      const CountOptions options{.method = method, .run = {.precision = precision}};
      const Value whole = permanent(instance.graph(), options).value;
      const auto [value, runs] = in_short_runs(instance.graph(), options, a_few_pieces);
      INFO(to_string(instance));
      CAPTURE(to_string(method), runs);
      REQUIRE(same_bits(value, whole));
      REQUIRE(runs > 1);
    };
    check(test::integer_instance(Family::complete, IntegerWeights::mixed, 18, seed), Precision::automatic);
    check(test::real_instance(Family::complete, RealWeights::unit, 19, seed), Precision::float64);
    check(test::real_instance(Family::complete, RealWeights::signs, 19, seed), Precision::double_double);
    check(test::complex_instance(Family::complete, RealWeights::unit, 19, seed), Precision::float64);
  }
}

TEST_CASE("integers in short runs are the permanent by definition of exactness") {
  for (const Family family : {Family::half, Family::complete, Family::band}) {
    for (const IntegerWeights weights : {IntegerWeights::ones, IntegerWeights::large}) {
      const auto instance = test::integer_instance(family, weights, 13, seed);
      const CountOptions options{.method = Method::staged, .prune = false, .reduce = false};
      INFO(to_string(instance));
      const auto [value, runs] = in_short_runs(instance.graph(), options, a_few_pieces);
      REQUIRE(std::get<Integer>(value) == test::exact_permanent(instance));
    }
  }
}

TEST_CASE("the frontier method goes on from its layer, with integers, reals and complex numbers", "[timing]") {
  const auto check = [&](const Matrix& matrix, FrontierEngine engine) {
    CountOptions options{.method = Method::frontier, .frontier_engine = engine};
    const Value whole = permanent(matrix, options).value;
    const Folder folder;
    int runs = 0;
    for (;; ++runs) {
      REQUIRE(runs < 200);
      Checkpoint checkpoint(file_options(folder, runs % 3 ? 0.01 : 1000));
      Work work(&checkpoint);
      // Each run has more looks at the clock than the one before.
      test::StepClock clock;
      clock.stop_at_look(150 * static_cast<std::uint64_t>(runs + 1), options.run);
      options.run.num_threads = 1 + runs % 2;
      try {
        const Value value = permanent(matrix, options, &work).value;
        CAPTURE(runs, static_cast<int>(engine));
        REQUIRE(same_bits(value, whole));
        break;
      } catch (const Cancelled&) {
      }
    }
    return runs;
  };
  int interrupted = 0;
  for (const FrontierEngine engine :
       {FrontierEngine::sparse, FrontierEngine::dense, FrontierEngine::lean, FrontierEngine::automatic}) {
    interrupted += check(grid_graph(16, 16), engine);
    interrupted += check(test::integer_instance(Family::half, IntegerWeights::mixed, 20, seed).graph(), engine);
    interrupted += check(test::real_instance(Family::half, RealWeights::signs, 19, seed).graph(), engine);
    interrupted += check(test::complex_instance(Family::half, RealWeights::unit, 18, seed).graph(), engine);
  }
  CHECK(interrupted > 0);
}

TEST_CASE("planar graphs in short runs give the bits of one run, on a torus too") {
  const auto signed_weights = [](const BipartiteGraph& pattern) {
    matchcount::Random random(seed);
    std::vector<DoubleDouble> weights;
    for (std::size_t i = 0; i < pattern.num_edges(); ++i) weights.emplace_back(random.uniform() - 0.5);
    return BipartiteGraph::from_edges(pattern.num_rows(), pattern.num_columns(), pattern.edges(), std::move(weights));
  };
  for (const Matrix& matrix :
       {signed_weights(grid_graph(24, 24)), signed_weights(torus_graph(12, 12)), BipartiteGraph(grid_graph(90, 90))}) {
    const CountOptions options{.method = Method::planar, .prune = false, .reduce = false};
    const Value whole = permanent(matrix, options).value;
    const auto [value, runs] = in_short_runs(matrix, options, [](Checkpoint& checkpoint, int) {
      return std::make_unique<ShortWork>(&checkpoint, 1);  // as many as are taken at a time
    });
    CAPTURE(runs);
    REQUIRE(same_bits(value, whole));
    REQUIRE(runs > 1);
  }
}

TEST_CASE("finished blocks are not counted again") {
  // Two blocks of 14, of which the first is done when the run ends in the second.
  std::vector<Edge> edges;
  for (const Vertex base : {0, 14}) {
    for (Vertex r = 0; r < 14; ++r) {
      for (Vertex c = 0; c < 14; ++c) {
        if (base == 0 || (r * 5 + c * 3) % 7 != 1) edges.push_back({base + r, base + c});
      }
    }
  }
  const BipartiteGraph graph = BipartiteGraph::from_edges(28, 28, edges);
  CountOptions options{.method = Method::staged};
  std::uint64_t pieces = 0;
  Integer expected;
  {
    ShortWork work(nullptr, 1'000'000);
    expected = std::get<Integer>(count_perfect_matchings(graph, options, &work).value);
    pieces = work.taken();
  }
  const Folder folder;
  const std::uint64_t before = pieces * 3 / 4;
  {
    Checkpoint checkpoint(file_options(folder));
    ShortWork work(&checkpoint, before);
    options.run.num_threads = 1;
    REQUIRE_THROWS_AS(count_perfect_matchings(graph, options, &work), Cancelled);
  }
  Checkpoint checkpoint(file_options(folder));
  ShortWork work(&checkpoint, 1'000'000);
  CHECK(std::get<Integer>(count_perfect_matchings(graph, options, &work).value) == expected);
  CHECK(work.taken() == pieces - before);
}

TEST_CASE("a checkpoint of another matrix, seed, precision or method is refused, with what differs") {
  const auto matrix = test::real_instance(Family::complete, RealWeights::unit, 19, seed).graph();
  const Folder folder;
  const CountOptions options{.method = Method::staged, .run = {.precision = Precision::float64}};
  {
    Checkpoint checkpoint(file_options(folder));
    ShortWork work(&checkpoint, 3);
    REQUIRE_THROWS_AS(permanent(matrix, options, &work), Cancelled);
  }
  Checkpoint checkpoint(file_options(folder));
  Work work(&checkpoint);
  auto weights = std::get<std::vector<DoubleDouble>>(matrix.weights());
  weights.back().lo += weights.back().hi * 0x1p-80;
  CHECK_THROWS_WITH(permanent(matrix.with_weights(weights), options, &work), ContainsSubstring("another input"));
  const auto with = [&](auto change) {
    CountOptions changed = options;
    change(changed);
    return [&matrix, &work, changed] { return permanent(matrix, changed, &work); };
  };
  CHECK_THROWS_WITH(with([](CountOptions& o) { o.run.seed = 2; })(), ContainsSubstring("another seed"));
  CHECK_THROWS_WITH(with([](CountOptions& o) { o.run.precision = Precision::double_double; })(),
                    ContainsSubstring("another precision"));
  CHECK_THROWS_WITH(with([](CountOptions& o) { o.method = Method::skipper; })(),
                    ContainsSubstring("by staged on cpu") && ContainsSubstring("skipper"));
  // Left open, the method is the one that was begun with.
  CountOptions open = options;
  open.method = Method::automatic;
  CHECK(permanent(matrix, open, &work).method == Method::staged);
}

TEST_CASE("the frontier method counts by residues, for ranks to share, what it counts in words") {
  // Ranks that are not there take no pieces.
  class Shared : public Work {
   public:
    int num_ranks() const override { return 3; }
  };
  const auto check = [](const BipartiteGraph& graph, FrontierEngine engine) {
    CountOptions options{
        .method = Method::frontier, .frontier_engine = engine, .reduce = false, .run = {.num_threads = 2}};
    const Value words = count_perfect_matchings(graph, options).value;
    Shared work;
    CAPTURE(static_cast<int>(engine), to_string(words));
    REQUIRE(work.decide("nothing", "this") == "this");
    CHECK(same_bits(count_perfect_matchings(graph, options, &work).value, words));
  };
  for (const FrontierEngine engine : {FrontierEngine::automatic, FrontierEngine::sparse, FrontierEngine::dense,
                                      FrontierEngine::twins, FrontierEngine::lean}) {
    check(grid_graph(14, 14), engine);      // 81 bits
    check(complete_graph(21, 21), engine);  // 66 bits; all columns are twins
    check(test::integer_instance(Family::half, IntegerWeights::ones, 20, seed).graph(), engine);
    check(grid_graph(4, 4), engine);  // less than a word
    check(BipartiteGraph::from_edges(0, 0, {}), engine);
  }
}

TEST_CASE("several runs of an exact value go on where they ended, and only as those of the same value") {
  // 13 rows of integers of 200 bits, and the same matrix as reals that are counted as they are held.
  constexpr Vertex n = 13;
  Random random(seed, 7);
  std::vector<Edge> edges;
  std::vector<std::int64_t> places;
  std::vector<Rational> table{Rational(0)};
  std::vector<DoubleDouble> reals;
  for (Vertex row = 0; row < n; ++row) {
    for (Vertex column = 0; column < n; ++column) {
      edges.push_back({row, column});
      places.push_back(static_cast<std::int64_t>(places.size()) + 1);
      Integer entry = 1;
      for (int word = 0; word < 4; ++word)
        entry = entry * (Integer(1) << 50) + static_cast<std::int64_t>(random.below(1u << 30));
      table.emplace_back(entry);
      reals.emplace_back(
          std::ldexp(1 + static_cast<double>(random.below(1 << 20)), -static_cast<int>(random.below(60))));
    }
  }
  const Matrix integers = BipartiteGraph::from_edges(n, n, edges, places);
  const Matrix held = BipartiteGraph::from_edges(n, n, edges, reals);
  CountOptions options;
  const auto integer = [&](Work* work) { return std::get<Integer>(permanent(integers, table, options, work).value); };
  const auto real = [&](Work* work) { return permanent(held, options, work).value; };
  const auto check = [&](const auto& value_by, const auto& other) {
    const auto whole = value_by(nullptr);
    const Folder folder;
    for (int attempt = 0;; ++attempt) {
      REQUIRE(attempt < 1000);
      Checkpoint checkpoint(file_options(folder, attempt % 2 ? 0 : 1000));
      const auto work = a_few_pieces(checkpoint, attempt);
      options.run.num_threads = 1 + attempt % 3;
      try {
        const Value value = value_by(work.get());
        REQUIRE(same_bits(value, Value(whole)));
        CHECK(attempt > 1);
        break;
      } catch (const Cancelled&) {
        checkpoint.write();
      }
    }
    Checkpoint checkpoint(file_options(folder));
    Work work(&checkpoint);
    CHECK_THROWS_AS(other(&work), InputError);
  };
  for (const Method method : {Method::staged, Method::automatic}) {
    CAPTURE(to_string(method));
    options.method = method;
    options.run.precision = Precision::automatic;
    check(integer, real);
    const Rational last = table.back();
    check(integer, [&](Work* work) {
      table.back() = last + 1;
      const Integer other = integer(work);
      return other;
    });
    table.back() = last;
    options.run.precision = Precision::exact;
    check(real, integer);
  }
}
