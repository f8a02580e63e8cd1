// generate: graphs of known families.

#include <algorithm>
#include <sstream>
#include <type_traits>
#include <variant>

#include "apps/answer.hpp"
#include "apps/commands.hpp"
#include "apps/option_types.hpp"
#include "apps/text.hpp"
#include "core/error.hpp"
#include "core/names.hpp"
#include "core/numbers/real.hpp"
#include "graph/generate.hpp"
#include "graph/layout.hpp"
#include "graph/output.hpp"
#include "graph/vertices.hpp"

namespace matchcount::app {
namespace {

using AnyGraph = std::variant<BipartiteGraph, UndirectedGraph>;

// Reads the value of --weights-by-direction: integers where all are.
Weights parse_directions(const std::string& text) {
  std::vector<std::int64_t> integers;
  std::vector<DoubleDouble> reals;
  for (std::size_t from = 0, to = 0; to != std::string::npos; from = to + 1) {
    to = text.find(',', from);
    const std::string word = text.substr(from, to == std::string::npos ? to : to - from);
    reals.emplace_back();
    if (!parse_real(word.data(), word.data() + word.size(), reals.back()))
      refuse("weights-by-direction", text, "numbers separated by commas, as 2,1 or 0.5,1,1");
    if (const auto integer = parse_number<std::int64_t>(word)) integers.push_back(*integer);
  }
  if (integers.size() == reals.size()) return integers;
  return reals;
}

// Reads the numbers behind the kind, and makes the graph.
AnyGraph generate(const Options& options) {
  std::vector<std::string_view> names;
  for (const GraphFamily& family : graph_families()) names.push_back(family.name);
  if (options.arguments.empty()) throw UsageError("generate", "generate needs a KIND: " + listed(names));
  const std::string& name = options.arguments[0];
  if (std::ranges::find(names, name) == names.end())
    throw InputError("'" + name + "'", "one of " + listed(names) + suggestion(name, names));
  std::vector<double> numbers;
  for (std::size_t i = 1; i < options.arguments.size(); ++i) {
    const auto number = parse_number<double>(options.arguments[i]);
    if (!number) throw InputError("'" + options.arguments[i] + "' behind " + name, "numbers alone");
    numbers.push_back(*number);
  }
  AnyGraph made = family_graph(name, numbers, options.count.run.seed);
  if (!options.boundary && options.weights_by_direction.empty()) return made;
  if (!has_boundaries(name)) {
    throw InputError(
        options.boundary ? "--boundary" : "--weights-by-direction",
        "a lattice (grid, king, knight, triangular, honeycomb, kagome, square-octagon or lieb), not " + name);
  }
  Weights weights;
  if (!options.weights_by_direction.empty()) weights = parse_directions(options.weights_by_direction);
  return lattice_graph(name, static_cast<Vertex>(numbers[0]), static_cast<Vertex>(numbers[1]),
                       options.boundary.value_or(Boundary::open), weights);
}

// Reads the value of --weights.
RandomWeights parse_weights(const std::string& text) {
  RandomWeights weights;
  for (const auto& [law, name, is_word] : Names<RandomWeights::Law>::all) {
    if (!is_word || text != name) continue;
    weights.law = law;
    return weights;
  }
  constexpr std::string_view prefix = "integers:";
  const std::string range = text.starts_with(prefix) ? text.substr(prefix.size()) : "";
  const std::size_t colon = std::min(range.find(':'), range.size());
  const auto low = parse_number<std::int64_t>(range.substr(0, colon));
  const auto high = parse_number<std::int64_t>(range.substr(std::min(colon + 1, range.size())));
  if (!low || !high)
    throw InputError("--weights '" + text + "'",
                     "uniform, normal, complex, signs or integers:LO:HI, as in integers:1:9");
  return {RandomWeights::Law::integers, *low, *high};
}

// Returns the name, the lengths and the boundary of a family whose vertices have places.
std::string layout_of(const Options& options) {
  std::string text = options.arguments.front();
  if (!is_lattice(text)) return "";
  for (std::size_t i = 1; i < options.arguments.size(); ++i)
    text += " " + std::to_string(static_cast<Vertex>(*parse_number<double>(options.arguments[i])));
  if (options.boundary.value_or(Boundary::open) != Boundary::open)
    text += " " + std::string(to_string(*options.boundary));
  return text;
}

// Says whether a vertex has no edge: edge lists of two sides have no line for it, those of one set of vertices do.
bool has_lone_vertex(const BipartiteGraph& graph) {
  for (Vertex v = 0; v < num_vertices(graph); ++v) {
    if (degree(graph, v) == 0) return true;
  }
  return false;
}

bool is_edge_list(const Options& options) {
  const InputFormat format = options.input.format;
  return format == InputFormat::edge_list ||
         (format == InputFormat::automatic &&
          (options.output.empty() || format_to_write(options.output) == InputFormat::edge_list));
}

// Writes to stdout or to --output FILE.
template <class... Kind>
void write(const auto& graph, const Options& options, Kind... kind) {
  const std::string layout = layout_of(options);
  if (!options.output.empty()) return write_graph_file(options.output, graph, options.input.format, kind..., layout);
  std::ostringstream stream;
  write_graph(stream, graph, options.input.format, kind..., layout);
  write_answer(std::move(stream).str());
}

}  // namespace

int run_generate(const Options& options) {
  const std::uint64_t seed = options.count.run.seed;
  if (!options.weights.empty() && !options.weights_by_direction.empty())
    throw UsageError("generate", "--weights and --weights-by-direction can't be given together");
  AnyGraph generated = generate(options);
  std::visit(
      [&](auto& graph) {
        if (!options.weights.empty()) graph = with_random_weights(graph, parse_weights(options.weights), seed);
        if constexpr (std::is_same_v<std::decay_t<decltype(graph)>, BipartiteGraph>) {
          if (!options.input.kind && is_edge_list(options) && has_lone_vertex(graph))
            return write(UndirectedGraph::from_bipartite(graph), options);
          write(graph, options, options.input.kind.value_or(options.input.usual_kind));
        } else if (options.input.kind.value_or(InputKind::undirected) != InputKind::undirected) {
          throw InputError("--kind " + std::string(to_string(*options.input.kind)) + " for a graph with odd cycles",
                           "--kind undirected");
        } else {
          write(graph, options);
        }
      },
      generated);
  return 0;
}

}  // namespace matchcount::app
