#include <algorithm>
#include <string>

#include "apps/json_output.hpp"

using namespace matchcount::test;

TEST_CASE("torontonians of one mode are what the definition says") {
  // 1 / sqrt(det) - 1; with a loop exp(g^T A^-1 g / 2) / sqrt(det) - 1.
  CHECK(run_line("torontonian - --format dense", "1/2 0.0\n0 1/2\n").out == "1.000000000000e0\n");
  CHECK(run_line("torontonian - --format edgelist --precision double-double --digits 20", "1 1 0.75\n2 2 3/4\n").out ==
        "3.0000000000000000000e0\n");
  CHECK(run_line("torontonian - --format dense --loops", "0 0 1\n0 0 1\n").out == "1.71828182846e0\n");
  const std::string hermitian =
      "%%MatrixMarket matrix coordinate complex hermitian\n2 2 3\n1 1 .5 0\n2 1 .1 .2\n2 2 .25 0\n";
  CHECK_THAT(run_line("torontonian -", hermitian).out, StartsWith("7.541160386"));
  const Json json = Json::parse(run_line("torontonian - --format dense --json", "0 0.6\n0.6 0.0\n").out);
  CHECK(json["result"]["value"] == "2.50000000000e-1");
  CHECK(json["method"]["arithmetic"] == "double");
  CHECK(json["result"]["relative_error"] < 1e-11);
}

TEST_CASE("a matrix without a torontonian is refused") {
  const auto refused = [](const std::string& line, const std::string& input, const char* words) {
    const Outcome outcome = run_line(line, input);
    CAPTURE(line, input, outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK_THAT(outcome.err, ContainsSubstring(words));
  };
  refused("torontonian - --format dense", "0.5 0 0.1\n0 0.5 0.1\n", "a matrix of 2 x 3");
  refused("torontonian - --format dense --loops", "0.5 0\n0 0.5\n", "the loop");
  refused("torontonian - --format edgelist", "1 1 0.5\n", "two rows a mode");
  refused("torontonian - --format dense", "0.5 0.1\n0.2 0.5\n", "(O + O.conj().T) / 2");
  refused("torontonian - --format dense", "0 1\n1 0.0\n", "not positive definite");
  refused("torontonian - --format edgelist --header no", "a x 0.1\nb y 0.1\n", "by name");
  refused("torontonian - --format dense --precision exact", "0 0\n0 0\n", "auto, double or double-double");
  refused("torontonian - --format dense --rtol -1", "0 0\n0 0\n", "a number above 0");
  CHECK(run_line("torontonian - --format dense --atol 0.02", "0.5 0.1\n0.11 0.5\n").status == 0);
}

TEST_CASE("the program explains the command with those of the house") {
  const std::string help = run_line("torontonian --help").out;
  CHECK_THAT(help, ContainsSubstring("Usage: matchcount torontonian FILE") && ContainsSubstring("--rtol T"));
  CHECK(std::ranges::count(help, '\n') <= 40);
  CHECK(run_line("help torontonian").out == help);
  CHECK_THAT(run_line("--help").out, ContainsSubstring("\n  torontonian "));
  CHECK_THAT(run_line("help rtol").out, ContainsSubstring("Of torontonian."));
  CHECK_THAT(run_line("help --man").out, ContainsSubstring(".SS torontonian") && ContainsSubstring("\\-\\-atol T"));
  for (const char* shell : {"bash", "zsh", "fish"})
    CHECK_THAT(run_line(std::string("help --completion ") + shell).out,
               ContainsSubstring("torontonian") && ContainsSubstring("rtol"));
  CHECK(run_line("count - --rtol 1", "a b\n").status == 2);
}

TEST_CASE("a torontonian ends at its time limit") {
  std::string input;
  for (int i = 1; i <= 80; ++i) input += std::to_string(i) + " " + std::to_string(i) + " 0.5\n";
  const Outcome outcome = run_line("torontonian - --format edgelist --time-limit 100", input);
  CHECK(outcome.status == 3);
  CHECK_THAT(outcome.err, ContainsSubstring("40 modes takes about"));
}
