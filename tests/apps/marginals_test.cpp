// marginals, sample and list as a user runs them.

#include <signal.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "apps/program.hpp"
#include "support/skip.hpp"

using namespace matchcount::test;

namespace {

const std::string square = "a x\na y\nb x\nb y\n";
const std::string weighted_square = "a x 2\na y 1\nb x 1\nb y 3\n";   // 6 against 1
const std::string triangles = "1 2\n2 3\n3 1\n1 4\n4 5\n5 6\n6 4\n";  // joined by 1 4
const std::string none = "a x\nb x\n";

}  // namespace

TEST_CASE("marginals prints every edge with its probability, and with --exact the number of its matchings") {
  REQUIRE(run_line("marginals -", square).out == "a x 0.5\na y 0.5\nb x 0.5\nb y 0.5\n");
  REQUIRE(run_line("marginals - --exact", square).out == "a x 1\na y 1\nb x 1\nb y 1\n");
  REQUIRE(run_line("marginals - --kind undirected --exact", triangles).out ==
          "1 2 0\n1 3 0\n1 4 1\n2 3 1\n4 5 0\n4 6 0\n5 6 1\n");
  REQUIRE(run_line("marginals - --digits 3", "a x\na y\na z\nb x\nb y\nb z\nc x\nc y\nc z\n")
              .out.starts_with("a x 0.333\n"));
}

TEST_CASE("values are ignored with a note unless they are asked for") {
  const Outcome ignored = run_line("marginals - --exact", weighted_square);
  REQUIRE(ignored.out == "a x 1\na y 1\nb x 1\nb y 1\n");
  REQUIRE_THAT(ignored.err, ContainsSubstring("--weighted"));
  REQUIRE(run_line("marginals - --exact --weighted", weighted_square).out == "a x 6\na y 1\nb x 1\nb y 6\n");
  REQUIRE(run_line("marginals - --exact --kind matrix --format edgelist", "1 1 2\n1 2 1\n2 1 1\n2 2 3\n").out ==
          "1 1 6\n1 2 1\n2 1 1\n2 2 6\n");
}

TEST_CASE("where there is no probability marginals says why, and gives the sums with --exact") {
  check_refused("marginals -", none, {"have between them only 1 neighbour"}, 3);
  const Outcome zeros = run_line("marginals - --exact", none);
  REQUIRE(zeros.status == 0);
  REQUIRE(zeros.out == "a x 0\nb x 0\n");
  REQUIRE_THAT(zeros.err, ContainsSubstring("no perfect matching"));
  check_refused("marginals - --weighted", "a x 1\na y 1\nb x 1\nb y -1\n",
                {"standard input: found weights", "--exact"});
  REQUIRE(run_line("marginals - --weighted --exact", "a x 1\na y 1\nb x 1\nb y -1\n").out ==
          "a x -1\na y 1\nb x 1\nb y -1\n");
}

TEST_CASE("marginals tells in JSON the total, probabilities, numbers and what proves a zero") {
  const auto answer = nlohmann::json::parse(run_line("marginals - --exact --json", square).out);
  REQUIRE(answer["result"]["total"]["value"] == "2");
  REQUIRE_FALSE(nlohmann::json::parse(run_line("marginals - --json", square).out)["result"].contains("total"));
  const auto reals = nlohmann::json::parse(run_line("marginals - --json --weighted", "a x 0.5\n").out);
  REQUIRE(reals["result"]["total"]["kind"] == "real");
  REQUIRE(answer["result"]["edges"].size() == 4);
  REQUIRE(answer["result"]["edges"][1] ==
          nlohmann::json({{"u", "a"}, {"v", "y"}, {"probability", 0.5}, {"value", "0.5"}, {"count", "1"}}));
  const auto zero = nlohmann::json::parse(run_line("marginals - --exact --json", none).out);
  REQUIRE(zero["result"]["edges"][0]["probability"].is_null());
  REQUIRE(zero["hall_violator"]["members"].size() == 2);
}

