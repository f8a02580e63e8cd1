// decompose, of a graph with an odd cycle.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "apps/answer.hpp"
#include "apps/decompose.hpp"
#include "apps/json.hpp"
#include "apps/text.hpp"
#include "core/error.hpp"
#include "core/stopwatch.hpp"
#include "graph/output.hpp"
#include "graph/two_colouring.hpp"
#include "matching/gallai_edmonds.hpp"
#include "matching/reduce_graph.hpp"

namespace matchcount::app {
namespace {

struct BlockLeft {
  Vertex size = 0;  // rows, or vertices where it is not bipartite
  EdgeId edges = 0;
  bool bipartite = false;
};

struct GraphStructure {
  GraphMatching matching;
  std::vector<GallaiEdmondsPart> parts;
  TutteSet barrier;
  std::vector<bool> useful;  // by EdgeId: in some maximum matching
  EdgeId useless_edges = 0;
  std::vector<std::vector<Vertex>> components;    // without useless edges, by least vertex
  std::vector<std::vector<Vertex>> d_components;  // of D alone, likewise
  ReductionCounts counts;
  std::vector<BlockLeft> blocks;  // after reductions: bipartite ones, then others, each largest first
  UndirectedGraph reduced;
  std::optional<Planarity> planarity;  // where it was asked for
};

std::vector<std::vector<Vertex>> components_of(const UndirectedGraph& graph) {
  const ColouredComponents components = coloured_components(graph);
  std::vector<std::vector<Vertex>> members(components.count());
  for (Vertex v = 0; v < graph.num_vertices(); ++v) members[components.component[v]].push_back(v);
  return members;
}

// Puts graphs side by side, with their weights.
class SideBySide {
 public:
  // Column c of an edge list of rows and columns is vertex columns_from + c.
  void add(Vertex num_vertices, const std::vector<Edge>& edges, const std::vector<std::int64_t>& weights,
           Vertex columns_from = 0) {
    for (const Edge& edge : edges) edges_.push_back({size_ + edge.row, size_ + columns_from + edge.column});
    weights_.insert(weights_.end(), weights.begin(), weights.end());
    size_ += num_vertices;
  }
  void add_pair(std::int64_t weight) { add(2, {{0, 1}}, {weight}); }
  bool is_empty() const { return size_ == 0; }

  // Without weights where all are 1.
  UndirectedGraph graph() {
    const bool ones = std::count(weights_.begin(), weights_.end(), 1) == static_cast<std::ptrdiff_t>(weights_.size());
    return UndirectedGraph::from_edges(size_, std::move(edges_), ones ? Weights() : Weights(std::move(weights_)));
  }

