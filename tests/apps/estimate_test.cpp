#include <signal.h>

#include <cmath>

#include "apps/json_output.hpp"

using namespace matchcount::test;

namespace {

std::string grid(int size) { return generated("grid " + std::to_string(size) + " " + std::to_string(size)); }

}  // namespace

TEST_CASE("estimate says the value on stdout and the interval on stderr") {
  const Outcome outcome = run_line("estimate - --samples 2000 --method guided", grid(8));
  CAPTURE(outcome.out, outcome.err);
  CHECK(outcome.status == 0);
  // 12988816 within 4.5 standard errors of about 0.5 / sqrt(2000) each.
  CHECK(std::fabs(std::stod(outcome.out) / 12988816 - 1) < 0.07);
  CHECK_THAT(outcome.err, ContainsSubstring("95 % interval ["));
  CHECK_THAT(outcome.err, ContainsSubstring("Bethe's bounds: "));
  CHECK(run_line("estimate - --samples 2000 --quiet", grid(8)).err.empty());
}

TEST_CASE("the JSON of an estimate has all that is stated of it") {
  const Json json = parsed(run_line("estimate - --samples 500 --method scaling+ --confidence 0.99 --json", grid(8)));
  CHECK(json["command"] == "estimate");
  const Json& result = json["result"];
  CHECK(result["kind"] == "estimate");
  CHECK(result["confidence"] == 0.99);
  CHECK(result["samples"] == 500);
  CHECK(std::fabs(result["log_value"].get<double>() - std::log(12988816.0)) < 1);
  CHECK(std::stod(result["interval"][0].get<std::string>()) < std::stod(result["value"].get<std::string>()));
  CHECK(std::stod(result["interval"][1].get<std::string>()) > std::stod(result["value"].get<std::string>()));
  CHECK(result["effective_samples"].get<double>() <= 500);
  CHECK(result["zero_fraction"].get<double>() >= 0);
  CHECK(result["bracket_log10"][0].get<double>() < std::log10(12988816.0));
  CHECK(result["bracket_log10"][1].get<double>() > std::log10(12988816.0));
  CHECK(json["method"]["name"] == "scaling+");
  CHECK(json["seed"] == 1);
}

TEST_CASE("every estimator is an option's value, and threads do not show") {
  for (const char* method : {"auto", "rasmussen", "rasmussen+", "scaling", "scaling+", "guided", "population",
                             "annealing", "godsil-gutman", "karmarkar"}) {
    const std::string samples = method == std::string("annealing") ? "16" : "200";
    const std::string line = "estimate - --samples " + samples + " --method " + method + " --threads ";
    const Outcome one = run_line(line + "1", grid(8)), three = run_line(line + "3", grid(8));
    CAPTURE(method, one.err);
    CHECK(one.status == 0);
    CHECK(one.out == three.out);
    CHECK(one.err == three.err);
  }
}

TEST_CASE("estimate --device cpu is the default where there is no GPU, and a GPU that is not there is refused") {
  const std::string line = "estimate - --samples 200 --method scaling+ --json --device ";
  const Json cpu = parsed(run_line(line + "cpu", grid(8)));
  CHECK(cpu["method"]["device"] == "cpu");
  CHECK(cpu["result"] == parsed(run_line(line + "auto", grid(8)))["result"]);
  const Outcome refused = run_line(line + "cuda:1000", grid(8));
  CHECK(refused.status == 3);
  CHECK(Json::parse(refused.out)["error"]["status"] == 3);
  CHECK(run_line(line + "gpu", grid(8)).status == 2);
}

TEST_CASE("zero is exact and has a reason, small graphs are exact, weights count with --kind matrix only") {
  const Outcome zero = run_line("estimate -", "a x\nb x\nc x\nc y\nc z\n");
  CHECK(zero.status == 0);
  CHECK(zero.out == "0\n");
  CHECK_THAT(zero.err, ContainsSubstring("no perfect matching"));
  const Outcome exact = run_line("estimate -", "a x 3\na y 1\nb x 1\nb y 5\n");
  CHECK(exact.out == "2\n");
  CHECK_THAT(exact.err, ContainsSubstring("exact"));
  const std::string matrix = "%%MatrixMarket matrix array real general\n2 2\n3\n1\n1\n5\n";
  CHECK(run_line("estimate - --kind matrix", matrix).out == "16\n");
  CHECK(run_line("estimate - --kind directed", "a b\nb a\na a\nb b\n").out == "2\n");
}

TEST_CASE("estimates of negative or complex entries and absurd options end with status 2") {
  const std::string negative = "%%MatrixMarket matrix array real general\n2 2\n3\n-1\n1\n5\n";
  check_refused("estimate - --kind matrix", negative, {"negative"});
  for (const char* line : {"--samples 0", "--samples 1", "--samples many", "--relative-error 0", "--relative-error -1",
                           "--relative-error nan", "--relative-error inf", "--confidence 0", "--confidence 1",
                           "--confidence 95", "--scaling-interval 0", "--scaling-rounds -1", "--population 1",
                           "--method frontier", "--samples 100 --relative-error 0.1"}) {
    check_refused(std::string("estimate - ") + line, grid(4), {"expected"});
  }
}

