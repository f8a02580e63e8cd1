// Greedy orders see one step ahead. Where a graph has long arms or holes, they start on several sides at once and pay
// for it in the end. What helps is a potential, a number for every vertex along which the frontier is to move: the
// depth in a breadth-first search, half the difference of the distances from both ends (Sloan 1986,
// doi:10.1002/nme.1620230208), or a combination of the lowest eigenvectors of the Laplacian. How much it should weigh
// depends on the graph and is drawn.

#include "permanent/frontier/order/starts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "graph/tree_decomposition.hpp"

namespace matchcount {
namespace {

constexpr std::size_t max_candidates = 256;  // of a wide frontier only the oldest are compared,
// and fewer once the order is too expensive to follow and much was spent on it: its cost is only told.
constexpr std::size_t few_candidates = 8;
constexpr std::uint64_t careful_work = 20'000'000;
constexpr double out_of_reach = 0x1p100;

constexpr int num_eigenvectors = 3;
constexpr int iterations = 300;

// A graph whose bags come to be larger has orders that nobody counts along.
constexpr std::size_t widest_tree = 200;
constexpr std::uint64_t looks_of_evaluation = 2;  // at an edge, while a graph is eliminated, take as long as one
constexpr int num_roots = 8;

}  // namespace

GreedyOrders::GreedyOrders(const OrderGraph& graph, LayerCosts& costs, StepCheck& steps)
    : graph_(graph), costs_(costs), steps_(steps), untouched_(start_of_walk(graph)) {}

std::vector<Vertex> GreedyOrders::run(FrontierStrategy strategy, Vertex start, const GreedyGuide& guide, double limit,
                                      std::uint64_t seed) {
  vertices_ = untouched_;
  work_ += graph_.size() / 8 + graph_.neighbours.size() / 2;
  layer_ = {};
  candidates_.clear();
  waiting_.clear();
  next_waiting_ = 0;
  QuickRandom random(seed);
  std::vector<Vertex> sequence;
  sequence.reserve(graph_.size());
  double total = 0;
  Vertex next_unseen = 0;
  const std::uint64_t work_before = work_;
  for (Vertex next = start; next != unmatched;) {
    const std::int32_t choices = vertices_[next].unprocessed;
    sequence.push_back(next);
    process(
        graph_, vertices_, next, layer_, [&](Vertex v) { sequence.push_back(v); },
        [&](Vertex v) {
          if (has_steps(strategy, graph_, v)) waiting_.push_back(v);
        });
    total += costs_.cost(layer_, choices);
    if (total > limit) return {};
    const bool careful = total < out_of_reach || work_ - work_before < careful_work;
    next = best_candidate(guide, careful ? max_candidates : few_candidates, random);
    if (next != unmatched) continue;
    while (next_unseen < graph_.size() &&
           (vertices_[next_unseen].is_processed || !has_steps(strategy, graph_, next_unseen)))
      ++next_unseen;
    if (next_unseen < graph_.size()) next = next_unseen;
  }
  // Vertices without neighbours, of the side that has no steps.
  for (Vertex v = 0; v < graph_.size(); ++v) {
    if (!vertices_[v].is_processed) sequence.push_back(v);
  }
  return sequence;
}

Vertex GreedyOrders::best_candidate(const GreedyGuide& guide, std::size_t most, QuickRandom& random) {
  std::erase_if(candidates_, [&](Vertex v) { return vertices_[v].is_processed; });
  while (candidates_.size() < most && next_waiting_ < waiting_.size()) {
    const Vertex v = waiting_[next_waiting_++];
    if (!vertices_[v].is_processed) candidates_.push_back(v);
  }
  Vertex best = unmatched;
  double best_key = std::numeric_limits<double>::infinity();
  std::uint64_t ties = 0;
  const std::size_t count = std::min(candidates_.size(), most);
  for (std::size_t i = 0; i < count; ++i) {
    const Vertex v = candidates_[i];
    steps_.step();
    const WalkVertex& of_v = vertices_[v];
    double key = costs_.rough_log2_cost({layer_.width + of_v.width_change, layer_.ones + of_v.ones_change},
                                        guide.weight > 0 ? 0 : of_v.unprocessed);
    if (guide.weight > 0) key += guide.weight * guide.potential[v];
    if (guide.noise > 0) key += guide.noise * random.uniform();
    if (key < best_key) {
      best_key = key;
      best = v;
      ties = 1;
    } else if (key == best_key && random() % ++ties == 0) {
      best = v;
    }
  }
  work_ += 2 + count;
  return best;
}

struct Starts::Draw {
  Random random;
  std::uint64_t index;  // among those of one strategy
};

Starts::Starts(const OrderGraph& graph, FrontierStrategy strategy, std::uint64_t seed)
    : graph_(graph), strategy_(graph.by_parity ? FrontierStrategy::mixed : strategy), seed_(seed) {}

FrontierStrategy Starts::strategy_of(std::uint64_t i) const {
  constexpr FrontierStrategy all[] = {FrontierStrategy::mixed, FrontierStrategy::rows, FrontierStrategy::columns};
  return strategy_ == FrontierStrategy::automatic ? all[i % 3] : strategy_;
}

std::vector<double> Starts::depths(Vertex from) const {
  std::vector<double> depth(graph_.size(), -1);
  std::vector<Vertex> queue{from};
  queue.reserve(graph_.size());
  depth[from] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (const Vertex u : graph_.of(queue[i])) {
      if (depth[u] >= 0) continue;
      depth[u] = depth[queue[i]] + 1;
      queue.push_back(u);
    }
  }
  // Vertices of other components stand behind everything.
  for (double& d : depth) {
    if (d < 0) d = graph_.size();
  }
  return depth;
}

