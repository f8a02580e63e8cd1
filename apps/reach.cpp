// reach: the transitive closure of a digraph, counted, written, or from one vertex.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/commands.hpp"
#include "apps/report.hpp"
#include "core/error.hpp"
#include "core/step_check.hpp"
#include "core/stopwatch.hpp"
#include "graph/output.hpp"
#include "linear/reachability.hpp"

namespace matchcount::app {
namespace {

struct Reached {
  std::uint64_t value = 0;                        // pairs, or vertices reached from the one that was asked for
  std::optional<std::vector<std::string>> names;  // of those vertices
  Sizes sizes;                                    // of the components
  std::uint64_t components = 0, with_cycle = 0, arcs_between = 0;
  ClosureReport blocks;
};

// One set of vertices under the file's names, edges without a direction both ways.
class NamedDigraph {
 public:
  explicit NamedDigraph(const Loaded& loaded) : input_(loaded.input) {
    const BipartiteGraph& graph = input_.graph;
    const bool both_ways = input_.kind == InputKind::undirected;
    if (input_.kind == InputKind::bipartite)
      throw InputError("--kind bipartite", "directed, undirected or matrix: a path goes on where an arc ends");
    if (!both_ways) loaded.require_square("the square matrix of a digraph");
    if (input_.kind == InputKind::matrix && !(input_.row_labels.empty() && input_.column_labels.empty()))
      throw InputError(loaded.name(), 0, "rows and columns by name, of which none need be the other's",
                       "indices from 1, or --kind directed where both columns name the same things");
    std::vector<Edge> arcs = input_.is_bipartite() ? graph.edges() : input_.undirected.edges();
    if (both_ways) {
      const Vertex columns_from = input_.is_bipartite() ? graph.num_rows() : 0;
      const std::size_t count = arcs.size();
      arcs.reserve(2 * count);
      for (std::size_t i = 0; i < count; ++i) {
        arcs[i].column += columns_from;
        arcs.push_back({arcs[i].column, arcs[i].row});
      }
    }
    const Vertex vertices = !input_.is_bipartite() ? input_.undirected.num_vertices()
                            : both_ways            ? graph.num_rows() + graph.num_columns()
                                                   : graph.num_rows();
    graph_ = Digraph::from_arcs(vertices, std::move(arcs));
  }

  const Digraph& graph() const { return graph_; }
  std::string name(Vertex v) const { return name_of(input_, v); }
  Vertex vertex(const std::string& file, const std::string& wanted) const {
    for (Vertex v = 0; v < graph_.num_vertices(); ++v) {
      if (name(v) == wanted) return v;
    }
    throw InputError("--from '" + wanted + "'", "a vertex of " + (file == "-" ? "the input" : printable(file)));
  }

 private:
  const Input& input_;
  Digraph graph_;
};

// Every pair as an arc of an edge list, and vertices that are in none on lines of their own.
class PairWriter {
 public:
  PairWriter(const NamedDigraph& digraph, const TextSink& sink, const RunContext& run)
      : sink_(sink), check_(run), in_pair_(digraph.graph().num_vertices(), false) {
    for (Vertex v = 0; v < digraph.graph().num_vertices(); ++v) names_.push_back(quoted_name(digraph.name(v)));
    text_ = "# kind: directed\n# format: edgelist\n# header: no\n";
  }

  void write(std::span<const Vertex> sources, std::span<const Vertex> targets) {
    for (const Vertex u : sources) {
      in_pair_[u] = true;
      for (const Vertex v : targets) {
        check_.step();
        in_pair_[v] = true;
        put(names_[u], " " + names_[v]);
      }
    }
  }
  void finish() {
    for (Vertex v = 0; v < names_.size(); ++v) {
      if (!in_pair_[v]) put(names_[v], "");
    }
    sink_(text_);
  }

 private:
  void put(const std::string& name, const std::string& rest) {
    constexpr std::size_t piece = 1 << 20;
    text_ += name;
    text_ += rest;
    text_ += '\n';
    if (text_.size() < piece) return;
    sink_(text_);
    text_.clear();
  }

