// The dissection cuts edges and does not count vertices. On a grid a diagonal line of vertices separates as well as a
// straight one, but all of its vertices are of one colour: then a half has many more rows than columns, which wait for
// the separator, so that twice as many pivots are left for the largest dense matrix. A diagonal cuts twice as many
// edges.
//
// METIS 5.1 cuts up to 12 % fewer edges of grids and tori, in four times the time. But it draws from the C library's
// rand(), which all threads share, other programs use and other systems have otherwise: of 16 cuts of a grid of 128 x 128
// with one seed in four threads none was that of one thread.

#include "permanent/planar/dissection.hpp"

#include <algorithm>
#include <numeric>
#include <queue>

#include "core/random.hpp"
#include "matching/maximum_matching.hpp"

namespace matchcount {
namespace {

// Pieces of so many vertices are not bisected (6 to 24 differ by less than 5 % on grids).
constexpr std::size_t leaf_size = 10;
// Contraction ends at so many vertices, or where it takes away less than a tenth of them.
constexpr std::size_t coarse_size = 48;
constexpr double stalled = 0.9;
constexpr int num_starts = 8;
constexpr int max_passes = 8;
// A pass gives up after so many moves without a better cut.
constexpr int patience = 60;
// The larger half has at most this share of the vertices.
constexpr double max_share = 0.56;

// A graph with weights on vertices (how many were contracted) and edges (likewise), neighbours in compressed rows.
struct Level {
  std::vector<std::uint32_t> begin{0};
  std::vector<std::uint32_t> neighbours;
  std::vector<std::int32_t> edge_weight;
  std::vector<std::int32_t> weight;

