#include "graph/rotation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.hpp"

namespace matchcount {

RotationSystem rotation_of_points(const UndirectedGraph& graph, const std::vector<Point>& points, Point period,
                                  const std::vector<std::string>& names) {
  // Lines closer to each other than that, or lengths, are not told apart.
  constexpr double tolerance = 1e-9;
  const auto shortest = [](double step, double length) {
    return length > 0 ? step - length * std::round(step / length) : step;
  };
  RotationSystem rotation(graph.num_vertices());
  for (Vertex v = 0; v < graph.num_vertices(); ++v) {
    std::vector<std::pair<double, Vertex>> directions;
    for (const Vertex w : graph.neighbours(v)) {
      const double x = shortest(points[w].x - points[v].x, period.x), y = shortest(points[w].y - points[v].y, period.y);
      const auto is_half = [](double step, double length) {
        return length > 0 && length / 2 - std::fabs(step) <= tolerance * length;
      };
      if (is_half(x, period.x) || is_half(y, period.y))
        throw InputError("an edge between " + names[v] + " and " + names[w] + " half a period long",
                         "edges shorter than half of each period");
      directions.emplace_back(std::atan2(y, x), w);
    }
    std::ranges::sort(directions);
    for (std::size_t i = 0; directions.size() > 1 && i < directions.size(); ++i) {
      const auto& [angle, w] = directions[i];
      const bool is_last = i + 1 == directions.size();
      const double next = directions[is_last ? 0 : i + 1].first + (is_last ? 2 * std::acos(-1.0) : 0);
      if (!(next - angle > tolerance))
        throw InputError("two edges that leave " + names[v] + " in one direction, to " + names[w] + " and " +
                             names[directions[is_last ? 0 : i + 1].second],
                         "edges in directions of their own");
    }
    for (const auto& [angle, w] : directions) rotation[v].push_back(w);
  }
  return rotation;
}

void require_rotation_of(const UndirectedGraph& graph, const RotationSystem& rotation) {
  if (rotation.size() != graph.num_vertices())
    throw InputError("a rotation of " + std::to_string(rotation.size()) + " vertices",
                     "one of " + std::to_string(graph.num_vertices()));
  std::vector<Vertex> around;
  for (Vertex v = 0; v < graph.num_vertices(); ++v) {
    around = rotation[v];
    std::ranges::sort(around);
    if (std::ranges::adjacent_find(around) != around.end() || !std::ranges::includes(around, graph.neighbours(v)))
      throw InputError("a rotation of other neighbours around vertex " + std::to_string(v), "each neighbour once");
  }
}

RotationSystem rotation_among(const RotationSystem& rotation, const std::vector<Vertex>& names) {
  constexpr Vertex none = ~Vertex{0};
  std::vector<Vertex> place(rotation.size(), none);
  for (Vertex v = 0; v < names.size(); ++v) place[names[v]] = v;
  RotationSystem result(names.size());
  for (Vertex v = 0; v < names.size(); ++v) {
    for (const Vertex w : rotation[names[v]])
      if (place[w] != none) result[v].push_back(place[w]);
  }
  return result;
}

SurfaceEmbedding embedding_of(const UndirectedGraph& graph, const RotationSystem& rotation) {
  SurfaceEmbedding result;
  result.twisted.assign(graph.num_edges(), false);
  for (Vertex v = 0; v < graph.num_vertices(); ++v) {
    const auto neighbours = graph.neighbours(v);
    result.rotation.rotation_begin.push_back(result.rotation.rotation.size());
    for (const Vertex w : rotation[v]) {
      const auto place = std::ranges::lower_bound(neighbours, w) - neighbours.begin();
      if (place != std::ssize(neighbours) && neighbours[static_cast<std::size_t>(place)] == w)
        result.rotation.rotation.push_back(graph.incident_edges(v)[static_cast<std::size_t>(place)]);
    }
  }
  result.rotation.rotation_begin.push_back(result.rotation.rotation.size());
  if (result.rotation.rotation.size() != 2 * graph.num_edges())
    throw Error("a rotation that lacks edges; please report this graph");
  return result;
}

}  // namespace matchcount
