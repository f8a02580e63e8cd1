#include "matching/dulmage_mendelsohn.hpp"

#include "core/error.hpp"
#include "graph/strong_components.hpp"
#include "graph/vertices.hpp"

namespace matchcount {
namespace {

// Numbers component[row] so that every arc leads to the same or a lower number; returns how many there are. In the
// graph with its matched edges contracted a vertex is a row (with its column), and every edge (row, column) is an arc
// from the row to the column's partner. An unmatched column gives a loop, which changes no component. The parts of the
// coarse decomposition need no filter either: arcs between them go one way only, so no strong component meets two of
// them.
Vertex strong_components_of_rows(const BipartiteGraph& graph, const Matching& matching,
                                 std::vector<Vertex>& component) {
  const RunContext without_limits;
  StepCheck check(without_limits);
  const auto partner = [&](Vertex column, Vertex row) {
    return matching.row_of_column[column] == unmatched ? row : matching.row_of_column[column];
  };
  return number_strong_components(
      graph.num_rows(), [&](Vertex row) { return graph.row(row); }, partner, check, component);
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
  // Marks what alternating paths reach from the unmatched vertices of a side, which lead over the edges around them.
  const auto reach = [](CoarsePart part, const std::vector<Vertex>& partner, const std::vector<Vertex>& partner_across,
                        std::vector<CoarsePart>& here, std::vector<CoarsePart>& across, const auto& neighbours) {
    std::vector<Vertex> queue;
    for (Vertex v = 0; v < partner.size(); ++v) {
      if (partner[v] == unmatched) queue.push_back(v);
    }
    for (std::size_t i = 0; i < queue.size(); ++i) {
      here[queue[i]] = part;
      for (const Vertex w : neighbours(queue[i])) {
        if (across[w] == part) continue;
        if (partner_across[w] == unmatched)
          throw InputError("a matching with an augmenting path", "a maximum matching");
        across[w] = part;
        queue.push_back(partner_across[w]);
      }
    }
  };
  reach(CoarsePart::horizontal, maximum.row_of_column, maximum.column_of_row, coarse.part_of_column, coarse.part_of_row,
        [&](Vertex column) { return graph.column(column); });
  reach(CoarsePart::vertical, maximum.column_of_row, maximum.row_of_column, coarse.part_of_row, coarse.part_of_column,
        [&](Vertex row) { return graph.row(row); });
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
  for_each_edge(graph, [&](Vertex row, Vertex v, EdgeId edge) {
    const Vertex block = fine.block_of_row[row];
    keep[edge] = block != FineDecomposition::no_block && block == fine.block_of_column[v - graph.num_rows()];
  });
  return keep;
}

// Exchange along the alternating path that reaches the vertex: every column of the horizontal part is left out by some
// maximum matching, so each of its edges can be put in for the one that its row has; the same for the rows of the
// vertical part. No other edge between two parts is in a maximum matching, and in the square part the blocks decide.
std::vector<bool> edges_in_maximum_matchings(const BipartiteGraph& graph, const Matching& maximum,
                                             const CoarseDecomposition& coarse, const FineDecomposition& fine) {
  require_matching_of(graph, maximum);
  std::vector<bool> keep = edges_in_perfect_matchings(graph, fine);
  for_each_edge(graph, [&](Vertex row, Vertex v, EdgeId edge) {
    if (coarse.part_of_row[row] == CoarsePart::vertical ||
        coarse.part_of_column[v - graph.num_rows()] == CoarsePart::horizontal)
      keep[edge] = true;
  });
  return keep;
}

}  // namespace matchcount
