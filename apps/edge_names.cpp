#include "apps/edge_names.hpp"

#include "apps/text.hpp"

namespace matchcount::app {

EdgeNames::EdgeNames(const Input& input, bool as_text)
    : edges_(input.is_bipartite() ? input.graph.edges() : input.undirected.edges()) {
  const auto named = [&](std::string name) { return as_text ? quoted_name(name) : std::move(name); };
  const Vertex rows = input.is_bipartite() ? input.graph.num_rows() : input.undirected.num_vertices();
  for (Vertex r = 0; r < rows; ++r) rows_.push_back(named(input.row_label(r)));
  if (!input.is_bipartite()) return;
  for (Vertex c = 0; c < input.graph.num_columns(); ++c) columns_.push_back(named(input.column_label(c)));
}

}  // namespace matchcount::app
