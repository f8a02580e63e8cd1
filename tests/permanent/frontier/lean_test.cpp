// Layers modulo primes of 31 bits, rewritten in place: against the oracles, the other engines, and a buffer of their
// own.

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/numbers/residue.hpp"
#include "graph/generate.hpp"
#include "permanent/frontier/cpu/lean_cpu.hpp"
#include "permanent/frontier/cpu/spread.hpp"
#include "permanent/frontier/frontier.hpp"
#include "permanent/frontier/instances.hpp"
#include "permanent/frontier/residues.hpp"
#include "support/catch.hpp"
#include "support/clock.hpp"
#include "support/folder.hpp"
#include "support/frontier.hpp"
#include "support/graphs.hpp"
#include "support/truth.hpp"

namespace matchcount {
namespace {

using namespace test;

constexpr std::uint64_t seed = 20261122;
using Residue = std::uint32_t;

Integer lean(const Block<std::int64_t>& block, const FrontierOrder& order, const RunOptions& options = with_threads(1),
             FrontierEngine engine = FrontierEngine::lean) {
  return frontier_value(block, order, engine, RunContext(options));
}
Integer lean(const GraphBlock<std::int64_t>& block, const FrontierOrder& order,
             const RunOptions& options = with_threads(1), FrontierEngine engine = FrontierEngine::lean) {
  return frontier_value(block, order, engine, RunContext(options));
}
template <class AnyBlock>
Integer words(const AnyBlock& block, const FrontierOrder& order) {
  return lean(block, order, with_threads(1), FrontierEngine::dense);
}

// Returns the residues of one run modulo `count` primes side by side.
std::vector<Residue> residues(const FrontierSteps& steps, const std::vector<std::int64_t>& entries, std::size_t count,
                              int threads) {
  const RunContext run(with_threads(threads));
  Buffer<Residue> array;
  Residues arithmetic(entries, primes_below(residue_limit, count));
  const InPlaceNeeds needs = in_place_needs(steps, in_place_slack, max_forecast_bits, threads);
  return LeanCpuRun(steps, arithmetic, array, needs, run, "", "").run();
}

TEST_CASE("any sequence gives the permanent of a signed block modulo primes, layers being rewritten in place") {
  Random random(seed);
  for (const auto family : test::all_families) {
    for (const auto weights : {test::IntegerWeights::ones, test::IntegerWeights::small, test::IntegerWeights::mixed}) {
      for (std::size_t n = 0; n <= 9; ++n) {
        const auto instance = test::integer_instance(family, weights, n, seed + n);
        const BipartiteGraph graph = instance.graph();
        INFO(to_string(instance));
        const Integer truth =
            reference::permanent_by_subsets(std::vector<Integer>(instance.entries.begin(), instance.entries.end()), n);
        const FrontierOrder order = order_along(shuffled_sequence(graph.num_rows() + graph.num_columns(), random));
        REQUIRE(lean(block_of(graph), order, with_threads(1 + static_cast<int>(n % 3))) == truth);
      }
    }
  }
}

TEST_CASE("weights near the ends of 64 bits are reduced before they are used") {
  Random random(seed, 1);
  for (int repeat = 0; repeat < 60; ++repeat) {
    const std::size_t n = 1 + random.below(8);
    std::vector<std::int64_t> dense(n * n);
    for (auto& entry : dense) {
      const auto bits = static_cast<std::int64_t>(random());
      entry = random.below(4) == 0 ? 0 : random.below(5) == 0 ? std::numeric_limits<std::int64_t>::min() : bits;
    }
    const auto size = static_cast<Vertex>(n);
    const BipartiteGraph graph = BipartiteGraph::from_dense(size, size, std::span<const std::int64_t>(dense));
    const Integer truth = reference::permanent_by_subsets(std::vector<Integer>(dense.begin(), dense.end()), n);
    CAPTURE(repeat, n);
    REQUIRE(lean(block_of(graph), order_along(shuffled_sequence(2 * size, random))) == truth);
  }
}

TEST_CASE("hafnians of 0 to 14 vertices modulo primes agree with the oracle, weights of both signs") {
  Random random(seed, 2);
  for (Vertex n = 0; n <= 14; ++n) {
    for (const double density : {0.2, 0.4, 0.8}) {
      if (n == 14 && density > 0.5) continue;
      UndirectedGraph graph = test::random_graph(n, density, random);
      if (random.below(2) == 0) graph = test::with_integers(graph, -5, 11, random);
      CAPTURE(seed, test::to_string(graph));
      CHECK(lean(block_of(graph), order_along(shuffled_sequence(n, random)), with_threads(1 + n % 3)) ==
            test::hafnian_by_oracle(graph));
    }
  }
}

TEST_CASE("in place as in words: narrow graphs on both sides of 32 and 64 vertices, connected or not") {
  Random random(seed, 3);
  const RunContext context(with_threads(1));
  const auto check = [&](const BipartiteGraph& graph) {
    const Block<std::int64_t> block = block_of(graph);
    const FrontierOrder order = find_frontier_order(graph, FrontierStrategy::automatic, seed, context);
    CAPTURE(graph.num_rows(), graph.num_edges());
    CHECK(lean(block, order) == words(block, order));
  };
  for (const Vertex n : {1u, 2u, 3u, 31u, 32u, 33u, 63u, 64u, 65u}) {
    check(grid_graph(2, n));
    check(band_graph(n, 2));
    check(random_regular_graph(std::max<Vertex>(n, 3), 3, seed + n));
    std::vector<Edge> edges;  // a square beside a path, and a vertex that is alone
    for (Vertex v = 0; v < n; ++v) edges.push_back({v, v});
    for (Vertex v = 0; v + 1 < n; v += 5) edges.insert(edges.end(), {{v, v + 1}, {v + 1, v}});
    check(BipartiteGraph::from_edges(n, n, edges));
    check(BipartiteGraph::from_edges(n + 1, n + 1, edges));
    const UndirectedGraph ladder = test::shuffled(test::closed_ladder(std::max<Vertex>(n, 3), n % 2 == 0), random);
    CHECK(lean(block_of(ladder), find_frontier_order(ladder, seed, context)) ==
          test::closed_ladder_count(std::max<Vertex>(n, 3), n % 2 == 0));
  }
}

TEST_CASE("threads and primes side by side do not change residues, which are those of two layers") {
  std::vector<std::vector<std::int64_t>> entries;
  const auto all = test::wide_steps(seed, entries);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const FrontierSteps& steps = all[i].second;
    double peak = 0;
    for (const FrontierStep& step : steps.steps) peak = std::max(peak, step.states);
    CAPTURE(all[i].first, i, peak);
    REQUIRE(peak > min_parallel_states);
    const RunContext run(with_threads(1));
    Residues arithmetic(entries[i], primes_below(residue_limit, 4));
    const std::vector<Residue> truth =
        FrontierRun<Residues>(steps, arithmetic, FrontierEngine::automatic, run, "", "").run();
    REQUIRE(truth.size() == 4);
    for (std::size_t count = 1; count <= 4; ++count) {
      for (const int threads : {1, 2, 3}) {
        CAPTURE(count, threads);
        REQUIRE(std::ranges::equal(residues(steps, entries[i], count, threads), std::span(truth).first(count)));
      }
    }
    const FrontierSteps joined = joined_steps(steps);
    REQUIRE(joined.steps.size() < steps.steps.size());
    CHECK(residues(joined, entries[i], 4, 2) == truth);
  }
}

TEST_CASE("steps that are joined, all that may be, have the residues of the oracles") {
  Random random(seed, 6);
  int fewer = 0;
  const auto check = [&](const FrontierSteps& steps, const std::vector<std::int64_t>& entries, const Integer& truth) {
    for (const double min_states : {0.0, 4.0}) {
      const FrontierSteps joined = joined_steps(steps, min_states);
      fewer += joined.steps.size() + 4 < steps.steps.size();
      const std::vector<Residue> found = residues(joined, entries, 2, 1);
      const std::vector<std::uint64_t> primes = primes_below(residue_limit, 2);
      for (std::size_t k = 0; k < 2; ++k) {
        const Integer rest = (truth % primes[k] + primes[k]) % primes[k];
        REQUIRE(Integer(found.empty() ? 0 : found[k]) == rest);
      }
    }
  };
  for (const auto family : test::all_families) {
    for (const auto weights : {test::IntegerWeights::ones, test::IntegerWeights::mixed}) {
      for (std::size_t n = 0; n <= 9; ++n) {
        const auto instance = test::integer_instance(family, weights, n, seed + n);
        INFO(to_string(instance));
        const BipartiteGraph graph = instance.graph();
        const Integer truth =
            reference::permanent_by_subsets(std::vector<Integer>(instance.entries.begin(), instance.entries.end()), n);
        const FrontierSteps steps =
            frontier_steps(graph, shuffled_sequence(graph.num_rows() + graph.num_columns(), random));
        if (!steps.impossible) check(steps, block_of(graph).entries, truth);
      }
    }
  }
  for (Vertex n = 0; n <= 12; n += 2) {
    const UndirectedGraph graph = test::with_integers(test::random_graph(n, 0.5, random), -5, 11, random);
    CAPTURE(test::to_string(graph));
    const FrontierSteps steps = frontier_steps(graph.pattern(), shuffled_sequence(n, random));
    if (!steps.impossible) check(steps, block_of(graph).entries, test::hafnian_by_oracle(graph));
  }
  CHECK(fewer > 20);
}

TEST_CASE("pieces that are made as late and as early as they may be make the same layer") {
  // Pieces are made in groups of as many as may be in flight, the last of a group first.
  std::vector<std::vector<std::int64_t>> entries;
  const auto all = test::wide_steps(seed, entries);
  const FrontierKernels& kernels = frontier_kernels(Isa::baseline);
  std::size_t in_place = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const FrontierSteps steps = i % 2 == 0 ? joined_steps(all[i].second) : all[i].second;
    const StateIndices indices(steps.by_parity, max_dense_width + 1);
    const Touches touches(steps);
    Residues arithmetic(entries[i], primes_below(residue_limit, 1));
    Layer<Residue> unused;
    std::vector<Vertex> layout;
    std::vector<Residue> layer{1};
    for (std::size_t t = 0; t < steps.steps.size(); ++t) {
      arithmetic.prepare(steps.steps[t], unused, 0);
      const InPlaceStep at = step_in_place(steps, touches, indices, t, layout, 0, t % 2 == 0, max_piece_bits, 2);
      const InPlaceWalk& walk = at.walk;
      CAPTURE(all[i].first, i, t, walk.downwards, walk.num_bits, walk.shift, walk.span, at.rule.kept);
      REQUIRE(layer.size() == at.old_states);
      REQUIRE(walk.span <= at.old_states + at.new_states);
      std::vector<Residue> truth(at.new_states);
      for (Word top = 0; top < walk.num_pieces(); ++top) {
        at.step->run_top(arithmetic, kernels, top, walk.num_bits, layer.data(), truth.data(), 0);
      }
      const std::ptrdiff_t first = std::min<std::ptrdiff_t>(0, walk.shift);
      std::vector<Residue> buffer(walk.span, 7);
      Residue* const old = buffer.data() - first;
      std::ranges::copy(layer, old);
      const std::uint64_t group = walk.in_flight + 1;
      for (std::uint64_t begin = 0; begin < walk.num_pieces(); begin += group) {
        for (std::uint64_t piece = std::min(begin + group, walk.num_pieces()); piece-- > begin;) {
          at.step->run_top(arithmetic, kernels, walk.top_of(piece), walk.num_bits, old, old + walk.shift, 0);
        }
      }
      REQUIRE(std::ranges::equal(truth, std::span(old + walk.shift, at.new_states)));
      in_place += walk.num_bits > 2 && walk.span < at.old_states + at.new_states;
      layer = truth;
      layout = at.step->layout();
    }
  }
  REQUIRE(in_place > 30);
}

