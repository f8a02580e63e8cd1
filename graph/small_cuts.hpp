#pragma once
// Finds pieces of a graph that hang on the rest by few vertices, in a graph that changes while pieces are replaced.

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/run.hpp"
#include "graph/undirected_graph.hpp"

namespace matchcount {

// Vertices whose neighbours outside of them are the boundary; both ascending.
struct HangingPiece {
  std::vector<Vertex> boundary, inside;
};

// Looks for pieces away from a root, the farthest first. By vertex-disjoint paths to the root: one more than the cut
// may have vertices are enough to see that there is none (Ford and Fulkerson 1956; Menger 1927). They may end at
// different vertices that have as many, since no cut parts all of those from the root: in a well-connected graph most
// paths have a few edges.
class PieceSearch {
 public:
  // The root is a vertex in the middle of the graph.
  explicit PieceSearch(const UndirectedGraph& graph);

  // Looks for pieces away from another vertex.
  void start_from(Vertex root);
  Vertex root() const { return root_; }
  // Vertices that are there, by decreasing distance from the root.
  std::vector<Vertex> farthest_first() const;
  bool is_there(Vertex v) const { return there_[v]; }
  std::size_t num_vertices() const { return num_vertices_; }
  const std::vector<Vertex>& neighbours(Vertex v) const { return neighbours_[v]; }

  // The smallest piece around a vertex, without the root and behind at most so many vertices, that is_wanted; nothing
  // where it would have more vertices than `most`.
  std::optional<HangingPiece> around(Vertex vertex, std::size_t most_boundary, std::size_t most,
                                     const std::function<bool(const HangingPiece&)>& is_wanted);

  // Says whether the last search ended since the root itself is behind few vertices.
  bool is_root_cut_off() const { return is_root_cut_off_; }

  // Removes a piece; new vertices and edges then take its place.
  void remove(const HangingPiece& piece);
  Vertex add_vertex(Vertex beside);
  void add_edge(Vertex u, Vertex v);

 private:
  bool augment();
  void apply(std::size_t last, Vertex end);
  HangingPiece nearest_cut();

  Vertex root_ = 0;
  bool is_root_cut_off_ = false;
  std::size_t num_vertices_ = 0;
  std::vector<std::vector<Vertex>> neighbours_;
  std::vector<bool> there_;
  std::vector<bool> is_well_connected_;  // no cut of at most so many vertices parts it from the root
  std::size_t most_tried_ = 0;
  std::vector<std::uint32_t> distance_;

  // Flow: the vertices before and after one on its path.
  std::vector<Vertex> before_, after_, on_paths_;
  std::vector<bool> is_source_;
  std::vector<Vertex> sources_;
  // Search states 2 v (reached from outside) and 2 v + 1 (free to leave), each reached from another.
  std::vector<std::uint32_t> reached_;
  std::uint32_t round_ = 0;
  struct Reached {
    std::uint32_t state;
    std::size_t from;
  };
  std::vector<Reached> tree_;
};

}  // namespace matchcount
