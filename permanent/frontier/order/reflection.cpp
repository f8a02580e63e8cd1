// An automorphism is found by colours: a vertex and its image get a colour of their own, and so do the image and the
// vertex, and then the colours of the graph and of its image are refined side by side, by those of neighbours, until
// every vertex has its own; images are tried in turn where more than one is left. The order goes by the distance from
// the first vertex less that from its image, so that the mirror of what comes first comes last; ties by the same of
// other vertices, drawn at random.

#include "permanent/frontier/order/reflection.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

#include "core/random.hpp"

namespace matchcount {
namespace {

constexpr Vertex most_vertices = 2000;
constexpr std::size_t most_reflections = 12;
constexpr int most_refinements = 4000, orders_of_reflection = 40;
constexpr std::uint64_t order_seed = 0x6d6972726f72;

using Colours = std::vector<std::uint64_t>;
using Distances = std::vector<std::int64_t>;

class Search {
 public:
  Search(const UndirectedGraph& graph, const RunContext& run) : graph_(graph), run_(run) {}

  std::vector<std::vector<Vertex>> find(const std::vector<bool>& colours) {
    Colours first(colours.begin(), colours.end());
    extend(first, first, 0);
    return std::move(found_);
  }

 private:
  // Refines both alike until neither has more colours than before; says whether the two have the same.
  bool refine(Colours& own, Colours& image) {
    for (std::size_t before = 0;;) {
      run_.check();
      ++refinements_;
      Colours sorted = own, other = image;
      std::ranges::sort(sorted);
      std::ranges::sort(other);
      if (sorted != other) return false;
      sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
      if (sorted.size() == before) return true;
      before = sorted.size();
      own = refined(own);
      image = refined(image);
    }
  }
  Colours refined(const Colours& colours) const {
    Colours result(colours.size());
    for (Vertex v = 0; v < graph_.num_vertices(); ++v) {
      std::uint64_t sum = 0;
      for (const Vertex u : graph_.neighbours(v)) sum += mixed(colours[u]);
      result[v] = mixed(mixed(colours[v]) ^ (sum * 3 + 1));
    }
    return result;
  }
  static std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ (x >> 31)) * 0x7fb5d329728ea185;
    x = (x ^ (x >> 27)) * 0x81dadef4bc2dd44d;
    return x ^ (x >> 33);
  }

  void extend(Colours own, Colours image, int depth) {
    if (found_.size() == most_reflections || refinements_ > most_refinements || !refine(own, image)) return;
    std::map<std::uint64_t, std::pair<std::vector<Vertex>, std::vector<Vertex>>> classes;
    for (Vertex v = 0; v < graph_.num_vertices(); ++v) {
      classes[own[v]].first.push_back(v);
      classes[image[v]].second.push_back(v);
    }
    const std::pair<std::vector<Vertex>, std::vector<Vertex>>* smallest = nullptr;
    std::vector<Vertex> mirror(graph_.num_vertices());
    for (const auto& [colour, pair] : classes) {
      if (pair.first.size() == 1) mirror[pair.first.front()] = pair.second.front();
      if (pair.first.size() > 1 && (!smallest || pair.first.size() < smallest->first.size())) smallest = &pair;
    }
    if (!smallest) {
      if (is_reflection(mirror)) found_.push_back(std::move(mirror));
      return;
    }
    const Vertex v = smallest->first.front();
    std::vector<Vertex> images = smallest->second;
    const Distances from_v = distances(graph_, v);
    std::ranges::stable_sort(images, std::ranges::greater{}, [&](Vertex u) { return from_v[u]; });
    for (const Vertex u : images) {
      if (depth == 0 && u == v) continue;
      Colours own_next = own, image_next = image;
      own_next[v] = image_next[u] = mixed(++fresh_);
      if (u != v) own_next[u] = image_next[v] = mixed(++fresh_);
      extend(std::move(own_next), std::move(image_next), depth + 1);
    }
  }

  bool is_reflection(const std::vector<Vertex>& mirror) const {
    bool moves = false;
    for (Vertex v = 0; v < mirror.size(); ++v) {
      if (mirror[mirror[v]] != v) return false;
      moves = moves || mirror[v] != v;
      for (const Vertex u : graph_.neighbours(v))
        if (!std::ranges::binary_search(graph_.neighbours(mirror[v]), mirror[u])) return false;
    }
    return moves;
  }

 public:
  static Distances distances(const UndirectedGraph& graph, Vertex from) {
    Distances result(graph.num_vertices(), graph.num_vertices());
    std::vector<Vertex> reached = {from};
    result[from] = 0;
    for (std::size_t i = 0; i < reached.size(); ++i) {
      for (const Vertex u : graph.neighbours(reached[i])) {
        if (result[u] < graph.num_vertices()) continue;
        result[u] = result[reached[i]] + 1;
        reached.push_back(u);
      }
    }
    return result;
  }