TEST_CASE("a layer and its successor take little more than the larger, and the forecast is what is taken") {
  const auto check = [](const auto& graph, const FrontierOrder& order) {
    const FrontierSteps steps = frontier_steps(graph, order.sequence);
    for (const int threads : {1, 2}) {
      const InPlaceNeeds needs = in_place_needs(steps, in_place_slack, max_piece_bits, threads);
      const InPlaceNeeds forecast = in_place_needs(steps, in_place_slack, max_forecast_bits, threads);
      CAPTURE(order.log2_peak_states, threads, needs.largest_layer, needs.span, forecast.span);
      REQUIRE(needs.largest_layer > std::size_t{1} << 20);
      CHECK(static_cast<double>(needs.span) <= 1.3 * static_cast<double>(needs.largest_layer));
      CHECK(static_cast<double>(forecast.span) <= 1.1 * static_cast<double>(needs.span));
      CHECK(static_cast<double>(forecast.span) >= 0.95 * static_cast<double>(needs.span));
    }
  };
  const RunContext context(with_threads(1));
  for (const BipartiteGraph& graph :
       {BipartiteGraph(grid_graph(26, 26)), random_regular_graph(90, 3, seed), random_regular_graph(36, 6, seed)}) {
    for (const auto strategy : {FrontierStrategy::rows, FrontierStrategy::mixed}) {
      check(graph, find_frontier_order(graph, strategy, seed, context));
    }
  }
  Random random(seed, 8);
  const UndirectedGraph odd = test::random_graph(46, 0.25, random);
  check(odd, find_frontier_order(odd, seed, context));
}

