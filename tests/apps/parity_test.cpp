#include <cstdint>
#include <string>

#include "apps/json_output.hpp"
#include "core/device_choice.hpp"
#include "core/random.hpp"

using namespace matchcount::test;

namespace {

constexpr std::uint64_t seed = 20261125;

std::string random_edges(int rows, int columns, double density, bool two_sides, matchcount::Random& random) {
  std::string text;
  for (int i = 0; i < rows; ++i) {
    for (int j = two_sides ? 0 : i + 1; j < columns; ++j) {
      if (random.uniform() >= density) continue;
      text += (two_sides ? "r" : "v") + std::to_string(i) + (two_sides ? " c" : " v") + std::to_string(j) + "\n";
    }
  }
  return text;
}

}  // namespace

TEST_CASE("parity is the last bit of count, of bipartite graphs and of others") {
  matchcount::Random random(seed);
  int odd = 0;
  for (int instance = 0; instance < 24; ++instance) {
    const bool two_sides = instance % 2 == 0;
    const int n = two_sides ? 6 + instance : 8 + instance / 2 * 2;
    const std::string text = random_edges(n, n, two_sides ? 4.0 / n : 3.5 / n, two_sides, random);
    const std::string kind = two_sides ? " - --kind bipartite" : " - --kind undirected";
    INFO("seed " << seed << ", instance " << instance << "\n" << text);
    const Outcome count = run_line("count" + kind, text), parity = run_line("parity" + kind, text);
    REQUIRE(count.status == 0);
    REQUIRE(parity.status == 0);
    REQUIRE(count.out.size() >= 2);
    const bool is_odd = (count.out[count.out.size() - 2] - '0') % 2 == 1;
    CHECK(parity.out == (is_odd ? "1\n" : "0\n"));
    odd += is_odd ? 1 : 0;
  }
  CHECK(odd > 1);
  CHECK(odd < 23);
}

TEST_CASE("parallel edges and a matrix's integers count modulo 2, its other values are refused") {
  CHECK(run_line("parity -", "a x\n").out == "1\n");
  CHECK(run_line("parity - --duplicates sum", "a x\na x\n").out == "0\n");
  CHECK(run_line("parity - --duplicates sum", "a x\na x\na x\n").out == "1\n");
  CHECK(run_line("parity - --duplicates one", "a x\na x\n").out == "1\n");
  CHECK(run_line("parity - --kind matrix --format edgelist", "a x -3\n").out == "1\n");
  CHECK(run_line("parity - --kind matrix --format edgelist", "1 1 3\n1 2 1\n2 1 5\n2 2 2\n").out == "1\n");
  for (const char* values : {"a x 0.5\n", "a x 1e300\n"}) {
    check_refused("parity - --kind matrix --format edgelist", values, {"integers"});
  }
}

TEST_CASE("sides of different sizes have an even number, an empty permanent is odd, and cycle covers are told") {
  CHECK(run_line("parity -", "a x\nb x\n").out == "0\n");
  CHECK(run_line("parity - --kind undirected", "a b\nb c\nc a\n").out == "0\n");
  CHECK(run_line("parity - --kind matrix", "%%MatrixMarket matrix coordinate integer general\n0 0 0\n").out == "1\n");
  CHECK(run_line("parity - --kind directed", "a b\nb a\na a\nb b\n").out == "0\n");
  CHECK(run_line("parity - --kind directed", "a b\nb a\na a\n").out == "1\n");
}

