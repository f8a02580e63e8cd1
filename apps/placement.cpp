#include "apps/placement.hpp"

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

PlacedGraph placed_graph(const Options& options, const Input& input, const RunContext& run) {
  PlacedGraph graph = without_places(input);
  KnownPlaces known{{}, input.layout, input.kind == InputKind::undirected, {}};
  if (!options.coordinates.empty()) known.wanted = read_coordinates(options.coordinates, graph.names, run);
  if (known.one_set) known.found = input.coordinates;
  place(graph, known, run);
  return graph;
}

}  // namespace matchcount::app
