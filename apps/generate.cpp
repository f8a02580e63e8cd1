// generate: graphs of known families.

#include <sstream>
#include <type_traits>
#include <variant>

#include "apps/answer.hpp"
#include "apps/commands.hpp"
#include "apps/option_types.hpp"
#include "core/error.hpp"
#include "graph/generate.hpp"
#include "graph/layout.hpp"
#include "graph/output.hpp"

namespace matchcount::app {
namespace {

using AnyGraph = std::variant<BipartiteGraph, UndirectedGraph>;

constexpr double default_density = 0.7;  // of planar

// Reads the numbers behind the kind, and makes the graph.
AnyGraph make(const GraphFamily& family, const std::vector<std::string>& words, std::uint64_t seed) {
  const auto refuse = [&](const std::string& found, const std::string& expected) {
    throw InputError(found,
                     expected + " in: generate " + std::string(family.name) + " " + std::string(family.arguments));
  };
  std::vector<Vertex> sizes;
  double density = default_density;
  std::size_t at = 1;
  std::istringstream arguments{std::string(family.arguments)};
  for (std::string argument; arguments >> argument; ++at) {
    if (at == words.size() && argument.front() == '[') break;
    if (at == words.size()) refuse("too few numbers", "more");
    const std::string& word = words[at];
    if (argument.find('P') != std::string::npos) {
      const auto number = parse_number<double>(word);
      if (!number || !(*number >= 0 && *number <= 1)) refuse("'" + word + "'", "a density from 0 to 1");
      density = *number;
    } else {
      const auto number = parse_number<Vertex>(word);
      if (!number || *number > 0x7fffffff) refuse("'" + word + "'", "a whole number from 0 to 2^31 - 1");
      sizes.push_back(*number);
    }
  }
  if (at < words.size()) refuse("'" + words[at] + "' too many", "no more than that");
  return family.make(sizes, density, seed);
}

AnyGraph generate(const std::vector<std::string>& words, std::uint64_t seed) {
  std::string names;
  for (const GraphFamily& family : graph_families()) {
    if (!words.empty() && family.name == words[0]) return make(family, words, seed);
    names += (names.empty() ? "" : ", ") + std::string(family.name);
  }
  if (words.empty()) throw UsageError("generate", "generate needs a KIND: " + names);
  throw InputError("'" + words[0] + "'", "one of " + names);
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
  const auto refuse = [&]() {
    throw InputError("--weights '" + text + "'",
                     "uniform, normal, complex, signs or integers:LO:HI, as in integers:1:9");
  };
  if (text.rfind(prefix, 0) != 0) refuse();
  weights.law = RandomWeights::Law::integers;
  const char* const end = text.data() + text.size();
  const auto low = std::from_chars(text.data() + prefix.size(), end, weights.low);
  if (low.ec != std::errc{} || low.ptr == end || *low.ptr != ':') refuse();
  const auto high = std::from_chars(low.ptr + 1, end, weights.high);
  if (high.ec != std::errc{} || high.ptr != end) refuse();
  return weights;
}

// Returns the words as they are, of a family whose vertices have places.
std::string layout_of(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return is_lattice(words.front()) ? text : std::string();
}

// Writes to stdout or to --output FILE.
template <class... Kind>
void write(const auto& graph, const Options& options, Kind... kind) {
  const std::string layout = layout_of(options.arguments);
  if (!options.output.empty()) return write_graph_file(options.output, graph, options.input.format, kind..., layout);
  std::ostringstream stream;
  write_graph(stream, graph, options.input.format, kind..., layout);
  write_answer(std::move(stream).str());
}

}  // namespace

int run_generate(const Options& options) {
  const std::uint64_t seed = options.count.run.seed;
  AnyGraph generated = generate(options.arguments, seed);
  std::visit(
      [&](auto& graph) {
        if (!options.weights.empty()) graph = with_random_weights(graph, parse_weights(options.weights), seed);
        if constexpr (std::is_same_v<std::decay_t<decltype(graph)>, BipartiteGraph>) {
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
