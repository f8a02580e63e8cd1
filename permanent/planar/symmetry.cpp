// A symmetry that keeps the rotation is known from the image of one dart, an edge seen from one of its ends. With the
// moves that lead from the dart to its image, made again and again, the dart goes through its images under the powers,
// so that the order is known before the symmetry is. On a torus translations have the largest orders. Whether it turns
// cycles of the surface into others does not matter: what is checked is that the matrix is the same up to signs t of
// vertices. The product of t along an orbit, `wrap`, is the same for all of them, as the graph is connected. With signs
// s(x) of the vertices x = g^k u, the product of t from u on, the matrix depends on k' - k alone, for u and u' and k
// and k', but for `wrap` when k passes the order: Fourier's transform takes it to one matrix for each w.

#include "permanent/planar/symmetry.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "permanent/planar/orientation.hpp"

namespace matchcount {
namespace {

constexpr std::size_t least_order = 8;
constexpr EdgeId unknown = ~EdgeId{0};

// A dart is 2 * id from edges()[id].row, 2 * id + 1 from its column.
class Darts {
 public:
  Darts(const UndirectedGraph& graph, const PlanarEmbedding& embedding)
      : graph_(graph), next_(2 * graph.num_edges()), image_(2 * graph.num_edges()) {
    const auto& [rotation, begin] = embedding;
    const auto dart_at = [&](std::size_t i, Vertex v) {
      return 2 * rotation[i] + (graph.edges()[rotation[i]].row == v ? 0 : 1);
    };
    for (Vertex v = 0; v < graph.num_vertices(); ++v) {
      const std::size_t first = begin[v], end = begin[v + std::size_t{1}];
      for (std::size_t i = first; i < end; ++i) next_[dart_at(i, v)] = dart_at(i + 1 == end ? first : i + 1, v);
    }
  }

  struct Candidate {
    EdgeId image;  // of the first dart
    std::size_t order;
  };
  // Returns those near by, the largest orders first.
  std::vector<Candidate> candidates() const {
    constexpr std::size_t most_near = 256;
    struct Near {
      EdgeId dart;
      std::size_t before;
      bool crosses;
    };
    std::vector<Near> near{{0, 0, false}};
    std::vector<bool> seen(next_.size(), false);
    seen[0] = true;
    std::vector<Candidate> result;
    double steps = 0;
    for (std::size_t at = 0; at < near.size() && near.size() < most_near; ++at) {
      for (const bool crosses : {true, false}) {
        const EdgeId dart = crosses ? near[at].dart ^ 1 : next_[near[at].dart];
        if (seen[dart]) continue;
        seen[dart] = true;
        near.push_back({dart, at, crosses});
      }
    }
    const double most_steps = 64 * static_cast<double>(next_.size());
    for (std::size_t at = 1; at < near.size() && steps < most_steps; ++at) {
      std::vector<bool> moves;
      for (std::size_t i = at; i != 0; i = near[i].before) moves.insert(moves.begin(), near[i].crosses);
      std::size_t order = 1;
      for (EdgeId dart = near[at].dart; dart != 0 && order <= next_.size(); ++order) {
        for (const bool crosses : moves) dart = crosses ? dart ^ 1 : next_[dart];
      }
      steps += static_cast<double>(order * moves.size());
      if (order >= least_order && order <= next_.size()) result.push_back({near[at].dart, order});
    }
    std::ranges::stable_sort(result, std::ranges::greater(), &Candidate::order);
    return result;
  }

  // Finds the images of all vertices; false where there is no such symmetry.
  bool extend(EdgeId to, const std::vector<std::uint32_t>& places, std::vector<Vertex>& image) {
    std::ranges::fill(image_, unknown);
    image.resize(graph_.num_vertices());
    image_[0] = to;
    std::vector<EdgeId> queue{0};
    for (std::size_t at = 0; at < queue.size(); ++at) {
      const EdgeId dart = queue[at], there = image_[dart];
      if (places[dart / 2] != places[there / 2]) return false;
      image[start(dart)] = start(there);
      for (const auto& [from, onto] : {std::pair{next_[dart], next_[there]}, {dart ^ 1, there ^ 1}}) {
        if (image_[from] == unknown) {
          image_[from] = onto;
          queue.push_back(from);
        } else if (image_[from] != onto) {
          return false;
        }
      }
    }
    return queue.size() == next_.size();
  }