TEST_CASE("of a probability no digit is printed that its error bound does not support") {
  // The edge c y is in two of six matchings, of 10^-300 times the weight of the others; it is lifted to 2^-900.
  const std::string far =
      "a x 1e300\na y 1e300\na z 1e300\nb x 1e300\nb y 1e300\nb z 1e300\nc x 1e300\nc z 1e300\nc y 1.0\n";
  const std::vector<std::string> lines = lines_of(run_line("marginals - --weighted", far).out);
  REQUIRE(lines.size() == 9);
  REQUIRE(lines[7].starts_with("c y [+/- "));
  REQUIRE(std::stod(lines[7].substr(9)) >= 5e-301);
  REQUIRE(lines[0].starts_with("a x 0.25"));
  const auto answer = nlohmann::json::parse(run_line("marginals - --weighted --json", far).out);
  const auto& edge = answer["result"]["edges"][7];
  REQUIRE(edge["v"] == "y");
  REQUIRE(edge["probability"].is_null());
  REQUIRE(std::string(edge["value"]).starts_with("[+/- "));
  // 10^-600 is no double.
  const std::string below = "a x 1e-300\na y 1\nb x 1\nb y 1e-300\n";
  REQUIRE(run_line("marginals - --weighted", below).out.starts_with("a x [+/- "));
}

TEST_CASE("sample prints edge lists that are perfect matchings, the same for the same seed") {
  const Outcome first = run_line("sample - --samples 20 --seed 5", square);
  REQUIRE(first.status == 0);
  REQUIRE(run_line("sample - --samples 20 --seed 5 --threads 2", square).out == first.out);
  REQUIRE(run_line("sample - --samples 20 --seed 6", square).out != first.out);
  const std::vector<std::string> lines = lines_of(first.out);
  REQUIRE(lines.size() == 60);
  std::set<std::string> drawn;
  for (std::size_t i = 0; i < 20; ++i) {
    REQUIRE(lines[3 * i] == "# sample " + std::to_string(i));
    drawn.insert(lines[3 * i + 1] + ", " + lines[3 * i + 2]);
  }
  REQUIRE(drawn == std::set<std::string>{"a x, b y", "a y, b x"});
}

TEST_CASE("sample prints JSON Lines, and refuses where no matching can be drawn") {
  const std::vector<std::string> lines =
      lines_of(run_line("sample - --samples 3 --json --kind undirected", triangles).out);
  REQUIRE(lines.size() == 3);
  REQUIRE(nlohmann::json::parse(lines[2])["edges"] == nlohmann::json::parse(R"([["1","4"],["2","3"],["5","6"]])"));
  REQUIRE(run_line("sample -", none).status == 3);
  REQUIRE(run_line("sample - --weighted", "a x 1\na y 1\nb x 1\nb y -1\n").status == 2);
  for (const std::string amount : {"0", "18446744073709551616"}) {
    check_refused("sample - --samples " + amount, square, {"a whole number from 1 to 18446744073709551615"});
  }
}

TEST_CASE("list prints every perfect matching once, in order, and as many as are asked for") {
  REQUIRE(run_line("list -", square).out == "a x, b y\na y, b x\n");
  REQUIRE(run_line("list - --first 1", square).out == "a x, b y\n");
  REQUIRE(run_line("list - --kind undirected", triangles).out == "1 4, 2 3, 5 6\n");
  const std::vector<std::string> lines =
      lines_of(run_line("list " MATCHCOUNT_SOURCE_DIR "/datasets/grid-8x8.txt --first 5000").out);
  REQUIRE(lines.size() == 5000);
  REQUIRE(std::set<std::string>(lines.begin(), lines.end()).size() == 5000);
  const Outcome empty = run_line("list -", none);
  REQUIRE(empty.status == 0);
  REQUIRE(empty.out.empty());
  REQUIRE_THAT(empty.err, ContainsSubstring("have between them only 1 neighbour"));
}

TEST_CASE("parallel edges are no different matchings to list, which count tells apart") {
  REQUIRE(run_line("list - --duplicates sum", "a x\na x\nb y\n").status == 2);
  REQUIRE(run_line("list - --duplicates one", "a x\na x\nb y\n").out == "a x, b y\n");
  REQUIRE(run_line("list - --duplicates sum", "a x 2\na x 3\nb y 1\n").out == "a x, b y\n");
}

TEST_CASE("list goes through an undirected graph in the order of its names, with odd cycles and without") {
  const std::string even = "1 5\n1 7\n2 6\n2 8\n3 4\n3 7\n4 6\n4 8\n5 6\n5 8\n6 7\n";
  const std::string line = "list - --kind undirected --format edgelist --header no";
  const std::string all = run_line(line, even).out;
  REQUIRE(all ==
          "1 5, 2 6, 3 7, 4 8\n1 5, 2 8, 3 4, 6 7\n1 5, 2 8, 3 7, 4 6\n1 7, 2 6, 3 4, 5 8\n1 7, 2 8, 3 4, 5 6\n");
  const auto first = nlohmann::json::parse(lines_of(run_line(line + " --json", even).out).front());
  REQUIRE(first["edges"] == nlohmann::json::parse(R"([["1","5"],["2","6"],["3","7"],["4","8"]])"));
  // With an odd cycle beside it the same are in the same order.
  std::string longer;
  for (const std::string& matching : lines_of(all)) longer += matching + ", 9 10, 11 12\n";
  REQUIRE(run_line(line, even + "9 10\n10 11\n11 9\n11 12\n").out == longer);
  REQUIRE(run_line("list - --kind undirected", "d a\na b\nb c\nc d\n").out == "d a, b c\nd c, a b\n");
}

