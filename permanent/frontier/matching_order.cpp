// Orders. Leaves are peeled off until none is left. Every vertex that was peeled hung on one other. The parts below a
// vertex are processed one after the other, the widest first: while the later ones are processed, the vertex itself is
// on the frontier. The width of a tree is its Strahler number (Horton 1945, Strahler 1952).

#include <algorithm>
#include <utility>

#include "permanent/frontier/matchings.hpp"

namespace matchcount {
namespace {

class HangingTrees {
 public:
  explicit HangingTrees(const UndirectedGraph& graph)
      : below_(graph.num_vertices()), width_(graph.num_vertices(), 1), is_peeled_(graph.num_vertices(), false) {
    std::vector<std::size_t> degree;
    std::vector<Vertex> leaves;
    for (Vertex v = 0; v < graph.num_vertices(); ++v) {
      degree.push_back(graph.neighbours(v).size());
      if (degree.back() == 1) leaves.push_back(v);
    }
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      const Vertex leaf = leaves[i];
      if (degree[leaf] == 0) continue;  // the last vertex of a tree
      is_peeled_[leaf] = true;
      sort(leaf);
      for (const Vertex u : graph.neighbours(leaf)) {
        if (is_peeled_[u]) continue;
        below_[u].push_back(leaf);
        if (--degree[u] == 1) leaves.push_back(u);
      }
    }
    for (Vertex v = 0; v < graph.num_vertices(); ++v) {
      if (is_peeled_[v]) continue;
      core_.push_back(v);
      sort(v);
    }
  }

  const std::vector<Vertex>& core() const { return core_; }

  // Appends the trees that hang on a vertex of the core, and then the vertex.
  void append(Vertex root, std::vector<Vertex>& sequence) const {
    std::vector<std::pair<Vertex, std::size_t>> path = {{root, 0}};
    while (!path.empty()) {
      auto& [v, next] = path.back();
      if (next < below_[v].size()) {
        const Vertex child = below_[v][next++];
        path.push_back({child, 0});
      } else {
        sequence.push_back(v);
        path.pop_back();
      }
    }
  }

 private:
  void sort(Vertex v) {
    std::vector<Vertex>& parts = below_[v];
    std::ranges::stable_sort(parts, std::ranges::greater{}, [&](Vertex part) { return width_[part]; });
    for (std::size_t i = 0; i < parts.size(); ++i)
      width_[v] = std::max(width_[v], width_[parts[i]] + static_cast<std::uint32_t>(i > 0));
  }

  std::vector<std::vector<Vertex>> below_;
  std::vector<std::uint32_t> width_;
  std::vector<bool> is_peeled_;
  std::vector<Vertex> core_;
};

}  // namespace

std::vector<Vertex> find_matching_order(const UndirectedGraph& graph, const OrderEffort& effort,
                                        const RunContext& run) {
  const HangingTrees trees(graph);
  const UndirectedGraph core = graph.pattern().induced(trees.core());
  const std::vector<Vertex> order = find_frontier_order(core, run.options().seed, run, effort).sequence;
  // Takes the order of the steps, in which vertices that leave the frontier at once follow the one that lets them.
  const FrontierSteps steps = matching_steps(core, order, {std::vector<bool>(core.num_vertices(), true), 0});
  std::vector<Vertex> sequence;
  for (const FrontierStep& step : steps.steps) trees.append(trees.core()[step.vertex], sequence);
  return sequence;
}

SecondPlan plan_again(const MatchingQuestion& question, const MatchingPlan& first, bool may_grow) {
  constexpr std::uint32_t much_wider = 4;
  MatchingPlan plan = first;
  plan.reflection.reset();
  plan.gpus.clear();
  const FrontierSteps forwards = matching_steps(question.pattern, plan.sequence, question.unmatched);
  std::ranges::reverse(plan.sequence);
  plan.steps = matching_steps(question.pattern, plan.sequence, question.unmatched);
  if (plan.steps.max_width <= forwards.max_width + much_wider && plan.steps.max_width <= max_sparse_width) {
    plan.layout = matching_layout(plan.steps);
    return {std::move(plan), true};
  }
  std::ranges::reverse(plan.sequence);
  plan.steps = forwards;
  plan.layout.first_dense = plan.steps.steps.size();
  plan.in_integers = !first.in_integers && may_grow;
  return {std::move(plan), false};
}

}  // namespace matchcount