 private:
  Vertex start(EdgeId dart) const { return dart & 1 ? graph_.edges()[dart / 2].column : graph_.edges()[dart / 2].row; }

  const UndirectedGraph& graph_;
  std::vector<EdgeId> next_;   // at the same vertex
  std::vector<EdgeId> image_;  // of the symmetry that is tried
};

// Returns the length of all orbits, or 0 where they differ.
std::size_t order_of(const std::vector<Vertex>& image) {
  std::vector<bool> seen(image.size(), false);
  std::size_t order = 0;
  for (Vertex v = 0; v < image.size(); ++v) {
    if (seen[v]) continue;
    std::size_t length = 0;
    for (Vertex x = v; !seen[x]; x = image[x], ++length) seen[x] = true;
    if (order != 0 && length != order) return 0;
    order = length;
  }
  return order;
}

std::vector<Vertex> power(const std::vector<Vertex>& image, std::size_t exponent) {
  std::vector<Vertex> result(image.size());
  for (Vertex v = 0; v < image.size(); ++v) {
    result[v] = v;
    for (std::size_t i = 0; i < exponent; ++i) result[v] = image[result[v]];
  }
  return result;
}

std::size_t least_factor(std::size_t number) {
  for (std::size_t factor = 2; factor * factor <= number; ++factor) {
    if (number % factor == 0) return factor;
  }
  return number;
}

}  // namespace

std::optional<CyclicSymmetry> cyclic_symmetry(const UndirectedGraph& graph, const PlanarEmbedding& rotation,
                                              const std::vector<std::uint32_t>& places,
                                              const std::vector<bool>& is_column, std::size_t most_order,
                                              const RunContext& run) {
  constexpr int most_tried = 12;
  if (graph.num_edges() == 0) return std::nullopt;
  Darts darts(graph, rotation);
  CyclicSymmetry best;
  int tried = 0;
  for (const Darts::Candidate& candidate : darts.candidates()) {
    if (candidate.order <= best.order || ++tried > most_tried) break;
    run.check();
    CyclicSymmetry found;
    if (!darts.extend(candidate.image, places, found.image)) continue;
    if (!is_column.empty() && is_column[found.image[0]] != is_column[0]) found.image = power(found.image, 2);
    for (found.order = order_of(found.image); found.order > most_order; found.order = order_of(found.image))
      found.image = power(found.image, least_factor(found.order));
    if (found.order > best.order) best = std::move(found);
  }
  return best.order >= least_order ? std::optional(std::move(best)) : std::nullopt;
}

std::optional<OrbitMatrices> orbit_matrices(const UndirectedGraph& graph, const CyclicSymmetry& symmetry,
                                            const std::vector<std::uint32_t>& places,
                                            const std::vector<std::int8_t>& orientation,
                                            const std::vector<bool>& is_column) {
  const Vertex num_vertices = graph.num_vertices();
  const auto& [image, order] = symmetry;
  const auto sign_from = [&](EdgeId id, Vertex v) {
    return graph.edges()[id].row == v ? orientation[id] : -orientation[id];
  };
  // The signs t, along the edges of a search, and a check along all.
  std::vector<int> turn(num_vertices, 0);
  std::vector<Vertex> queue{0};
  turn[0] = 1;
  for (std::size_t at = 0; at < queue.size(); ++at) {
    const Vertex u = queue[at];
    for (std::size_t i = 0; i < graph.neighbours(u).size(); ++i) {
      const Vertex v = graph.neighbours(u)[i];
      const EdgeId id = graph.incident_edges(u)[i];
      const auto there = graph.neighbours(image[u]);
      const auto found = std::ranges::lower_bound(there, image[v]);
      if (found == there.end() || *found != image[v]) return std::nullopt;
      const EdgeId onto = graph.incident_edges(image[u])[static_cast<std::size_t>(found - there.begin())];
      const int relation = sign_from(id, u) * sign_from(onto, image[u]);
      if (places[onto] != places[id] || (turn[v] != 0 && turn[v] != turn[u] * relation)) return std::nullopt;
      if (turn[v] == 0) {
        turn[v] = turn[u] * relation;
        queue.push_back(v);
      }
    }
  }
  if (queue.size() != num_vertices) return std::nullopt;

  OrbitMatrices result;
  result.order = order;
  // Orbits in the order of a search from their first vertices, so that exponents are small. Numbers are by colour.
  std::vector<Vertex> orbit(num_vertices), firsts;
  std::vector<std::uint32_t> step(num_vertices);
  std::vector<int> sign(num_vertices, 0);
  std::vector<std::vector<Vertex>> of_colour(2);
  const auto colour = [&](Vertex v) { return !is_column.empty() && is_column[v] ? 1 : 0; };
  const auto add_orbit = [&](Vertex first) {
    auto& others = of_colour[static_cast<std::size_t>(colour(first))];
    int so_far = 1;
    Vertex x = first;
    for (std::uint32_t k = 0; k < order; ++k) {
      orbit[x] = static_cast<Vertex>(others.size());
      step[x] = k;
      sign[x] = so_far;
      result.negated = result.negated != (so_far < 0);
      so_far *= turn[x];
      x = image[x];
    }
    others.push_back(first);
    firsts.push_back(first);
    if (firsts.size() == 1) result.wrap = so_far;
    return so_far == result.wrap;
  };
  add_orbit(0);
  std::map<std::pair<Vertex, Vertex>, std::map<std::pair<std::uint32_t, std::uint32_t>, int>> entries;  // by orbits
  for (std::size_t at = 0; at < firsts.size(); ++at) {
    const Vertex u = firsts[at];
    for (std::size_t i = 0; i < graph.neighbours(u).size(); ++i) {
      const Vertex v = graph.neighbours(u)[i];
      const EdgeId id = graph.incident_edges(u)[i];
      if (sign[v] == 0 && !add_orbit(v)) return std::nullopt;
      if (!is_column.empty() && is_column[u]) continue;
      entries[{orbit[u], orbit[v]}][{step[v], places[id]}] += sign[v] * sign_from(id, u);
    }
  }
  result.size = of_colour[0].size();
  if (!is_column.empty() && of_colour[1].size() != result.size) return std::nullopt;

  // The order of vertices in which the Pfaffian is that of the matrices: pairs of a row and a column, or steps.
  std::vector<Vertex> sequence;
  std::vector<std::vector<Vertex>> at_step(2 * order);
  for (const auto& of : of_colour) {
    std::vector<Vertex> here = of;
    for (std::size_t k = 0; k < order; ++k) {
      at_step[2 * k + (&of == &of_colour[1] ? 1 : 0)] = here;
      for (Vertex& v : here) v = image[v];
    }
  }
  for (std::size_t k = 0; k < order; ++k) {
    for (std::size_t a = 0; a < result.size; ++a) {
      sequence.push_back(at_step[2 * k][a]);
      if (!is_column.empty()) sequence.push_back(at_step[2 * k + 1][a]);
    }
  }
  result.negated = result.negated != is_odd_permutation(sequence);

  std::map<OrbitMatrices::Polynomial, std::uint32_t> numbers;
  result.polynomials.emplace_back();
  const auto number_of = [&](const auto& terms) {
    OrbitMatrices::Polynomial polynomial;
    for (const auto& [key, factor] : terms) {
      if (factor != 0 && key.second != 0) polynomial.emplace_back(key.first, key.second, factor);
    }
    if (polynomial.empty()) return std::uint32_t{0};
    const auto [found, is_new] = numbers.try_emplace(polynomial, static_cast<std::uint32_t>(result.polynomials.size()));
    if (is_new) result.polynomials.push_back(polynomial);
    return found->second;
  };
  const auto graph_of = [&](bool skew) {
    std::map<std::pair<Vertex, Vertex>, std::pair<std::uint32_t, std::int8_t>> sorted;
    for (const auto& [at, terms] : entries) {
      const auto& [a, b] = at;
      if (skew && a >= b) continue;
      const Vertex row = skew ? a : 2 * a, column = skew ? b : 2 * b + 1;
      const std::uint32_t number = number_of(terms);
      if (number != 0) sorted[std::minmax(row, column)] = {number, std::int8_t(row < column ? 1 : -1)};
    }
    OrbitMatrices::Graph made;
    std::vector<Edge> edges;
    for (const auto& [ends, value] : sorted) {
      edges.push_back({ends.first, ends.second});
      made.places.push_back(value.first);
      made.signs.push_back(value.second);
    }
    const auto size = static_cast<Vertex>(result.size);
    made.graph = UndirectedGraph::from_edges(skew ? size : 2 * size, std::move(edges));
    for (Vertex v = 0; !skew && v < 2 * size; ++v) made.is_column.push_back(v % 2 == 1);
    return made;
  };
  result.blocks = graph_of(false);
  if (is_column.empty()) result.skew = graph_of(true);
  return result;
}

}  // namespace matchcount