  std::uint32_t size() const { return static_cast<std::uint32_t>(weight.size()); }
};

struct Contracted {
  Level level;
  std::vector<std::uint32_t> coarse_of;  // by vertex of the finer level
};

std::vector<std::uint32_t> shuffled(std::uint32_t n, Random& random) {
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  for (std::uint32_t i = n; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

// Matches each vertex with the free neighbour of the heaviest edge, the lighter one among equals, and contracts.
Contracted contract(const Level& fine, Random& random) {
  constexpr std::uint32_t none = ~std::uint32_t{0};
  const std::uint32_t n = fine.size();
  Contracted result;
  result.coarse_of.assign(n, none);
  std::vector<std::uint32_t> partner(n, none);
  std::vector<std::uint32_t> firsts;
  for (const std::uint32_t v : shuffled(n, random)) {
    if (partner[v] != none) continue;
    std::uint32_t place = none;
    for (std::uint32_t i = fine.begin[v]; i < fine.begin[v + 1]; ++i) {
      const std::uint32_t w = fine.neighbours[i];
      if (partner[w] != none) continue;
      if (place == none || fine.edge_weight[i] > fine.edge_weight[place] ||
          (fine.edge_weight[i] == fine.edge_weight[place] && fine.weight[w] < fine.weight[fine.neighbours[place]]))
        place = i;
    }
    const std::uint32_t other = place == none ? v : fine.neighbours[place];
    partner[v] = other;
    partner[other] = v;
  }
  for (std::uint32_t v = 0; v < n; ++v) {
    if (partner[v] < v) continue;
    result.coarse_of[v] = result.coarse_of[partner[v]] = static_cast<std::uint32_t>(firsts.size());
    firsts.push_back(v);
  }
  Level& coarse = result.level;
  std::vector<std::uint32_t> place_of(firsts.size(), none);
  for (std::uint32_t c = 0; c < firsts.size(); ++c) {
    const std::uint32_t start = coarse.begin.back();
    const auto add = [&](std::uint32_t v) {
      for (std::uint32_t i = fine.begin[v]; i < fine.begin[v + 1]; ++i) {
        const std::uint32_t to = result.coarse_of[fine.neighbours[i]];
        if (to == c) continue;
        if (place_of[to] == none || place_of[to] < start) {
          place_of[to] = static_cast<std::uint32_t>(coarse.neighbours.size());
          coarse.neighbours.push_back(to);
          coarse.edge_weight.push_back(0);
        }
        coarse.edge_weight[place_of[to]] += fine.edge_weight[i];
      }
    };
    const std::uint32_t v = firsts[c];
    add(v);
    if (partner[v] != v) add(partner[v]);
    coarse.weight.push_back(fine.weight[v] + (partner[v] != v ? fine.weight[partner[v]] : 0));
    coarse.begin.push_back(static_cast<std::uint32_t>(coarse.neighbours.size()));
  }
  return result;
}

// Moves vertices between the two halves of a level, best gain first, each once a pass, and keeps the best prefix.
class Refinement {
 public:
  Refinement(const Level& level, std::vector<std::uint8_t>& side)
      : level_(level), side_(side), gain_(level.size()), locked_(level.size()) {
    for (std::uint32_t v = 0; v < level.size(); ++v) weight_[side[v]] += level.weight[v];
    const std::int64_t total = weight_[0] + weight_[1];
    const std::int32_t heaviest = *std::max_element(level.weight.begin(), level.weight.end());
    most_ = std::max(static_cast<std::int64_t>(max_share * static_cast<double>(total)), total / 2 + heaviest);
  }

  void run() {
    for (int pass = 0; pass < max_passes && improve(); ++pass) {
    }
  }
  std::int64_t cut() const {
    std::int64_t sum = 0;
    for (std::uint32_t v = 0; v < level_.size(); ++v) {
      for (std::uint32_t i = level_.begin[v]; i < level_.begin[v + 1]; ++i)
        if (side_[v] != side_[level_.neighbours[i]]) sum += level_.edge_weight[i];
    }
    return sum / 2;
  }
  std::int64_t excess() const { return std::max<std::int64_t>(0, std::max(weight_[0], weight_[1]) - most_); }

 private:
  struct Candidate {
    std::int32_t gain;
    std::uint32_t vertex;
    bool operator<(const Candidate& other) const {
      return gain != other.gain ? gain < other.gain : vertex > other.vertex;
    }
  };

  void queue(std::uint32_t v) { queues_[side_[v]].push({gain_[v], v}); }

  // Returns the top that is still true, or nothing.
  const Candidate* top(int side) {
    auto& candidates = queues_[side];
    while (!candidates.empty()) {
      const Candidate& first = candidates.top();
      if (!locked_[first.vertex] && side_[first.vertex] == side && gain_[first.vertex] == first.gain) return &first;
      candidates.pop();
    }
    return nullptr;
  }

  void move(std::uint32_t v) {
    const std::uint8_t from = side_[v];
    weight_[from] -= level_.weight[v];
    weight_[1 - from] += level_.weight[v];
    side_[v] = static_cast<std::uint8_t>(1 - from);
  }

  bool improve() {
    std::fill(locked_.begin(), locked_.end(), false);
    for (auto& candidates : queues_) candidates = {};
    for (std::uint32_t v = 0; v < level_.size(); ++v) {
      std::int32_t inside = 0, outside = 0;
      for (std::uint32_t i = level_.begin[v]; i < level_.begin[v + 1]; ++i)
        (side_[v] == side_[level_.neighbours[i]] ? inside : outside) += level_.edge_weight[i];
      gain_[v] = outside - inside;
      if (outside > 0 || excess() > 0) queue(v);
    }
    std::vector<std::uint32_t> moved;
    std::int64_t gained = 0, best_gain = 0, best_excess = excess();
    std::size_t best_length = 0;
    while (moved.size() < best_length + patience) {
      const Candidate* candidate = nullptr;
      for (const int from : {0, 1}) {
        const Candidate* first = top(from);
        if (!first) continue;
        const std::int64_t after = weight_[1 - from] + level_.weight[first->vertex];
        if (after > most_ && after > weight_[from]) continue;
        const bool heavier = weight_[from] > weight_[1 - from];
        if (excess() > 0 && !heavier) continue;
        if (!candidate || first->gain > candidate->gain || (first->gain == candidate->gain && heavier))
          candidate = first;
      }
      if (!candidate) break;
      const std::uint32_t v = candidate->vertex;
      gained += candidate->gain;
      locked_[v] = true;
      move(v);
      moved.push_back(v);
      for (std::uint32_t i = level_.begin[v]; i < level_.begin[v + 1]; ++i) {
        const std::uint32_t w = level_.neighbours[i];
        gain_[w] += (side_[w] == side_[v] ? -2 : 2) * level_.edge_weight[i];
        if (!locked_[w]) queue(w);
      }
      if (excess() < best_excess || (excess() == best_excess && gained > best_gain)) {
        best_excess = excess();
        best_gain = gained;
        best_length = moved.size();
      }
    }
    while (moved.size() > best_length) {
      move(moved.back());
      moved.pop_back();
    }
    return best_length > 0;
  }

  const Level& level_;
  std::vector<std::uint8_t>& side_;
  std::vector<std::int32_t> gain_;
  std::vector<bool> locked_;
  std::int64_t weight_[2] = {0, 0};
  std::int64_t most_ = 0;
  std::priority_queue<Candidate> queues_[2];
};

// Grows one half from a random vertex, always by the vertex that adds least to the cut.
std::vector<std::uint8_t> grown(const Level& level, Random& random) {
  std::vector<std::uint8_t> side(level.size(), 1);
  const std::int64_t total = std::accumulate(level.weight.begin(), level.weight.end(), std::int64_t{0});
  std::vector<std::int32_t> gain(level.size());
  for (std::uint32_t v = 0; v < level.size(); ++v)
    for (std::uint32_t i = level.begin[v]; i < level.begin[v + 1]; ++i) gain[v] -= level.edge_weight[i];
  std::priority_queue<std::pair<std::int32_t, std::uint32_t>> reached;
  std::int64_t taken = 0;
  std::uint32_t next = static_cast<std::uint32_t>(random.below(level.size()));
  for (;;) {
    side[next] = 0;
    taken += level.weight[next];
    if (2 * taken >= total) return side;
    for (std::uint32_t i = level.begin[next]; i < level.begin[next + 1]; ++i) {
      const std::uint32_t w = level.neighbours[i];
      gain[w] += 2 * level.edge_weight[i];
      if (side[w] == 1) reached.push({gain[w], w});
    }
    while (!reached.empty() && (side[reached.top().second] == 0 || gain[reached.top().second] != reached.top().first))
      reached.pop();
    if (!reached.empty())
      next = reached.top().second;
    else
      while (side[next] == 0) next = (next + 1) % level.size();
  }
}

std::vector<std::uint8_t> bisect(const Level& finest, Random& random) {
  std::vector<Contracted> ladder;
  const Level* level = &finest;
  while (level->size() > coarse_size) {
    Contracted next = contract(*level, random);
    if (next.level.size() > stalled * level->size()) break;
    ladder.push_back(std::move(next));
    level = &ladder.back().level;
  }
  std::vector<std::uint8_t> best;
  std::int64_t best_cut = 0, best_excess = 0;
  for (int start = 0; start < num_starts; ++start) {
    std::vector<std::uint8_t> side = grown(*level, random);
    Refinement refinement(*level, side);
    refinement.run();
    const std::int64_t cut = refinement.cut(), excess = refinement.excess();
    if (best.empty() || excess < best_excess || (excess == best_excess && cut < best_cut)) {
      best = std::move(side);
      best_cut = cut;
      best_excess = excess;
    }
  }
  for (std::size_t i = ladder.size(); i-- > 0;) {
    const Level& finer = i == 0 ? finest : ladder[i - 1].level;
    std::vector<std::uint8_t> side(finer.size());
    for (std::uint32_t v = 0; v < finer.size(); ++v) side[v] = best[ladder[i].coarse_of[v]];
    best = std::move(side);
    Refinement(finer, best).run();
  }
  return best;
}

// A least set of vertices that meets every edge between the halves (Konig 1931): marks them 2 in `side`.
void separate(const Level& level, std::vector<std::uint8_t>& side) {
  std::vector<std::uint32_t> number(level.size(), ~std::uint32_t{0});
  std::vector<std::uint32_t> rows, columns;
  std::vector<Edge> edges;
  const auto name = [&](std::uint32_t v, std::vector<std::uint32_t>& list) {
    if (number[v] == ~std::uint32_t{0}) {
      number[v] = static_cast<std::uint32_t>(list.size());
      list.push_back(v);
    }
    return number[v];
  };
  for (std::uint32_t v = 0; v < level.size(); ++v) {
    if (side[v] != 0) continue;
    for (std::uint32_t i = level.begin[v]; i < level.begin[v + 1]; ++i) {
      const std::uint32_t w = level.neighbours[i];
      if (side[w] == 1) edges.push_back({name(v, rows), name(w, columns)});
    }
  }
  const BipartiteGraph between = BipartiteGraph::from_edges(static_cast<Vertex>(rows.size()),
                                                            static_cast<Vertex>(columns.size()), std::move(edges));
  const Matching matching = maximum_matching(between);
  std::vector<bool> row_reached(rows.size(), false), column_reached(columns.size(), false);
  std::vector<Vertex> stack;
  for (Vertex r = 0; r < rows.size(); ++r) {
    if (matching.column_of_row[r] == unmatched) {
      row_reached[r] = true;
      stack.push_back(r);
    }
  }
  while (!stack.empty()) {
    const Vertex r = stack.back();
    stack.pop_back();
    for (const Vertex c : between.row(r)) {
      if (column_reached[c]) continue;
      column_reached[c] = true;
      const Vertex next = matching.row_of_column[c];
      if (next == unmatched || row_reached[next]) continue;
      row_reached[next] = true;
      stack.push_back(next);
    }
  }
  for (Vertex r = 0; r < rows.size(); ++r)
    if (!row_reached[r]) side[rows[r]] = 2;
  for (Vertex c = 0; c < columns.size(); ++c)
    if (column_reached[c]) side[columns[c]] = 2;
}

class Dissector {
 public:
  Dissector(const UndirectedGraph& graph, std::uint64_t seed, const RunContext& run)
      : graph_(graph), random_(seed, 0x64697373), run_(run), place_(graph.num_vertices(), outside) {
    result_.begin.push_back(0);
    std::vector<Vertex> all(graph.num_vertices());
    std::iota(all.begin(), all.end(), Vertex{0});
    if (!all.empty()) dissect(std::move(all));
  }
  Dissection take() { return std::move(result_); }

 private:
  static constexpr std::uint32_t outside = ~std::uint32_t{0};

  // Returns the node that was added last: the root of the piece. The depth of the recursion is logarithmic, since both
  // halves lose a fixed share of the vertices or the piece is not halved.
  std::uint32_t dissect(std::vector<Vertex> piece) {
    run_.check();
    if (piece.size() <= leaf_size) return add_node(piece, {});
    Level level = level_of(piece);
    std::vector<std::uint8_t> side = split_components(level);
    if (side.empty()) {
      side = bisect(level, random_);
      separate(level, side);
    }
    level = {};
    std::vector<Vertex> parts[3];
    for (std::size_t i = 0; i < piece.size(); ++i) parts[side[i]].push_back(piece[i]);
    const std::size_t larger = std::max(parts[0].size(), parts[1].size());
    if (20 * larger > 19 * piece.size() || parts[0].empty() || parts[1].empty()) return add_node(piece, {});
    piece = {};
    const std::uint32_t first = dissect(std::move(parts[0]));
    const std::uint32_t second = dissect(std::move(parts[1]));
    return add_node(parts[2], {first, second});
  }

  std::uint32_t add_node(const std::vector<Vertex>& vertices, std::initializer_list<std::uint32_t> children) {
    const std::uint32_t node = result_.num_nodes();
    result_.vertices.insert(result_.vertices.end(), vertices.begin(), vertices.end());
    result_.begin.push_back(result_.vertices.size());
    result_.parent.push_back(Dissection::no_parent);
    for (const std::uint32_t child : children) result_.parent[child] = node;
    return node;
  }

  Level level_of(const std::vector<Vertex>& piece) {
    for (std::uint32_t i = 0; i < piece.size(); ++i) place_[piece[i]] = i;
    Level level;
    level.begin.reserve(piece.size() + 1);
    for (const Vertex v : piece) {
      for (const Vertex w : graph_.neighbours(v))
        if (place_[w] != outside) level.neighbours.push_back(place_[w]);
      level.begin.push_back(static_cast<std::uint32_t>(level.neighbours.size()));
    }
    level.edge_weight.assign(level.neighbours.size(), 1);
    level.weight.assign(piece.size(), 1);
    for (const Vertex v : piece) place_[v] = outside;
    return level;
  }

  // Splits a piece that is not connected: its components, the largest first, each to the lighter half. Else returns
  // nothing.
  static std::vector<std::uint8_t> split_components(const Level& level) {
    std::vector<std::uint32_t> component(level.size(), outside);
    std::vector<std::uint32_t> sizes, stack;
    for (std::uint32_t start = 0; start < level.size(); ++start) {
      if (component[start] != outside) continue;
      const auto name = static_cast<std::uint32_t>(sizes.size());
      sizes.push_back(0);
      component[start] = name;
      stack.push_back(start);
      while (!stack.empty()) {
        const std::uint32_t v = stack.back();
        stack.pop_back();
        ++sizes[name];
        for (std::uint32_t i = level.begin[v]; i < level.begin[v + 1]; ++i) {
          const std::uint32_t w = level.neighbours[i];
          if (component[w] != outside) continue;
          component[w] = name;
          stack.push_back(w);
        }
      }
    }
    const std::uint32_t largest = *std::max_element(sizes.begin(), sizes.end());
    // A large component beside crumbs is bisected with them.
    if (sizes.size() == 1 || largest > 0.9 * level.size()) return {};
    std::vector<std::uint32_t> order(sizes.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return sizes[a] > sizes[b]; });
    std::vector<std::uint8_t> half(sizes.size());
    std::size_t held[2] = {0, 0};
    for (const std::uint32_t c : order) {
      half[c] = held[1] < held[0];
      held[half[c]] += sizes[c];
    }
    std::vector<std::uint8_t> side(level.size());
    for (std::uint32_t v = 0; v < level.size(); ++v) side[v] = half[component[v]];
    return side;
  }

  const UndirectedGraph& graph_;
  Random random_;
  const RunContext& run_;
  std::vector<std::uint32_t> place_;  // of a vertex in the piece at hand
  Dissection result_;
};

}  // namespace

std::vector<std::uint32_t> Dissection::node_of_vertices() const {
  std::vector<std::uint32_t> node_of(vertices.size());
  for (std::uint32_t node = 0; node < num_nodes(); ++node)
    for (std::size_t i = begin[node]; i < begin[node + 1]; ++i) node_of[vertices[i]] = node;
  return node_of;
}

std::vector<std::vector<std::uint32_t>> Dissection::children() const {
  std::vector<std::vector<std::uint32_t>> result(num_nodes());
  for (std::uint32_t node = 0; node < num_nodes(); ++node)
    if (parent[node] != no_parent) result[parent[node]].push_back(node);
  return result;
}

Dissection nested_dissection(const UndirectedGraph& graph, std::uint64_t seed, const RunContext& run) {
  return Dissector(graph, seed, run).take();
}

}  // namespace matchcount
