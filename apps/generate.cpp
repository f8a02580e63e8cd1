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
using Sizes = std::vector<Vertex>;

struct Family {
  GeneratorSpec spec;  // its arguments: P is a density, others are sizes; in brackets it may be missing
  AnyGraph (*make)(const Sizes& n, double density, std::uint64_t seed);
};

constexpr double default_density = 0.7;  // of planar

const Family families[] = {
    {{"grid", "H W", "H x W vertices, neighbours joined: domino tilings"},
     [](const Sizes& n, double, std::uint64_t) -> AnyGraph { return grid_graph(n[0], n[1]); }},
    {{"torus", "H W", "the same, periodic both ways; both even and above 2"},
     [](const Sizes& n, double, std::uint64_t) -> AnyGraph { return torus_graph(n[0], n[1]); }},
    {{"grid3d", "A B C", "A x B x C vertices, neighbours joined"},
     [](const Sizes& n, double, std::uint64_t) -> AnyGraph { return grid3d_graph(n[0], n[1], n[2]); }},
    {{"knight", "H W", "H x W squares of a chessboard, joined by knights' moves"},
     [](const Sizes& n, double, std::uint64_t) -> AnyGraph { return knight_graph(n[0], n[1]); }},
    {{"king", "H W", "the same by kings' moves; it has odd cycles"},
     [](const Sizes& n, double, std::uint64_t) -> AnyGraph { return king_graph(n[0], n[1]); }},
    {{"hexagon", "A B C", "honeycomb region: lozenge tilings, plane partitions in a box"},
     [](const Sizes& n, double, std::uint64_t) -> AnyGraph { return hexagon_graph(n[0], n[1], n[2]); }},
    {{"aztec", "N", "Aztec diamond of order N: 2^(N(N+1)/2) perfect matchings"},
     [](const Sizes& n, double, std::uint64_t) -> AnyGraph { return aztec_graph(n[0]); }},
    {{"hypercube", "D", "2^D vertices"},
     [](const Sizes& n, double, std::uint64_t) -> AnyGraph { return hypercube_graph(n[0]); }},
    {{"regular", "N D", "random, simple, N vertices a side, all of degree D"},
     [](const Sizes& n, double, std::uint64_t seed) -> AnyGraph { return random_regular_graph(n[0], n[1], seed); }},
    {{"random", "R C P", "every one of R x C edges with probability P"},
     [](const Sizes& n, double p, std::uint64_t seed) -> AnyGraph { return random_graph(n[0], n[1], p, seed); }},
    {{"band", "N W", "row i joined to the columns j with |i - j| <= W"},
     [](const Sizes& n, double, std::uint64_t) -> AnyGraph { return band_graph(n[0], n[1]); }},
    {{"complete", "R C", "every row joined to every column"},
     [](const Sizes& n, double, std::uint64_t) -> AnyGraph { return complete_graph(n[0], n[1]); }},
    {{"planar", "N [P]",
      "random and planar with a perfect matching, N vertices a side; the share P of the edges that can go is kept, "
      "0.7"},
     [](const Sizes& n, double p, std::uint64_t seed) -> AnyGraph { return random_planar_graph(n[0], p, seed); }},
};

// Reads the numbers behind the kind, and makes the graph.
AnyGraph make(const Family& family, const std::vector<std::string>& words, std::uint64_t seed) {
  const auto refuse = [&](const std::string& found, const std::string& expected) {
    throw InputError(
        found, expected + " in: generate " + std::string(family.spec.name) + " " + std::string(family.spec.arguments));
  };
  Sizes sizes;
  double density = default_density;
  std::size_t at = 1;
  std::istringstream arguments{std::string(family.spec.arguments)};
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
  for (const Family& family : families) {
    if (!words.empty() && family.spec.name == words[0]) return make(family, words, seed);
    names += (names.empty() ? "" : ", ") + std::string(family.spec.name);
  }
  if (words.empty()) throw UsageError("generate", "generate needs a KIND: " + names);
  throw InputError("'" + words[0] + "'", "one of " + names);
}

// Reads the value of --weights.
RandomWeights parse_weights(const std::string& text) {
  using Law = RandomWeights::Law;
  RandomWeights weights;
  for (const auto& [name, law] : {std::pair{"uniform", Law::uniform},
                                  {"normal", Law::normal},
                                  {"complex", Law::complex},
                                  {"signs", Law::signs}}) {
    if (text != name) continue;
    weights.law = law;
    return weights;
  }
  constexpr std::string_view prefix = "integers:";
  const auto refuse = [&]() {
    throw InputError("--weights '" + text + "'",
                     "uniform, normal, complex, signs or integers:LO:HI, as in integers:1:9");
  };
  if (text.rfind(prefix, 0) != 0) refuse();
  weights.law = Law::integers;
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

std::vector<GeneratorSpec> generator_table() {
  std::vector<GeneratorSpec> table;
  for (const Family& family : families) table.push_back(family.spec);
  return table;
}

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