TEST_CASE("list says in JSON that there is no matching, and why") {
  const auto hall = nlohmann::json::parse(run_line("list - --json", none).out);
  REQUIRE(hall["matchings"] == 0);
  REQUIRE(hall["hall_violator"]["members"] == nlohmann::json({"a", "b"}));
  const auto tutte = nlohmann::json::parse(run_line("list - --json --kind undirected", "1 2\n2 3\n3 1\n").out);
  REQUIRE(tutte["matchings"] == 0);
  REQUIRE(tutte["tutte_set"]["odd_components"] == 1);
}

TEST_CASE("an error in a file of several graphs has the position of its graph in JSON") {
  Folder folder;
  const std::string odd = folder.file("odd.g6", "C~\nDqK\nA_\n"), cut = folder.file("cut.g6", "C~\nD\nA_\n");
  for (const std::string& line : {"sample " + odd, "list " + cut, "count " + cut}) {
    const std::vector<std::string> lines = lines_of(run_line(line + " --json").out);
    CAPTURE(line, lines);
    std::vector<nlohmann::json> errors;
    for (const std::string& text : lines) {
      if (const auto answer = nlohmann::json::parse(text); answer.contains("error")) errors.push_back(answer);
    }
    REQUIRE(errors.size() == 1);
    REQUIRE(errors[0]["input"]["position"] == 2);
  }
}

TEST_CASE("list covers the smaller side with --matchings saturating") {
  REQUIRE(run_line("list - --matchings saturating", none).out == "a x\nb x\n");
  REQUIRE(run_line("list - --matchings saturating", "a x\na y\n").out == "a x\na y\n");
  for (const std::string& undirected : {triangles, std::string("1 2\n3 2\n")})
    REQUIRE(run_line("list - --matchings saturating --kind undirected", undirected).status == 2);
  REQUIRE(run_line("list - --matchings by-size", square).status == 2);
}

TEST_CASE("names that are not plain words are quoted as a reader takes them, and not in JSON") {
  const std::string input = "\"Ann B\",x\n\"Ann B\",y\nc,x\nc,y\n";
  REQUIRE(run_line("list - --first 1", input).out == "\"Ann B\" x, c y\n");
  const auto object = nlohmann::json::parse(run_line("list - --first 1 --json", input).out);
  REQUIRE(object["edges"][0][0] == "Ann B");
  REQUIRE(object["place"] == 1);
}

TEST_CASE("a time limit and Ctrl-C end a list with what was printed", "[timing]") {
  const std::vector<std::string> words = {"list", MATCHCOUNT_SOURCE_DIR "/datasets/grid-8x8.txt"};
  std::vector<std::string> limited = words;
  limited.insert(limited.end(), {"--time-limit", "1000"});
  Setting setting{.passing_s = 1000.25, .after_out = 2000};
  const Outcome late = run_program(limited, setting);
  REQUIRE(late.status == 3);
  REQUIRE(late.out.size() > 1000);
  REQUIRE(late.out.ends_with("\n"));
  setting.passing_s = 0;
  setting.signal = SIGINT;
  const Outcome stopped = run_program(words, setting);
  REQUIRE(stopped.status == 3);
  REQUIRE(stopped.out.ends_with("\n"));
}

TEST_CASE("a time limit and Ctrl-C end samples with what was printed, whole ones, beginning at once", "[timing]") {
  const Folder folder;
  const std::string king = folder.file("king.txt", run_line("generate king 10 10").out);
  const std::string few = run_line("sample " + king + " --samples 50 --seed 3").out;
  const std::vector<std::string> words = {"sample", king, "--samples", "18446744073709551615", "--seed", "3"};
  const auto require_whole = [&](const Outcome& outcome) {
    CAPTURE(outcome.err, outcome.out.size());
    REQUIRE(outcome.status == 3);
    REQUIRE(outcome.out.starts_with(few));
    const std::size_t last = outcome.out.rfind("# sample ");
    REQUIRE(std::ranges::count(outcome.out.substr(last), '\n') == 51);
    REQUIRE(outcome.out.ends_with("\n"));
  };
  std::vector<std::string> limited = words;
  limited.insert(limited.end(), {"--time-limit", "1000"});
  Setting setting{.passing_s = 1000.25, .after_out = few.size()};
  require_whole(run_program(limited, setting));
  setting.passing_s = 0;
  setting.signal = SIGINT;
  require_whole(run_program(words, setting));
}

