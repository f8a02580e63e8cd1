// Values of edges: sums of those that are given twice, and those that a question ignores.

#include "apps/program.hpp"

using namespace matchcount::test;

TEST_CASE("edges whose values add up to 0 are none, whether other edges close an odd cycle or not") {
  const std::string even = "# kind: undirected\na b 2\na b -2\nc d 1\ne f 1\n", odd = even + "c e 1\nd e 1\n";
  for (const std::string& text : {even, odd}) {
    CHECK(run_line("count - --duplicates sum", text).out == "0\n");
    CHECK(run_line("count - --duplicates sum --keep-zeros", text).out == "1\n");
    CHECK(run_line("list - --duplicates sum", text).out.empty());
  }
  CHECK(run_line("count - --duplicates sum", "# kind: undirected\na b 1\nb c 1\nc a 1/2\na c -1/2\nc d 1\n").out ==
        "1\n");
}

TEST_CASE("values that are ignored may be fractions, and integers of any size") {
  const std::string square = "a x 1/3\na y 0\nb x 2\nb y 123456789012345678901234567890\n";
  for (const std::string line : {"count -", "count - --matchings maximum", "parity -", "estimate -"}) {
    CAPTURE(line);
    const Outcome outcome = run_line(line, square);
    CHECK(outcome.out == "1\n");
    CHECK_THAT(outcome.err, ContainsSubstring("play no part"));
  }
  CHECK(run_line("count - --matchings by-size", square).out == "0 1\n1 3\n2 1\n");
  CHECK(run_line("list -", square).out == "a x, b y\n");
  CHECK(run_line("plan -", square).status == 0);
  CHECK(run_line("cycles -", "a b 1/3\nb a 1/3\n").out == "1\n");
  CHECK(run_line("reach -", "a b 1/3\nb c 0\n").out == "1\n");
  CHECK_THAT(run_line("decompose -", square).out, ContainsSubstring("2, perfect"));
  CHECK_THAT(run_line("decompose - --kind matrix --format edgelist", square).out, ContainsSubstring("2, perfect"));
  CHECK(run_line("decompose - --kind matrix --format edgelist --write left.mtx", square).status == 2);
  CHECK(run_line("estimate - --kind matrix --format edgelist", "1 1 1/3\n2 2 6\n").out == "2\n");
}

TEST_CASE("fractions that are given twice are added up exactly") {
  CHECK(run_line("determinant - --duplicates sum --format edgelist", "1 1 1/2\n1 1 1/3\n").out == "5/6\n");
  CHECK(run_line("determinant - --duplicates sum --format edgelist", "1 1 1/2\n1 1 -1/2\n1 1 1e30\n").out ==
        "1" + std::string(30, '0') + "\n");
  CHECK(run_line("permanent - --kind directed --duplicates sum", "a a 1/2\na a -1/2\na b 1/3\nb a 3\n").out == "1\n");
  // So are integers beyond 64 bits, and decimals whose sum no double-double knows.
  CHECK(run_line("permanent - --duplicates sum --format edgelist", "1 1 9223372036854775807\n1 1 9223372036854775807\n")
            .out == "18446744073709551614\n");
  CHECK(run_line("permanent - --duplicates sum --format edgelist", "1 1 1e20\n1 1 0.1\n1 1 -1e20\n").out == "1/10\n");
  CHECK(run_line("count - --duplicates sum", "a x 0.1\na x 0.2\na x -0.3\n").out == "0\n");
  CHECK(run_line("permanent - --duplicates sum --format edgelist", "1 1 0.1\n1 1 0.2\n").out ==
        "3.0000000000000000e-1\n");
  // Both directions of an edge have equal sums.
  CHECK(run_line("hafnian - --duplicates sum",
                 "%%MatrixMarket matrix coordinate real general\n2 2 4\n1 2 1/3\n2 1 1/3\n"
                 "1 2 1/6\n2 1 1/6\n")
            .out == "1/2\n");
}
