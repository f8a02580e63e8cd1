#include "matching/dulmage_mendelsohn.hpp"

#include <boost/graph/graph_traits.hpp>
#include <boost/graph/strong_components.hpp>
#include <boost/property_map/property_map.hpp>
#include <cstddef>
#include <iterator>
#include <utility>

#include "core/error.hpp"

namespace matchcount {
namespace {

// The graph with its matched edges contracted, as Boost.Graph sees it; nothing is copied. A vertex is a row (with its
// column), and every edge (row, column) is an arc from the row to the column's partner. An unmatched column gives a
// loop, which changes no component. The parts of the coarse decomposition need no filter either: arcs between them go
// one way only, so no strong component meets two of them.
class ContractedGraph {
 public:
  using vertex_descriptor = Vertex;
  struct edge_descriptor {
    Vertex source;
    Vertex target;
    friend bool operator==(const edge_descriptor&, const edge_descriptor&) = default;
  };
  using directed_category = boost::directed_tag;
  using edge_parallel_category = boost::allow_parallel_edge_tag;
  struct traversal_category : boost::incidence_graph_tag, boost::vertex_list_graph_tag {};
  using vertices_size_type = std::size_t;
  using edges_size_type = EdgeId;
  using degree_size_type = std::size_t;

  class out_edge_iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = edge_descriptor;
    using difference_type = std::ptrdiff_t;
    using pointer = const edge_descriptor*;
    using reference = edge_descriptor;

    out_edge_iterator() = default;
    out_edge_iterator(const Vertex* column, const Vertex* row_of_column, Vertex source)
        : column_(column), row_of_column_(row_of_column), source_(source) {}
    edge_descriptor operator*() const {
      const Vertex target = row_of_column_[*column_];
      return {source_, target == unmatched ? source_ : target};
    }
    out_edge_iterator& operator++() {
      ++column_;
      return *this;
    }
    out_edge_iterator operator++(int) {
      const out_edge_iterator before = *this;
      ++column_;
      return before;
    }
    friend bool operator==(const out_edge_iterator& a, const out_edge_iterator& b) { return a.column_ == b.column_; }

   private:
    const Vertex* column_ = nullptr;
    const Vertex* row_of_column_ = nullptr;
    Vertex source_ = 0;
  };

  class vertex_iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Vertex;
    using difference_type = std::ptrdiff_t;
    using pointer = const Vertex*;
    using reference = Vertex;

    vertex_iterator() = default;
    explicit vertex_iterator(Vertex vertex) : vertex_(vertex) {}
    Vertex operator*() const { return vertex_; }
    vertex_iterator& operator++() {
      ++vertex_;
      return *this;
    }
    vertex_iterator operator++(int) { return vertex_iterator(vertex_++); }
    friend bool operator==(const vertex_iterator&, const vertex_iterator&) = default;

   private:
    Vertex vertex_ = 0;
  };

  ContractedGraph(const BipartiteGraph& graph, const Matching& matching) : graph_(graph), matching_(matching) {}

  static Vertex null_vertex() { return unmatched; }
  friend std::size_t num_vertices(const ContractedGraph& g) { return g.graph_.num_rows(); }
  friend std::pair<vertex_iterator, vertex_iterator> vertices(const ContractedGraph& g) {
    return {vertex_iterator(0), vertex_iterator(g.graph_.num_rows())};
  }
  friend std::pair<out_edge_iterator, out_edge_iterator> out_edges(Vertex row, const ContractedGraph& g) {
    const auto columns = g.graph_.row(row);
    const Vertex* partner = g.matching_.row_of_column.data();
    return {{columns.data(), partner, row}, {columns.data() + columns.size(), partner, row}};
  }
  friend std::size_t out_degree(Vertex row, const ContractedGraph& g) { return g.graph_.row(row).size(); }
  friend Vertex source(const edge_descriptor& edge, const ContractedGraph&) { return edge.source; }
  friend Vertex target(const edge_descriptor& edge, const ContractedGraph&) { return edge.target; }

 private:
  const BipartiteGraph& graph_;
  const Matching& matching_;
};

// Numbers component[row] so that every arc leads to the same or a lower number; returns how many there are.
Vertex strong_components_of_rows(const BipartiteGraph& graph, const Matching& matching,
                                 std::vector<Vertex>& component) {
  const std::size_t n = graph.num_rows();
  component.assign(n, 0);
  std::vector<Vertex> root(n), discover_time(n);
  std::vector<boost::default_color_type> colour(n);
  const boost::typed_identity_property_map<Vertex> index;
  return boost::strong_components(
      ContractedGraph(graph, matching), boost::make_iterator_property_map(component.begin(), index),
      boost::root_map(boost::make_iterator_property_map(root.begin(), index))
          .discover_time_map(boost::make_iterator_property_map(discover_time.begin(), index))
          .color_map(boost::make_iterator_property_map(colour.begin(), index))
          .vertex_index_map(index));
}

