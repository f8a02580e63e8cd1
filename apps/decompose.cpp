// decompose: the structure of a bipartite graph; decompose_graph.cpp has that of the others.

#include "apps/decompose.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/answer.hpp"
#include "apps/commands.hpp"
#include "apps/inputs.hpp"
#include "apps/json.hpp"
#include "apps/text.hpp"
#include "core/error.hpp"
#include "core/stopwatch.hpp"
#include "graph/output.hpp"
#include "matching/reduce.hpp"

namespace matchcount::app {
namespace {

std::string_view name_of(KuratowskiKind kind) { return kind == KuratowskiKind::k5 ? "K5" : "K3,3"; }

struct Structure {
  Matching matching;
  std::optional<HallViolator> violator;
  CoarseDecomposition coarse;
  FineDecomposition fine;
  std::vector<bool> useful;  // by EdgeId: in some perfect (else maximum) matching
  EdgeId useless_edges = 0;
  ReductionCounts counts;
  std::vector<Vertex> block_sizes;  // after reductions, largest first
  std::vector<EdgeId> block_edges;
  BipartiteGraph reduced;
  std::optional<Planarity> planarity;  // where it was asked for
};

DoubleDouble value_of(const RealEntry& entry) { return entry.value; }
ComplexDoubleDouble value_of(const ComplexEntry& entry) { return entry.value; }
std::int64_t value_of(std::int64_t entry) { return entry; }

// The blocks one behind the other, after a 1 x 1 block for each factor other than 1; one for 1 where there is nothing
// else, since few formats have a place for nothing.
template <class Entry>
void take_reduced(const Reduced<Entry>& reduced, Structure& structure) {
  using Number = decltype(value_of(reduced.factors[0]));
  std::vector<Edge> edges;
  std::vector<Number> values;
  Vertex size = 0;
  for (const Entry& factor : reduced.factors) {
    if (value_of(factor) == Number(1)) continue;
    edges.push_back({size, size});
    values.push_back(value_of(factor));
    ++size;
  }
  for (const Block<Entry>& block : reduced.blocks) {
    structure.block_sizes.push_back(block.pattern.num_rows());
    structure.block_edges.push_back(block.pattern.num_edges());
    for (const Edge edge : block.pattern.edges()) edges.push_back({edge.row + size, edge.column + size});
    for (const Entry& entry : block.entries) values.push_back(value_of(entry));
    size += block.pattern.num_rows();
  }
  if (size == 0) {
    edges.push_back({size, size});
    values.push_back(Number(1));
    ++size;
  }
  structure.counts = reduced.counts;
  structure.reduced = BipartiteGraph::from_edges(size, size, std::move(edges), std::move(values));
}

void reduce_into(const BipartiteGraph& graph, const ReduceOptions& options, Structure& structure,
                 const RunContext& run) {
  if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&graph.weights())) {
    take_reduced(reduce(graph, *integers, structure.matching, options, run), structure);
  } else if (const auto* reals = std::get_if<std::vector<DoubleDouble>>(&graph.weights())) {
    std::vector<RealEntry> entries;
    for (const DoubleDouble value : *reals) entries.push_back({value, magnitude(value)});
    take_reduced(reduce(graph, entries, structure.matching, options, run), structure);
  } else if (const auto* complexes = std::get_if<std::vector<ComplexDoubleDouble>>(&graph.weights())) {
    std::vector<ComplexEntry> entries;
    for (const ComplexDoubleDouble value : *complexes) entries.push_back({value, magnitude(value)});
    take_reduced(reduce(graph, entries, structure.matching, options, run), structure);
  } else {
    const std::vector<std::int64_t> ones(graph.num_edges(), 1);
    take_reduced(reduce(graph, ones, structure.matching, options, run), structure);
  }
}

Structure analyse(const BipartiteGraph& graph, const ReduceOptions& options, const RunContext& run) {
  Structure structure;
  structure.matching = maximum_matching(graph, run);
  run.check();
  structure.coarse = coarse_decomposition(graph, structure.matching);
  structure.fine = fine_decomposition(graph, structure.matching, structure.coarse);
  if (structure.matching.is_perfect()) {
    structure.useful = edges_in_perfect_matchings(graph, structure.fine);
    run.check();
    reduce_into(graph, options, structure, run);
  } else {
    const bool of_rows = structure.matching.size < graph.num_rows();
    structure.violator = hall_violator(graph, structure.matching, of_rows);
    structure.useful = edges_in_maximum_matchings(graph, structure.matching, structure.coarse, structure.fine);
    structure.reduced = graph.filtered(structure.useful);
  }
  structure.useless_edges = static_cast<EdgeId>(std::count(structure.useful.begin(), structure.useful.end(), false));
  return structure;
}