std::uint64_t Starts::work_of_eigenvectors() const {
  return std::uint64_t{num_eigenvectors} * iterations * (graph_.neighbours.size() + 4 * graph_.size()) / 8;
}

// Finds them by orthogonal iteration with 2 d - L, d the largest degree, of which they have the largest eigenvalues.
std::uint64_t Starts::find_eigenvectors(StepCheck& steps) {
  const std::size_t n = graph_.size();
  Random random(seed_, 0x6569);
  std::size_t largest_degree = 0;
  for (Vertex v = 0; v < n; ++v) largest_degree = std::max(largest_degree, graph_.of(v).size());
  eigenvectors_.assign(num_eigenvectors, std::vector<double>(n));
  for (std::vector<double>& x : eigenvectors_) {
    for (double& value : x) value = random.uniform() - 0.5;
  }
  std::vector<double> y(n);
  for (int iteration = 0; iteration < iterations; ++iteration) {
    for (std::size_t k = 0; k < eigenvectors_.size(); ++k) {
      steps.check();
      std::vector<double>& x = eigenvectors_[k];
      for (Vertex v = 0; v < n; ++v) {
        double sum = static_cast<double>(2 * largest_degree - graph_.of(v).size()) * x[v];
        for (const Vertex u : graph_.of(v)) sum += x[u];
        y[v] = sum;
      }
      const double mean = std::accumulate(y.begin(), y.end(), 0.0) / static_cast<double>(n);
      for (double& value : y) value -= mean;
      for (std::size_t j = 0; j < k; ++j) {
        const double along = std::inner_product(y.begin(), y.end(), eigenvectors_[j].begin(), 0.0);
        for (std::size_t v = 0; v < n; ++v) y[v] -= along * eigenvectors_[j][v];
      }
      const double scale = 1 / std::sqrt(std::inner_product(y.begin(), y.end(), y.begin(), 1e-300));
      for (std::size_t v = 0; v < n; ++v) x[v] = scale * y[v];
    }
  }
  return work_of_eigenvectors();
}

// Returns the first, or two in a random direction, over as wide a range as breadth-first depths have.
std::vector<double> Starts::along_eigenvectors(Random& random) const {
  const std::size_t n = graph_.size();
  const std::size_t second = random.below(num_eigenvectors);
  const double angle =
      second == 0 ? (random.below(2) == 0 ? 0 : std::numbers::pi) : 2 * std::numbers::pi * random.uniform();
  std::vector<double> result(n);
  for (std::size_t v = 0; v < n; ++v) {
    result[v] = std::cos(angle) * eigenvectors_[0][v];
    if (second > 0) result[v] += std::sin(angle) * eigenvectors_[second][v];
  }
  const std::vector<double> depth = depths(static_cast<Vertex>(random.below(n)));
  const double range = *std::max_element(depth.begin(), depth.end());
  const auto [least, largest] = std::minmax_element(result.begin(), result.end());
  const double low = *least, factor = range / (*largest - *least + 1e-300);
  for (double& value : result) value = (value - low) * factor;
  return result;
}

std::vector<double> Starts::potential(Draw& draw, Vertex& start) const {
  Random& random = draw.random;
  start = static_cast<Vertex>(random.below(graph_.size()));
  const auto farthest = [](const std::vector<double>& depth) {
    return static_cast<Vertex>(std::max_element(depth.begin(), depth.end()) - depth.begin());
  };
  const std::uint64_t kind = draw.index % 3;
  if (kind == 0) return {};
  if (kind == 2 && !eigenvectors_.empty()) {
    std::vector<double> result = along_eigenvectors(random);
    start = static_cast<Vertex>(std::min_element(result.begin(), result.end()) - result.begin());
    return result;
  }
  std::vector<double> depth = depths(start);
  if (random.below(2) == 0) {
    start = farthest(depth);
    depth = depths(start);
  }
  if (random.below(2) == 0) {
    const std::vector<double> from_end = depths(farthest(depth));
    for (std::size_t v = 0; v < depth.size(); ++v) depth[v] = (depth[v] - from_end[v]) / 2;
  }
  return depth;
}

std::vector<Vertex> Starts::make(std::uint64_t i, double limit, GreedyOrders& greedy) const {
  constexpr double weights[] = {0.1, 0.25, 0.5, 1, 2, 4, 16};
  const FrontierStrategy strategy = strategy_of(i);
  Draw draw{Random(seed_, 0x6672 + i), strategy_ == FrontierStrategy::automatic ? i / 3 : i};
  Vertex start = 0;
  GreedyGuide guide;
  guide.potential = potential(draw, start);
  if (!guide.potential.empty()) {
    guide.weight = weights[draw.random.below(std::size(weights))];
    if (draw.random.below(3) == 0) guide.noise = draw.random.uniform();
  }
  if (!has_steps(strategy, graph_, start) && !graph_.of(start).empty()) start = graph_.of(start)[0];
  if (!has_steps(strategy, graph_, start)) {
    start = 0;
    while (start + 1 < graph_.size() && !has_steps(strategy, graph_, start)) ++start;
  }
  return greedy.run(strategy, start, guide, limit, draw.random());
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
    if (k == 1 || k == 2) root = farthest_bag(*tree, root);
    if (k > 2) root = static_cast<std::uint32_t>(random.below(tree->bags.size()));
    CostedOrder order = costed_order(graph, order_along_tree(*tree, root), costs);
    work += graph.size() + graph.neighbours.size() / 2;
    if (best.steps.empty() || order.total < best.total) best = std::move(order);
  }
  return best;
}

}  // namespace matchcount