TEST_CASE("samples are written in batches that the memory limit holds") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  MATCHCOUNT_SKIP("memory is the sanitizer's");
#endif
  const std::string line = "sample " MATCHCOUNT_SOURCE_DIR "/datasets/grid-8x8.txt --samples ";
  const std::uint64_t one = run_line(line + "1").peak_bytes;
  const Outcome many = run_line(line + "200000 --memory-limit 20M");
  REQUIRE(many.status == 0);
  REQUIRE(many.peak_bytes < one + (8 << 20));
}

TEST_CASE("several inputs are answered one behind the other by marginals, sample and list") {
  Folder folder;
  const std::string good = folder.file("good.txt", square), bad = folder.file("bad.txt", "a x\nb\x01 y\n");
  for (const std::string command : {"marginals", "sample", "list"}) {
    const Outcome outcome = run_line(command + " " + good + " " + bad + " " + good + " --json");
    CAPTURE(command, outcome.out, outcome.err);
    CHECK(outcome.status == 2);
    CHECK(std::ranges::count(lines_of(outcome.out), true, [](const std::string& text) {
            return nlohmann::json::parse(text).contains("error");
          }) == 1);
  }
}

TEST_CASE("matchings are counted, listed and drawn that have some edges and lack others") {
  const std::string sides = "a x\na y\nb x\nb y\nc y\n";
  CHECK(run_line("count - --given a-x", square).out == "1\n");
  for (const std::string words :
       {"--matchings maximum", "--matchings maximal", "--matchings minimum-weight", "--by weight"})
    CHECK(run_line("count - --given a-x " + words, square).status == 2);
  const Outcome clashing = run_line("count - --given a-x,b-x", square);
  CHECK(clashing.out == "0\n");
  CHECK_THAT(clashing.err, ContainsSubstring("--given leaves 0 of 4 edges, and what is said is of these"));
  CHECK(run_line("count - --given a-x,!a-x", square).out == "0\n");
  CHECK(run_line("count - --matchings all --given a-x", sides).out == "3\n");
  CHECK(run_line("count - --matchings all --given !a-x", sides).out == "7\n");
  CHECK(run_line("count - --matchings by-size --given a-x", sides).out == "0 0\n1 1\n2 2\n");
  CHECK(run_line("list - --matchings all --given a-x,!b-y", sides).out == "a x, c y\na x\n");
  CHECK(run_line("list - --kind undirected --matchings all --given y-a", sides).out == "a y, x b\na y\n");
  CHECK(run_line("marginals - --matchings saturating --given a-x", sides).out ==
        "a x 1\nb y 0.5\nc y 0.5\na - 0\nb - 0.5\nc - 0.5\n- x 0\n- y 0\n");
  CHECK(run_line("sample - --given a-x", square).out == "# sample 0\na x\nb y\n");
  check_refused("count - --given a-z", square, {"--given a-z, which is no edge"});
  CHECK_THAT(run_line("count - --given a-b-c", "a b-c\na-b c\n").err, ContainsSubstring("more than one edge"));
  CHECK(run_line("count - --matchings maximum --given a-x", square).status == 2);
}

