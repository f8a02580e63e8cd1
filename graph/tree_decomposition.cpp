#include "graph/tree_decomposition.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <queue>
#include <set>
#include <tuple>
#include <utility>

#include "core/random.hpp"

namespace matchcount {
namespace {

class Elimination {
 public:
  // Along `given` if that has the vertices.
  Elimination(const AdjacencyView& graph, EliminationRule rule, std::uint64_t seed, std::span<const Vertex> given,
              StepCheck& steps)
      : rule_(rule),
        steps_(steps),
        place_(given.size()),
        adjacent_(graph.offsets.size() - 1),
        score_(adjacent_.size()),
        tie_(adjacent_.size()),
        is_marked_(adjacent_.size(), 0),
        is_gone_(adjacent_.size(), 0) {
    for (std::uint32_t i = 0; i < given.size(); ++i) place_[given[i]] = i;
    Random random(seed, 0x656c696d);
    for (std::size_t v = 0; v < adjacent_.size(); ++v) {
      adjacent_[v].assign(graph.neighbours.begin() + static_cast<std::ptrdiff_t>(graph.offsets[v]),
                          graph.neighbours.begin() + static_cast<std::ptrdiff_t>(graph.offsets[v + 1]));
      std::ranges::sort(adjacent_[v]);
      tie_[v] = static_cast<std::uint32_t>(random());
    }
    for (Vertex v = 0; v < adjacent_.size(); ++v) {
      score_[v] = score_of(v);
      queue_.emplace(score_[v], tie_[v], v);
    }
  }

  // Vertices in order with their neighbours of that time; false past a limit.
  bool run(std::size_t max_width, std::uint64_t most_work) {
    while (!queue_.empty()) {
      const auto [score, tie, v] = queue_.top();
      queue_.pop();
      if (is_gone_[v] || score != score_[v]) continue;
      if (adjacent_[v].size() > max_width || work_ > most_work) return false;
      steps_.step();
      eliminate(v);
    }
    return true;
  }

  std::uint64_t work() const { return work_; }
  const std::vector<Vertex>& order() const { return order_; }
  std::vector<Vertex>& later(Vertex v) { return adjacent_[v]; }

 private:
  void eliminate(Vertex v) {
    const std::vector<Vertex>& clique = adjacent_[v];
    is_gone_[v] = 1;
    order_.push_back(v);
    if (rule_ == EliminationRule::fill) lower_scores_around(clique);
    for (const Vertex u : clique) {
      merged_.clear();
      std::ranges::set_union(adjacent_[u], clique, std::back_inserter(merged_));
      std::erase_if(merged_, [&](Vertex w) { return w == u || w == v; });
      work_ += merged_.size();
      adjacent_[u].swap(merged_);
    }
    for (const Vertex u : clique) set_score(u, score_of(u));
  }

  // An edge that is filled in is one less to be filled in for each vertex that has both its ends for neighbours. Those
  // of the clique itself are counted anew.
  void lower_scores_around(const std::vector<Vertex>& clique) {
    for (const Vertex u : clique) is_marked_[u] = 1;
    for (const Vertex x : clique) {
      missing_.clear();
      std::ranges::set_difference(clique, adjacent_[x], std::back_inserter(missing_));
      work_ += adjacent_[x].size();
      for (const Vertex y : missing_) {
        if (y <= x) continue;
        merged_.clear();
        std::ranges::set_intersection(adjacent_[x], adjacent_[y], std::back_inserter(merged_));
        work_ += adjacent_[x].size() + adjacent_[y].size();
        for (const Vertex w : merged_)
          if (!is_marked_[w] && !is_gone_[w]) set_score(w, score_[w] - 1);
      }
    }
    for (const Vertex u : clique) is_marked_[u] = 0;
  }

  void set_score(Vertex v, std::uint64_t score) {
    if (score_[v] == score) return;
    score_[v] = score;
    queue_.emplace(score, tie_[v], v);
  }

  std::uint64_t score_of(Vertex v) {
    if (!place_.empty()) return place_[v];
    const std::vector<Vertex>& around = adjacent_[v];
    if (rule_ == EliminationRule::degree) return around.size();
    for (const Vertex u : around) is_marked_[u] = 1;
    std::uint64_t joined = 0;  // ordered pairs
    for (const Vertex u : around) {
      for (const Vertex w : adjacent_[u]) joined += is_marked_[w];
      work_ += adjacent_[u].size();
    }
    for (const Vertex u : around) is_marked_[u] = 0;
    return (around.size() * (around.size() - 1) - joined) / 2;
  }

