#include <cstdint>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "apps/json_output.hpp"
#include "core/random.hpp"

using namespace matchcount::test;

namespace {

constexpr std::uint64_t seed = 20261128;

std::set<std::string> pairs_of(const std::string& text) {
  std::set<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with("#")) lines.insert(line);
  }
  return lines;
}

}  // namespace

TEST_CASE("reach counts pairs, a vertex with itself where it lies on a cycle") {
  CHECK(run_line("reach -", "a b\nb c\nc b\n").out == "6\n");
  CHECK(run_line("reach -", "a b\n").out == "1\n");
  CHECK(run_line("reach -", "a a\nb\n").out == "1\n");
  CHECK(run_line("reach - --kind matrix", "%%MatrixMarket matrix coordinate pattern general\n2 2 0\n").out == "0\n");
  CHECK(run_line("reach - --duplicates sum", "a b\na b\n").out == "1\n");
  // A matrix: 1 -> 2 -> 3.
  CHECK(run_line("reach - --kind matrix", "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 3\n").out ==
        "3\n");
  // Undirected: everything within a component with an edge, bipartite or not.
  CHECK(run_line("reach - --kind undirected", "a b\nb c\nx y\nz\n").out == "13\n");
  CHECK(run_line("reach - --kind undirected", "a b\nb c\nc a\nx y\n").out == "13\n");
}

TEST_CASE("reach tells the sizes of strong components") {
  const std::string text = "a b\nb c\nc a\nc d\nd e\ne d\ne f\nf f\n";
  const Outcome outcome = run_line("reach -", text);
  CHECK_THAT(outcome.err, ContainsSubstring("3 strong components, 3 with a cycle: 1 of 3 vertices, 1 of 2 vertices, "
                                            "1 of 1 vertex"));
  const Json json = Json::parse(run_line("reach - --json", text).out);
  CHECK(json["result"]["value"] == "25");  // 3 * (3 + 2 + 1) + 2 * (2 + 1) + 1
  CHECK(json["components"]["count"] == 3);
  CHECK(json["components"]["with_cycle"] == 3);
  CHECK(json["components"]["arcs_between"] == 2);
  CHECK(json["components"]["sizes"][0] == Json({{"size", 3}, {"count", 1}}));
}

TEST_CASE("reach from a vertex names what it reaches, and refuses one that is not there") {
  const std::string text = "a b\nb c\nc b\nx a\n";
  CHECK(run_line("reach - --from a", text).out == "b\nc\n");
  CHECK(run_line("reach - --from x", text).out == "a\nb\nc\n");
  CHECK(run_line("reach - --from y", "y\nx z\n").out.empty());
  CHECK(pairs_of(run_line("reach - --kind undirected --from b", "a b\nb c\nx y\n").out) ==
        std::set<std::string>{"a", "b", "c"});
  const Json json = Json::parse(run_line("reach - --from a --json", text).out);
  CHECK(json["result"]["value"] == "2");
  CHECK(json["from"]["reached"] == Json({"b", "c"}));
  check_refused("reach - --from nobody", text, {"nobody"});
  CHECK(run_line("reach - --from a --write closure.txt", text).status == 2);
}

TEST_CASE("the closure that reach writes has the pairs that searches find, and is its own closure") {
  const Folder folder;
  matchcount::Random random(seed);
  std::string text;
  constexpr int n = 60;
  std::set<std::pair<int, int>> arcs;
  for (int i = 0; i < 80; ++i) arcs.insert({static_cast<int>(random.below(n)), static_cast<int>(random.below(n))});
  for (const auto& [u, v] : arcs) text += "v" + std::to_string(u) + " v" + std::to_string(v) + "\n";
  std::set<std::string> expected;
  for (int source = 0; source < n; ++source) {
    std::vector<int> open{source};
    std::set<int> reached;
    while (!open.empty()) {
      const int u = open.back();
      open.pop_back();
      for (const auto& [from, to] : arcs) {
        if (from == u && reached.insert(to).second) open.push_back(to);
      }
    }
    for (const int v : reached) expected.insert("v" + std::to_string(source) + " v" + std::to_string(v));
  }
  INFO("seed " << seed << "\n" << text);
  for (const std::string name : {"closure.txt", "closure.txt.gz"}) {
    const std::string file = folder.path(name);
    const Outcome outcome = run_line("reach - --write " + file, text);
    CHECK(outcome.out == std::to_string(expected.size()) + "\n");
    if (name == "closure.txt") CHECK(pairs_of(read_file(file)) == expected);
    CHECK(run_line("reach " + file).out == outcome.out);
  }
}

TEST_CASE("names with blanks and quotes, and vertices without a pair, come back from a closure that was written") {
  const Folder folder;
  const std::string file = folder.path("closure.txt");
  const std::string text = "\"New York\" \"the \"\"Hub\"\"\"\n\"the \"\"Hub\"\"\" c-3\nalone\n";
  CHECK(run_line("reach - --kind directed --write " + file, text).out == "3\n");
  CHECK(run_program({"reach", file, "--from", "New York"}).out == "the \"Hub\"\nc-3\n");
  const Json json = Json::parse(run_line("reach " + file + " --json").out);
  CHECK(json["input"]["rows"] == 4);
}

TEST_CASE("reach refuses two separate sides, matrices that are not square, and names of rows and columns") {
  check_refused("reach - --kind bipartite", "a b\n", {"directed"});
  CHECK(run_line("reach - --kind matrix", "%%MatrixMarket matrix coordinate pattern general\n2 3 1\n1 2\n").status ==
        2);
  CHECK(run_line("reach - --kind matrix", "a x 1\nb y 1\n").status == 2);
}

TEST_CASE("reach past the memory limit is refused with the size that would fit") {
  std::string text;
  for (int i = 1; i < 60000; ++i) text += std::to_string(i) + " " + std::to_string(i + 1) + "\n";
  const Outcome whole = run_line("reach -", text);
  CHECK(whole.out == "1799970000\n");
  const Outcome narrow = run_line("reach - --memory-limit 60M --threads 1", text);
  CHECK(narrow.out == "1799970000\n");
  const Outcome refused = run_line("reach - --memory-limit 10M --json", text);
  CHECK(refused.status == 3);
  CHECK(Json::parse(refused.out)["error"]["kind"] == "limit");
}
