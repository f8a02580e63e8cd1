#pragma once
// Graphs as the frontier method takes them, random orders of their vertices, and options of a run, for its tests.

#include <cstdint>
#include <numeric>
#include <utility>
#include <variant>
#include <vector>

#include "core/random.hpp"
#include "core/run.hpp"
#include "permanent/frontier/frontier.hpp"

namespace matchcount::test {

inline RunOptions with_threads(int num_threads) {
  RunOptions run;
  run.num_threads = num_threads;
  return run;
}

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
  std::vector<Vertex> sequence(size);
  std::iota(sequence.begin(), sequence.end(), Vertex{0});
  for (std::size_t i = sequence.size(); i > 1; --i) std::swap(sequence[i - 1], sequence[random.below(i)]);
  return sequence;
}

}  // namespace matchcount::test