TEST_CASE("parity ignores values as count does, and says so; of a matrix it asks which numbers they are") {
  for (const std::string text : {"a x 2\n", "a x 2.5\n", "a x 1.0\n", "a x {'weight': 2}\n", "a x {'cost': 2}\n"}) {
    CAPTURE(text);
    const Outcome outcome = run_line("parity -", text);
    CHECK(outcome.out == "1\n");
    CHECK(outcome.out == run_line("count -", text).out);
    if (text.find("cost") == std::string::npos) CHECK_THAT(outcome.err, ContainsSubstring("play no part"));
  }
  CHECK(Json::parse(run_line("parity - --json", "a x 2\n").out)["input"]["weights_ignored"] == true);
  CHECK(run_line("parity - --kind matrix --format edgelist", "a x 2\n").out == "0\n");
  CHECK(run_line("parity - --kind matrix --format edgelist", "a x 2.5\n").status == 2);
  CHECK(run_line("parity - --kind matrix", "a x {'cost': 2}\n").status == 2);
  CHECK(run_line("parity - --duplicates sum", "a x\na x\n").out == "0\n");
  // Integers of any size have a parity, fractions have none.
  CHECK(run_line("parity - --kind matrix --format edgelist", "1 1 100000000000000000001\n2 2 7\n").out == "1\n");
  CHECK(run_line("parity - --kind matrix --format edgelist", "1 1 100000000000000000001\n2 2 -100000000000000000000\n")
            .out == "0\n");
  CHECK(run_line("parity - --kind matrix --format edgelist", "1 1 1/3\n").status == 2);
}

TEST_CASE("the parity of a path of a million vertices takes lists, not a matrix") {
  std::string text = "# kind: undirected\n# format: edgelist\n";
  for (int i = 1; i < 1'000'000; ++i) text += std::to_string(i) + " " + std::to_string(i + 1) + "\n";
  CHECK(run_line("parity - --memory-limit 1G", text).out == "1\n");
  CHECK(run_line("parity - --memory-limit 1G", text + "1000000 1\n").out == "0\n");  // two
  CHECK(run_line("parity - --memory-limit 1G", text + "1 3\n").out == "1\n");        // an odd cycle
}

TEST_CASE("parity in JSON has a value as a string") {
  const Json json = Json::parse(run_line("parity - --json --threads 1", "a x\nb y\n").out);
  CHECK(json["command"] == "parity");
  CHECK(json["result"]["value"] == "1");
  CHECK(json["result"]["kind"] == "exact");
  CHECK(json["method"]["arithmetic"] == "bits");
  CHECK(json["method"]["threads"] == 1);
}

TEST_CASE("parity past the memory limit is refused with the size that would fit") {
  std::string text;
  constexpr int n = 40000;
  for (int i = 1; i <= n; ++i) {
    for (const int step : {0, 1, 201}) text += std::to_string(i) + " " + std::to_string((i + step - 1) % n + 1) + "\n";
  }
  const Outcome refused = run_line("parity - --kind bipartite --memory-limit 200M --json", text);
  CHECK(refused.status == 3);
  const Json json = Json::parse(refused.out);
  CHECK(json["error"]["kind"] == "limit");
  CHECK_THAT(json["error"]["message"].get<std::string>(), ContainsSubstring("rows would fit"));
  CHECK(json["forecast"]["memory_bytes"].get<double>() > 4e8);
}

TEST_CASE("parities and closures are found on a GPU where one is asked for, and refused where there is none") {
  const bool has_gpu = !matchcount::find_devices().devices.empty();
  for (const std::string command : {"parity - --kind directed --device cuda --json", "reach - --device cuda --json"}) {
    CAPTURE(command);
    const Outcome outcome = run_line(command, "# kind: directed\na b\nb c\n");
    CHECK(outcome.status == (has_gpu ? 0 : 3));
    const Json json = Json::parse(outcome.out);
    if (has_gpu) {
      CHECK(json["method"]["device"] == "cuda");
      CHECK(json["method"]["gpus"].size() == 1);
      CHECK(json["result"]["value"] == (command.rfind("reach", 0) == 0 ? "3" : "0"));
    } else {
      CHECK_THAT(json["error"]["message"].get<std::string>(), ContainsSubstring(matchcount::find_devices().reason));
    }
    const Json on_cpu = Json::parse(run_line("parity - --device cpu --json", "a x\nb y\n").out);
    CHECK(on_cpu["method"]["device"] == "cpu");
  }
  CHECK(run_line("reach - --from a --device cuda", "a b\n").status == 2);
}