std::size_t count_part(const std::vector<CoarsePart>& parts, CoarsePart part) {
  return static_cast<std::size_t>(std::count(parts.begin(), parts.end(), part));
}

std::string square_text(Vertex size) { return std::to_string(size) + " x " + std::to_string(size); }

std::vector<Vertex> fine_sizes(const FineDecomposition& fine) {
  std::vector<Vertex> sizes(fine.num_blocks);
  for (const Vertex block : fine.block_of_row) {
    if (block != FineDecomposition::no_block) ++sizes[block];
  }
  return sizes;
}

std::string structure_text(const Input& input, const Structure& structure) {
  const auto part = [&](CoarsePart which) {
    return std::to_string(count_part(structure.coarse.part_of_row, which)) + " x " +
           std::to_string(count_part(structure.coarse.part_of_column, which));
  };
  const bool perfect = structure.matching.is_perfect();
  std::vector<std::vector<std::string>> rows = {
      {"graph", std::to_string(input.graph.num_rows()) + " x " + std::to_string(input.graph.num_columns()) + ", " +
                    format_count(static_cast<double>(input.graph.num_edges()), "edge", "edges")},
      {"maximum matching", std::to_string(structure.matching.size) + (perfect ? ", perfect" : ", not perfect")}};
  if (structure.violator) rows.push_back({"", "because " + hall_sentence(input, *structure.violator)});
  rows.push_back({"coarse parts", "horizontal " + part(CoarsePart::horizontal) + ", square " +
                                      part(CoarsePart::square) + ", vertical " + part(CoarsePart::vertical)});
  const std::string sizes = sizes_text(fine_sizes(structure.fine), square_text);
  rows.push_back({"fine blocks", std::to_string(structure.fine.num_blocks) + (sizes.empty() ? "" : ": " + sizes)});
  rows.push_back({"useless edges", std::to_string(structure.useless_edges) +
                                       (perfect ? ", in no perfect matching" : ", in no maximum matching")});
  if (perfect) {
    rows.push_back({"reductions", std::to_string(structure.counts.degree1) + " vertices of degree 1, " +
                                      std::to_string(structure.counts.degree2) + " of degree 2"});
    const std::string left = sizes_text(structure.block_sizes, square_text);
    rows.push_back({"blocks left", left.empty() ? "none" : left});
  }
  if (structure.planarity) rows.push_back({"planar", planarity_text(*structure.planarity)});
  return table(rows, "");
}

Json label_pairs(const Input& input, const Structure& structure) {
  Json list = Json::array();
  const auto& columns = structure.matching.column_of_row;
  for (Vertex row = 0; row < columns.size(); ++row) {
    if (columns[row] != unmatched) list.push_back({input.row_label(row), input.column_label(columns[row])});
  }
  return list;
}

Json json_part(const Input& input, const std::vector<Vertex>& rows, const std::vector<Vertex>& columns) {
  Json object;
  object["rows"] = json_labels(row_labels(input, rows));
  object["columns"] = json_labels(column_labels(input, columns));
  return object;
}

Json json_coarse(const Input& input, const CoarseDecomposition& coarse) {
  Json object;
  const std::pair<const char*, CoarsePart> parts[] = {
      {"horizontal", CoarsePart::horizontal}, {"square", CoarsePart::square}, {"vertical", CoarsePart::vertical}};
  for (const auto& [name, part] : parts) {
    std::vector<Vertex> rows, columns;
    for (Vertex row = 0; row < coarse.part_of_row.size(); ++row) {
      if (coarse.part_of_row[row] == part) rows.push_back(row);
    }
    for (Vertex column = 0; column < coarse.part_of_column.size(); ++column) {
      if (coarse.part_of_column[column] == part) columns.push_back(column);
    }
    object[name] = json_part(input, rows, columns);
  }
  return object;
}

Json json_fine(const Input& input, const FineDecomposition& fine) {
  std::vector<std::vector<Vertex>> rows(fine.num_blocks), columns(fine.num_blocks);
  for (Vertex row = 0; row < fine.block_of_row.size(); ++row) {
    if (fine.block_of_row[row] != FineDecomposition::no_block) rows[fine.block_of_row[row]].push_back(row);
  }
  for (Vertex column = 0; column < fine.block_of_column.size(); ++column) {
    const Vertex block = fine.block_of_column[column];
    if (block != FineDecomposition::no_block) columns[block].push_back(column);
  }
  Json list = Json::array();
  for (Vertex block = 0; block < fine.num_blocks; ++block) {
    list.push_back(json_part(input, rows[block], columns[block]));
  }
  return list;
}

