#pragma once
// Names the edges of an input as its file does.

#include <string>
#include <unordered_map>
#include <vector>

#include "graph/input.hpp"

namespace matchcount::app {

// Returns the edges of an undirected graph by EdgeId of the input's graph, each from the lesser vertex to the greater,
// vertices being numbered in the order of the file.
std::vector<Edge> edges_in_file_order(const Input& input);

// Returns the vertices as distributions number them, rows before columns, in the order of the file.
std::vector<Vertex> vertices_in_file_order(const Input& input);

class EdgeNames {
 public:
  // as_text: as a reader of edge lists takes each for one name, in quotes where need be; else as they are.
  EdgeNames(const Input& input, bool as_text);

  // Returns the ends of an edge, by EdgeId of the input's graph: row and column, or the vertex that is lesser in the
  // order of the file and the greater.
  const std::string& first(EdgeId edge) const { return rows_[edges_[edge].row]; }
  const std::string& second(EdgeId edge) const {
    return columns_.empty() ? rows_[edges_[edge].column] : columns_[edges_[edge].column];
  }
  EdgeId count() const { return edges_.size(); }

 private:
  std::vector<Edge> edges_;
  std::vector<std::string> rows_;     // or all vertices
  std::vector<std::string> columns_;  // none of an undirected graph
};

// Finds edges of an input by their ends, U-V, in either order where it has no sides.
class EdgesByName {
 public:
  explicit EdgesByName(const Input& input);
  // Throws InputError, which calls it `what`, for no edge and where several are spelt so.
  EdgeId find(const std::string& what, const std::string& ends) const;

 private:
  std::unordered_multimap<std::string, EdgeId> edges_;
};

}  // namespace matchcount::app