  EliminationRule rule_;
  StepCheck& steps_;
  std::vector<std::uint32_t> place_;           // in the order that is given; empty: none is
  std::vector<std::vector<Vertex>> adjacent_;  // of those that are gone, when they went
  std::vector<std::uint64_t> score_;
  std::vector<std::uint32_t> tie_;
  std::vector<std::uint8_t> is_marked_, is_gone_;
  std::vector<Vertex> order_, merged_, missing_;
  using Entry = std::tuple<std::uint64_t, std::uint32_t, Vertex>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
  std::uint64_t work_ = 0;
};

// Makes a tree of the bags that an elimination has left.
TreeDecomposition tree_of(Elimination& elimination) {
  const std::vector<Vertex>& order = elimination.order();
  std::vector<std::uint32_t> place(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  // From the last to the first: a vertex hangs on the bag of the one of its neighbours that went next. A bag that is
  // the rest of the one hanging on it gives way to it.
  TreeDecomposition tree;
  std::vector<std::uint32_t> bag_of(order.size());
  std::optional<std::uint32_t> last_root;
  for (std::size_t i = order.size(); i-- > 0;) {
    const Vertex v = order[i];
    std::vector<Vertex>& bag = elimination.later(v);
    const bool is_root = bag.empty();
    const std::optional<std::uint32_t> parent =
        is_root ? last_root
                : std::optional(bag_of[*std::ranges::min_element(bag, {}, [&](Vertex u) { return place[u]; })]);
    const bool replaces = !is_root && bag.size() == tree.bags[*parent].size();
    bag.insert(std::ranges::lower_bound(bag, v), v);
    if (replaces) {
      bag_of[v] = *parent;
      tree.bags[*parent] = std::move(bag);
      continue;
    }
    const auto here = static_cast<std::uint32_t>(tree.bags.size());
    bag_of[v] = here;
    tree.bags.push_back(std::move(bag));
    tree.neighbours.emplace_back();
    if (parent) {
      tree.neighbours[here].push_back(*parent);
      tree.neighbours[*parent].push_back(here);
    }
    if (is_root) last_root = here;
  }
  return tree;
}

// Takes a tree of bags apart, each time at a bag that leaves no part with more than half of the bags, or at the one
// where the way to it leaves the path between the two bags by which the part hangs on what was taken before.
class Balancing {
 public:
  Balancing(const TreeDecomposition& tree, StepCheck& steps) : steps_(steps) {
    std::vector<std::uint32_t> last;
    for (const std::vector<Vertex>& bag : tree.bags) last.push_back(add(&bag));
    // A bag with more neighbours than three becomes a chain of bags.
    for (std::uint32_t bag = 0; bag < tree.bags.size(); ++bag) {
      for (const std::uint32_t other : tree.neighbours[bag]) {
        if (other > bag) continue;
        for (const std::uint32_t end : {bag, other}) {
          if (neighbours_[last[end]].size() < 2) continue;
          const std::uint32_t next = add(&tree.bags[end]);
          join(std::exchange(last[end], next), next);
        }
        join(last[bag], last[other]);
      }
    }
    is_taken_.assign(bags_.size(), false);
    below_.assign(bags_.size(), 0);
    parent_.assign(bags_.size(), 0);
  }

  TreeDecomposition run() {
    std::vector<Part> parts{{0, {}, 0}};
    while (!parts.empty()) {
      const Part part = std::move(parts.back());
      parts.pop_back();
      const std::uint32_t taken = bag_of(part);
      is_taken_[taken] = true;
      std::vector<Vertex> bag = *bags_[taken];
      for (const Side& side : part.sides) bag.insert(bag.end(), side.held.begin(), side.held.end());
      std::ranges::sort(bag);
      bag.erase(std::unique(bag.begin(), bag.end()), bag.end());
      std::uint32_t here = part.above;
      if (result_.bags.empty() || !std::ranges::includes(result_.bags[here], bag)) {
        here = static_cast<std::uint32_t>(result_.bags.size());
        result_.bags.push_back(std::move(bag));
        result_.neighbours.emplace_back();
        if (here != part.above) {
          result_.neighbours[here].push_back(part.above);
          result_.neighbours[part.above].push_back(here);
        }
      }
      for (const std::uint32_t next : neighbours_[taken]) {
        if (is_taken_[next]) continue;
        Part rest{next, {{next, {}}}, here};
        std::ranges::set_intersection(*bags_[taken], *bags_[next], std::back_inserter(rest.sides[0].held));
        for (const Side& side : part.sides)
          if (side.bag != taken && is_behind(side.bag, next, taken)) rest.sides.push_back(side);
        parts.push_back(std::move(rest));
      }
    }
    return std::move(result_);
  }

 private:
  // Says where a part hangs on what was taken before, and which vertices both have.
  struct Side {
    std::uint32_t bag;
    std::vector<Vertex> held;
  };
  struct Part {
    std::uint32_t any;  // the first side's, if there is one
    std::vector<Side> sides;
    std::uint32_t above;
  };

  std::uint32_t add(const std::vector<Vertex>* bag) {
    bags_.push_back(bag);
    neighbours_.emplace_back();
    return static_cast<std::uint32_t>(neighbours_.size() - 1);
  }
  void join(std::uint32_t a, std::uint32_t b) {
    neighbours_[a].push_back(b);
    neighbours_[b].push_back(a);
  }

  // Walks through a part from its first bag; parents and sizes are kept.
  std::uint32_t bag_of(const Part& part) {
    sequence_.assign(1, part.any);
    parent_[part.any] = part.any;
    for (std::size_t i = 0; i < sequence_.size(); ++i) {
      steps_.step();
      below_[sequence_[i]] = 1;
      for (const std::uint32_t next : neighbours_[sequence_[i]]) {
        if (is_taken_[next] || next == parent_[sequence_[i]]) continue;
        parent_[next] = sequence_[i];
        sequence_.push_back(next);
      }
    }
    std::uint32_t middle = part.any;
    for (std::size_t i = sequence_.size(); i-- > 1;) {
      below_[parent_[sequence_[i]]] += below_[sequence_[i]];
      if (2 * below_[sequence_[i]] >= sequence_.size()) {
        middle = sequence_[i];
        break;
      }
    }
    if (part.sides.size() < 2) return middle;
    // From the middle towards the first bag, to the path from there to the other side.
    std::vector<std::uint32_t> path{part.sides[1].bag};
    while (path.back() != part.any) path.push_back(parent_[path.back()]);
    std::ranges::sort(path);
    while (!std::ranges::binary_search(path, middle)) middle = parent_[middle];
    return middle;
  }
  // Says whether a bag is in the rest that begins with `next`, by the last walk's parents.
  bool is_behind(std::uint32_t bag, std::uint32_t next, std::uint32_t taken) const {
    const bool is_below = parent_[next] == taken;
    for (;; bag = parent_[bag]) {
      if (bag == (is_below ? next : taken)) return is_below;
      if (parent_[bag] == bag) return !is_below;
    }
  }

  StepCheck& steps_;
  std::vector<const std::vector<Vertex>*> bags_;
  std::vector<std::vector<std::uint32_t>> neighbours_;
  std::vector<std::uint8_t> is_taken_;
  std::vector<std::uint32_t> sequence_, parent_;
  std::vector<std::size_t> below_;
  TreeDecomposition result_;
};

}  // namespace

TreeDecomposition balanced(const TreeDecomposition& tree, StepCheck& steps) {
  if (tree.bags.empty()) return tree;
  return Balancing(tree, steps).run();
}

Adjacency::Adjacency(const UndirectedGraph& graph) {
  for (Vertex v = 0; v < graph.num_vertices(); ++v) {
    neighbours.insert(neighbours.end(), graph.neighbours(v).begin(), graph.neighbours(v).end());
    offsets.push_back(neighbours.size());
  }
}

std::size_t TreeDecomposition::width() const {
  std::size_t largest = 1;
  for (const std::vector<Vertex>& bag : bags) largest = std::max(largest, bag.size());
  return largest - 1;
}

std::optional<TreeDecomposition> decompose_by_elimination(const AdjacencyView& graph, EliminationRule rule,
                                                          std::uint64_t seed, std::size_t max_width,
                                                          std::uint64_t most_work, std::uint64_t& work,
                                                          StepCheck& steps) {
  Elimination elimination(graph, rule, seed, {}, steps);
  const bool is_done = elimination.run(max_width, most_work);
  work = elimination.work();
  if (!is_done) return std::nullopt;
  return tree_of(elimination);
}

std::optional<TreeDecomposition> decompose_along(const AdjacencyView& graph, std::span<const Vertex> order,
                                                 std::size_t max_width, StepCheck& steps) {
  Elimination elimination(graph, EliminationRule::degree, 0, order, steps);
  if (!elimination.run(max_width, std::numeric_limits<std::uint64_t>::max())) return std::nullopt;
  return tree_of(elimination);
}

RootedBags rooted(const TreeDecomposition& tree, std::uint32_t root) {
  RootedBags result;
  result.parent.assign(tree.bags.size(), root);
  result.sequence.push_back(root);
  for (std::size_t i = 0; i < result.sequence.size(); ++i) {
    const std::uint32_t bag = result.sequence[i];
    for (const std::uint32_t below : tree.neighbours[bag]) {
      if (below == result.parent[bag]) continue;
      result.parent[below] = bag;
      result.sequence.push_back(below);
    }
  }
  std::ranges::reverse(result.sequence);
  return result;
}

std::uint32_t farthest_bag(const TreeDecomposition& tree, std::uint32_t from) {
  return rooted(tree, from).sequence.front();
}

std::vector<Vertex> order_along_tree(const TreeDecomposition& tree, std::uint32_t root) {
  const RootedBags bags = rooted(tree, root);
  struct Below {
    std::uint32_t bag = 0;
    std::size_t need = 0, held = 0;  // the widest frontier while it is processed, and the one that is left
  };
  std::vector<std::vector<Below>> below(tree.bags.size());
  for (const std::uint32_t bag : bags.sequence) {
    std::ranges::stable_sort(below[bag], std::ranges::greater{},
                             [](const Below& b) { return static_cast<std::int64_t>(b.need - b.held); });
    std::size_t peak = tree.bags[bag].size();
    std::set<Vertex> held;  // of the bag, from below
    for (const Below& child : below[bag]) {
      peak = std::max(peak, held.size() + child.need);
      std::ranges::set_intersection(tree.bags[child.bag], tree.bags[bag], std::inserter(held, held.end()));
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

}  // namespace matchcount
