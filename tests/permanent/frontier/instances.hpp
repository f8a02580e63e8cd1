#pragma once
// Makes graphs as the frontier method takes them, orders of their vertices and steps along them, and options of a run,
// for its tests.

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/checkpoint.hpp"
#include "core/error.hpp"
#include "core/random.hpp"
#include "core/run.hpp"
#include "core/work.hpp"
#include "graph/generate.hpp"
#include "permanent/frontier/cpu/joint_steps.hpp"
#include "permanent/frontier/cuda/lean_gpu.hpp"
#include "permanent/frontier/frontier.hpp"
#include "support/catch.hpp"
#include "support/folder.hpp"
#include "support/graphs.hpp"
#include "support/permutations.hpp"

namespace matchcount::test {

inline RunOptions with_threads(int num_threads) { return {.num_threads = num_threads}; }

// Edges without weights are 1.
inline Block<std::int64_t> block_of(const BipartiteGraph& graph) {
  Block<std::int64_t> block;
  const auto* weights = std::get_if<std::vector<std::int64_t>>(&graph.weights());
  block.entries = weights ? *weights : std::vector<std::int64_t>(graph.num_edges(), 1);
  block.pattern = graph.pattern();
  return block;
}
inline GraphBlock<std::int64_t> block_of(const UndirectedGraph& graph) {
  const auto* weights = std::get_if<std::vector<std::int64_t>>(&graph.weights());
  return {graph.pattern(), weights ? *weights : std::vector<std::int64_t>(graph.num_edges(), 1)};
}

inline FrontierOrder order_along(std::vector<Vertex> sequence) {
  FrontierOrder order;
  order.sequence = std::move(sequence);
  return order;
}

inline std::vector<Vertex> shuffled_sequence(Vertex size, Random& random) {
  return random_permutation<Vertex>(size, random);
}

// Steps along orders of rows, of columns, mixed, and by parity, with the entries of their edges. Layers of 2^17 states
// and more, so that pieces and threads are many.
inline std::vector<std::pair<std::string, FrontierSteps>> wide_steps(std::uint64_t seed,
                                                                     std::vector<std::vector<std::int64_t>>& entries) {
  std::vector<std::pair<std::string, FrontierSteps>> list;
  Random random(seed, 4);
  const RunContext context(with_threads(1));
  const auto grid = random_regular_graph(27, 6, seed);
  for (const auto strategy : {FrontierStrategy::rows, FrontierStrategy::columns, FrontierStrategy::mixed}) {
    list.emplace_back("regular", frontier_steps(grid, find_frontier_order(grid, strategy, seed, context).sequence));
    entries.emplace_back(grid.num_edges(), 1);
  }
  std::vector<std::int64_t> signs(grid.num_edges());
  for (auto& entry : signs) entry = static_cast<std::int64_t>(random.below(7)) - 3;
  list.emplace_back("signed", list.back().second);
  entries.push_back(signs);
  const UndirectedGraph odd = random_graph(40, 0.25, random);
  list.emplace_back("by parity", frontier_steps(odd, find_frontier_order(odd, seed, context).sequence));
  entries.emplace_back(odd.num_edges(), 1);
  return list;
}

// Layers of 2^22 states and more, which a GPU too can make in place.
inline FrontierSteps large_steps(std::uint64_t seed) {
  const BipartiteGraph graph = random_regular_graph(32, 6, seed);
  return frontier_steps(graph,
                        find_frontier_order(graph, FrontierStrategy::rows, seed, RunContext(with_threads(1))).sequence);
}

// Returns about the fewest states of an array, for each of several GPUs, in which all steps can be made in place.
inline std::size_t least_states(const FrontierSteps& steps, std::size_t members) {
  std::size_t fewer = 1, enough = gpu::side_by_side_states(steps, members);
  while (enough - fewer > enough / 64) {
    const std::size_t middle = fewer + (enough - fewer) / 2;
    (gpu::fits_in_place(steps, members, middle) ? enough : fewer) = middle;
  }
  return enough;
}

// Calls run(begin, n), n = 0, 1, ..., where begin() starts its time, with ever longer limits, first_limit_s at first,
// and with a checkpoint from which each goes on, until none is cut off; returns how many were.
template <class Run>
int cut_off_runs(double first_limit_s, int num_threads, const Run& run) {
  const Folder folder;
  for (int runs = 0;; ++runs) {
    REQUIRE(runs < 100);
    Checkpoint checkpoint({.file = folder.path("part"), .resume = true, .program = "test"});
    Work work(&checkpoint);
    RunOptions options = with_threads(num_threads);
    options.time_limit_s = first_limit_s * std::exp2(runs / 4.0);
    try {
      run([&] { return RunContext(options, &work).in_part("block 1"); }, runs);
      return runs;
    } catch (const Unable&) {
    }
  }
}

}  // namespace matchcount::test