void require_matching_of(const BipartiteGraph& graph, const Matching& matching) {
  if (matching.column_of_row.size() != graph.num_rows() || matching.row_of_column.size() != graph.num_columns()) {
    throw InputError("a matching of another size", "one entry for every row and every column of the graph");
  }
}

}  // namespace

CoarseDecomposition coarse_decomposition(const BipartiteGraph& graph, const Matching& maximum) {
  require_matching_of(graph, maximum);
  CoarseDecomposition coarse;
  coarse.part_of_row.assign(graph.num_rows(), CoarsePart::square);
  coarse.part_of_column.assign(graph.num_columns(), CoarsePart::square);
  const auto not_maximum = [] { return InputError("a matching with an augmenting path", "a maximum matching"); };
  std::vector<Vertex> queue;
  for (Vertex column = 0; column < graph.num_columns(); ++column) {
    if (maximum.row_of_column[column] != unmatched) continue;
    coarse.part_of_column[column] = CoarsePart::horizontal;
    queue.push_back(column);
  }
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (const Vertex row : graph.column(queue[i])) {
      if (coarse.part_of_row[row] == CoarsePart::horizontal) continue;
      const Vertex next = maximum.column_of_row[row];
      if (next == unmatched) throw not_maximum();
      coarse.part_of_row[row] = CoarsePart::horizontal;
      coarse.part_of_column[next] = CoarsePart::horizontal;
      queue.push_back(next);
    }
  }
  queue.clear();
  for (Vertex row = 0; row < graph.num_rows(); ++row) {
    if (maximum.column_of_row[row] != unmatched) continue;
    coarse.part_of_row[row] = CoarsePart::vertical;
    queue.push_back(row);
  }
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (const Vertex column : graph.row(queue[i])) {
      if (coarse.part_of_column[column] == CoarsePart::vertical) continue;
      const Vertex next = maximum.row_of_column[column];
      if (next == unmatched) throw not_maximum();
      coarse.part_of_column[column] = CoarsePart::vertical;
      coarse.part_of_row[next] = CoarsePart::vertical;
      queue.push_back(next);
    }
  }
  return coarse;
}

FineDecomposition fine_decomposition(const BipartiteGraph& graph, const Matching& maximum,
                                     const CoarseDecomposition& coarse) {
  require_matching_of(graph, maximum);
  FineDecomposition fine;
  fine.block_of_column.assign(graph.num_columns(), FineDecomposition::no_block);
  const Vertex num_components = strong_components_of_rows(graph, maximum, fine.block_of_row);

  // Components of the square part, in reverse: Tarjan's numbers descend along arcs, blocks are to ascend.
  std::vector<Vertex> block_of_component(num_components, FineDecomposition::no_block);
  for (Vertex row = 0; row < graph.num_rows(); ++row) {
    if (coarse.part_of_row[row] == CoarsePart::square) block_of_component[fine.block_of_row[row]] = 0;
  }
  for (Vertex component = num_components; component-- > 0;) {
    if (block_of_component[component] == 0) block_of_component[component] = fine.num_blocks++;
  }
  for (Vertex row = 0; row < graph.num_rows(); ++row) {
    fine.block_of_row[row] = block_of_component[fine.block_of_row[row]];
    if (fine.block_of_row[row] == FineDecomposition::no_block) continue;
    fine.block_of_column[maximum.column_of_row[row]] = fine.block_of_row[row];
  }
  return fine;
}

std::vector<bool> edges_in_perfect_matchings(const BipartiteGraph& graph, const FineDecomposition& fine) {
  std::vector<bool> keep(graph.num_edges());
  EdgeId edge = 0;
  for (Vertex row = 0; row < graph.num_rows(); ++row) {
    const Vertex block = fine.block_of_row[row];
    for (const Vertex column : graph.row(row)) {
      keep[edge++] = block != FineDecomposition::no_block && block == fine.block_of_column[column];
    }
  }
  return keep;
}

// Exchange along the alternating path that reaches the vertex: every column of the horizontal part is left out by some
// maximum matching, so each of its edges can be put in for the one that its row has; the same for the rows of the
// vertical part. No other edge between two parts is in a maximum matching, and in the square part the blocks decide.
std::vector<bool> edges_in_maximum_matchings(const BipartiteGraph& graph, const Matching& maximum,
                                             const CoarseDecomposition& coarse, const FineDecomposition& fine) {
  require_matching_of(graph, maximum);
  std::vector<bool> keep = edges_in_perfect_matchings(graph, fine);
  EdgeId edge = 0;
  for (Vertex row = 0; row < graph.num_rows(); ++row) {
    const bool vertical = coarse.part_of_row[row] == CoarsePart::vertical;
    for (const Vertex column : graph.row(row)) {
      if (vertical || coarse.part_of_column[column] == CoarsePart::horizontal) keep[edge] = true;
      ++edge;
    }
  }
  return keep;
}

}  // namespace matchcount
