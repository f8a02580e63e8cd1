#include "graph/placed_graph.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "core/error.hpp"

namespace matchcount {
namespace {

double median_length(const PlacedGraph& graph) {
  std::vector<double> lengths;
  for (const Edge& edge : graph.edges) {
    const Point step = step_of(graph, edge);
    lengths.push_back(std::hypot(step.x, step.y));
  }
  if (lengths.empty()) return 1;
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::ranges::nth_element(lengths, middle);
  return *middle > 0 ? *middle : 1;
}

// Every edge joins the centres of two squares that touch.
bool is_on_squares(const PlacedGraph& graph) {
  return !graph.edges.empty() && std::ranges::all_of(graph.edges, [&](const Edge& edge) {
    const Point &from = graph.layout.points[edge.row], step = step_of(graph, edge);
    return from.x == std::floor(from.x) && from.y == std::floor(from.y) && std::fabs(step.x) + std::fabs(step.y) == 1 &&
           step.x * step.y == 0;
  });
}

// The names are the numbers that generate gives.
bool place_on_lattice(const std::string& words, bool one_set, PlacedGraph& graph) {
  const std::optional<LatticeLayout> lattice = lattice_layout(words);
  if (!lattice) return false;
  const auto place = [&](const std::string& name, bool is_column) {
    std::size_t number = 0;
    const char* const end_of_name = name.data() + name.size();
    const auto [end, error] = std::from_chars(name.data(), end_of_name, number);
    if (error != std::errc{} || end != end_of_name) number = 0;
    const bool on_second = one_set ? number > lattice->rows.size() : is_column && !lattice->columns.empty();
    const std::size_t index = number - 1 - (one_set && on_second ? lattice->rows.size() : 0);
    const std::vector<Point>& side = on_second ? lattice->columns : lattice->rows;
    if (number == 0 || index >= side.size())
      throw InputError("the vertex '" + name + "' where the file says 'layout: " + words + "'",
                       "the numbers that generate gives its vertices, or --coordinates FILE");
    return side[index];
  };
  for (std::size_t v = 0; v < graph.names.size(); ++v)
    graph.layout.points.push_back(place(graph.names[v], !graph.is_column.empty() && graph.is_column[v]));
  graph.layout.cells = lattice->cells;
  graph.layout.period = lattice->period;
  return true;
}

// Molecules in space have atoms before one another.
bool are_apart(const PlacedGraph& graph) {
  constexpr double least_share = 0.2;
  const double least = least_share * median_length(graph);
  std::vector<Point> sorted = graph.layout.points;
  std::ranges::sort(sorted, {}, [](const Point& point) { return std::pair(point.x, point.y); });
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    for (std::size_t j = i + 1; j < sorted.size() && sorted[j].x - sorted[i].x < least; ++j) {
      if (std::fabs(sorted[j].y - sorted[i].y) < least) return false;
    }
  }
  return true;
}

// Differences of coordinates, and what is divided by them, are finite then: a power of two alone is taken out, and only
// where the largest of them is beyond 2^-500 or 2^500.
void scale_extremes(std::vector<Point>& points) {
  constexpr int most_exponent = 500;
  double largest = 0;
  for (const Point& point : points) largest = std::max({largest, std::fabs(point.x), std::fabs(point.y)});
  if (largest == 0) return;
  const int exponent = std::ilogb(largest);
  if (std::abs(exponent) <= most_exponent) return;
  for (Point& point : points) point = {std::scalbn(point.x, -exponent), std::scalbn(point.y, -exponent)};
}

UndirectedGraph undirected(const PlacedGraph& graph) {
  return UndirectedGraph::from_edges(static_cast<Vertex>(graph.names.size()), graph.edges);
}

}  // namespace

Point step_of(const PlacedGraph& graph, const Edge& edge) {
  const Point &from = graph.layout.points[edge.row], &to = graph.layout.points[edge.column];
  const auto shorter = [](double step, double period) {
    return period > 0 && std::fabs(step) > period / 2 ? step - std::copysign(period, step) : step;
  };
  return {shorter(to.x - from.x, graph.layout.period.x), shorter(to.y - from.y, graph.layout.period.y)};
}

void place(PlacedGraph& graph, const KnownPlaces& known, const RunContext& run) {
  const auto size = static_cast<Vertex>(graph.names.size());
  if (known.wanted) {
    graph.layout.points = *known.wanted;
    scale_extremes(graph.layout.points);
    if (is_on_squares(graph)) graph.layout.cells = Layout::Cells::squares;
    graph.unit = median_length(graph);
    return;
  }
  if (place_on_lattice(known.lattice, known.one_set, graph)) return;
  if (!known.found.empty()) {
    graph.layout.points = known.found;
    scale_extremes(graph.layout.points);
    graph.unit = median_length(graph);
    if (are_apart(graph)) return;
  }
  if (std::optional<Layout> planar = planar_layout(undirected(graph), run)) {
    graph.layout = *std::move(planar);
    graph.unit = median_length(graph);
    return;
  }
  graph.unit = 1;
  graph.layout = circle_layout(size);
  if (graph.is_column.empty()) return;
  // The columns may stand among the rows.
  const auto columns = static_cast<Vertex>(std::ranges::count(graph.is_column, true));
  const Layout two = two_column_layout(size - columns, columns);
  Vertex row = 0, column = size - columns;
  for (Vertex v = 0; v < size; ++v) graph.layout.points[v] = two.points[graph.is_column[v] ? column++ : row++];
  graph.names_outside = true;
}

}  // namespace matchcount
