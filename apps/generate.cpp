// generate: graphs of known families.

#include <charconv>
#include <optional>
#include <sstream>
#include <type_traits>
#include <variant>

#include "apps/answer.hpp"
#include "apps/commands.hpp"
#include "core/error.hpp"
#include "graph/generate.hpp"
#include "graph/layout.hpp"
#include "graph/output.hpp"

namespace matchcount::app {
namespace {

constexpr double default_planar_density = 0.7;

// The words after generate, taken one by one.
class Words {
 public:
  Words(const std::vector<std::string>& words, const GeneratorSpec& generator) : words_(words), generator_(generator) {}

  Vertex size() {
    const std::string& word = next();
    Vertex value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size() || value > 0x7fffffff) {
      refuse("'" + word + "'", "a whole number from 0 to 2^31 - 1");
    }
    return value;
  }

  double density() {
    const std::string& word = next();
    double value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size() || !(value >= 0 && value <= 1)) {
      refuse("'" + word + "'", "a density from 0 to 1");
    }
    return value;
  }

  bool empty() const { return at_ == words_.size(); }

  void finish() const {
    if (!empty()) refuse("'" + words_[at_] + "' too many", "no more than that");
  }

 private:
  const std::string& next() {
    if (empty()) refuse("too few numbers", "more");
    return words_[at_++];
  }
  [[noreturn]] void refuse(const std::string& found, const std::string& expected) const {
    throw InputError(
        found, expected + " in: generate " + std::string(generator_.name) + " " + std::string(generator_.arguments));
  }

  const std::vector<std::string>& words_;
  const GeneratorSpec& generator_;
  std::size_t at_ = 1;
};

// The value of --weights.
RandomWeights parse_weights(const std::string& text) {
  using Law = RandomWeights::Law;
  struct Name {
    std::string_view name;
    Law law;
  };
  constexpr Name names[] = {
      {"uniform", Law::uniform}, {"normal", Law::normal}, {"complex", Law::complex}, {"signs", Law::signs}};
  RandomWeights weights;
  for (const Name& candidate : names) {
    if (text != candidate.name) continue;
    weights.law = candidate.law;
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

using AnyGraph = std::variant<BipartiteGraph, UndirectedGraph>;

AnyGraph generate(const std::vector<std::string>& arguments, std::uint64_t seed) {
  const GeneratorSpec* generator = nullptr;
  std::string names;
  for (const GeneratorSpec& candidate : generator_table()) {
    if (!arguments.empty() && candidate.name == arguments[0]) generator = &candidate;
    names += (names.empty() ? "" : ", ") + std::string(candidate.name);
  }
  if (arguments.empty()) throw UsageError("generate", "generate needs a KIND: " + names);
  if (generator == nullptr) throw InputError("'" + arguments[0] + "'", "one of " + names);

  Words words(arguments, *generator);
  const std::string_view name = generator->name;
  const Vertex a = words.size();
  if (name == "aztec" || name == "hypercube") {
    words.finish();
    return name == "aztec" ? aztec_graph(a) : hypercube_graph(a);
  }
  if (name == "planar") {
    const double density = words.empty() ? default_planar_density : words.density();
    words.finish();
    return random_planar_graph(a, density, seed);
  }
  const Vertex b = words.size();
  if (name == "grid3d" || name == "hexagon") {
    const Vertex c = words.size();
    words.finish();
    return name == "grid3d" ? grid3d_graph(a, b, c) : hexagon_graph(a, b, c);
  }
  if (name == "random") {
    const double density = words.density();
    words.finish();
    return random_graph(a, b, density, seed);
  }
  words.finish();
  if (name == "grid") return grid_graph(a, b);
  if (name == "torus") return torus_graph(a, b);
  if (name == "regular") return random_regular_graph(a, b, seed);
  if (name == "band") return band_graph(a, b);
  if (name == "knight") return knight_graph(a, b);
  if (name == "king") return king_graph(a, b);
  return complete_graph(a, b);
}

// The words as they are, of a family whose vertices have places.
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