TEST_CASE("pairs of edges have joint probabilities, correlations and connected parts, and distributions an entropy") {
  const Folder folder;
  const std::string sides = "a x\na y\nb x\nb y\nc y\n", file = folder.path("pairs");
  std::ofstream(file) << "# of ten matchings\na-x b-y\n\na-x a-y\nb-y a-x\n";
  const Outcome all = run_line("marginals - --matchings all --pairs " + file, sides);
  CHECK(all.out ==
        "a-x b-y 0.1 0.218217890236 0.04\na-x a-y 0 -0.327326835354 -0.06\nb-y a-x 0.1 0.218217890236 0.04\n");
  CHECK_THAT(all.err, ContainsSubstring("entropy 2.302585092994 nats, for each vertex 0.46051701859881"));
  CHECK(run_line("marginals - --matchings all --exact --pairs " + file, sides).out ==
        "a-x b-y 1\na-x a-y 0\nb-y a-x 1\n");
  CHECK(run_line("marginals - --weighted --exact --pairs all-near 1", "a x 3/2\na y 2\nb x 1/2\nb y 1\n").out ==
        "a-x b-y 3/2\na-y b-x 1\n");
  CHECK(run_line("marginals - --kind undirected --pairs all-near 1", "a b\nb c\nc d\n").out == "a-b c-d 1 - 0\n");
  CHECK(run_line("marginals - --matchings all --given !a-y,!b-y --pairs all-near 1", sides).out.empty());
  const auto json =
      nlohmann::json::parse(run_line("marginals - --matchings all --pairs all-near 1 --json", sides).out)["result"];
  CHECK(json["pairs"].size() == 4);
  CHECK(json["pairs"][1]["edges"][1] == nlohmann::json::parse(R"({"u": "c", "v": "y"})"));
  CHECK(json["pairs"][1]["correlation"] == 0.04761904761905);
  CHECK(json["edges"].size() == 5);
  CHECK(json["entropy"] == 2.302585092994);
  CHECK(json["entropy_error"] < 1e-13);  // of the digits that are printed
  CHECK(json["entropy_error"] >= std::fabs(2.302585092994 - std::log(10)));
  CHECK(nlohmann::json::parse(run_line("marginals - --json", "").out)["result"]["entropy_per_vertex"].is_null());
  CHECK(nlohmann::json::parse(run_line("marginals - --exact --json", none).out)["result"]["entropy"].is_null());
  // Sums of weights beyond 64 bits are rounded, and said to be.
  const std::string large = "a x 10000000000000000000000001\na y 3\nb x 5\nb y 7\n",
                    small = "a x 2\na y 3\nb x 5\nb y 7\n";
  const std::string rounded = "sums are rounded";
  CHECK_THAT(run_line("marginals - --weighted --exact", large).err, ContainsSubstring(rounded));
  CHECK_THAT(run_line("marginals - --weighted --exact", small).err, !ContainsSubstring(rounded));
  for (const std::string& wrong : {std::string("all-near"), std::string("all-near 0"), file + "2", folder.path("")})
    CHECK(run_line("marginals - --matchings all --pairs " + wrong, sides).status == 2);
  for (const std::string line : {"a-x", "a-x b-y c-y", "a-x b-z", "x-a b-y"}) {
    std::ofstream(file) << "a-x b-y\n" << line << "\n";
    check_refused("marginals - --pairs " + file, sides, {file + ":2:"});
  }
  CHECK(run_line("marginals - --estimate --pairs all-near 1", sides).status == 2);
}

TEST_CASE("matchings of other kinds have marginals, samples, lists and plans") {
  const std::string sides = "a x\na y\nb y\nb z\n";
  CHECK(run_line("marginals - --matchings saturating", sides).out ==
        "a x 0.66666666666667\na y 0.33333333333333\nb y 0.33333333333333\nb z 0.66666666666667\n"
        "a - 0\nb - 0\n- x 0.33333333333333\n- y 0.33333333333333\n- z 0.33333333333333\n");
  CHECK(run_line("list - --matchings saturating", sides).out == "a x, b y\na x, b z\na y, b z\n");
  CHECK(run_line("list - --matchings all", "a x\na y\nb y\n").out == "a x, b y\na x\na y\nb y\n\n");
  const std::string path = "c d 1\na b 1/2\nb c 2\n";  // vertices in the order of the file, alternately of two sides
  CHECK(run_line("marginals - --kind undirected --matchings all --activity 1/2 --exact --weighted", path).out ==
        "c d 3/4\nc b 1/2\na b 5/8\nc - 3/16\nd - 11/16\na - 13/16\nb - 5/16\n");
  CHECK(run_line("list - --kind undirected --matchings maximum-weight", "a b 1\nb c 3\nc d 1\nd a 3\n").out ==
        "a d, b c\n");
  CHECK(run_line("marginals - --kind undirected --loops --exact", "a b 2\na a 3\nb b 5\n").out ==
        "a b 2\na - 15\nb - 15\n");
  const auto json =
      nlohmann::json::parse(run_line("marginals - --kind undirected --matchings maximum --json", "a b\nb c\n").out);
  CHECK(json["result"]["matchings"] == "maximum");
  CHECK(json["result"]["unmatched"][1] ==
        nlohmann::json::parse(R"({"vertex": "b", "probability": 0.0, "value": "0"})"));
  for (const std::string kind : {"maximum", "saturating", "all", "minimum-weight"}) {
    const Outcome sample = run_line("sample - --samples 3 --json --matchings " + kind, "a x\nb x\nb y\n");
    CHECK(lines_of(sample.out).size() == 3);
    CHECK(run_line("plan - --of sample --matchings " + kind, sides).status == 0);
  }
  CHECK_THAT(run_line("sample - --matchings by-size", sides).err, ContainsSubstring("sums have sizes"));
  CHECK_THAT(run_line("sample - --matchings all --approximate", sides).err,
             ContainsSubstring("perfect and saturating matchings alone"));
  CHECK_THAT(run_line("marginals - --matchings saturating", "a x\nb x\nc y\nc z\n").err,
             ContainsSubstring("no matching saturates the smaller side"));
  CHECK_THAT(run_line("sample - --kind undirected --matchings minimum-weight", "a b\na c\na d\nb c\nb d\nc d\n").err,
             ContainsSubstring("odd cycles"));
  CHECK_THAT(run_line("list - --matchings all --svg x.svg", sides).err, ContainsSubstring("maximum ones"));
}

