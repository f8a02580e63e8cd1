#include "apps/placement.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <utility>

#include "apps/matchings.hpp"
#include "apps/text.hpp"
#include "core/error.hpp"
#include "core/step_check.hpp"
#include "graph/output.hpp"
#include "graph/rotation.hpp"
#include "graph/tree_decomposition.hpp"
#include "graph/vertex_order.hpp"

namespace matchcount::app {

namespace {

// The engine numbers rows before columns. A file has the vertices of an undirected graph in the order in which they
// stand in its own file, whichever side they are on.

// A graph as its file has it, and the engine's number of every vertex.
struct NumberedGraph {
  UndirectedGraph graph;
  VertexNames vertices;
  std::vector<Vertex> number;
};

NumberedGraph numbered_graph(const Input& input) {
  PlacedGraph graph = without_places(input);
  const auto size = static_cast<Vertex>(graph.names.size());
  NumberedGraph result;
  result.graph = UndirectedGraph::from_edges(size, std::move(graph.edges));
  result.vertices.names = std::move(graph.names);
  if (input.kind != InputKind::undirected) result.vertices.num_rows = input.graph.num_rows();
  Vertex row = 0, column = input.graph.num_rows();
  for (Vertex v = 0; v < size; ++v)
    result.number.push_back(!graph.is_column.empty() && graph.is_column[v] ? column++ : row++);
  return result;
}

void write_names(const VertexNames& vertices, const std::vector<Vertex>& order, const TextSink& sink) {
  for (const Vertex v : order) {
    const char* const side = !vertices.num_rows ? "" : v < *vertices.num_rows ? "row " : "column ";
    sink(side + quoted_name(vertices.names[v]) + "\n");
  }
}

void write_decomposition(const UndirectedGraph& graph, const std::vector<Vertex>& order, const TextSink& sink,
                         const RunContext& run) {
  StepCheck steps(run);
  const TreeDecomposition tree =
      *decompose_along(Adjacency(graph).view(), order, std::numeric_limits<std::size_t>::max(), steps);
  sink("s td " + std::to_string(tree.bags.size()) + " " + std::to_string(tree.bags.empty() ? 0 : tree.width() + 1) +
       " " + std::to_string(order.size()) + "\n");
  for (std::size_t bag = 0; bag < tree.bags.size(); ++bag) {
    std::string line = "b " + std::to_string(bag + 1);
    for (const Vertex v : tree.bags[bag]) line += " " + std::to_string(v + 1);
    sink(line + "\n");
  }
  for (std::size_t bag = 0; bag < tree.bags.size(); ++bag) {
    for (const std::uint32_t other : tree.neighbours[bag])
      if (other > bag) sink(std::to_string(bag + 1) + " " + std::to_string(other + 1) + "\n");
  }
}

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
bool place_on_lattice(const Input& input, PlacedGraph& graph) {
  const std::optional<LatticeLayout> lattice = lattice_layout(input.layout);
  if (!lattice) return false;
  const bool one_set = input.kind == InputKind::undirected;
  const auto place = [&](const std::string& name, bool is_column) {
    const std::size_t number = parse_number<std::size_t>(name).value_or(0);
    const bool on_second = one_set ? number > lattice->rows.size() : is_column && !lattice->columns.empty();
    const std::size_t index = number - 1 - (one_set && on_second ? lattice->rows.size() : 0);
    const std::vector<Point>& side = on_second ? lattice->columns : lattice->rows;
    if (number == 0 || index >= side.size())
      throw InputError("the vertex '" + name + "' where the file says 'layout: " + input.layout + "'",
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

void take_order(const Options& options, const Input& input, CountOptions& count) {
  count.wants_order = options.has("write-order");
  if (options.order_file.empty()) return;
  const NumberedGraph numbered = numbered_graph(input);
  std::vector<Vertex> order =
      read_vertex_order(options.order_file, numbered.graph, numbered.vertices, RunContext(count.run));
  for (Vertex& v : order) v = numbered.number[v];
  count.order = std::make_shared<const std::vector<Vertex>>(std::move(order));
}

void take_rotation(const Options& options, const Input& input, CountOptions& count) {
  if (options.rotation_file.empty()) return;
  const NumberedGraph numbered = numbered_graph(input);
  const RunContext run(count.run);
  const std::vector<std::string>& names = numbered.vertices.names;
  const RotationSystem given =
      options.periods ? rotation_of_points(numbered.graph, read_coordinates(options.rotation_file, names, run),
                                           *options.periods, names)
                      : read_rotation(options.rotation_file, numbered.graph, numbered.vertices, run);
  RotationSystem rotation(given.size());
  for (Vertex v = 0; v < given.size(); ++v) {
    for (const Vertex w : given[v]) rotation[numbered.number[v]].push_back(numbered.number[w]);
  }
  count.rotation = std::make_shared<const RotationSystem>(std::move(rotation));
}

void write_order(const Options& options, const Input& input, const Plan& plan, const RunOptions& limits) {
  if (!options.has("write-order") || !options.is_first()) return;
  const RunContext run(limits);
  const NumberedGraph numbered = numbered_graph(input);
  std::vector<Vertex> vertex(numbered.number.size()), order;
  for (Vertex v = 0; v < vertex.size(); ++v) vertex[numbered.number[v]] = v;
  for (const Vertex v : plan.order) order.push_back(vertex[v]);
  const bool as_tree = options.output.ends_with(".td") || options.output.ends_with(".td.gz");
  write_file(options.output, [&](const TextSink& sink) {
    as_tree ? write_decomposition(numbered.graph, order, sink, run) : write_names(numbered.vertices, order, sink);
  });
}

PlacedGraph without_places(const Input& input) {
  PlacedGraph graph;
  for (const Vertex v : vertices_in_file_order(input)) graph.names.push_back(name_of(input, v));
  if (input.kind == InputKind::undirected) {
    graph.edges = edges_in_file_order(input);
    graph.is_column = input.is_column;
    return graph;
  }
  const Vertex rows = input.graph.num_rows();
  for (const Edge& edge : input.graph.edges()) graph.edges.push_back({edge.row, rows + edge.column});
  graph.is_column.assign(rows, false);
  graph.is_column.resize(graph.names.size(), true);
  return graph;
}

Point step_of(const PlacedGraph& graph, const Edge& edge) {
  const Point &from = graph.layout.points[edge.row], &to = graph.layout.points[edge.column];
  const auto shorter = [](double step, double period) {
    return period > 0 && std::fabs(step) > period / 2 ? step - std::copysign(period, step) : step;
  };
  return {shorter(to.x - from.x, graph.layout.period.x), shorter(to.y - from.y, graph.layout.period.y)};
}

PlacedGraph placed_graph(const Options& options, const Input& input, const RunContext& run) {
  PlacedGraph graph = without_places(input);
  const auto size = static_cast<Vertex>(graph.names.size());
  if (!options.coordinates.empty()) {
    graph.layout.points = read_coordinates(options.coordinates, graph.names, run);
    scale_extremes(graph.layout.points);
    if (is_on_squares(graph)) graph.layout.cells = Layout::Cells::squares;
    graph.unit = median_length(graph);
    return graph;
  }
  if (place_on_lattice(input, graph)) return graph;
  if (!input.coordinates.empty() && input.kind == InputKind::undirected) {
    graph.layout.points = input.coordinates;
    scale_extremes(graph.layout.points);
    graph.unit = median_length(graph);
    if (are_apart(graph)) return graph;
  }
  if (std::optional<Layout> planar = planar_layout(undirected(graph), run)) {
    graph.layout = *std::move(planar);
    graph.unit = median_length(graph);
    return graph;
  }
  graph.unit = 1;
  graph.layout = circle_layout(size);
  if (graph.is_column.empty()) return graph;
  // The columns may stand among the rows.
  const auto columns = static_cast<Vertex>(std::ranges::count(graph.is_column, true));
  const Layout two = two_column_layout(size - columns, columns);
  Vertex row = 0, column = size - columns;
  for (Vertex v = 0; v < size; ++v) graph.layout.points[v] = two.points[graph.is_column[v] ? column++ : row++];
  graph.names_outside = true;
  return graph;
}

}  // namespace matchcount::app
