#include "permanent/frontier/order/tree_orders.hpp"

#include <algorithm>
#include <utility>

#include "core/random.hpp"

namespace matchcount {
namespace {

// A graph whose bags come to be larger has orders that nobody counts along.
constexpr std::size_t widest_tree = 200;
constexpr std::uint64_t looks_of_evaluation = 2;  // at an edge, while a graph is eliminated, take as long as one
constexpr int num_roots = 8;

// The bag that is the farthest from another.
std::uint32_t farthest(const TreeDecomposition& tree, std::uint32_t from) {
  return rooted(tree, from).sequence.front();
}

}  // namespace

std::vector<Vertex> order_along_tree(const TreeDecomposition& tree, std::uint32_t root) {
  const RootedBags bags = rooted(tree, root);
  struct Below {
    std::uint32_t bag = 0;
    std::size_t need = 0, held = 0;  // the widest frontier while it is processed, and the one that is left
  };
  std::vector<std::vector<Below>> below(tree.bags.size());
  std::vector<std::uint32_t> mark(tree.bags.empty() ? 0 : [&] {
    Vertex last = 0;
    for (const auto& bag : tree.bags) last = std::max(last, bag.back());
    return std::size_t{last} + 1;
  }());
  std::uint32_t now = 0;
  for (const std::uint32_t bag : bags.sequence) {
    std::ranges::stable_sort(below[bag], std::ranges::greater{},
                             [](const Below& b) { return static_cast<std::int64_t>(b.need - b.held); });
    std::size_t peak = tree.bags[bag].size(), held = 0;
    ++now;
    const auto hold = [&](std::uint32_t child) {
      for (const Vertex v : tree.bags[child])
        if (std::ranges::binary_search(tree.bags[bag], v) && std::exchange(mark[v], now) != now) ++held;
    };
    for (const Below& child : below[bag]) {
      peak = std::max(peak, held + child.need);
      hold(child.bag);
    }
    if (bag == root) break;
    const std::uint32_t parent = bags.parent[bag];
    const auto kept = static_cast<std::size_t>(std::ranges::count_if(
        tree.bags[bag], [&](Vertex v) { return std::ranges::binary_search(tree.bags[parent], v); }));
    below[parent].push_back({bag, peak, kept});
  }
  std::vector<Vertex> sequence;
  std::vector<std::pair<std::uint32_t, std::size_t>> path{{root, 0}};
  while (!path.empty()) {
    auto& [bag, next] = path.back();
    if (next < below[bag].size()) {
      const std::uint32_t child = below[bag][next++].bag;
      path.emplace_back(child, 0);
      continue;
    }
    const std::uint32_t parent = bags.parent[bag];
    for (const Vertex v : tree.bags[bag])
      if (bag == root || !std::ranges::binary_search(tree.bags[parent], v)) sequence.push_back(v);
    path.pop_back();
  }
  return sequence;
}

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
    if (k == 1 || k == 2) root = farthest(*tree, root);
    if (k > 2) root = static_cast<std::uint32_t>(random.below(tree->bags.size()));
    CostedOrder order = costed_order(graph, order_along_tree(*tree, root), costs);
    work += graph.size() + graph.neighbours.size() / 2;
    if (best.steps.empty() || order.total < best.total) best = std::move(order);
  }
  return best;
}

}  // namespace matchcount
