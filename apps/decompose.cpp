// decompose: maximum matching, decompositions, useless edges and what is left, of any graph.

#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "apps/commands.hpp"
#include "apps/report.hpp"
#include "core/error.hpp"
#include "core/stopwatch.hpp"
#include "graph/output.hpp"
#include "graph/planar.hpp"
#include "graph/two_colouring.hpp"
#include "matching/gallai_edmonds.hpp"
#include "matching/reduce.hpp"
#include "permanent/engine/structure.hpp"

namespace matchcount::app {
namespace {

using Rows = std::vector<std::vector<std::string>>;
using VertexLists = std::vector<std::vector<Vertex>>;

struct BlockLeft {
  Vertex size = 0;  // rows, or vertices where it is not bipartite
  EdgeId edges = 0;
  bool bipartite = true;
};

constexpr Vertex new_vertex = unmatched;

struct Structure {
  std::size_t matched = 0;  // edges of a maximum matching
  bool perfect = false;
  std::vector<Edge> pairs;  // these edges, for JSON
  Certificate certificate;
  Rows parts, components;         // of the table: before and behind the useless edges
  Json members = Json::object();  // the same in full
  std::vector<bool> useful;       // by EdgeId: in some perfect (else maximum) matching
  ReductionCounts counts;
  std::vector<BlockLeft> blocks;  // after reductions, bipartite ones first, largest first
  std::variant<BipartiteGraph, UndirectedGraph> reduced;
  std::vector<Vertex> reduced_rows, reduced_columns;  // which vertices these are; new_vertex: of a factor

  EdgeId useless_edges() const { return static_cast<EdgeId>(std::count(useful.begin(), useful.end(), false)); }
};

// ---- What is left.

// Puts blocks one behind the other, or graphs side by side, with their values. Few formats have a place for nothing:
// one edge of value 1 stands for it.
template <class Number>
class SideBySide {
 public:
  // `edge` is that of a factor: from a row to its column, or between two vertices.
  SideBySide(Edge edge, Structure& structure) : edge_(edge), structure_(structure) {}

  // Column c of an edge is vertex columns_from + c. `rows` and `columns` say which vertices these are.
  void add(Vertex size, const std::vector<Edge>& edges, const std::vector<Number>& values,
           const std::vector<Vertex>& rows, const std::vector<Vertex>& columns = {}, Vertex columns_from = 0) {
    auto& rows_before = structure_.reduced_rows;
    auto& columns_before = columns_from == 0 ? structure_.reduced_columns : rows_before;
    rows_before.insert(rows_before.end(), rows.begin(), rows.end());
    columns_before.insert(columns_before.end(), columns.begin(), columns.end());
    for (const Edge& edge : edges) edges_.push_back({size_ + edge.row, size_ + columns_from + edge.column});
    values_.insert(values_.end(), values.begin(), values.end());
    size_ += size;
  }
  void add_factor(Number value) {
    const std::vector<Vertex> ends(edge_.column + std::size_t{1}, new_vertex);
    add(static_cast<Vertex>(ends.size()), {edge_}, {value}, ends, ends.size() == 1 ? ends : std::vector<Vertex>());
  }
  void finish() {
    if (size_ == 0) add_factor(Number(1));
  }
  BipartiteGraph matrix() { return BipartiteGraph::from_edges(size_, size_, std::move(edges_), std::move(values_)); }
  // Makes the graph, without weights if all are 1.
  UndirectedGraph graph() {
    const bool ones = std::count(values_.begin(), values_.end(), 1) == static_cast<std::ptrdiff_t>(values_.size());
    return UndirectedGraph::from_edges(size_, std::move(edges_), ones ? Weights() : Weights(std::move(values_)));
  }

