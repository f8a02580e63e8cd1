#pragma once
// Walks over graphs with sides and without in the same words: vertices have one numbering, rows before columns.

#include <cstddef>
#include <vector>

#include "graph/undirected_graph.hpp"

namespace matchcount {

inline std::size_t num_vertices(const BipartiteGraph& graph) {
  return std::size_t{graph.num_rows()} + graph.num_columns();
}
inline std::size_t num_vertices(const UndirectedGraph& graph) { return graph.num_vertices(); }

inline std::size_t degree(const BipartiteGraph& graph, Vertex v) {
  return v < graph.num_rows() ? graph.row(v).size() : graph.column(v - graph.num_rows()).size();
}
inline std::size_t degree(const UndirectedGraph& graph, Vertex v) { return graph.neighbours(v).size(); }

// Calls visit(neighbour, edge) for the neighbours of a vertex, ascending.
template <class Visit>
void for_each_neighbour(const BipartiteGraph& graph, Vertex v, Visit&& visit) {
  const Vertex num_rows = graph.num_rows();
  if (v < num_rows) {
    const auto columns = graph.row(v);
    for (std::size_t i = 0; i < columns.size(); ++i) visit(num_rows + columns[i], graph.row_begin(v) + i);
  } else {
    const auto rows = graph.column(v - num_rows);
    const auto edges = graph.column_edges(v - num_rows);
    for (std::size_t i = 0; i < rows.size(); ++i) visit(rows[i], edges[i]);
  }
}
template <class Visit>
void for_each_neighbour(const UndirectedGraph& graph, Vertex v, Visit&& visit) {
  const auto neighbours = graph.neighbours(v);
  const auto edges = graph.incident_edges(v);
  for (std::size_t i = 0; i < neighbours.size(); ++i) visit(neighbours[i], edges[i]);
}

// Calls visit(u, v, edge) for all edges by EdgeId, u < v.
template <class Visit>
void for_each_edge(const BipartiteGraph& graph, Visit&& visit) {
  EdgeId id = 0;
  for (Vertex r = 0; r < graph.num_rows(); ++r)
    for (const Vertex c : graph.row(r)) visit(r, graph.num_rows() + c, id++);
}
template <class Visit>
void for_each_edge(const UndirectedGraph& graph, Visit&& visit) {
  for (EdgeId id = 0; id < graph.num_edges(); ++id) visit(graph.edges()[id].row, graph.edges()[id].column, id);
}

// Appends a vertex to a list, and returns its place there.
inline Vertex appended(std::vector<Vertex>& list, Vertex v) {
  list.push_back(v);
  return static_cast<Vertex>(list.size() - 1);
}

// The same graph without sides.
inline UndirectedGraph without_sides(const BipartiteGraph& graph) { return UndirectedGraph::from_bipartite(graph); }
inline const UndirectedGraph& without_sides(const UndirectedGraph& graph) { return graph; }

}  // namespace matchcount
