#include "permanent/frontier/order/tree_orders.hpp"

#include <utility>

#include "core/random.hpp"

namespace matchcount {
namespace {

// A graph whose bags come to be larger has orders that nobody counts along.
constexpr std::size_t widest_tree = 200;
constexpr std::uint64_t looks_of_evaluation = 2;  // at an edge, while a graph is eliminated, take as long as one
constexpr int num_roots = 8;

}  // namespace

CostedOrder order_along_tree(const OrderGraph& graph, std::uint64_t i, std::uint64_t seed, std::uint64_t most_work,
                             LayerCosts& costs, StepCheck& steps, std::uint64_t& work) {
  std::uint64_t looks = 0;
  const auto tree = decompose_by_elimination({graph.offsets, graph.neighbours},
                                             i % 2 == 0 ? EliminationRule::fill : EliminationRule::degree, seed + i,
                                             widest_tree, looks_of_evaluation * most_work, looks, steps);
  work += looks / looks_of_evaluation + graph.size();
  CostedOrder best;
  if (!tree) return best;
  Random random(seed, 0x726f6f74 + i);
  std::uint32_t root = 0;
  for (int k = 0; k < num_roots; ++k) {
    if (k == 1 || k == 2) root = farthest_bag(*tree, root);
    if (k > 2) root = static_cast<std::uint32_t>(random.below(tree->bags.size()));
    CostedOrder order = costed_order(graph, order_along_tree(*tree, root), costs);
    work += graph.size() + graph.neighbours.size() / 2;
    if (best.steps.empty() || order.total < best.total) best = std::move(order);
  }
  return best;
}

}  // namespace matchcount
