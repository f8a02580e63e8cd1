// Sorting, merging and selecting edges with their weights is BipartiteGraph's work: as the triangle above the diagonal
// of a square matrix, an undirected graph is one.

#include "graph/undirected_graph.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/error.hpp"
#include "graph/weights.hpp"

namespace matchcount {
namespace {

std::string describe_edge(Edge edge) {
  return "the edge between the vertices " + std::to_string(edge.row) + " and " + std::to_string(edge.column) +
         " (counted from 0)";
}

}  // namespace

UndirectedGraph UndirectedGraph::from_edges(Vertex num_vertices, std::vector<Edge> edges, Weights weights,
                                            Duplicates duplicates) {
  for (Edge& edge : edges) {
    if (std::max(edge.row, edge.column) >= num_vertices) {
      throw InputError(describe_edge(edge), "vertices below " + std::to_string(num_vertices));
    }
    if (edge.row == edge.column) {
      throw InputError("a self-loop at vertex " + std::to_string(edge.row) + " (counted from 0)",
                       "edges between two vertices");
    }
    if (edge.row > edge.column) std::swap(edge.row, edge.column);
  }
  UndirectedGraph graph{Empty{}};
  const bool has_weights = !std::holds_alternative<std::monostate>(weights);
  const bool refuses = duplicates == Duplicates::refuse;
  const auto refuse_repeated = [](const std::vector<Edge>& ascending) {
    const auto repeated = std::adjacent_find(ascending.begin(), ascending.end());
    if (repeated != ascending.end()) throw InputError(describe_edge(*repeated) + " twice", "each edge once");
  };
  if (refuses && !has_weights && std::is_sorted(edges.begin(), edges.end())) {
    refuse_repeated(edges);
    graph.edges_ = std::move(edges);
  } else {
    std::vector<Edge> given = refuses ? edges : std::vector<Edge>();
    const BipartiteGraph merged = BipartiteGraph::from_edges(
        num_vertices, num_vertices, std::move(edges), std::move(weights), refuses ? Duplicates::one : duplicates);
    if (merged.num_edges() < given.size()) {
      std::sort(given.begin(), given.end());
      refuse_repeated(given);
    }
    graph.edges_ = merged.edges();
    graph.weights_ = merged.weights();
  }
  graph.offsets_.assign(std::size_t{num_vertices} + 1, 0);
  for (const auto& [u, v] : graph.edges_) {
    ++graph.offsets_[std::size_t{u} + 1];
    ++graph.offsets_[std::size_t{v} + 1];
  }
  std::partial_sum(graph.offsets_.begin(), graph.offsets_.end(), graph.offsets_.begin());
  graph.neighbours_.resize(2 * graph.edges_.size());
  graph.incident_edges_.resize(2 * graph.edges_.size());
  // Edges ascend, so that those to the lesser neighbours of a vertex come before those to the greater ones.
  std::vector<std::size_t> end(graph.offsets_.begin(), graph.offsets_.end() - 1);
  for (EdgeId edge = 0; edge < graph.edges_.size(); ++edge) {
    const auto [u, v] = graph.edges_[edge];
    graph.neighbours_[end[u]] = v;
    graph.incident_edges_[end[u]++] = edge;
    graph.neighbours_[end[v]] = u;
    graph.incident_edges_[end[v]++] = edge;
  }
  return graph;
}

UndirectedGraph UndirectedGraph::from_bipartite(const BipartiteGraph& graph) {
  std::vector<Edge> edges = graph.edges();
  if (graph.num_columns() > std::numeric_limits<Vertex>::max() - graph.num_rows()) {
    throw InputError("more than 2^32 - 1 rows and columns together", "fewer");
  }
  for (Edge& edge : edges) edge.column += graph.num_rows();
  return from_edges(graph.num_rows() + graph.num_columns(), std::move(edges), graph.weights());
}

BipartiteGraph UndirectedGraph::symmetric_matrix() const {
  std::vector<Edge> both = edges_;
  Weights weights = weights_;
  append_mirrored(both, weights);
  return BipartiteGraph::from_edges(num_vertices(), num_vertices(), std::move(both), std::move(weights));
}

UndirectedGraph UndirectedGraph::pattern() const {
  UndirectedGraph graph = *this;
  graph.weights_ = std::monostate{};
  return graph;
}

UndirectedGraph UndirectedGraph::with_weights(Weights weights) const {
  return from_edges(num_vertices(), edges_, std::move(weights));
}

UndirectedGraph UndirectedGraph::drop_zeros() const {
  return weight_kind() == WeightKind::none ? *this : filtered(nonzeros(weights_));
}

UndirectedGraph UndirectedGraph::induced(std::span<const Vertex> vertices) const {
  constexpr Vertex absent = std::numeric_limits<Vertex>::max();
  std::vector<Vertex> place(num_vertices(), absent);
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    if (vertices[i] >= num_vertices()) {
      throw InputError("vertex " + std::to_string(vertices[i]), "vertices below " + std::to_string(num_vertices()));
    }
    if (place[vertices[i]] != absent) throw InputError("a repeated vertex", "each vertex once");
    place[vertices[i]] = static_cast<Vertex>(i);
  }
  std::vector<EdgeId> ids;
  std::vector<Edge> edges;
  for (EdgeId id = 0; id < edges_.size(); ++id) {
    const Edge edge{place[edges_[id].row], place[edges_[id].column]};
    if (edge.row == absent || edge.column == absent) continue;
    ids.push_back(id);
    edges.push_back(edge);
  }
  return from_edges(static_cast<Vertex>(vertices.size()), std::move(edges), gather(weights_, ids));
}

UndirectedGraph UndirectedGraph::filtered(const std::vector<bool>& keep) const {
  std::vector<Edge> kept = edges_;
  Weights weights = choose(keep, kept, weights_);
  return from_edges(num_vertices(), std::move(kept), std::move(weights));
}

}  // namespace matchcount