 private:
  const UndirectedGraph& graph_;
  const RunContext& run_;
  std::vector<std::vector<Vertex>> found_;
  int refinements_ = 0;
  std::uint64_t fresh_ = 0;
};

// Takes vertices into A in turn, and says what its layers cost.
class Halving {
 public:
  Halving(const UndirectedGraph& graph, const std::vector<Vertex>& mirror)
      : graph_(graph),
        mirror_(mirror),
        is_taken_(graph.num_vertices(), false),
        is_barred_(graph.num_vertices(), false),
        is_reached_(graph.num_vertices(), false) {}

  void offer(Vertex v) {
    const auto own = graph_.neighbours(v);
    if (is_taken_[v] || is_barred_[v] || mirror_[v] == v || std::ranges::binary_search(own, mirror_[v])) return;
    take(v);
  }
  bool is_empty() const { return sequence_.empty(); }
  double cost() const { return cost_ + std::exp2(static_cast<double>(graph_.num_vertices()) - 2 * taken_); }
  Reflection result() && {
    Reflection reflection{mirror_, std::move(sequence_), {}, {}};
    std::vector<bool> is_middle(graph_.num_vertices());
    for (Vertex v = 0; v < graph_.num_vertices(); ++v) {
      is_middle[v] = !is_taken_[v] && !is_taken_[mirror_[v]];
      if (is_middle[v]) reflection.middle.push_back(v);
    }
    for (EdgeId edge = 0; edge < graph_.num_edges(); ++edge) {
      const auto [u, v] = graph_.edges()[edge];
      if (!is_middle[u] || !is_middle[v]) continue;
      const auto ends = std::minmax(u, v), images = std::minmax(mirror_[u], mirror_[v]);
      if (ends <= images) reflection.inner.push_back({u, v, edge, ends == images});
    }
    return reflection;
  }

 private:
  void take(Vertex v) {
    is_taken_[v] = true;
    ++taken_;
    sequence_.push_back(v);
    width_ += !is_reached_[v];
    cost_ += std::exp2(width_);
    is_reached_[v] = true;
    is_barred_[mirror_[v]] = true;
    for (const Vertex u : graph_.neighbours(mirror_[v])) is_barred_[u] = true;
    --width_;
    for (const Vertex u : graph_.neighbours(v)) {
      width_ += !is_reached_[u];
      is_reached_[u] = true;
    }
    for (const Vertex u : graph_.neighbours(v)) {
      if (!is_taken_[u] && std::ranges::all_of(graph_.neighbours(u), [&](Vertex w) { return is_taken_[w]; })) take(u);
    }
  }

  const UndirectedGraph& graph_;
  const std::vector<Vertex>& mirror_;
  std::vector<bool> is_taken_, is_barred_, is_reached_;  // reached: in A or next to it
  std::vector<Vertex> sequence_;
  double width_ = 0, taken_ = 0, cost_ = 0;
};

}  // namespace

std::optional<Reflection> find_reflection(const UndirectedGraph& graph, const std::vector<bool>& colours,
                                          const RunContext& run) {
  std::optional<Halving> best;
  if (graph.num_vertices() > most_vertices) return {};
  Random random(order_seed, 0);
  const std::vector<std::vector<Vertex>> mirrors = Search(graph, run).find(colours);
  for (const std::vector<Vertex>& mirror : mirrors) {
    const auto potential = [&](Vertex v) {
      Distances result = Search::distances(graph, v);
      const Distances image = Search::distances(graph, mirror[v]);
      for (Vertex u = 0; u < result.size(); ++u) result[u] -= image[u];
      return result;
    };
    for (int i = 0; i < orders_of_reflection; ++i) {
      run.check();
      Distances keys[3];
      // The first by the greatest of some distances, the others at random.
      for (int k = 0; k < 3; ++k) {
        for (int draw = 0; draw < (k == 0 ? 8 : 1); ++draw) {
          Distances drawn = potential(static_cast<Vertex>(random.below(graph.num_vertices())));
          const auto extent = [](const Distances& key) { return std::ranges::max(key); };
          if (keys[k].empty() || extent(drawn) > extent(keys[k])) keys[k] = std::move(drawn);
        }
      }
      std::vector<Vertex> order(graph.num_vertices());
      for (Vertex v = 0; v < order.size(); ++v) order[v] = v;
      std::ranges::stable_sort(order, std::ranges::less{},
                               [&](Vertex v) { return std::tuple(keys[0][v], keys[1][v], keys[2][v]); });
      Halving halving(graph, mirror);
      for (const Vertex v : order) halving.offer(v);
      if (!best || halving.cost() < best->cost()) best.emplace(std::move(halving));
    }
  }
  if (!best || best->is_empty()) return {};
  return std::move(*best).result();
}

}  // namespace matchcount