 private:
  Vertex size_ = 0;
  std::vector<Edge> edges_;
  std::vector<std::int64_t> weights_;
};

// What is left of a graph with a perfect matching and no useless edges: a pair of vertices for each factor other than 1
// and the blocks; one for 1 where there is nothing else, since few formats have a place for nothing.
void reduce_into(const UndirectedGraph& graph, const ReduceOptions& options, GraphStructure& structure,
                 const RunContext& run) {
  const auto* weights = std::get_if<std::vector<std::int64_t>>(&graph.weights());
  const ReducedGraph<std::int64_t> parts =
      reduce(graph, weights == nullptr ? std::vector<std::int64_t>(graph.num_edges(), 1) : *weights, structure.matching,
             options, run);
  const Reduced<std::int64_t> bipartite =
      reduce(parts.bipartite, parts.bipartite_entries, maximum_matching(parts.bipartite, run), options, run);
  SideBySide whole;
  for (const auto* factors : {&parts.factors, &bipartite.factors}) {
    for (const std::int64_t factor : *factors) whole.add_pair(factor);
  }
  for (const auto& block : bipartite.blocks) {
    const Vertex rows = block.pattern.num_rows();
    structure.blocks.push_back({rows, block.pattern.num_edges(), true});
    whole.add(2 * rows, block.pattern.edges(), block.entries, rows);
  }
  for (const auto& block : parts.blocks) {
    structure.blocks.push_back({block.pattern.num_vertices(), block.pattern.num_edges(), false});
    whole.add(block.pattern.num_vertices(), block.pattern.edges(), block.entries);
  }
  if (whole.is_empty()) whole.add_pair(1);
  structure.counts = bipartite.counts;
  structure.counts.useless_edges = structure.useless_edges;
  structure.counts.fine_blocks += parts.counts.fine_blocks;
  structure.counts.degree1 += parts.counts.degree1;
  structure.counts.degree2 += parts.counts.degree2;
  structure.counts.refused_merges += parts.counts.refused_merges;
  structure.reduced = whole.graph();
}

GraphStructure analyse(const UndirectedGraph& graph, const ReduceOptions& options, const RunContext& run) {
  GraphStructure structure;
  structure.matching = maximum_matching(graph, run);
  structure.parts = gallai_edmonds(graph, structure.matching);
  structure.barrier = tutte_berge_barrier(structure.matching, structure.parts);
  if (!is_maximum(graph, structure.matching, structure.barrier)) {
    throw Error("a barrier does not prove that a matching is maximum; please report this graph");
  }
  structure.useful = edges_in_maximum_matchings(graph, structure.matching, structure.parts, run);
  structure.useless_edges = static_cast<EdgeId>(std::count(structure.useful.begin(), structure.useful.end(), false));
  const UndirectedGraph useful = graph.filtered(structure.useful);
  structure.components = components_of(useful);
  std::vector<Vertex> d;
  for (Vertex v = 0; v < structure.parts.size(); ++v) {
    if (structure.parts[v] == GallaiEdmondsPart::d) d.push_back(v);
  }
  structure.d_components = components_of(graph.induced(d));
  for (auto& component : structure.d_components) {
    for (Vertex& v : component) v = d[v];
  }
  if (structure.matching.is_perfect()) {
    reduce_into(useful, options, structure, run);
  } else {
    structure.reduced = useful;
  }
  return structure;
}

std::vector<Vertex> vertices_in(const GraphStructure& structure, GallaiEdmondsPart part) {
  std::vector<Vertex> vertices;
  for (Vertex v = 0; v < structure.parts.size(); ++v) {
    if (structure.parts[v] == part) vertices.push_back(v);
  }
  return vertices;
}

std::string vertices_text(Vertex count) { return format_count(count, "vertex", "vertices"); }

std::string blocks_text(const GraphStructure& structure) {
  std::vector<Vertex> squares, others;
  for (const BlockLeft& block : structure.blocks) (block.bipartite ? squares : others).push_back(block.size);
  const std::string of_squares =
      sizes_text(squares, [](Vertex size) { return std::to_string(size) + " x " + std::to_string(size); });
  const std::string of_others = sizes_text(others, vertices_text);
  if (of_squares.empty() && of_others.empty()) return "none";
  return of_others + (of_squares.empty() || of_others.empty() ? "" : "; ") + of_squares;
}

std::string structure_text(const Input& input, const GraphStructure& structure) {
  const bool perfect = structure.matching.is_perfect();
  std::vector<std::vector<std::string>> rows = {
      {"graph", vertices_text(input.undirected.num_vertices()) + ", " +
                    format_count(static_cast<double>(input.undirected.num_edges()), "edge", "edges") +
                    ", an odd cycle of " + std::to_string(input.odd_cycle.size())},
      {"maximum matching", std::to_string(structure.matching.size) + (perfect ? ", perfect" : ", not perfect")}};
  if (!perfect) {
    rows.push_back({"", "because " + tutte_sentence(input, structure.barrier)});
    std::vector<Vertex> sizes;
    for (const auto& component : structure.d_components) sizes.push_back(static_cast<Vertex>(component.size()));
    rows.push_back({"Gallai-Edmonds", "D, components with a vertex too many: " + sizes_text(sizes, vertices_text)});
    rows.push_back({"", "A, neighbours of D: " + vertices_text(static_cast<Vertex>(structure.barrier.removed.size()))});
    rows.push_back({"", "C, the rest: " +
                            vertices_text(static_cast<Vertex>(vertices_in(structure, GallaiEdmondsPart::c).size()))});
  }
  rows.push_back({"useless edges", std::to_string(structure.useless_edges) +
                                       (perfect ? ", in no perfect matching" : ", in no maximum matching")});
  std::vector<Vertex> sizes;
  for (const auto& component : structure.components) sizes.push_back(static_cast<Vertex>(component.size()));
  rows.push_back({"components", std::to_string(sizes.size()) + " without them: " + sizes_text(sizes, vertices_text)});
  if (perfect) {
    rows.push_back({"reductions", std::to_string(structure.counts.degree1) + " vertices of degree 1, " +
                                      std::to_string(structure.counts.degree2) + " of degree 2"});
    rows.push_back({"blocks left", blocks_text(structure)});
  }
  if (structure.planarity) rows.push_back({"planar", planarity_text(*structure.planarity)});
  return table(rows, "");
}

Json json_members(const Input& input, const std::vector<std::vector<Vertex>>& lists) {
  Json json = Json::array();
  for (const auto& list : lists) json.push_back(json_labels(row_labels(input, list)));
  return json;
}

void push_pair(Json& list, const Input& input, Vertex u, Vertex v) {
  list.push_back({input.row_label(u), input.row_label(v)});
}

std::string structure_json(const Options& options, const Loaded& loaded, const GraphStructure& structure,
                           double structure_s) {
  const Input& input = loaded.input;
  Json object = json_header(options);
  object["input"] = json_input(loaded);
  Json pairs = Json::array();
  for (Vertex v = 0; v < structure.matching.partner.size(); ++v) {
    const Vertex other = structure.matching.partner[v];
    if (other != unmatched && v < other) push_pair(pairs, input, v, other);
  }
  const bool perfect = structure.matching.is_perfect();
  object["matching"] = {{"size", structure.matching.size}, {"perfect", perfect}, {"pairs", pairs}};
  if (!perfect) object["tutte_set"] = json_tutte_set(input, structure.barrier);
  Json parts;
  parts["D"] = json_members(input, structure.d_components);
  parts["A"] = json_labels(row_labels(input, structure.barrier.removed));
  parts["C"] = json_labels(row_labels(input, vertices_in(structure, GallaiEdmondsPart::c)));
  object["gallai_edmonds"] = parts;
  object["components"] = json_members(input, structure.components);
  Json useless = Json::array();
  for (EdgeId id = 0; id < structure.useful.size(); ++id) {
    const Edge& edge = input.undirected.edges()[id];
    if (!structure.useful[id]) push_pair(useless, input, edge.row, edge.column);
  }
  object["useless_edges"] = useless;
  if (perfect) {
    object["reductions"] = json_reductions(structure.counts, structure.blocks.size());
    object["blocks"] = Json::array();
    for (const BlockLeft& block : structure.blocks) {
      object["blocks"].push_back({{"size", block.size}, {"edges", block.edges}, {"bipartite", block.bipartite}});
    }
  }
  if (structure.planarity) put_planarity(object, *structure.planarity);
  object["time_s"] = {{"read", loaded.read_s}, {"structure", structure_s}};
  return line(object);
}

}  // namespace

void decompose_graph(const Options& options, Loaded& loaded, const ReduceOptions& reduce, const RunContext& run) {
  Stopwatch stopwatch;
  Input& input = loaded.input;
  if (!input.weights_are_multiplicities) input.undirected = input.undirected.pattern();
  GraphStructure structure = analyse(input.undirected, reduce, run);
  if (options.kuratowski) {
    structure.planarity = planarity_of(input.undirected, [&](Vertex v) { return input.row_label(v); });
  }
  const double structure_s = stopwatch.lap();
  if (!options.output.empty()) write_graph_file(options.output, structure.reduced, InputFormat::automatic);
  write_answer(options.json ? structure_json(options, loaded, structure, structure_s)
                            : structure_text(input, structure));
}

}  // namespace matchcount::app