std::string structure_json(const Options& options, const Loaded& loaded, const Structure& structure,
                           double structure_s) {
  const Input& input = loaded.input;
  Json object = json_header(options);
  object["input"] = json_input(loaded);
  object["matching"] = {{"size", structure.matching.size},
                        {"perfect", structure.matching.is_perfect()},
                        {"pairs", label_pairs(input, structure)}};
  if (structure.violator) object["hall_violator"] = json_hall_violator(input, *structure.violator);
  object["coarse"] = json_coarse(input, structure.coarse);
  object["fine_blocks"] = json_fine(input, structure.fine);
  Json useless = Json::array();
  if (structure.useless_edges != 0) {
    const std::vector<Edge> edges = input.graph.edges();
    for (EdgeId id = 0; id < edges.size(); ++id) {
      if (!structure.useful[id])
        useless.push_back({input.row_label(edges[id].row), input.column_label(edges[id].column)});
    }
  }
  object["useless_edges"] = useless;
  if (structure.matching.is_perfect()) {
    object["reductions"] = json_reductions(structure.counts, structure.block_sizes.size());
    object["blocks"] = Json::array();
    for (std::size_t i = 0; i < structure.block_sizes.size(); ++i) {
      object["blocks"].push_back({{"size", structure.block_sizes[i]}, {"edges", structure.block_edges[i]}});
    }
  }
  if (structure.planarity) put_planarity(object, *structure.planarity);
  object["time_s"] = {{"read", loaded.read_s}, {"structure", structure_s}};
  return line(object);
}

}  // namespace

Planarity planarity_of(const UndirectedGraph& graph, const std::function<std::string(Vertex)>& name) {
  const std::vector<EdgeId> ids = kuratowski_subgraph(graph);
  Planarity planarity;
  if (ids.empty()) return planarity;
  planarity.kind = kuratowski_kind(graph, ids);
  if (planarity.kind == KuratowskiKind::none) throw Error("a Kuratowski subgraph is none; please report this graph");
  for (const EdgeId id : ids) planarity.edges.emplace_back(name(graph.edges()[id].row), name(graph.edges()[id].column));
  return planarity;
}

std::string planarity_text(const Planarity& planarity) {
  if (planarity.edges.empty()) return "yes";
  std::string text = "no: " + std::to_string(planarity.edges.size()) + " edges are a subdivision of " +
                     std::string(name_of(planarity.kind)) + ":";
  for (const auto& [u, v] : planarity.edges) text += " " + u + " - " + v + ",";
  text.pop_back();
  return text;
}

void put_planarity(Json& object, const Planarity& planarity) {
  object["planar"] = planarity.edges.empty();
  if (planarity.edges.empty()) return;
  Json edges = Json::array();
  for (const auto& [u, v] : planarity.edges) edges.push_back({u, v});
  object["kuratowski"] = {{"subdivision_of", name_of(planarity.kind)}, {"edges", edges}};
}

std::string sizes_text(const std::vector<Vertex>& sizes, const std::function<std::string(Vertex)>& name) {
  std::map<Vertex, std::size_t, std::greater<>> counts;
  for (const Vertex size : sizes) ++counts[size];
  std::string text;
  std::size_t shown = 0;
  for (const auto& [size, count] : counts) {
    if (++shown > 8) return text + ", and smaller ones";
    if (!text.empty()) text += ", ";
    text += std::to_string(count) + " of " + name(size);
  }
  return text;
}

int run_decompose(const Options& options, Interrupt& interrupt) {
  return answer_each(options, interrupt, true, [&](Loaded& loaded, CountOptions& count, ProgressBar&) {
    Stopwatch stopwatch;
    ReduceOptions reduce_options;
    reduce_options.degree1 = reduce_options.degree2 = options.count.reduce;
    const RunContext run(count.run);
    if (!loaded.input.is_bipartite()) {
      decompose_graph(options, loaded, reduce_options, run);
      return;
    }
    const bool weighted = loaded.input.kind == InputKind::matrix || loaded.input.weights_are_multiplicities;
    // Without its values a stored zero is an edge like any other.
    Input& input = loaded.input;
    input.graph = weighted ? input.graph.drop_zeros() : input.graph.pattern();
    Structure structure = analyse(input.graph, reduce_options, run);
    if (options.kuratowski) {
      const Vertex rows = input.graph.num_rows();
      structure.planarity = planarity_of(UndirectedGraph::from_bipartite(input.graph), [&](Vertex v) {
        return v < rows ? input.row_label(v) : input.column_label(v - rows);
      });
    }
    const double structure_s = stopwatch.lap();
    if (!options.output.empty()) {
      write_graph_file(options.output, structure.reduced, InputFormat::automatic, InputKind::matrix);
    }
    write_answer(options.json ? structure_json(options, loaded, structure, structure_s)
                              : structure_text(input, structure));
  });
}

}  // namespace matchcount::app