TEST_CASE("a limit on memory makes passes more and primes side by side fewer, and is refused below one") {
  const BipartiteGraph graph = random_regular_graph(27, 6, seed);
  std::vector<std::int64_t> entries(graph.num_edges());
  Random random(seed, 6);
  for (auto& entry : entries) entry = static_cast<std::int64_t>(random.below(2'000'001)) - 1'000'000;
  Block<std::int64_t> block = block_of(graph);
  block.entries = entries;
  const FrontierOrder order =
      find_frontier_order(graph, FrontierStrategy::automatic, seed, RunContext(with_threads(1)));
  const Integer truth = words(block, order);
  REQUIRE(abs(truth) > Integer(1) << 300);
  const FrontierSteps steps = frontier_steps(graph, order.sequence);
  const auto bytes = static_cast<double>(4 * in_place_needs(joined_steps(steps), 1, max_forecast_bits, 2).span);
  for (const double primes : {1.05, 2.2, 5.0, 100.0}) {
    RunOptions options = with_threads(2);
    options.memory_limit_bytes = static_cast<std::uint64_t>(primes * bytes);
    CAPTURE(primes);
    CHECK(lean(block, order, options) == truth);
  }
  RunOptions options = with_threads(2);
  options.memory_limit_bytes = static_cast<std::uint64_t>(0.7 * bytes);
  CHECK_THROWS_AS(lean(block, order, options), Unable);
  // With what is beside the layers, choices keep within every limit that one prime keeps within.
  for (double limit = 1.3 * bytes + 4e6; limit < 20 * bytes; limit *= 1.01) {
    const SpreadCost cost = choose_spread(steps, FrontierEngine::lean, 64, 12, 1, 2, limit);
    CAPTURE(limit, cost.primes_at_once);
    CHECK(cost.memory_bytes + bytes_beside_layers <= limit);
  }
}

