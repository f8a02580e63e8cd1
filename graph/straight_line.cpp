// Boost's drawing is on integer points and always there, but squeezes most of a graph into a corner of a flat triangle.
// Tutte's spreads a graph evenly where that is 3-connected and not too deep, and collapses where it is not; which it
// does is seen from its shortest edge alone. Edges that do not cross are what both theorems promise, and the second
// asks for 3-connectivity (paths of vertices of degree 2 may stand for edges): whether it holds is not tested, but that
// every inner face is convex and has an area, which is what it is needed for. Such faces fit together around each
// vertex without overlap.

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boyer_myrvold_planar_test.hpp>
#include <boost/graph/chrobak_payne_drawing.hpp>
#include <boost/graph/make_biconnected_planar.hpp>
#include <boost/graph/make_connected.hpp>
#include <boost/graph/make_maximal_planar.hpp>
#include <boost/graph/planar_canonical_ordering.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/error.hpp"
#include "graph/layout.hpp"
#include "graph/planar.hpp"

namespace matchcount {
namespace {

using BoostGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS,
                                         boost::property<boost::vertex_index_t, std::size_t>,
                                         boost::property<boost::edge_index_t, std::size_t>>;
using BoostEdge = boost::graph_traits<BoostGraph>::edge_descriptor;
using Rotation = std::vector<std::vector<BoostEdge>>;

auto rotation_map(Rotation& rotation, BoostGraph& graph) {
  return boost::make_iterator_property_map(rotation.begin(), get(boost::vertex_index, graph));
}

void number_edges(BoostGraph& graph) {
  std::size_t number = 0;
  for (auto [edge, end] = edges(graph); edge != end; ++edge) put(boost::edge_index, graph, *edge, number++);
}

Rotation rotation_of(BoostGraph& graph) {
  number_edges(graph);
  Rotation rotation(num_vertices(graph));
  if (!boost::boyer_myrvold_planarity_test(boost::boyer_myrvold_params::graph = graph,
                                           boost::boyer_myrvold_params::embedding = rotation_map(rotation, graph)))
    throw Error("a planar graph with more edges between its faces is not planar; please report this graph");
  return rotation;
}

// Draws a planar graph with 3 vertices or more.
std::vector<Point> chrobak_payne(const UndirectedGraph& graph, const RunContext& run) {
  const std::size_t n = graph.num_vertices();
  BoostGraph boosted(n);
  for (const Edge& edge : graph.edges()) add_edge(edge.row, edge.column, boosted);
  number_edges(boosted);
  boost::make_connected(boosted);
  run.check();
  Rotation rotation = rotation_of(boosted);
  boost::make_biconnected_planar(boosted, rotation_map(rotation, boosted));
  run.check();
  rotation = rotation_of(boosted);
  boost::make_maximal_planar(boosted, rotation_map(rotation, boosted));
  run.check();
  rotation = rotation_of(boosted);
  std::vector<boost::graph_traits<BoostGraph>::vertex_descriptor> ordering;
  boost::planar_canonical_ordering(boosted, rotation_map(rotation, boosted), std::back_inserter(ordering));
  struct Place {
    std::size_t x, y;
  };
  std::vector<Place> places(n);
  boost::chrobak_payne_straight_line_drawing(boosted, rotation_map(rotation, boosted), ordering.begin(), ordering.end(),
                                             places.data());
  std::vector<Point> points;
  for (const Place& place : places) points.push_back({static_cast<double>(place.x), static_cast<double>(place.y)});
  return points;
}

// Lists the vertices along each face, in order; nothing where a face comes to a vertex twice.
std::vector<std::vector<Vertex>> face_walks(const UndirectedGraph& graph, const PlanarEmbedding& embedding) {
  const Faces faces = faces_of(graph, embedding);
  const auto origin = [&](EdgeId side) {
    const Edge& edge = graph.edges()[side / 2];
    return side % 2 == 0 ? edge.row : edge.column;
  };
  std::vector<std::vector<EdgeId>> sides(faces.count);
  for (EdgeId side = 0; side < faces.of_side.size(); ++side) sides[faces.of_side[side]].push_back(side);
  std::vector<std::vector<Vertex>> walks(faces.count);
  std::vector<EdgeId> leaving(graph.num_vertices());
  std::vector<std::size_t> face_left(graph.num_vertices(), walks.size());
  for (std::size_t face = 0; face < walks.size(); ++face) {
    for (const EdgeId side : sides[face]) {
      if (face_left[origin(side)] == face) return {};
      face_left[origin(side)] = face;
      leaving[origin(side)] = side;
    }
    EdgeId side = sides[face].front();
    for (std::size_t i = 0; i < sides[face].size(); ++i) {
      walks[face].push_back(origin(side));
      side = leaving[origin(side ^ 1)];
    }
  }
  return walks;
}

// Returns by how much one turns to the left from a -> b to b -> c, in radians; nothing where two points are one.
std::optional<double> turn(const Point& a, const Point& b, const Point& c) {
  constexpr double least = 1e-6;
  const Point in{b.x - a.x, b.y - a.y}, out{c.x - b.x, c.y - b.y};
  if (std::hypot(in.x, in.y) < least || std::hypot(out.x, out.y) < least) return std::nullopt;
  return std::atan2(in.x * out.y - in.y * out.x, in.x * out.x + in.y * out.y);
}

// Says whether all faces but the outer one are convex, where a vertex may lie straight between its neighbours, and all
// go round once in the same direction.
bool are_convex(const std::vector<std::vector<Vertex>>& walks, std::size_t outer, const std::vector<Point>& points) {
  constexpr double rounding = 1e-4;
  std::optional<bool> to_the_left;
  for (std::size_t face = 0; face < walks.size(); ++face) {
    if (face == outer) continue;
    const auto& walk = walks[face];
    const std::size_t n = walk.size();
    double whole = 0, least = 0, most = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const auto angle = turn(points[walk[i]], points[walk[(i + 1) % n]], points[walk[(i + 2) % n]]);
      if (!angle) return false;
      whole += *angle;
      least = std::min(least, *angle);
      most = std::max(most, *angle);
    }
    if (!to_the_left) to_the_left = whole > 0;
    const double sign = *to_the_left ? 1 : -1;
    if (std::fabs(sign * whole - 2 * std::numbers::pi) > rounding) return false;
    if ((*to_the_left ? -least : most) > rounding || std::max(-least, most) > std::numbers::pi - rounding) return false;
  }
  return true;
}

// Nothing where it is no drawing.
std::optional<std::vector<Point>> tutte(const UndirectedGraph& graph, const PlanarEmbedding& embedding,
                                        const RunContext& run) {
  constexpr int most_sweeps = 2000;
  constexpr double settled = 1e-7;
  const std::size_t n = graph.num_vertices();
  for (Vertex v = 0; v < n; ++v) {
    if (graph.neighbours(v).size() < 2) return std::nullopt;
  }
  const auto walks = face_walks(graph, embedding);
  if (walks.empty()) return std::nullopt;
  const std::size_t outer = static_cast<std::size_t>(
      std::ranges::max_element(walks, {}, [](const auto& walk) { return walk.size(); }) - walks.begin());
  std::vector<Point> points(n);
  std::vector<bool> is_fixed(n, false);
  for (std::size_t i = 0; i < walks[outer].size(); ++i) {
    const Vertex v = walks[outer][i];
    is_fixed[v] = true;
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(walks[outer].size());
    points[v] = {std::sin(angle), std::cos(angle)};
  }
  double moved = 1;
  for (int sweep = 0; sweep < most_sweeps && moved > settled; ++sweep) {
    moved = 0;
    run.check();
    for (Vertex v = 0; v < n; ++v) {
      if (is_fixed[v]) continue;
      Point sum;
      for (const Vertex w : graph.neighbours(v)) {
        sum.x += points[w].x;
        sum.y += points[w].y;
      }
      const auto degree = static_cast<double>(graph.neighbours(v).size());
      const Point mean{sum.x / degree, sum.y / degree};
      moved = std::max({moved, std::fabs(mean.x - points[v].x), std::fabs(mean.y - points[v].y)});
      points[v] = mean;
    }
  }
  if (moved > settled || !are_convex(walks, outer, points)) return std::nullopt;
  return points;
}

// Returns the shortest edge as a share of the larger of width and height.
double shortest_edge(const UndirectedGraph& graph, const std::vector<Point>& points) {
  const auto [left, right] = std::ranges::minmax(points, {}, &Point::x);
  const auto [low, high] = std::ranges::minmax(points, {}, &Point::y);
  double shortest = std::numeric_limits<double>::infinity();
  for (const Edge& edge : graph.edges()) {
    const Point &a = points[edge.row], &b = points[edge.column];
    shortest = std::min(shortest, std::hypot(a.x - b.x, a.y - b.y));
  }
  return shortest / std::max(right.x - left.x, high.y - low.y);
}

}  // namespace

std::optional<Layout> planar_layout(const UndirectedGraph& graph, const RunContext& run) {
  const std::optional<PlanarEmbedding> embedding = planar_embedding(graph, run);
  if (!embedding) return std::nullopt;
  if (graph.num_vertices() < 3 || graph.num_edges() == 0) return circle_layout(graph.num_vertices());
  Layout layout;
  layout.points = chrobak_payne(graph, run);
  auto even = tutte(graph, *embedding, run);
  if (even && shortest_edge(graph, *even) > shortest_edge(graph, layout.points)) layout.points = *std::move(even);
  return layout;
}

}  // namespace matchcount
