#include <nanobind/stl/pair.h>

#include <cmath>

#include "binding.hpp"

namespace matchcount::python {
namespace {

using Points = std::optional<std::vector<std::pair<double, double>>>;

std::string text_of(const nb::object& name) { return nb::cast<std::string>(nb::str(name)); }

// Returns the graph with a place for each vertex, by `points` if these are given. Vertices are called as in Python.
PlacedGraph placed(const Graph& graph, const Points& points) {
  PlacedGraph drawn;
  std::vector<std::string> names;
  const bool is_by_name = graph.places.is_lattice_by_name;
  const Vertex size = graph.num_vertices(), rows = graph.one_side() ? size : graph.num_rows();
  for (Vertex v = 0; v < size; ++v) {
    names.push_back(text_of(v < rows ? graph.row_name(v) : graph.column_name(v - rows)));
    drawn.names.push_back(is_by_name ? names.back() : std::to_string((v < rows ? v : v - rows) + 1));
  }
  drawn.edges = graph.all_edges();
  if (!graph.one_side()) {
    for (Edge& edge : drawn.edges) edge.column += rows;
    drawn.is_column.assign(rows, false);
    drawn.is_column.resize(size, true);
  } else if (graph.is_bipartite) {
    drawn.is_column.assign(size, false);
    for (const Vertex v : graph.column_vertex) drawn.is_column[v] = true;
  }
  KnownPlaces known{{}, graph.places.lattice, graph.one_side(), graph.places.points};
  if (points) {
    known.wanted.emplace();
    for (const auto& [x, y] : *points) {
      if (!std::isfinite(x) || !std::isfinite(y)) throw InputError("a place that is not finite", "two finite numbers");
      known.wanted->push_back({x, y});
    }
    if (known.wanted->size() != size) throw InputError("places of another number", "one for each vertex");
  }
  run_alone({}, [&](const RunContext& run) { place(drawn, known, run); });
  drawn.names = std::move(names);
  return drawn;
}

std::string matchings_svg(const Graph& graph, std::vector<std::vector<EdgeId>> matchings, const Points& points) {
  std::size_t size = 0;
  for (const auto& matching : matchings) size = std::max(size, matching.size());
  std::vector<EdgeId> edges;
  for (auto& matching : matchings) {
    matching.resize(size, graph.num_edges());
    edges.insert(edges.end(), matching.begin(), matching.end());
  }
  const PlacedGraph drawn = placed(graph, points);
  return matchings.empty() ? graph_picture(drawn) : matching_picture(drawn, edges, matchings.size());
}

// Returns the place of each vertex, and the way from each edge's first end to its second, the shorter one on a torus.
std::pair<std::vector<std::pair<double, double>>, std::vector<std::pair<double, double>>> places(const Graph& graph,
                                                                                                 const Points& points) {
  const PlacedGraph drawn = placed(graph, points);
  std::pair<std::vector<std::pair<double, double>>, std::vector<std::pair<double, double>>> result;
  for (const Point& point : drawn.layout.points) result.first.emplace_back(point.x, point.y);
  for (const Edge& edge : drawn.edges) {
    const Point step = step_of(drawn, edge);
    result.second.emplace_back(step.x, step.y);
  }
  return result;
}

}  // namespace

void add_pictures(nb::module_& module) {
  const auto of = nb::arg();
  module.def("matchings_svg", &matchings_svg, of, of, nb::arg().none());
  module.def(
      "probabilities_svg",
      [](const Graph& graph, const std::vector<double>& shares, const std::vector<std::string>& texts,
         const Points& points) { return probability_picture(placed(graph, points), shares, texts); },
      of, of, of, nb::arg().none());
  module.def("places", &places, of, nb::arg().none());
}

}  // namespace matchcount::python
