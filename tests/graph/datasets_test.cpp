#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/numbers/integer.hpp"
#include "graph/column_sets.hpp"
#include "graph/input.hpp"
#include "support/catch.hpp"
#include "support/listed_matchings.hpp"
#include "support/oracles.hpp"

namespace matchcount {
namespace {

const std::string folder = std::string(MATCHCOUNT_SOURCE_DIR) + "/datasets/";

struct Known {
  std::string file;
  std::string command;
  std::string kind;
  std::string answer;
};

std::vector<Known> read_known() {
  std::ifstream stream(folder + "known.tsv");
  std::vector<Known> all;
  std::string line;
  std::getline(stream, line);
  while (std::getline(stream, line)) {
    std::istringstream fields(line);
    Known known;
    fields >> known.file >> known.command >> known.kind >> known.answer;
    all.push_back(known);
  }
  return all;
}

InputKind kind_named(const std::string& name) {
  for (const InputKind kind : {InputKind::bipartite, InputKind::undirected, InputKind::directed, InputKind::matrix}) {
    if (to_string(kind) == name) return kind;
  }
  throw std::runtime_error("unknown kind " + name);
}

template <class T, class Weight>
T permanent(const BipartiteGraph& graph) {
  const auto n = static_cast<int>(graph.num_rows());
  REQUIRE(graph.num_columns() == graph.num_rows());
  std::vector<T> entries(static_cast<std::size_t>(n * n), T(0));
  const auto& weights = std::get<std::vector<Weight>>(graph.weights());
  EdgeId id = 0;
  for (const Edge& edge : graph.edges()) {
    entries[edge.row * static_cast<std::size_t>(n) + edge.column] = T(weights[id++]);
  }
  return reference::permanent_by_subsets(entries, n);
}

TEST_CASE("every dataset's answer is the one that is stated") {
  const std::vector<Known> all = read_known();
  REQUIRE(all.size() == 12);
  for (const Known& known : all) {
    CAPTURE(known.file, known.command, known.kind, known.answer);
    if (known.file.ends_with(".graphml") && !built_with_graphml()) continue;
    const Input input = read_input(folder + known.file, {.kind = kind_named(known.kind), .odd_cycles = true});
    if (!input.is_bipartite()) {
      std::size_t count = 0;
      test::for_each_perfect_matching(input.undirected, [&](const std::vector<EdgeId>&) { ++count; });
      CHECK(std::to_string(count) == known.answer);
      continue;
    }
    const BipartiteGraph& graph = input.graph;
    REQUIRE(graph.num_edges() > 0);
    if (known.command != "permanent") {
      CHECK(to_decimal(count_by_column_sets(graph)) == known.answer);
    } else if (graph.weight_kind() == WeightKind::integer) {
      CHECK(to_decimal(permanent<Integer, std::int64_t>(graph)) == known.answer);
    } else {
      const auto value = permanent<ComplexDoubleDouble, ComplexDoubleDouble>(graph);
      // Entries to 1e-32, 7! products of 7 of them.
      CHECK(std::abs((value.re - DoubleDouble(std::stod(known.answer))).hi) < 5040 * 7 * 1e-31);
      CHECK(std::abs(value.im.hi) < 5040 * 7 * 1e-31);
    }
  }
}

TEST_CASE("the table of the datasets' README names every file and answer") {
  std::ifstream stream(folder + "README.md");
  std::stringstream text;
  text << stream.rdbuf();
  for (const Known& known : read_known()) {
    CAPTURE(known.file);
    std::string line;
    bool found = false;
    std::istringstream lines(text.str());
    while (std::getline(lines, line)) {
      if (line.starts_with("| `" + known.file + "`")) {
        found = true;
        CHECK(line.ends_with("| " + known.answer + " |"));
        CHECK_THAT(line, ContainsSubstring("`" + known.command));
      }
    }
    CHECK(found);
  }
}

}  // namespace
}  // namespace matchcount