TEST_CASE("marginals --estimate prints each probability between the ends of its interval") {
  const std::string king = run_line("generate king 6 6").out;
  const Outcome outcome = run_line("marginals - --estimate --samples 3000 --seed 4", king);
  REQUIRE(outcome.status == 0);
  REQUIRE_THAT(outcome.err, ContainsSubstring("95 % interval") && ContainsSubstring("3008 samples (population)"));
  const std::vector<std::string> lines = lines_of(outcome.out), exact = lines_of(run_line("marginals -", king).out);
  REQUIRE(lines.size() == exact.size());
  std::size_t held = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::istringstream line(lines[i]), truth(exact[i]);
    std::string u, v, w, x;
    double probability = 0, low = 0, high = 0, expected = 0;
    REQUIRE((line >> u >> v >> probability >> low >> high));
    REQUIRE((truth >> w >> x >> expected));
    REQUIRE(u + " " + v == w + " " + x);
    REQUIRE(low <= probability);
    REQUIRE(probability <= high);
    held += low <= expected && expected <= high ? 1 : 0;
  }
  REQUIRE(held > lines.size() * 8 / 10);
  REQUIRE(run_line("marginals - --estimate --samples 3000 --seed 4 --threads 2", king).out == outcome.out);
  REQUIRE(run_line("marginals - --estimate --samples 3000 --seed 5", king).out != outcome.out);
  const auto json = nlohmann::json::parse(run_line("marginals - --estimate --samples 3000 --seed 4 --json", king).out);
  REQUIRE(json["result"]["samples"] == 3008);  // whole populations
  REQUIRE(json["result"]["edges"].size() == lines.size());
}

TEST_CASE("estimated marginals of small parts are exact, and of what has no matching there are none") {
  const Outcome exact = run_line("marginals - --estimate --weighted", weighted_square);
  REQUIRE(exact.out.starts_with("a x 0.857142857142857"));
  REQUIRE_THAT(exact.err, ContainsSubstring("exact"));
  REQUIRE(run_line("marginals - --estimate", none).status == 3);
  REQUIRE(run_line("marginals - --estimate --weighted", "a x 1\na y 1\nb x 1\nb y -1\n").status == 2);
}

TEST_CASE("matchings that saturate the smaller side are estimated and drawn approximately") {
  const std::string rides = run_line("generate random 14 19 0.4 --seed 3").out;
  const auto json = nlohmann::json::parse(
      run_line("marginals - --estimate --matchings saturating --samples 1000 --json", rides).out)["result"];
  CHECK(json["matchings"] == "saturating");
  std::map<std::string, double> sums;  // each row is in every matching
  for (const auto& edge : json["edges"]) sums[edge["u"]] += edge["probability"].get<double>();
  CHECK(sums.size() == 14);
  for (const auto& [row, sum] : sums) CHECK(std::abs(sum - 1) < 1e-9);
  CHECK(lines_of(run_line("sample - --approximate --matchings saturating", rides).out).size() == 15);
  CHECK(run_line("sample - --approximate --matchings saturating", "a x\nb x\nc y\nc z\n").status == 3);
  CHECK(run_line("sample - --approximate --matchings saturating --kind undirected", rides).status == 2);
}

TEST_CASE("estimated marginals go on from a checkpoint, and exact ones refuse one") {
  const Folder folder;
  const std::string king = run_line("generate king 8 8").out, file = folder.path("king.part");
  const std::string line = "marginals - --estimate --samples 4000 --seed 4 --checkpoint " + file;
  const std::string whole = run_line("marginals - --estimate --samples 4000 --seed 4", king).out;
  REQUIRE(run_line(line, king).out == whole);
  REQUIRE(run_line(line + " --resume", king).out == whole);
  // A checkpoint of another graph is refused.
  REQUIRE(run_line(line + " --resume", run_line("generate king 8 6").out).status == 2);
  check_refused("marginals - --checkpoint " + file, king, {"--checkpoint without --estimate"});
}

