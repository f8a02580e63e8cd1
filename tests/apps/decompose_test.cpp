// decompose of graphs with odd cycles; command_test.cpp has the others.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "apps/json_output.hpp"
#include "core/random.hpp"

using namespace matchcount::test;

namespace {

constexpr std::uint64_t seed = 20261125;

Json decomposed(const std::string& graph, const std::string& words = {}) {
  const Outcome outcome = run_line("decompose - --kind undirected --header no --json" + words, graph);
  CAPTURE(graph, outcome.err, outcome.out);
  REQUIRE(outcome.status == 0);
  return Json::parse(outcome.out);
}

Json pairs(const std::vector<std::pair<const char*, const char*>>& list) {
  Json json = Json::array();
  for (const auto& [u, v] : list) json.push_back({u, v});
  return json;
}

// Two triangles and the edge between them: its only perfect matching has the edge.
const std::string bridged = "1 2\n1 3\n2 3\n3 4\n4 5\n4 6\n5 6\n";
// Two triangles, a square, and a star with three leaves whose centre is joined to the square.
const std::string apart = "1 2\n2 3\n3 1\n4 5\n5 6\n6 4\n7 8\n8 9\n9 10\n10 7\n11 12\n11 13\n11 14\n11 7\n";

// Writes an edge list with a triangle first, and an even number of vertices.
std::string random_text(matchcount::Random& random, int weights) {
  const auto n = 4 + 2 * random.below(5);
  const double density = 0.25 + 0.3 * random.uniform();
  std::string text;
  for (std::uint64_t u = 1; u <= n; ++u) {
    text += std::to_string(u) + "\n";
    for (std::uint64_t v = u + 1; v <= n; ++v) {
      if (v > 3 && random.uniform() > density) continue;
      const std::string line = std::to_string(u) + " " + std::to_string(v) + "\n";
      for (std::uint64_t copies = 1 + (weights > 0 ? random.below(3) : 0); copies > 0; --copies) text += line;
    }
  }
  return text;
}

}  // namespace

TEST_CASE("decompose tells the useless edges and matching-covered components of a graph with odd cycles") {
  const Json json = decomposed(bridged);
  CHECK(json["matching"]["size"] == 3);
  CHECK(json["matching"]["perfect"] == true);
  CHECK(json["matching"]["pairs"] == pairs({{"1", "2"}, {"3", "4"}, {"5", "6"}}));
  CHECK(json["useless_edges"] == pairs({{"1", "3"}, {"2", "3"}, {"4", "5"}, {"4", "6"}}));
  CHECK(json["components"] == pairs({{"1", "2"}, {"3", "4"}, {"5", "6"}}));
  CHECK(json["gallai_edmonds"] ==
        Json({{"D", Json::array()}, {"A", Json::array()}, {"C", {"1", "2", "3", "4", "5", "6"}}}));
  CHECK(json["blocks"] == Json::array());
  CHECK_FALSE(json.contains("tutte_set"));
  const Outcome text = run_line("decompose - --kind undirected", bridged);
  CHECK_THAT(text.out, ContainsSubstring("an odd cycle of 3") && ContainsSubstring("3, perfect") &&
                           ContainsSubstring("4, in no perfect matching") && ContainsSubstring("3 of 2 vertices"));

  // All edges of the complete graph are in a perfect matching, and none of its vertices can be merged.
  const Json complete = decomposed("1 2\n1 3\n1 4\n1 5\n1 6\n2 3\n2 4\n2 5\n2 6\n3 4\n3 5\n3 6\n4 5\n4 6\n5 6\n");
  CHECK(complete["useless_edges"] == Json::array());
  CHECK(complete["blocks"] == Json({{{"size", 6}, {"edges", 15}, {"bipartite", false}}}));
}

TEST_CASE("decompose tells D, A and C where no matching is perfect, and the set that proves it") {
  const Json json = decomposed(apart);
  CHECK(json["matching"]["size"] == 5);
  CHECK(json["matching"]["perfect"] == false);
  CHECK(json["gallai_edmonds"]["D"] == Json({{"1", "2", "3"}, {"4", "5", "6"}, {"12"}, {"13"}, {"14"}}));
  CHECK(json["gallai_edmonds"]["A"] == Json::array({"11"}));
  CHECK(json["gallai_edmonds"]["C"] == Json({"7", "8", "9", "10"}));
  CHECK(json["tutte_set"] == Json({{"removed", {"11"}}, {"odd_components", 5}}));
  CHECK(json["useless_edges"] == pairs({{"7", "11"}}));
  CHECK(json["components"] ==
        Json({{"1", "2", "3"}, {"4", "5", "6"}, {"7", "8", "9", "10"}, {"11", "12", "13", "14"}}));
  CHECK_FALSE(json.contains("blocks"));
  const Outcome text = run_line("decompose - --kind undirected", apart);
  CHECK_THAT(text.out, ContainsSubstring("without the vertex {11} it has 5 components") &&
                           ContainsSubstring("D, components with a vertex too many: 2 of 3 vertices, 3 of 1 vertex") &&
                           ContainsSubstring("A, neighbours of D: 1 vertex\n") &&
                           ContainsSubstring("C, the rest: 4 vertices") && ContainsSubstring("1, in no maximum"));
}