 private:
  Edge edge_;
  Structure& structure_;
  Vertex size_ = 0;
  std::vector<Edge> edges_;
  std::vector<Number> values_;
};

DoubleDouble value_of(const RealEntry& entry) { return entry.value; }
ComplexDoubleDouble value_of(const ComplexEntry& entry) { return entry.value; }
std::int64_t value_of(std::int64_t entry) { return entry; }

template <class Entry>
void reduce_matrix(const BipartiteGraph& graph, const std::vector<Entry>& entries, const Matching& matching,
                   const ReduceOptions& options, Structure& structure, const RunContext& run) {
  using Number = decltype(value_of(entries[0]));
  const Reduced<Entry> reduced = reduce(graph, entries, matching, options, run);
  SideBySide<Number> whole({0, 0}, structure);
  for (const Entry& factor : reduced.factors) {
    if (!(value_of(factor) == Number(1))) whole.add_factor(value_of(factor));
  }
  for (const Block<Entry>& block : reduced.blocks) {
    const Vertex size = block.pattern.num_rows();
    structure.blocks.push_back({size, block.pattern.num_edges()});
    std::vector<Number> values;
    for (const Entry& entry : block.entries) values.push_back(value_of(entry));
    std::vector<Vertex> columns = block.columns;
    for (Vertex& column : columns) column += graph.num_rows();
    whole.add(size, block.pattern.edges(), values, block.rows, columns);
  }
  whole.finish();
  structure.counts = reduced.counts;
  structure.reduced = whole.matrix();
}

void reduce_into(const BipartiteGraph& graph, const Matching& matching, const ReduceOptions& options,
                 Structure& structure, const RunContext& run) {
  const auto with = [&](const auto& entries) { reduce_matrix(graph, entries, matching, options, structure, run); };
  switch (graph.weight_kind()) {
    case WeightKind::real:
      return with(entries_of<RealEntry>(graph));
    case WeightKind::complex:
      return with(entries_of<ComplexEntry>(graph));
    default:
      return with(entries_of<std::int64_t>(graph));
  }
}

// The graph has a perfect matching, and no useless edges.
void reduce_into(const UndirectedGraph& graph, const GraphMatching& matching, const ReduceOptions& options,
                 Structure& structure, const RunContext& run) {
  const ReducedGraph<std::int64_t> parts = reduce(graph, entries_of<std::int64_t>(graph), matching, options, run);
  const Reduced<std::int64_t> bipartite =
      reduce(parts.bipartite, parts.bipartite_entries, maximum_matching(parts.bipartite, run), options, run);
  SideBySide<std::int64_t> whole({0, 1}, structure);
  for (const auto* factors : {&parts.factors, &bipartite.factors}) {
    for (const std::int64_t factor : *factors) whole.add_factor(factor);
  }
  for (const auto& block : bipartite.blocks) {
    const Vertex rows = block.pattern.num_rows();
    structure.blocks.push_back({rows, block.pattern.num_edges()});
    std::vector<Vertex> left = block.rows, right = block.columns;
    for (Vertex& v : left) v = parts.bipartite_rows[v];
    for (Vertex& v : right) v = parts.bipartite_columns[v];
    whole.add(2 * rows, block.pattern.edges(), block.entries, left, right, rows);
  }
  for (const auto& block : parts.blocks) {
    structure.blocks.push_back({block.pattern.num_vertices(), block.pattern.num_edges(), false});
    whole.add(block.pattern.num_vertices(), block.pattern.edges(), block.entries, block.rows);
  }
  whole.finish();
  structure.counts = bipartite.counts;
  structure.counts.useless_edges = structure.useless_edges();
  structure.counts.fine_blocks += parts.counts.fine_blocks;
  structure.counts.degree1 += parts.counts.degree1;
  structure.counts.degree2 += parts.counts.degree2;
  structure.counts.refused_merges += parts.counts.refused_merges;
  structure.reduced = whole.graph();
}

// ---- Words.

std::string square_text(Vertex size) { return std::to_string(size) + " x " + std::to_string(size); }
std::string vertices_text(Vertex count) { return format_count(count, "vertex", "vertices"); }

Sizes sizes_of(const VertexLists& lists) {
  Sizes sizes;
  for (const auto& list : lists) ++sizes[static_cast<Vertex>(list.size())];
  return sizes;
}

std::string blocks_text(const Structure& structure) {
  Sizes squares, others;
  for (const BlockLeft& block : structure.blocks) ++(block.bipartite ? squares : others)[block.size];
  if (structure.blocks.empty()) return "none";
  return sizes_text(others, vertices_text) + (squares.empty() || others.empty() ? "" : "; ") +
         sizes_text(squares, square_text);
}

Json json_pair(const Input& input, const Edge& edge) {
  return Json::array({name_of(input, edge.row), name_of(input, edge.column)});
}

// ---- Two sides: Dulmage and Mendelsohn's parts.

template <class Part>
VertexLists members_of(const std::vector<Part>& part_of, std::size_t num_parts) {
  VertexLists members(num_parts);
  for (Vertex v = 0; v < part_of.size(); ++v) {
    const auto part = static_cast<std::size_t>(part_of[v]);
    if (part < num_parts) members[part].push_back(v);
  }
  return members;
}

Json json_part(const Input& input, const std::vector<Vertex>& rows, const std::vector<Vertex>& columns) {
  return {{"rows", side_labels(input, rows)}, {"columns", side_labels(input, columns, false)}};
}

void take_parts(const Input& input, const CoarseDecomposition& coarse, const FineDecomposition& fine, bool json,
                Structure& structure) {
  const auto rows = members_of(fine.block_of_row, fine.num_blocks);
  const auto columns = members_of(fine.block_of_column, fine.num_blocks);
  const VertexLists coarse_rows = members_of(coarse.part_of_row, 3);
  const VertexLists coarse_columns = members_of(coarse.part_of_column, 3);
  const std::string sizes = sizes_text(sizes_of(rows), square_text);
  std::string coarse_text;
  for (const auto& [name, part] : {std::pair{"horizontal", CoarsePart::horizontal},
                                   {"square", CoarsePart::square},
                                   {"vertical", CoarsePart::vertical}}) {
    const auto& part_rows = coarse_rows[static_cast<std::size_t>(part)];
    const auto& part_columns = coarse_columns[static_cast<std::size_t>(part)];
    coarse_text += (coarse_text.empty() ? "" : ", ") + std::string(name) + " " + std::to_string(part_rows.size()) +
                   " x " + std::to_string(part_columns.size());
    if (json) structure.members["coarse"][name] = json_part(input, part_rows, part_columns);
  }
  structure.parts = {{"coarse parts", coarse_text},
                     {"fine blocks", std::to_string(fine.num_blocks) + (sizes.empty() ? "" : ": " + sizes)}};
  if (!json) return;
  Json blocks = Json::array();
  for (std::size_t block = 0; block < rows.size(); ++block)
    blocks.push_back(json_part(input, rows[block], columns[block]));
  structure.members["fine_blocks"] = std::move(blocks);
}

Structure analyse(const Input& input, const BipartiteGraph& graph, const ReduceOptions& options, bool json,
                  const RunContext& run) {
  Structure structure;
  const Matching matching = maximum_matching(graph, run);
  run.check();
  const CoarseDecomposition coarse = coarse_decomposition(graph, matching);
  const FineDecomposition fine = fine_decomposition(graph, matching, coarse);
  structure.matched = matching.size;
  structure.perfect = matching.is_perfect();
  if (structure.perfect) {
    structure.useful = edges_in_perfect_matchings(graph, fine);
    run.check();
    reduce_into(graph, matching, options, structure, run);
  } else {
    structure.certificate.hall_violator = hall_violator(graph, matching, matching.size < graph.num_rows());
    structure.useful = edges_in_maximum_matchings(graph, matching, coarse, fine);
    structure.reduced = graph.filtered(structure.useful);
  }
  for (Vertex row = 0; json && row < graph.num_rows(); ++row) {
    const Vertex column = matching.column_of_row[row];
    if (column != unmatched) structure.pairs.push_back({row, graph.num_rows() + column});
  }
  take_parts(input, coarse, fine, json, structure);
  return structure;
}

// ---- Odd cycles: Gallai and Edmonds's parts.

VertexLists components_of(const UndirectedGraph& graph) {
  const ColouredComponents components = coloured_components(graph);
  return members_of(components.component, components.count());
}

Json json_members(const Input& input, const VertexLists& lists) {
  Json json = Json::array();
  for (const auto& list : lists) json.push_back(side_labels(input, list));
  return json;
}

Structure analyse(const Input& input, const UndirectedGraph& graph, const ReduceOptions& options, bool json,
                  const RunContext& run) {
  Structure structure;
  const GraphMatching matching = maximum_matching(graph, run);
  const std::vector<GallaiEdmondsPart> part_of = gallai_edmonds(graph, matching);
  const TutteSet barrier = tutte_berge_barrier(matching, part_of);
  if (!is_maximum(graph, matching, barrier))
    throw Error("a barrier does not prove that a matching is maximum; please report this graph");
  structure.matched = matching.size;
  structure.perfect = matching.is_perfect();
  structure.useful = edges_in_maximum_matchings(graph, matching, part_of, run);
  const UndirectedGraph useful = graph.filtered(structure.useful);
  const VertexLists components = components_of(useful);
  const VertexLists parts = members_of(part_of, 3);
  const auto &d = parts[static_cast<std::size_t>(GallaiEdmondsPart::d)],
             &c = parts[static_cast<std::size_t>(GallaiEdmondsPart::c)];
  VertexLists d_components = components_of(graph.induced(d));
  for (auto& component : d_components) {
    for (Vertex& v : component) v = d[v];
  }
  if (structure.perfect) {
    reduce_into(useful, matching, options, structure, run);
  } else {
    structure.certificate.tutte_set = barrier;
    structure.reduced = useful;
    structure.parts = {{"Gallai-Edmonds",
                        "D, components with a vertex too many: " + sizes_text(sizes_of(d_components), vertices_text)},
                       {"", "A, neighbours of D: " + vertices_text(static_cast<Vertex>(barrier.removed.size()))},
                       {"", "C, the rest: " + vertices_text(static_cast<Vertex>(c.size()))}};
  }
  structure.components = {{"components", std::to_string(components.size()) +
                                             " without them: " + sizes_text(sizes_of(components), vertices_text)}};
  if (!json) return structure;
  for (Vertex v = 0; v < matching.partner.size(); ++v) {
    const Vertex other = matching.partner[v];
    if (other != unmatched && v < other) structure.pairs.push_back({v, other});
  }
  structure.members = {{"gallai_edmonds",
                        {{"D", json_members(input, d_components)},
                         {"A", side_labels(input, barrier.removed)},
                         {"C", side_labels(input, c)}}},
                       {"components", json_members(input, components)}};
  return structure;
}

// ---- Either.

// Edges of a subdivision of K5 or K3,3; none where the graph is planar.
struct Planarity {
  std::string_view subdivided;
  std::vector<Edge> edges;
  std::vector<Edge> extra;  // without which the graph is planar; none if they were not found
};

// Look for at most this many edges, for at most this long, in graphs that are not planar but nearly so.
constexpr std::size_t most_extra_edges_named = 64;
constexpr double extra_edges_s = 10;

Planarity planarity_of(const UndirectedGraph& graph, const RunContext& run) {
  Planarity planarity;
  const std::vector<EdgeId> ids = kuratowski_subgraph(graph);
  if (ids.empty()) return planarity;
  const KuratowskiKind kind = kuratowski_kind(graph, ids);
  if (kind == KuratowskiKind::none) throw Error("a Kuratowski subgraph is none; please report this graph");
  planarity.subdivided = kind == KuratowskiKind::k5 ? "K5" : "K3,3";
  for (const EdgeId id : ids) planarity.edges.push_back(graph.edges()[id]);
  RunOptions shorter = run.options();
  shorter.time_limit_s = std::min(extra_edges_s, run.seconds_left());
  try {
    const auto extra = edges_off_the_plane(graph, most_extra_edges_named, shorter.seed, RunContext(shorter));
    for (const EdgeId id : extra.value_or(std::vector<EdgeId>())) planarity.extra.push_back(graph.edges()[id]);
  } catch (const OverLimit&) {
    run.check();
  }
  return planarity;
}

std::string edges_text(const Input& input, const std::vector<Edge>& edges) {
  std::string text;
  for (const Edge& edge : edges) text += " " + name_of(input, edge.row) + " - " + name_of(input, edge.column) + ",";
  text.pop_back();
  return text;
}

std::string planarity_text(const Input& input, const Planarity& planarity) {
  if (planarity.edges.empty()) return "yes";
  return "no: " + std::to_string(planarity.edges.size()) + " edges are a subdivision of " +
         std::string(planarity.subdivided) + ":" + edges_text(input, planarity.edges);
}
// Says how near a graph is to planar that is not.
std::string extra_text(const Input& input, const Planarity& planarity) {
  const std::size_t count = planarity.extra.size();
  if (count > 0) return "but for " + format_count(count, "edge", "edges") + ":" + edges_text(input, planarity.extra);
  return "no " + std::to_string(most_extra_edges_named) + " edges or fewer without which it is were found in " +
         std::to_string(static_cast<int>(extra_edges_s)) + " s";
}

std::string structure_text(const Input& input, const Structure& structure, const std::optional<Planarity>& planarity) {
  const BipartiteGraph& graph = input.graph;
  const std::string size = input.is_bipartite()
                               ? std::to_string(graph.num_rows()) + " x " + std::to_string(graph.num_columns())
                               : vertices_text(input.undirected.num_vertices());
  Rows rows = {
      {"graph", size + ", " + format_count(input.num_edges(), "edge", "edges") +
                    (input.is_bipartite() ? "" : ", an odd cycle of " + std::to_string(input.odd_cycle.size()))},
      {"maximum matching", std::to_string(structure.matched) + (structure.perfect ? ", perfect" : ", not perfect")}};
  const auto add = [&](const Rows& more) { rows.insert(rows.end(), more.begin(), more.end()); };
  if (structure.certificate) rows.push_back({"", "because " + sentence(input, structure.certificate)});
  add(structure.parts);
  rows.push_back({"useless edges", std::to_string(structure.useless_edges()) +
                                       (structure.perfect ? ", in no perfect matching" : ", in no maximum matching")});
  add(structure.components);
  if (structure.perfect)
    add({{"reductions", std::to_string(structure.counts.degree1) + " vertices of degree 1, " +
                            std::to_string(structure.counts.degree2) + " of degree 2"},
         {"blocks left", blocks_text(structure)}});
  if (planarity) rows.push_back({"planar", planarity_text(input, *planarity)});
  if (planarity && !planarity->edges.empty()) rows.push_back({"", extra_text(input, *planarity)});
  return table(rows, "");
}

Json structure_json(const Input& input, Structure& structure, const std::optional<Planarity>& planarity) {
  Json pairs = Json::array(), useless = Json::array();
  for (const Edge& pair : structure.pairs) pairs.push_back(json_pair(input, pair));
  std::vector<Edge> edges = input.is_bipartite() ? input.graph.edges() : input.undirected.edges();
  for (EdgeId id = 0; id < edges.size(); ++id) {
    if (input.is_bipartite()) edges[id].column += input.graph.num_rows();
    if (!structure.useful[id]) useless.push_back(json_pair(input, edges[id]));
  }
  Json object = {
      {"matching", {{"size", structure.matched}, {"perfect", structure.perfect}, {"pairs", std::move(pairs)}}}};
  object.update(std::move(structure.members));
  object["useless_edges"] = std::move(useless);
  if (structure.perfect) {
    object["reductions"] = json_reductions(structure.counts, structure.blocks.size());
    object["blocks"] = Json::array();
    for (const BlockLeft& block : structure.blocks) {
      object["blocks"].push_back(input.is_bipartite() ? Json{{"size", block.size}, {"edges", block.edges}}
                                                      : json_block(block));
    }
  }
  if (!planarity) return object;
  object["planar"] = planarity->edges.empty();
  if (planarity->edges.empty()) return object;
  object["kuratowski"]["subdivision_of"] = planarity->subdivided;
  for (const Edge& edge : planarity->edges) object["kuratowski"]["edges"].push_back(json_pair(input, edge));
  for (const Edge& edge : planarity->extra) object["extra_edges"].push_back(json_pair(input, edge));
  return object;
}

// Returns the names of what is left, in quotes where they want them; none where the file has numbers, or where a matrix
// would not come back: it has a name like a number, or a row without an entry.
std::vector<std::string> names_left(const Input& input, const Structure& structure) {
  if (input.row_labels.empty()) return {};
  std::vector<Vertex> vertices = structure.reduced_rows;
  vertices.insert(vertices.end(), structure.reduced_columns.begin(), structure.reduced_columns.end());
  const auto* const matrix = std::get_if<BipartiteGraph>(&structure.reduced);
  if (!structure.perfect) {
    vertices.resize(matrix != nullptr ? matrix->num_rows() + std::size_t{matrix->num_columns()}
                                      : std::get<UndirectedGraph>(structure.reduced).num_vertices());
    std::iota(vertices.begin(), vertices.end(), Vertex{0});
    for (Vertex v = 0; matrix != nullptr && v < vertices.size(); ++v) {
      if (v < matrix->num_rows() ? matrix->row(v).empty() : matrix->column(v - matrix->num_rows()).empty()) return {};
    }
  }
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    const std::string name =
        vertices[v] == new_vertex ? "factor " + std::to_string(v + 1) : name_of(input, vertices[v]);
    if (matrix != nullptr && name.find_first_of("+-.0123456789") == 0) return {};
    if (matrix != nullptr && v == matrix->num_rows()) seen.clear();
    if (!seen.insert(name).second) return {};
    names.push_back(quoted_name(name));
  }
  return names;
}

// Writes what is left. The graphs of two sides are matrices.
void write_reduced(const std::string& file, const Input& input, const Structure& structure) {
  const std::vector<std::string> names = names_left(input, structure);
  if (const auto* matrix = std::get_if<BipartiteGraph>(&structure.reduced))
    write_graph_file(file, *matrix, InputFormat::automatic, InputKind::matrix, {}, names);
  else
    write_graph_file(file, std::get<UndirectedGraph>(structure.reduced), InputFormat::automatic, {}, names);
}

}  // namespace