TEST_CASE("sample --approximate says what its samples are taken from") {
  const std::string king = run_line("generate king 6 6").out;
  const Outcome outcome = run_line("sample - --approximate --samples 100 --population 500", king);
  REQUIRE(outcome.status == 0);
  REQUIRE(lines_of(outcome.out).size() == 1900);
  REQUIRE_THAT(outcome.err, ContainsSubstring("taken from 512 weighted matchings") &&
                                ContainsSubstring("of 100 samples are different ones"));
  // A sample is a function of its number.
  const std::string later =
      run_line("sample - --approximate --samples 10 --first-sample 90 --population 500", king).out;
  REQUIRE(outcome.out.ends_with(later));
  REQUIRE(later.starts_with("# sample 90\n"));
  REQUIRE_THAT(run_line("sample - --approximate", square).err, ContainsSubstring("exact samples after all"));
  REQUIRE(run_line("sample - --approximate", none).status == 3);
}

TEST_CASE("sample and list go on where another run ended") {
  const std::string grid = run_line("generate grid 4 4").out;
  const std::string all = run_line("sample - --samples 7", grid).out;
  REQUIRE(run_line("sample - --samples 3", grid).out + run_line("sample - --samples 4 --first-sample 3", grid).out ==
          all);
  REQUIRE(run_line("sample - --samples 2 --first-sample 18446744073709551614", grid).status == 2);
  const std::string list = run_line("list -", grid).out;
  REQUIRE(run_line("list - --first 30", grid).out + run_line("list - --skip 30", grid).out == list);
  REQUIRE(run_line("list - --skip 30 --first 2 --json", grid).out.find("\"place\": 31") != std::string::npos);
  const Outcome beyond = run_line("list - --skip 40", grid);
  REQUIRE(beyond.status == 0);
  REQUIRE(beyond.out.empty());
  REQUIRE_THAT(beyond.err, ContainsSubstring("only 36 matchings"));
}

TEST_CASE("options of estimates are refused without one, and those of exact answers with one") {
  for (const std::string line :
       {"marginals - --samples 10", "marginals - --confidence 0.9", "marginals - --estimate --exact",
        "marginals - --estimate --method planar", "marginals - --estimate --samples 1", "sample - --population 10",
        "marginals - --estimate --confidence 1", "sample - --approximate --engine dense",
        "sample - --approximate --population 1", "sample - --first-sample x", "list - --skip -1"}) {
    CAPTURE(line);
    REQUIRE(run_line(line, square).status == 2);
  }
}

TEST_CASE("plan --of tells method, time and memory of marginals and of samples, with the options of these") {
  const auto planned = [](const std::string& words, const std::string& input) {
    const Outcome outcome = run_line("plan - --json --of " + words, input);
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    return nlohmann::json::parse(outcome.out);
  };
  const std::string grid = run_line("generate grid 40 40").out, dense = run_line("generate complete 24 24").out;
  const auto of_marginals = planned("marginals --exact", grid), of_sample = planned("sample", grid);
  REQUIRE(of_marginals["of"] == "marginals");
  REQUIRE(of_sample["of"] == "sample");
  for (const auto& plan : {of_marginals, of_sample}) {
    REQUIRE(plan["within_limits"] == true);
    REQUIRE(plan["blocks"][0]["size"] == 800);
    REQUIRE(plan["blocks"][0]["methods"][0]["name"] == "planar");
    REQUIRE(plan["blocks"][0]["methods"][0]["seconds"] == plan["seconds"]);
    REQUIRE(plan["blocks"][0]["methods"][0]["memory_bytes"] == plan["memory_bytes"]);
  }
  // Doubles take less than exact integers.
  REQUIRE(planned("marginals --method ryser", dense)["seconds"] <
          planned("marginals --method ryser --exact", dense)["seconds"]);
  for (const std::string command : {"marginals", "sample"}) {
    REQUIRE(planned(command + " --method ryser", dense)["blocks"][0]["methods"][0]["name"] == "ryser");
    const std::string options = " --method frontier --memory-limit 20M";
    const auto plan = planned(command + options, dense);
    REQUIRE(plan["within_limits"] == false);
    REQUIRE_THAT(plan["refusal"].get<std::string>(), ContainsSubstring("memory limit leaves 20 MiB"));
    REQUIRE(run_line(command + " -" + options, dense).status == 3);
    REQUIRE_THAT(run_line("plan - --of " + command + options, dense).out, ContainsSubstring("it would be refused"));
    const Setting late{.input = dense, .still_clock = true};
    REQUIRE(run_program({"plan", "-", "--time-limit", "1e-9", "--of", command}, late).status == 0);
    REQUIRE_THAT(run_line("plan - --of " + command, none).out,
                 ContainsSubstring("no perfect matching: the 2 vertices"));
  }
  REQUIRE(planned("sample --weighted", weighted_square)["blocks"].size() == 1);
  REQUIRE(planned("sample", weighted_square)["input"]["weights_ignored"] == true);
}