  const TextSink& sink_;
  StepCheck check_;
  std::vector<std::string> names_;
  std::vector<bool> in_pair_;
  std::string text_;
};

Reached closure_of(const NamedDigraph& digraph, const std::string& file, const RunContext& run) {
  Reached reached;
  const Condensation components = condensation(digraph.graph(), run);
  for (Vertex c = 0; c < components.num_components(); ++c) {
    ++reached.sizes[components.size(c)];
    reached.with_cycle += components.has_cycle[c] ? 1 : 0;
  }
  reached.components = components.num_components();
  reached.arcs_between = components.arc_targets.size();
  const auto count = [&](const OnReached& on_reached) {
    reached.value = count_reachable_pairs(components, run, on_reached, &reached.blocks);
  };
  if (file.empty()) {
    count({});
    return reached;
  }
  write_file(file, [&](const TextSink& sink) {
    PairWriter writer(digraph, sink, run);
    count([&](auto sources, auto targets) { writer.write(sources, targets); });
    writer.finish();
  });
  return reached;
}

Reached reached_from(const NamedDigraph& digraph, Vertex source, const RunContext& run) {
  Reached reached;
  reached.names.emplace();
  for (const Vertex v : reachable_from(digraph.graph(), source, run)) reached.names->push_back(digraph.name(v));
  reached.value = reached.names->size();
  return reached;
}

std::string lines_of(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += name + "\n";
  return text;
}

std::string note_of(const Options& options, const Reached& reached) {
  if (reached.names) {
    return format_count(reached.value, "vertex", "vertices") + " reached from " + options.from;
  }
  return format_count(reached.components, "strong component", "strong components") + ", " +
         std::to_string(reached.with_cycle) + " with a cycle" + (reached.sizes.empty() ? "" : ": ") +
         sizes_text(reached.sizes, [](Vertex size) { return format_count(size, "vertex", "vertices"); });
}

Json json_members(const Options& options, const Reached& reached) {
  if (reached.names) return {{"from", {{"vertex", options.from}, {"reached", *reached.names}}}};
  Json sizes = Json::array();
  for (const auto& [size, count] : reached.sizes) sizes.push_back({{"size", size}, {"count", count}});
  return {{"components",
           {{"count", reached.components},
            {"with_cycle", reached.with_cycle},
            {"arcs_between", reached.arcs_between},
            {"sizes", sizes}}}};
}

MethodReport method_of(const Reached& reached, int threads) {
  Json more = {{"instruction_set", to_string(detected_isa())}};
  if (!reached.names) {
    more["searched_blocks"] = reached.blocks.searched_blocks;
    more["multiplied_blocks"] = reached.blocks.multiplied_blocks;
  }
  return {reached.names ? "search" : "closure", reached.blocks.gpus, threads, std::move(more)};
}

}  // namespace

int run_reach(const Options& options, Interrupt& interrupt) {
  if (format_to_write(options.output) != InputFormat::edge_list)
    throw InputError("--write " + options.output, "a name such as closure.txt: the closure is written as an edge list");
  if (!options.from.empty() && !options.output.empty())
    throw InputError("--from and --write", "one of them: --write writes what is reached from every vertex");
  if (!options.from.empty() && options.count.run.device.kind == DeviceChoice::Kind::cuda)
    throw InputError("--from and --device cuda", "one of them: the CPU searches from one vertex");
  return report_each(options, interrupt, true, [&](Loaded& loaded, CountOptions& count, ProgressBar&) {
    Stopwatch stopwatch;
    const RunContext run(count.run);
    // A device that can't be had is refused even where nothing is left to close on it.
    if (count.run.device.kind == DeviceChoice::Kind::cuda) choose_devices(count.run.device);
    const NamedDigraph digraph(loaded);
    const Reached reached = options.from.empty()
                                ? closure_of(digraph, options.output, run)
                                : reached_from(digraph, digraph.vertex(loaded.file, options.from), run);
    Report report;
    if (has_own_weights(loaded.input)) report.weights_ignored = "values other than 0 play no part";
    report.result = json_value(Integer(reached.value), options.digits);
    report.members = json_members(options, reached);
    if (reached.names) report.text = lines_of(*reached.names);
    report.notes = {note_of(options, reached)};
    report.method = method_of(reached, count.run.num_threads);
    report.times_s = {{"compute", stopwatch.lap()}};
    return report;
  });
}

}  // namespace matchcount::app