int run_decompose(const Options& options, Interrupt& interrupt) {
  return report_each(options, interrupt, true, [&](Loaded& loaded, CountOptions& count, ProgressBar&) {
    Stopwatch stopwatch;
    ReduceOptions reduce;
    reduce.degree1 = reduce.degree2 = options.count.reduce;
    const RunContext run(count.run);
    Input& input = loaded.input;
    // Without its values a stored zero is an edge like any other.
    const bool weighted = input.kind == InputKind::matrix || input.weights_are_multiplicities;
    input.graph = weighted ? input.graph.drop_zeros() : input.graph.pattern();
    if (weighted && !input.fractions.empty()) {
      if (!options.output.empty())
        throw InputError(loaded.name(), 0, "--write of a matrix of fractions, or of integers beyond 64 bits",
                         "decimals or smaller integers, or --kind directed, which has no values");
      input.graph = input.graph.pattern();
    }
    if (!input.weights_are_multiplicities) input.undirected = input.undirected.pattern();
    Structure structure = input.is_bipartite() ? analyse(input, input.graph, reduce, options.json, run)
                                               : analyse(input, input.undirected, reduce, options.json, run);
    std::optional<Planarity> planarity;
    if (options.kuratowski)
      planarity =
          planarity_of(input.is_bipartite() ? UndirectedGraph::from_bipartite(input.graph) : input.undirected, run);
    const double structure_s = stopwatch.lap();
    if (!options.output.empty()) write_reduced(options.output, input, structure);
    Report report;
    if (options.json)
      report.members = structure_json(input, structure, planarity);
    else
      report.text = fitted(structure_text(input, structure, planarity), columns_of(STDOUT_FILENO));
    report.certificate = structure.certificate;
    report.none.clear();
    report.times_s = {{"structure", structure_s}};
    return report;
  });
}

}  // namespace matchcount::app
