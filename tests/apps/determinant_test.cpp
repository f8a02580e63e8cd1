#include <cmath>
#include <string>

#include "apps/json_output.hpp"

using namespace matchcount::test;

namespace {

// Writes 1 / divisor to 40 decimals, as digits.
std::string decimals(int divisor) {
  std::string text = divisor == 1 ? "1." : "0.";
  for (int rest = 1 % divisor, i = 0; i < 40; ++i) {
    text += static_cast<char>('0' + 10 * rest / divisor);
    rest = 10 * rest % divisor;
  }
  return text;
}

std::string hilbert(int n, bool as_fractions) {
  std::string text;
  for (int i = 1; i <= n; ++i) {
    for (int j = 1; j <= n; ++j) {
      const std::string value = as_fractions ? "1/" + std::to_string(i + j - 1) : decimals(i + j - 1);
      text += value + (j < n ? " " : "\n");
    }
  }
  return text;
}

const std::string mtx = "%%MatrixMarket matrix coordinate ";

}  // namespace

TEST_CASE("determinants of integers and fractions are exact") {
  CHECK(run_line("determinant - --format edgelist", "1 1 5\n1 2 2\n2 1 3\n").out == "-6\n");
  CHECK(run_line("determinant - --format edgelist --method condensation",
                 "1 1 5\n1 2 2\n2 1 3\n2 2 -9223372036854775808\n")
            .out == "-46116860184273879046\n");
  CHECK(run_line("determinant -", hilbert(5, true)).out == "1/266716800000\n");
  // Integers may have any size: 10^20 * 10^21 - 1.
  const Outcome huge = run_line("determinant - --format edgelist --json",
                                "1 1 100000000000000000000\n1 2 1\n2 1 1\n2 2 1" + std::string(21, '0') + "\n");
  CHECK(Json::parse(huge.out)["result"]["value"] == std::string(41, '9'));
  CHECK(Json::parse(huge.out)["result"]["kind"] == "exact");
  CHECK(run_line("determinant -", mtx + "integer general\n1 1 1\n1 1 -100000000000000000000\n").out ==
        "-100000000000000000000\n");
  // Decimals beside a fraction, before it too, are what they say.
  CHECK(run_line("determinant - --format edgelist", "1 1 0.1\n1 2 -2.5e-1\n2 1 1/3\n2 2 +4/6\n").out == "3/20\n");
  CHECK(run_line("determinant - --format edgelist", "1 1 1/3\n2 2 3\n").out == "1\n");
  CHECK(run_line("determinant -", mtx + "real symmetric\n2 2 3\n1 1 1\n2 1 1/2\n2 2 1/3\n").out == "1/12\n");
  CHECK(run_line("determinant -", mtx + "real skew-symmetric\n2 2 1\n2 1 1/2\n").out == "1/4\n");
  // A digraph's arcs and a graph's edges count 1.
  CHECK(run_line("determinant - --kind directed", "a b\nb c\nc a\n").out == "1\n");
  CHECK(run_line("determinant - --kind bipartite", "x b\ny a\nx a\n").out == "1\n");
}

TEST_CASE("a Hilbert matrix of 60 rows shows its exponent and, in floating point, how little is known") {
  const Outcome exact = run_line("determinant - --json", hilbert(60, true));
  CHECK(exact.status == 0);
  const Json result = Json::parse(exact.out)["result"];
  CHECK(result["kind"] == "fraction");
  CHECK(result["sign"] == 1);
  // The closed form gives this.
  CHECK(std::fabs(result["log10"].get<double>() + 2120.1601550133273) < 1e-9);
  const Outcome rounded = run_line("determinant -", hilbert(60, false));
  CHECK(rounded.status == 0);
  CHECK(rounded.out.substr(0, 5) == "[+/- ");
  CHECK_THAT(rounded.err, ContainsSubstring("it may be 0"));
  const Json unknown = Json::parse(run_line("determinant - --json", hilbert(60, false)).out)["result"];
  CHECK(unknown["value"].get<std::string>() + "\n" == rounded.out);
  for (const char* name : {"sign", "mantissa", "exponent", "relative_error"}) CHECK(unknown[name].is_null());
  CHECK_THAT(rounded.err, ContainsSubstring("as a fraction such as 1/3"));
}

TEST_CASE("reals and complex numbers come with their bound, and JSON with sign, mantissa and exponent") {
  const Outcome real = run_line("determinant - --format edgelist --precision double",
                                "1 1 1.5e-300\n1 2 1e-300\n2 1 1e-300\n2 2 3e-300\n");
  CHECK(real.out.substr(0, 6) == "3.5000");
  CHECK(real.out.find("e-600") != std::string::npos);
  CHECK_THAT(real.err, ContainsSubstring("(relative error <= "));
  const Json json =
      Json::parse(run_line("determinant - --format edgelist --json", "1 1 0.25\n1 2 1\n2 1 2\n2 2 4\n").out)["result"];
  CHECK(json["kind"] == "real");
  CHECK(json["sign"] == -1);
  CHECK(json["mantissa"] == 0.5);
  CHECK(json["exponent"] == 1);
  CHECK(json["relative_error"].get<double>() < 1e-25);
  const Outcome complex =
      run_line("determinant -", mtx + "complex general\n2 2 4\n1 1 1 1\n1 2 2 0\n2 1 0 1\n2 2 3 -1\n");
  CHECK(complex.out.substr(0, 3) == "4.0");
  CHECK_THAT(complex.out, ContainsSubstring("i\n"));
}

TEST_CASE("what has no determinant, or is no fraction, is refused with its place") {
  const auto refused = [](const std::string& line, const std::string& text, const std::string& message) {
    check_refused(line, text, {message});
  };
  refused("determinant - --format edgelist", "1 1 1\n1 2 1\n", "a matrix of 1 x 2");
  refused("determinant -", "1 1 1/0\n", "standard input:1: found '1/0'");
  refused("determinant -", "1 1 1/2\n2 2 1/x\n", "standard input:2: found '1/x'");
  refused("determinant - --format edgelist", "1 1 1/2\n1 1 1/2\n", "1 1 again, after line 1");
  refused("determinant -", mtx + "integer general\n1 1 1\n1 1 1/2\n", "found '1/2'");
  refused("determinant - --precision compensated --format edgelist", "1 1 1\n", "double-double");
}

TEST_CASE("a determinant keeps its limits") {
  check_refused("determinant - --memory-limit 2M", run_line("generate random 600 600 0.5").out,
                {"MiB; the memory limit is 2 MiB"}, 3);
  // The text counts: 1.3 MiB.
  check_refused("determinant - --memory-limit 1M", run_line("generate random 600 600 0.5").out, {"its text takes"}, 3);
  CHECK(run_line("determinant - --time-limit 0.01", run_line("generate random 600 600 0.5").out).status == 3);
}
