// A cut next to its sources is what a search from them cannot pass: vertices that are reached and cannot be left. A
// piece that is of no use becomes sources in turn, and the next cut is behind it.

#include "graph/small_cuts.hpp"

#include <algorithm>
#include <limits>

namespace matchcount {
namespace {

constexpr Vertex none = std::numeric_limits<Vertex>::max();
constexpr std::size_t no_node = std::numeric_limits<std::size_t>::max();
constexpr std::uint32_t far_away = std::numeric_limits<std::uint32_t>::max();

std::vector<std::uint32_t> distances(const std::vector<std::vector<Vertex>>& neighbours, Vertex from) {
  std::vector<std::uint32_t> distance(neighbours.size(), far_away);
  std::vector<Vertex> queue{from};
  distance[from] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (const Vertex w : neighbours[queue[i]]) {
      if (distance[w] != far_away) continue;
      distance[w] = distance[queue[i]] + 1;
      queue.push_back(w);
    }
  }
  return distance;
}

// A vertex that is not far from any: of four that are far from each other, the farthest is as near as may be.
Vertex middle(const std::vector<std::vector<Vertex>>& neighbours) {
  constexpr int num_far = 4;
  std::vector<std::uint32_t> nearest = distances(neighbours, 0), most(neighbours.size(), 0);
  const auto place_of_largest = [](const std::vector<std::uint32_t>& distance) {
    Vertex place = 0;
    for (Vertex v = 0; v < distance.size(); ++v)
      if (distance[v] != far_away && distance[v] > distance[place]) place = v;
    return place;
  };
  for (int i = 0; i < num_far; ++i) {
    const std::vector<std::uint32_t> from = distances(neighbours, place_of_largest(nearest));
    for (std::size_t v = 0; v < from.size(); ++v) {
      nearest[v] = i == 0 ? from[v] : std::min(nearest[v], from[v]);
      most[v] = std::max(most[v], from[v]);
    }
  }
  return static_cast<Vertex>(std::ranges::min_element(most) - most.begin());
}

}  // namespace

PieceSearch::PieceSearch(const UndirectedGraph& graph)
    : num_vertices_(graph.num_vertices()),
      there_(graph.num_vertices(), true),
      before_(graph.num_vertices(), none),
      after_(graph.num_vertices(), none),
      is_source_(graph.num_vertices(), false),
      reached_(2 * std::size_t{graph.num_vertices()}, 0) {
  for (Vertex v = 0; v < graph.num_vertices(); ++v) {
    const auto around = graph.neighbours(v);
    neighbours_.emplace_back(around.begin(), around.end());
  }
  if (num_vertices_ > 0) start_from(middle(neighbours_));
}

void PieceSearch::start_from(Vertex root) {
  root_ = root;
  distance_ = distances(neighbours_, root_);
  is_well_connected_.assign(there_.size(), false);
  // Paths try the way to the root first.
  for (auto& of_one : neighbours_) std::ranges::stable_sort(of_one, {}, [&](Vertex v) { return distance_[v]; });
}

std::vector<Vertex> PieceSearch::farthest_first() const {
  std::vector<Vertex> result;
  for (Vertex v = 0; v < there_.size(); ++v) {
    if (there_[v] && v != root_ && distance_[v] != far_away) result.push_back(v);
  }
  std::ranges::stable_sort(result, std::ranges::greater{}, [&](Vertex v) { return distance_[v]; });
  return result;
}

// One more path from the sources to the root, or to a vertex from which no cut parts it, in depth first.
bool PieceSearch::augment() {
  ++round_;
  tree_.clear();
  const auto reach = [&](std::uint32_t state, std::size_t from) {
    if (reached_[state] == round_) return;
    reached_[state] = round_;
    tree_.push_back({state, from});
  };
  // An explicit stack of places in tree_, each with the next neighbour to look at.
  struct Place {
    std::size_t node, next;
  };
  std::vector<Place> stack;
  const auto is_end = [&](Vertex v, Vertex w) {
    return w == root_ ? after_[v] != root_ : is_well_connected_[w] && before_[w] == none && !is_source_[w];
  };
  const auto enter = [&](std::uint32_t state, std::size_t from) {
    const std::size_t size = tree_.size();
    reach(state, from);
    if (tree_.size() > size) stack.push_back({size, 0});
  };
  for (const Vertex source : sources_) {
    enter(2 * source + 1, no_node);
    while (!stack.empty()) {
      const std::size_t node = stack.back().node;
      const std::uint32_t state = tree_[node].state;
      const Vertex v = state / 2;
      if (state % 2 == 0) {  // reached from outside: through it, or back along its path
        stack.pop_back();
        if (before_[v] == none) {
          enter(state + 1, node);
        } else if (!is_source_[before_[v]]) {
          enter(2 * before_[v] + 1, node);
        }
        continue;
      }
      if (stack.back().next == 0) {
        const auto end = std::ranges::find_if(neighbours_[v], [&](Vertex w) { return is_end(v, w); });
        if (end != neighbours_[v].end()) {
          apply(node, *end);
          return true;
        }
      }
      if (stack.back().next == neighbours_[v].size()) {
        stack.pop_back();
        if (before_[v] != none && !is_source_[v]) enter(state - 1, node);
        continue;
      }
      const Vertex w = neighbours_[v][stack.back().next++];
      if (w != root_ && !is_source_[w]) enter(2 * w, node);
    }
  }
  return false;
}