TEST_CASE("Ctrl-C on an estimate prints what there is so far, as an answer", "[timing]") {
  Setting setting{.input = run_line("generate random 40 40 0.3").out, .signal = SIGINT};
  setting.after_cpu_s = 2;  // a sample takes a fraction of a millisecond
  const Outcome outcome = run_program({"estimate", "-", "--relative-error", "1e-9", "--time-limit", "600"}, setting);
  CAPTURE(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(outcome.out.ends_with("e26\n"));
  CHECK_THAT(outcome.err, ContainsSubstring("95 % interval") && ContainsSubstring("interrupted"));
}

TEST_CASE("graphs with odd cycles are estimated, with certain bounds") {
  // The complete graph of 30 vertices: 29!! perfect matchings. Every sample is that number.
  std::string complete;
  for (int u = 1; u <= 30; ++u) {
    for (int v = 1; v < u; ++v) complete += std::to_string(u) + " " + std::to_string(v) + " 7\n";
  }
  double truth = 1;
  for (int k = 1; k < 30; k += 2) truth *= k;
  const Outcome text = run_line("estimate - --kind undirected --samples 100", complete);
  CAPTURE(text.out, text.err);
  CHECK(text.status == 0);
  CHECK(std::fabs(std::stod(text.out) / truth - 1) < 0.01);
  CHECK_THAT(text.err,
             ContainsSubstring("certain bounds: ") && ContainsSubstring("values other than 0 play no part\n"));
  const Json json = parsed(run_line("estimate - --kind undirected --samples 100 --json", complete));
  CHECK(json["method"]["blocks"][0]["bipartite"] == false);
  CHECK(json["method"]["blocks"][0]["size"] == 30);
  CHECK(json["result"]["bracket_log10"][0].get<double>() <= std::log10(truth));
  CHECK(json["result"]["bracket_log10"][1].get<double>() >= std::log10(truth));
  // Parallel edges count, each.
  const Json parallel =
      parsed(run_line("estimate - --kind undirected --duplicates sum --json", "a b\na b\nb c\nc a\nc d\n"));
  CHECK(parallel["result"]["value"] == "2");
  const Outcome none = run_line("estimate - --kind undirected", "a b\nb c\nc a\n");
  CHECK(none.out == "0\n");
  CHECK_THAT(none.err, ContainsSubstring("no perfect matching: the graph has 1 component with an odd number"));
}

TEST_CASE("estimate --matchings gives other matchings than perfect ones, and refuses what it has not") {
  for (const std::string kind : {"maximum", "saturating", "all", "minimum-weight"}) {
    const std::string input = kind == "minimum-weight" ? "a x 1\na y 2\nb x 2\nb y 3\n" : "a x\na y\na z\nb x\nb y\n";
    const Outcome outcome = run_line("estimate - --matchings " + kind, input);
    CAPTURE(kind, outcome.err);
    CHECK(outcome.out == (kind == "minimum-weight" ? "2\n" : kind == "all" ? "10\n" : "4\n"));
  }
  const Json json = parsed(run_line("estimate - --matchings all --activity 2 --json --samples 50", grid(8)));
  CHECK(json["result"]["matchings"] == "all");
  CHECK(json["method"]["name"] == "population");
  const Json sizes = parsed(run_line("estimate - --matchings by-size --json", "a x\na y\n"))["result"]["values"];
  CHECK(sizes[1]["density"] == 2.0 / 3);
  CHECK(sizes[1]["entropy_per_vertex"].get<double>() == Approx(std::log(2.0) / 3).epsilon(1e-12));
  CHECK_THAT(run_line("estimate - --matchings by-size", "a x\na y\n").err,
             ContainsSubstring("at most 0.231, where a share of 0.667"));
  for (const std::string words : {"--matchings by-size --verify", "--matchings maximal",
                                  "--matchings maximum --activity 2", "--matchings saturating --kind undirected"})
    CHECK(run_line("estimate - " + words, grid(4)).status == 2);
  CHECK(run_line("estimate - --matchings all --method rasmussen", grid(8)).status == 3);
}

TEST_CASE("estimate --explain tells what was drawn of each block, and is refused where all is told") {
  const Outcome told = run_line("estimate - --samples 100 --explain", grid(8));
  CHECK_THAT(told.err, ContainsSubstring("1 block left") && ContainsSubstring("  32 x 32  112 ") &&
                           ContainsSubstring("natural logarithm") && ContainsSubstring(", sampling "));
  CHECK(run_line("estimate - --explain --json", "a b\n").status == 2);
  CHECK(run_line("estimate - --explain --matchings by-size", "a b\n").status == 2);
}