TEST_CASE("plan --of refuses what the command that is planned would refuse, and options that it lacks") {
  const std::string negative = "a x 1\na y 1\nb x 1\nb y -1\n";
  REQUIRE(run_line("plan - --of marginals", negative).status == 0);
  REQUIRE(run_line("plan - --of marginals --weighted --exact", negative).status == 0);
  REQUIRE_THAT(run_line("plan - --of marginals --weighted", negative).err, ContainsSubstring("--exact"));
  REQUIRE(run_line("plan - --of sample --weighted", negative).status == 2);
  for (const std::string words : {"--exact", "--weighted", "--of sample --exact", "--of marginals --device cpu",
                                  "--of marginals --matchings by-size", "--of sample --ranks 2", "--of list",
                                  "--of marginals --method staged", "--of sample --engine lean"}) {
    INFO(words);
    const Outcome outcome = run_line("plan - " + words, square);
    REQUIRE(outcome.status == 2);
    REQUIRE(outcome.out.empty());
  }
  REQUIRE(run_line("plan - --of count", square).out == run_line("plan -", square).out);
}

TEST_CASE("fractions as weights give probabilities as integers in proportion do, and exact sums of products") {
  const std::string fractions = "a x 1/3\na y 1/2\nb x 1/6\nb y 0.75\n";  // 1/4 against 1/12
  REQUIRE(run_line("marginals - --weighted", fractions).out == "a x 0.75\na y 0.25\nb x 0.25\nb y 0.75\n");
  REQUIRE(run_line("marginals - --weighted --exact", fractions).out == "a x 1/4\na y 1/12\nb x 1/12\nb y 1/4\n");
  REQUIRE(run_line("marginals - --exact", fractions).out == "a x 1\na y 1\nb x 1\nb y 1\n");
  REQUIRE(run_line("marginals - --exact --kind matrix --format edgelist", "1 1 1/2\n1 2 -1/2\n2 1 1/3\n2 2 0\n").out ==
          "1 1 0\n1 2 -1/6\n2 1 -1/6\n");
  const auto json = nlohmann::json::parse(run_line("marginals - --weighted --exact --json", fractions).out);
  REQUIRE(json["result"]["total"]["kind"] == "fraction");
  REQUIRE(json["result"]["total"]["value"] == "1/3");
  REQUIRE(json["result"]["edges"][1]["sum"]["value"] == "1/12");
  REQUIRE_FALSE(json["result"]["edges"][1].contains("count"));
  // A common divisor counts as well as a denominator; here the edges of a 4-cycle of any graph.
  const std::string large =
      "1 2 20000000000000000000000\n2 3 10000000000000000000000\n3 4 10000000000000000000000\n"
      "4 1 10000000000000000000000\n1 3 10000000000000000000000\n2 4 0\n";
  REQUIRE(run_line("marginals - --kind undirected --weighted --exact", large)
              .out.starts_with("1 2 2" + std::string(44, '0') + "\n"));
  // 3 * 10^21 to 1.
  const std::string wide = "a x 1/3\na y 1000000000000000000000\nb x 1\nb y 1\n";
  REQUIRE(run_line("marginals - --weighted", wide).out.starts_with("a x 3.333333333333"));
  REQUIRE(
      run_line("marginals - --weighted --exact", wide).out ==
      "a x 3.3333333333333333e-1\na y 1.0000000000000000e21\nb x 1.0000000000000000e21\nb y 3.3333333333333333e-1\n");
}

TEST_CASE("samples by fractions are those by the integers in proportion, and so are plans and estimates") {
  const std::string fractions = "a x 1/3\na y 1/2\nb x 1/6\nb y 3/4\n", integers = "a x 4\na y 6\nb x 2\nb y 9\n";
  for (const std::string words : {"sample - --samples 50 --weighted", "sample - --samples 50 --weighted --approximate",
                                  "marginals - --weighted --estimate", "plan - --of sample --weighted"}) {
    INFO(words);
    const Outcome outcome = run_line(words, fractions);
    REQUIRE(outcome.status == 0);
    REQUIRE(outcome.out == run_line(words, integers).out);
  }
}
