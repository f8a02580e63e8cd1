#include "permanent/frontier/order/graph.hpp"

namespace matchcount {

OrderGraph order_graph(const BipartiteGraph& graph) {
  OrderGraph result;
  const Vertex num_rows = graph.num_rows();
  result.offsets.reserve(std::size_t{num_rows} + graph.num_columns() + 1);
  result.neighbours.reserve(2 * graph.num_edges());
  for (Vertex r = 0; r < num_rows; ++r) {
    for (const Vertex c : graph.row(r)) result.neighbours.push_back(num_rows + c);
    result.offsets.push_back(result.neighbours.size());
  }
  for (Vertex c = 0; c < graph.num_columns(); ++c) {
    for (const Vertex r : graph.column(c)) result.neighbours.push_back(r);
    result.offsets.push_back(result.neighbours.size());
  }
  result.is_row.assign(std::size_t{num_rows} + graph.num_columns(), 0);
  std::fill_n(result.is_row.begin(), num_rows, char{1});
  return result;
}

OrderGraph order_graph(const UndirectedGraph& graph) {
  OrderGraph result;
  result.by_parity = true;
  for (Vertex v = 0; v < graph.num_vertices(); ++v) {
    const auto neighbours = graph.neighbours(v);
    result.neighbours.insert(result.neighbours.end(), neighbours.begin(), neighbours.end());
    result.offsets.push_back(result.neighbours.size());
  }
  result.is_row.assign(graph.num_vertices(), 1);
  return result;
}

}  // namespace matchcount
