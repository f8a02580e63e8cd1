#include "matching/covered_parts.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/error.hpp"
#include "graph/two_colouring.hpp"
#include "graph/vertices.hpp"

namespace matchcount {
namespace {

// The vertices of each component, ascending, and every vertex's place there.
struct Places {
  std::vector<std::vector<Vertex>> members;
  std::vector<std::vector<EdgeId>> edges;
  std::vector<Vertex> place;                  // among the component's rows or columns; among all if it has odd cycles
  std::vector<Vertex> num_rows, num_columns;  // by component without odd cycles

  Places(const UndirectedGraph& graph, const ColouredComponents& components, const std::vector<bool>& keep)
      : members(components.count()),
        edges(components.count()),
        place(graph.num_vertices()),
        num_rows(components.count()),
        num_columns(components.count()) {
    for (Vertex v = 0; v < graph.num_vertices(); ++v) {
      const Vertex c = components.component[v];
      const Vertex among_all = appended(members[c], v);
      place[v] = components.has_odd_cycle[c] ? among_all : (components.is_column[v] ? num_columns : num_rows)[c]++;
    }
    for (EdgeId id = 0; id < graph.num_edges(); ++id) {
      if (keep[id]) edges[components.component[graph.edges()[id].row]].push_back(id);
    }
  }
};

CoveredPart part_of(const UndirectedGraph& graph, const ColouredComponents& components, const Places& places,
                    Vertex component) {
  const bool bipartite = !components.has_odd_cycle[component];
  std::vector<std::pair<Edge, EdgeId>> edges;
  for (const EdgeId id : places.edges[component]) {
    Edge edge = graph.edges()[id];
    if (bipartite && components.is_column[edge.row]) std::swap(edge.row, edge.column);
    edges.push_back({{places.place[edge.row], places.place[edge.column]}, id});
  }
  // Sorts edges into the order in which a graph numbers them.
  std::sort(edges.begin(), edges.end());
  CoveredPart part;
  std::vector<Edge> pattern;
  for (const auto& [edge, id] : edges) {
    pattern.push_back(edge);
    part.edges.push_back(id);
  }
  part.vertices = places.members[component];
  if (bipartite) {
    std::ranges::stable_partition(part.vertices, [&](Vertex v) { return !components.is_column[v]; });
    part.pattern =
        BipartiteGraph::from_edges(places.num_rows[component], places.num_columns[component], std::move(pattern));
  } else {
    part.pattern =
        UndirectedGraph::from_edges(static_cast<Vertex>(places.members[component].size()), std::move(pattern));
  }
  return part;
}

CoveredParts split(const UndirectedGraph& graph, const std::vector<bool>& keep) {
  const ColouredComponents components = coloured_components(graph.filtered(keep));
  const Places places(graph, components, keep);
  CoveredParts result;
  for (Vertex c = 0; c < components.count(); ++c) {
    if (places.edges[c].size() == 1) {
      result.forced.push_back(places.edges[c].front());
    } else {
      result.parts.push_back(part_of(graph, components, places, c));
    }
  }
  std::ranges::sort(result.forced);
  return result;
}

std::vector<bool> edges_kept(const BipartiteGraph& graph, const Matching& perfect) {
  const CoarseDecomposition coarse = coarse_decomposition(graph, perfect);
  return edges_in_perfect_matchings(graph, fine_decomposition(graph, perfect, coarse));
}

// Finds the edges of a component that are in a perfect matching of it.
void keep_of_component(const UndirectedGraph& graph, const ColouredComponents& components, const Places& places,
                       Vertex component, const GraphMatching& perfect, const RunContext& run, std::vector<bool>& keep) {
  const CoveredPart part = part_of(graph, components, places, component);
  std::vector<bool> kept;
  if (const auto* bipartite = std::get_if<BipartiteGraph>(&part.pattern)) {
    Matching matching;
    matching.column_of_row.resize(bipartite->num_rows());
    matching.row_of_column.resize(bipartite->num_columns());
    matching.size = bipartite->num_rows();
    for (const Vertex v : places.members[component]) {
      const Vertex partner = places.place[perfect.partner[v]];
      (components.is_column[v] ? matching.row_of_column : matching.column_of_row)[places.place[v]] = partner;
    }
    kept = edges_kept(*bipartite, matching);
  } else {
    GraphMatching matching;
    for (const Vertex v : places.members[component]) matching.partner.push_back(places.place[perfect.partner[v]]);
    matching.size = static_cast<Vertex>(matching.partner.size() / 2);
    kept = edges_in_perfect_matchings(std::get<UndirectedGraph>(part.pattern), matching, run);
  }
  for (std::size_t i = 0; i < kept.size(); ++i) keep[part.edges[i]] = kept[i];
}

void require_perfect(bool is_perfect) {
  if (!is_perfect) throw InputError("a matching that is not perfect", "a perfect matching");
}

}  // namespace

CoveredParts covered_parts(const BipartiteGraph& graph, const Matching& perfect, const RunContext& run) {
  require_perfect(perfect.is_perfect());
  run.check();
  return split(UndirectedGraph::from_bipartite(graph.pattern()), edges_kept(graph, perfect));
}

CoveredParts covered_parts(const UndirectedGraph& graph, const GraphMatching& perfect, const RunContext& run) {
  require_perfect(perfect.is_perfect());
  const ColouredComponents components = coloured_components(graph);
  std::vector<bool> keep(graph.num_edges(), true);
  const Places places(graph, components, keep);
  for (Vertex c = 0; c < components.count(); ++c) {
    run.check();
    keep_of_component(graph, components, places, c, perfect, run, keep);
  }
  return split(graph, keep);
}

}  // namespace matchcount
