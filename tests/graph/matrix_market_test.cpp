// Checks Matrix Market files of other programs that go beyond the format's description, and those with two readings.

#include <string>

#include "graph/formats.hpp"

using namespace matchcount;
using namespace matchcount::test::formats;
using namespace matchcount::test::reading;

namespace {

const InputOptions as_matrix = as(InputFormat::automatic, InputKind::matrix);

Input read_mtx(const std::string& words, const std::string& rest, const InputOptions& options = as_matrix) {
  return read_input_text(banner + words + "\n" + rest, "test", options);
}

}  // namespace

TEST_CASE("Matrix Market: entries above the diagonal of a symmetric matrix stand for those below") {
  CHECK(dense<std::int64_t>(read_mtx("coordinate integer symmetric", "3 3 3\n1 2 5\n3 1 7\n2 2 9\n")) ==
        Integers{0, 5, 7, 5, 9, 0, 7, 0, 0});
  CHECK(dense<std::int64_t>(read_mtx("coordinate integer skew-symmetric", "2 2 1\n1 2 5\n")) == Integers{0, 5, -5, 0});
  const ComplexDoubleDouble above(2.0, 3.0), below(2.0, -3.0);
  CHECK(dense<ComplexDoubleDouble>(read_mtx("coordinate complex hermitian", "2 2 1\n1 2 2 3\n")) ==
        Complexes{0.0, above, below, 0.0});
  CHECK(read_mtx("coordinate pattern symmetric", "2 2 1\n1 2\n").graph.num_edges() == 2);
  CHECK(named_edges(read_mtx("coordinate pattern symmetric", "3 3 2\n1 2\n3 2\n",
                             given(InputFormat::matrix_market, InputKind::undirected))) ==
        NamedEdges{{"1", "2"}, {"3", "2"}});
}

TEST_CASE("Matrix Market: a symmetric file that has an entry in both triangles is refused, or read as asked") {
  const std::string both = banner + "coordinate integer symmetric\n2 2 2\n1 2 3\n2 1 3\n";
  check_refused(both, as_matrix, 4, "again, after line 3", "every edge once");
  check_refused(both, given(InputFormat::matrix_market, InputKind::undirected), 4, "1 2 again, after line 3",
                "every edge once");
  InputOptions options = as_matrix;
  options.duplicates = Duplicates::one;
  CHECK(dense<std::int64_t>(read_input_text(both, "test", options)) == Integers{0, 3, 3, 0});
  options.duplicates = Duplicates::sum;
  CHECK(dense<std::int64_t>(read_input_text(both, "test", options)) == Integers{0, 6, 6, 0});
}

TEST_CASE("Matrix Market: integers without a sign, and blank lines before the banner") {
  CHECK(dense<std::int64_t>(read_mtx("coordinate unsigned-integer general", "1 2 2\n1 1 7\n1 2 8\n")) ==
        Integers{7, 8});
  CHECK(dense<std::int64_t>(read_mtx("array Unsigned-Integer general", "1 1\n7\n")) == Integers{7});
  check_refused(banner + "array unsigned-integer general\n1 1\n-7\n", as_matrix, 3, "'-7'", "no negative value");
  check_refused(banner + "array unsigned-integer general\n1 1\n7.5\n", as_matrix, 3, "'7.5'", "an integer");
  const Input input = read_input_text("\n \r\n" + banner + "array integer general\n1 1\n7\n", "test", as_matrix);
  CHECK(input.format == InputFormat::matrix_market);
  CHECK(dense<std::int64_t>(input) == Integers{7});
  check_refused("\n\n" + banner + "vector real general\n1 1\n7\n", as_matrix, 3, "'vector'", "'coordinate' or 'array'");
  check_refused("%%MatrixMarket vector coordinate real general\n2 1\n1 7\n", as_matrix, 1, "'vector'", "'matrix'");
}