TEST_CASE("counts by residues that are interrupted within and between passes go on to the same answer", "[timing]") {
  const BipartiteGraph graph = random_regular_graph(27, 6, seed);
  const Block<std::int64_t> block = block_of(graph);
  const FrontierOrder order =
      find_frontier_order(graph, FrontierStrategy::automatic, seed, RunContext(with_threads(1)));
  const Integer truth = words(block, order);
  Random random(seed, 7);
  const UndirectedGraph odd = test::random_graph(38, 0.25, random);
  const FrontierOrder odd_order = find_frontier_order(odd, seed, RunContext(with_threads(1)));
  const Integer odd_truth = words(block_of(odd), odd_order);
  const auto check = [&](const auto& any_block, const FrontierSteps& steps, auto&& compute, const Integer& expected,
                         double interval) {
    const test::Folder folder;
    // Two primes at once, so that there are passes to be interrupted between.
    const auto bytes = static_cast<double>(4 * in_place_needs(steps, 1, max_forecast_bits, 3).span);
    int runs = 0;
    for (;; ++runs) {
      REQUIRE(runs < 80);
      Checkpoint checkpoint({.file = folder.path("part"), .interval_s = interval, .resume = true, .program = "test"});
      Work work(&checkpoint);
      RunOptions options = with_threads(1 + runs % 3);
      test::StepClock clock;
      clock.end_at_look(static_cast<std::uint64_t>(32 * std::exp2(runs / 2.0)), options);
      options.memory_limit_bytes = static_cast<std::uint64_t>(2.4 * bytes) + (1 << 20);
      try {
        const RunContext context(options, &work);
        const Integer value = compute(any_block, context.in_part("block 1"));
        CAPTURE(runs, interval);
        REQUIRE(value == expected);
        break;
      } catch (const Unable&) {
      }
    }
    return runs;
  };
  for (const double interval : {1000.0, 0.003}) {
    CHECK(check(
              block, frontier_steps(graph, order.sequence),
              [&](const auto& any, const RunContext& run) {
                return frontier_value(any, order, FrontierEngine::lean, run);
              },
              truth, interval) > 0);
    CHECK(check(
              block_of(odd), frontier_steps(odd, odd_order.sequence),
              [&](const auto& any, const RunContext& run) {
                return frontier_value(any, odd_order, FrontierEngine::lean, run);
              },
              odd_truth, interval) > 0);
  }
}

