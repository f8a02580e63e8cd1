// Tests the frontier method below the engine: on blocks as they are, along orders of every kind, good or absurd.

#include "permanent/frontier/frontier.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "graph/generate.hpp"
#include "permanent/frontier/cpu/steps.hpp"
#include "permanent/frontier/instances.hpp"
#include "support/catch.hpp"
#include "support/frontier.hpp"
#include "support/permutations.hpp"
#include "support/truth.hpp"

namespace matchcount {
namespace {

using namespace test;

constexpr std::uint64_t seed = 20240607;

Block<RealEntry> real_block_of(const BipartiteGraph& graph) {
  Block<RealEntry> block;
  for (const DoubleDouble& w : std::get<std::vector<DoubleDouble>>(graph.weights())) {
    block.entries.push_back({w, std::fabs(w.hi) * (1 + 0x1p-50)});
  }
  block.pattern = graph.pattern();
  return block;
}

FrontierOrder random_order(const BipartiteGraph& graph, Random& random) {
  return order_along(shuffled_sequence(graph.num_rows() + graph.num_columns(), random));
}

Integer count(const Block<std::int64_t>& block, const FrontierOrder& order, FrontierEngine engine,
              const RunOptions& run = with_threads(1)) {
  const RunContext context(run);
  return frontier_value(block, order, engine, context);
}

TEST_CASE("any sequence of the vertices gives the permanent of a signed block, on both engines") {
  Random random(seed);
  for (const auto family : test::all_families) {
    for (const auto weights : {test::IntegerWeights::ones, test::IntegerWeights::small}) {
      for (std::size_t n = 0; n <= 9; ++n) {
        const auto instance = test::integer_instance(family, weights, n, seed + n);
        const BipartiteGraph graph = instance.graph();
        INFO(to_string(instance));
        const Integer truth =
            reference::permanent_by_subsets(std::vector<Integer>(instance.entries.begin(), instance.entries.end()), n);
        const FrontierOrder order = random_order(graph, random);
        const Block<std::int64_t> block = block_of(graph);
        for (const auto engine : {FrontierEngine::automatic, FrontierEngine::sparse, FrontierEngine::dense}) {
          REQUIRE(count(block, order, engine) == truth);
        }
      }
    }
  }
}

TEST_CASE("the cost that the search reports is that of its steps, added up afresh") {
  const RunContext context;
  for (std::uint64_t s = 0; s < 12; ++s) {
    const BipartiteGraph graph = random_regular_graph(static_cast<Vertex>(6 + 3 * s), 3, seed + s);
    for (const auto strategy :
         {FrontierStrategy::automatic, FrontierStrategy::mixed, FrontierStrategy::rows, FrontierStrategy::columns}) {
      const FrontierOrder order = find_frontier_order(graph, strategy, seed, context);
      CAPTURE(s, static_cast<int>(strategy));
      const FrontierSteps steps = frontier_steps(graph, order.sequence);
      double total = 0;
      double peak = 1;
      for (const FrontierStep& step : steps.steps) {
        const double states = std::exp(std::lgamma(step.width + 1.0) - std::lgamma(step.ones + 1.0) -
                                       std::lgamma(step.width - step.ones + 1.0));
        total += states * (1 + 0.5 * static_cast<double>(step.choices.size()));
        peak = std::max(peak, states);
      }
      REQUIRE(std::fabs(order.log2_transitions - std::log2(total)) < 1e-6);
      REQUIRE(std::fabs(order.log2_peak_states - std::log2(peak)) < 1e-6);
      REQUIRE(order.max_width == steps.max_width);
      // The same seed, the same order.
      REQUIRE(find_frontier_order(graph, strategy, seed, context).sequence == order.sequence);
      // Rows only: no row is ever on the frontier.
      if (strategy == FrontierStrategy::rows) {
        for (const FrontierStep& step : steps.steps) {
          REQUIRE(steps.is_row(step.vertex));
          REQUIRE_FALSE(step.was_on_frontier);
        }
      }
    }
  }
}

TEST_CASE("a ladder's matchings are Fibonacci's numbers, however many words they need") {
  // 2 x m grid: F(m + 1). 64, 128, 192, 256 and 512 bits are passed on the way, and once more with every edge weighted
  // -1.
  for (const Vertex m : {90, 91, 92, 93, 94, 183, 184, 185, 186, 276, 277, 368, 369, 738, 900, 1500}) {
    Integer a = 1, b = 1;
    for (Vertex i = 1; i < m; ++i) {
      const Integer next = a + b;
      a = b;
      b = next;
    }
    Block<std::int64_t> block = block_of(grid_graph(2, m));
    CAPTURE(m);
    const RunContext context;
    const FrontierOrder order = find_frontier_order(block.pattern, FrontierStrategy::automatic, seed, context);
    REQUIRE(count(block, order, FrontierEngine::automatic) == b);
    REQUIRE(count(block, order, FrontierEngine::sparse) == b);
    std::fill(block.entries.begin(), block.entries.end(), -1);
    REQUIRE(count(block, order, FrontierEngine::dense) == (m % 2 ? Integer(-b) : b));
  }
}

TEST_CASE("weights near the ends of 64 bits neither wrap nor lose a carry") {
  Random random(seed + 1);
  for (int repeat = 0; repeat < 60; ++repeat) {
    const std::size_t n = 1 + random.below(8);
    std::vector<std::int64_t> dense(n * n);
    for (auto& entry : dense) {
      const auto bits = static_cast<std::int64_t>(random());
      entry = random.below(4) == 0 ? 0 : random.below(5) == 0 ? std::numeric_limits<std::int64_t>::min() : bits;
    }
    const BipartiteGraph graph = BipartiteGraph::from_dense(static_cast<Vertex>(n), static_cast<Vertex>(n),
                                                            std::span<const std::int64_t>(dense));
    const Integer truth = reference::permanent_by_subsets(std::vector<Integer>(dense.begin(), dense.end()), n);
    const FrontierOrder order = random_order(graph, random);
    CAPTURE(repeat, n);
    REQUIRE(count(block_of(graph), order, FrontierEngine::sparse) == truth);
    REQUIRE(count(block_of(graph), order, FrontierEngine::dense) == truth);
  }
}

TEST_CASE("threads and instruction sets do not change a layer large enough to be shared out") {
  // The rows order of a 20 x 20 grid has layers of C(20, 10) = 184756 states, in several words.
  const Block<std::int64_t> block = block_of(grid_graph(20, 20));
  auto sequence = test::ascending<Vertex>(400);
  const FrontierOrder order = order_along(sequence);
  const Integer truth("1269984011256235834242602753102293934298576249856");
  for (const int num_threads : {2, 3, 5}) {
    CAPTURE(num_threads);
    REQUIRE(count(block, order, FrontierEngine::dense, with_threads(num_threads)) == truth);
  }
  REQUIRE(count(block, order, FrontierEngine::sparse, with_threads(3)) == truth);
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
    RunOptions run = with_threads(1);
    run.max_isa = isa;
    REQUIRE(count(block, order, FrontierEngine::automatic, run) == truth);
  }
}

TEST_CASE("reals err by no more than they say, along any sequence") {
  Random random(seed + 2);
  for (const auto family : {test::Family::complete, test::Family::half, test::Family::band, test::Family::regular}) {
    for (std::size_t n = 1; n <= 9; ++n) {
      const auto instance = test::real_instance(family, test::RealWeights::signs, n, seed + n);
      INFO(to_string(instance));
      const Block<RealEntry> block = real_block_of(instance.graph());
      const test::Dyadic truth = test::exact_permanent(instance);
      const FrontierOrder order = random_order(block.pattern, random);
      for (const auto precision : {Precision::float64, Precision::double_double}) {
        for (const auto engine : {FrontierEngine::sparse, FrontierEngine::dense}) {
          const RunContext context(with_threads(1));
          const RealValue value = frontier_value(block, order, engine, precision, context);
          const test::Dyadic error = test::dyadic(value.value) - truth;
          REQUIRE((error.integer == 0 || test::log2_abs(error) <= value.log2_error));
          // Nor is the bound empty: these magnitudes are at most n! <= 2^19.
          REQUIRE(value.log2_error < (precision == Precision::float64 ? -20 : -68));
        }
      }
    }
  }
}

TEST_CASE("what underflow loses is within the bound") {
  // A diagonal of 2^-700: the permanent 2^-4900 lies far below the least double.
  std::vector<double> dense(49, 0);
  for (std::size_t i = 0; i < 7; ++i) dense[8 * i] = 0x1p-700;
  Block<RealEntry> block = real_block_of(BipartiteGraph::from_dense(7, 7, std::span<const double>(dense)));
  auto sequence = test::ascending<Vertex>(14);
  const RunContext context(with_threads(1));
  const RealValue value =
      frontier_value(block, order_along(sequence), FrontierEngine::automatic, Precision::float64, context);
  const test::Dyadic error = test::dyadic(value.value) - test::Dyadic{1, -4900};
  REQUIRE((error.integer == 0 || test::log2_abs(error) <= value.log2_error));
}

TEST_CASE("what does not fit is refused, and said") {
  const Block<std::int64_t> block = block_of(complete_graph(24, 24));
  RunOptions run = with_threads(1);
  const RunContext context(run);
  const FrontierOrder order = find_frontier_order(block.pattern, FrontierStrategy::automatic, seed, context);
  run.memory_limit_bytes = 1 << 20;
  const RunContext limited(run);
  REQUIRE_THROWS_AS(frontier_value(block, order, FrontierEngine::automatic, limited), Unable);
  REQUIRE_THROWS_AS(frontier_value(block, order, FrontierEngine::dense, limited), Unable);
  // 70 columns at once on the frontier are too many ranks, but few enough states to merge.
  const Block<std::int64_t> star = block_of(band_graph(100, 99));
  auto sequence = test::ascending<Vertex>(200);
  REQUIRE_THROWS_AS(count(star, order_along(sequence), FrontierEngine::dense), Unable);
  REQUIRE_THROWS_AS(count(block, order_along({0, 1, 2}), FrontierEngine::sparse), InputError);
  sequence.assign(48, 0);
  REQUIRE_THROWS_AS(count(block, order_along(sequence), FrontierEngine::sparse), InputError);
}

}  // namespace
}  // namespace matchcount