TEST_CASE("decompose says whether a graph with odd cycles is planar, and why not") {
  CHECK(decomposed(bridged, " --kuratowski")["planar"] == true);
  CHECK_FALSE(decomposed(bridged).contains("planar"));
  // K5 with a vertex in the middle of every edge at 1, and a triangle beside it.
  std::string k5 = "p q\nq r\nr p\n";
  for (const char* v : {"2", "3", "4", "5"}) k5 += "1 m" + std::string(v) + "\nm" + v + " " + v + "\n";
  k5 += "2 3\n2 4\n2 5\n3 4\n3 5\n4 5\n";
  const Json json = decomposed(k5, " --kuratowski");
  CHECK(json["planar"] == false);
  CHECK(json["kuratowski"]["subdivision_of"] == "K5");
  std::map<std::string, int> degrees;
  for (const Json& edge : json["kuratowski"]["edges"]) {
    ++degrees[edge[0].get<std::string>()];
    ++degrees[edge[1].get<std::string>()];
  }
  CHECK(degrees == std::map<std::string, int>{
                       {"1", 4}, {"2", 4}, {"3", 4}, {"4", 4}, {"5", 4}, {"m2", 2}, {"m3", 2}, {"m4", 2}, {"m5", 2}});
  const Outcome text = run_line("decompose - --kind undirected --kuratowski", k5);
  CHECK_THAT(text.out, ContainsSubstring("no: 14 edges are a subdivision of K5: "));
}

TEST_CASE("the reduced graph has the hafnian of the whole, parallel edges too") {
  const Folder folder;
  matchcount::Random random(seed, 1);
  std::set<std::string> answers;
  for (int instance = 0; instance < 16; ++instance) {
    const int weights = instance % 2;
    const std::string text = random_text(random, weights);
    const std::string duplicates = weights > 0 ? " --duplicates sum" : "";
    const std::string reduce = instance % 4 < 2 ? "" : " --no-reduce";
    const std::string file = folder.path("reduced.txt");
    CAPTURE(seed, instance, text);
    const Outcome whole = run_line("count - --kind undirected --header no" + duplicates, text);
    const Json json = decomposed(text, duplicates + reduce + " --write " + file);
    if (json["matching"]["perfect"] == false) {
      CHECK(whole.out == "0\n");
      continue;
    }
    REQUIRE(whole.status == 0);
    CHECK(run_line("hafnian " + file).out == whole.out);
    answers.insert(whole.out);
  }
  CHECK(answers.size() > 3);
}

TEST_CASE("the reduced graph keeps names, and its hafnian or permanent, where the file has some") {
  const Folder folder;
  const std::string file = folder.path("reduced.txt");
  matchcount::Random random(seed, 2);
  int named = 0;
  for (int instance = 0; instance < 40; ++instance) {
    const bool one_set = instance % 2 == 0;
    const std::vector<std::string> names{"ann", "\"b ob\"", "\"c\"\"d\"", "\"#e\"", "f2", "\u00e9va", "factor", "h"};
    std::string text;
    for (std::size_t u = 0; u < names.size(); ++u) {
      for (std::size_t v = one_set ? u + 1 : 0; v < names.size(); ++v) {
        if (random.below(10) < 4) text += names[u] + " " + names[v] + (one_set ? "" : " 3") + "\n";
      }
    }
    CAPTURE(seed, instance, text);
    const std::string command =
        one_set ? "count - --kind undirected --header no" : "permanent - --format edgelist --header no";
    const Outcome whole = run_line(command, text);
    if (whole.status != 0 || whole.out == "0\n") continue;
    REQUIRE(run_line("decompose - --write " + file +
                         (one_set ? " --kind undirected" : " --kind matrix --format edgelist") + " --header no",
                     text)
                .status == 0);
    const std::string written = read_file(file);
    CAPTURE(written);
    CHECK(run_line((written.find("kind: matrix") == written.npos ? "hafnian " : "permanent ") + file).out == whole.out);
    for (const std::string& name : names)
      named += written.find("\n" + name + " ") != written.npos || written.find(" " + name + "\n") != written.npos;
  }
  CHECK(named > 15);
  REQUIRE(run_line("decompose - --write " + file, "a x\na y\nb y\nb x\nb z\nc x\nc y\nc z\na z\n").status == 0);
  CHECK(read_file(file) ==
        "# kind: matrix\n# format: edgelist\n# header: no\na x 1\na y 1\na z 1\nb x 1\nb y 1\nb z 1\nc x 1\nc y 1\nc z "
        "1\n");
  // Names like numbers are places in a matrix, and others stand for nothing there.
  REQUIRE(run_line("decompose - --write " + file, "a 2\na 3\nb 2\nb 3\nb x\nc 2\nc 3\nc x\na x\n").status == 0);
  CHECK(run_line("permanent " + file).out == "6\n");
}

TEST_CASE("where reductions leave nothing, an edge of weight 1 is written") {
  const Folder folder;
  const std::string file = folder.path("reduced.txt");
  REQUIRE(run_line("decompose - --write " + file, "a x\na y\nb y\n").status == 0);
  CHECK(run_line("permanent " + file).out == "1\n");
  decomposed(bridged, " --write " + file);
  CHECK(run_line("hafnian " + file).out == "1\n");
}

TEST_CASE("without a perfect matching the reduced graph has the edges in maximum matchings") {
  const Folder folder;
  const std::string file = folder.path("reduced.txt");
  decomposed(apart, " --write " + file);
  const Json json = decomposed(read_file(file));
  CHECK(json["input"]["edges"] == 13);
  CHECK(json["useless_edges"] == Json::array());
  CHECK(json["matching"]["size"] == 5);
}

TEST_CASE("decomposing a large graph with odd cycles keeps the time limit") {
  // A search from each vertex takes minutes.
  const std::string graph = run_line("generate king 200 200").out;
  check_refused("decompose - --kind undirected --time-limit 1", graph, {"time limit"}, 3);
}