TEST_CASE("a CPU refuses to go on with residues of 2 bytes, which GPUs have") {
  const BipartiteGraph graph = random_regular_graph(8, 3, seed);
  const test::Folder folder;
  Checkpoint checkpoint({.file = folder.path("part"), .program = "test"});
  Work work(&checkpoint);
  const RunContext run = RunContext(with_threads(1), &work).in_part("block 1");
  work.decide("block 1, numbers", std::string("1") + in_2_bytes);
  CHECK_THROWS_AS(
      frontier_value(
          block_of(graph),
          order_along(find_frontier_order(graph, FrontierStrategy::rows, seed, RunContext(with_threads(1))).sequence),
          FrontierEngine::lean, run),
      Unable);
}

// Makes so many single steps of sorted states, and is told to stop.
class StoppedRun final : public FrontierRun<Residues> {
 public:
  StoppedRun(const FrontierSteps& steps, Residues& number, const RunContext& run, int most_steps)
      : FrontierRun(steps, number, FrontierEngine::sparse, run, "layer", "test"), left_(most_steps) {}
  int left() const { return left_; }

 private:
  void merged_step(const FrontierStep& step) override {
    if (left_ == 0) throw Unable("told to stop");
    FrontierRun::merged_step(step);
    --left_;
  }
  int left_;
};

TEST_CASE("a run that is stopped within steps that are joined goes on from the last single one, and makes none again") {
  Random random(seed, 9);
  const UndirectedGraph graph = test::with_integers(test::random_graph(18, 0.3, random), -5, 11, random);
  const FrontierSteps steps =
      frontier_steps(graph.pattern(), find_frontier_order(graph, seed, RunContext(with_threads(1))).sequence);
  const std::vector<std::int64_t> entries = block_of(graph).entries;
  const FrontierSteps joined = joined_steps(steps, 0);
  REQUIRE(joined.steps.size() + 4 < steps.steps.size());
  const int num_steps = static_cast<int>(steps.steps.size());
  const std::vector<Residue> truth = residues(steps, entries, 2, 1);
  for (int at_once = 1; at_once <= num_steps; ++at_once) {
    const test::Folder folder;
    int made = 0;
    std::vector<Residue> found;
    for (int runs = 0; found.empty(); ++runs) {
      Checkpoint checkpoint({.file = folder.path("part"), .interval_s = 1000, .resume = true, .program = "test"});
      Work work(&checkpoint);
      const RunContext run(with_threads(1), &work);
      Residues arithmetic(entries, primes_below(residue_limit, 2));
      StoppedRun pass(joined, arithmetic, run, at_once);
      try {
        found = pass.run();
      } catch (const Unable&) {
        REQUIRE(pass.left() == 0);
      }
      made += at_once - pass.left();
      REQUIRE(runs < num_steps);
    }
    CAPTURE(at_once, made);
    CHECK(made == num_steps);
    CHECK(found == truth);
  }
}

}  // namespace
}  // namespace matchcount