// Turns the path from a source to this place of the tree, and from there to its end, into flow.
void PieceSearch::apply(std::size_t last, Vertex end) {
  std::vector<std::uint32_t> states;
  for (std::size_t node = last; node != no_node; node = tree_[node].from) states.push_back(tree_[node].state);
  std::ranges::reverse(states);
  struct Arc {
    Vertex from, to;
  };
  std::vector<Arc> added{{states.back() / 2, end}}, removed;
  for (std::size_t i = 0; i + 1 < states.size(); ++i) {
    const Vertex v = states[i] / 2, w = states[i + 1] / 2;
    if (v == w) continue;
    if (states[i] % 2 == 1) {
      added.push_back({v, w});
    } else {
      removed.push_back({w, v});
    }
  }
  for (const auto& [v, w] : removed) {
    if (!is_source_[v]) after_[v] = none;
    before_[w] = none;
  }
  for (const auto& [v, w] : added) {
    after_[v] = w;
    if (w != root_) before_[w] = v;
    on_paths_.push_back(v);
    on_paths_.push_back(w);
  }
}

// After a search that failed.
HangingPiece PieceSearch::nearest_cut() {
  HangingPiece piece;
  for (const Reached& reached : tree_) {
    const Vertex v = reached.state / 2;
    if (reached.state % 2 == 1) {
      piece.inside.push_back(v);
    } else if (reached_[reached.state + 1] != round_) {
      piece.boundary.push_back(v);
    }
  }
  std::ranges::sort(piece.inside);
  std::ranges::sort(piece.boundary);
  return piece;
}

std::optional<HangingPiece> PieceSearch::around(Vertex vertex, std::size_t most_boundary, std::size_t most,
                                                const std::function<bool(const HangingPiece&)>& is_wanted) {
  sources_ = {vertex};
  is_root_cut_off_ = false;
  if (most_boundary > most_tried_) is_well_connected_.assign(there_.size(), false);
  most_tried_ = most_boundary;
  std::optional<HangingPiece> found;
  while (!found) {
    for (const Vertex v : sources_) is_source_[v] = true;
    std::size_t flow = 0;
    const bool beside_root = std::ranges::any_of(sources_, [&](Vertex v) {
      return v == root_ || std::ranges::find(neighbours_[v], root_) != neighbours_[v].end();
    });
    if (!beside_root) {
      while (flow <= most_boundary && augment()) ++flow;
    }
    for (const Vertex v : on_paths_) before_[v] = after_[v] = none;
    on_paths_.clear();
    for (const Vertex v : sources_) is_source_[v] = false;
    // Vertices that the root does not reach are no piece of its component.
    if (beside_root || flow == 0 || flow > most_boundary) {
      if (flow > most_boundary && sources_.size() == 1) is_well_connected_[vertex] = true;
      return std::nullopt;
    }
    HangingPiece piece = nearest_cut();
    if (piece.inside.size() > most) {
      is_root_cut_off_ = true;
      return std::nullopt;
    }
    if (is_wanted(piece)) {
      found = std::move(piece);
    } else {
      sources_ = std::move(piece.inside);
      sources_.insert(sources_.end(), piece.boundary.begin(), piece.boundary.end());
    }
  }
  return found;
}

void PieceSearch::remove(const HangingPiece& piece) {
  for (const Vertex v : piece.inside) {
    there_[v] = false;
    neighbours_[v].clear();
  }
  num_vertices_ -= piece.inside.size();
  for (const Vertex v : piece.boundary) std::erase_if(neighbours_[v], [&](Vertex w) { return !there_[w]; });
}

Vertex PieceSearch::add_vertex(Vertex beside) {
  const auto v = static_cast<Vertex>(there_.size());
  there_.push_back(true);
  ++num_vertices_;
  neighbours_.emplace_back();
  distance_.push_back(distance_[beside] + 1);
  before_.push_back(none);
  after_.push_back(none);
  is_source_.push_back(false);
  is_well_connected_.push_back(false);
  reached_.resize(reached_.size() + 2, 0);
  return v;
}

void PieceSearch::add_edge(Vertex u, Vertex v) {
  for (auto [a, b] : {std::pair(u, v), std::pair(v, u)}) {
    if (std::ranges::find(neighbours_[a], b) == neighbours_[a].end()) neighbours_[a].push_back(b);
  }
}

}  // namespace matchcount
